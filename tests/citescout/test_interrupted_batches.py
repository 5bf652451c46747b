"""A batch that is interrupted anywhere ends in the bytes of one that is not."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from command_line import run

from citescout.recommendation import Recommendation
from cli.main import main
from common.errors import SourceError
from common.files import write_output
from demo import CORPUS
from exports import FORMATS, Answer
from exports.resuming import AnswerFile
from indexer.paper import Paper
from retrieval.query import Query

PAPERS = {f"p{n}": Paper(f"p{n}", f"Paper {n}", authors=(f"Ada Lovelace{n % 3}",), year=2000 + n % 3) for n in range(9)}
QUERIES = [Query(f"query {n}", id=f"q{n}") for n in range(6)]


def answer(number: int) -> Answer:
    """Three papers each, some of them in several answers."""
    ids = [f"p{(2 * number + step) % 9}" for step in range(3)]
    found = [Recommendation(rank, 10.0 - rank, PAPERS[id_]) for rank, id_ in enumerate(ids, start=1)]
    return Answer(QUERIES[number], found)


def papers(ids):
    return [PAPERS[id_] for id_ in ids]


class Stop(Exception):
    pass


def answers(first: int, stop: int = len(QUERIES)):
    for number in range(first, len(QUERIES)):
        if number == stop:
            raise Stop
        yield answer(number)


def written(path: Path, name: str, stop: int = len(QUERIES), run: str = "a run") -> AnswerFile:
    file = AnswerFile(path, run)
    file.write(FORMATS[name], QUERIES, answers(file.answered, stop), papers)
    return file


def interrupted(path: Path, name: str, stop: int) -> None:
    with pytest.raises(Stop):
        written(path, name, stop)
    assert not path.exists()


@pytest.mark.parametrize("name", sorted(FORMATS))
@pytest.mark.parametrize("stops", [(0,), (1,), (3,), (1, 2, 5)])
def test_every_format_goes_on_where_it_stopped(tmp_path, name, stops):
    written(tmp_path / "whole", name)
    path = tmp_path / "out"
    for stop in stops:
        interrupted(path, name, stop)
    file = written(path, name)
    assert (file.answered, file.started_over) == (stops[-1], False)
    assert path.read_bytes() == (tmp_path / "whole").read_bytes()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["out", "whole"]


@pytest.mark.parametrize("name", ["jsonl", "csl-json", "bibtex"])
@pytest.mark.parametrize("lost", [2, 10, 10_000])
@pytest.mark.parametrize("end", [".partial", ".state"])
def test_what_did_not_reach_the_disk_is_done_again(tmp_path, name, lost, end):
    written(tmp_path / "whole", name)
    path = tmp_path / "out"
    interrupted(path, name, 4)
    file = Path(f"{path}{end}")
    os.truncate(file, max(0, file.stat().st_size - lost))
    assert written(path, name).answered < 4
    assert path.read_bytes() == (tmp_path / "whole").read_bytes()


def test_an_output_that_was_changed_is_not_gone_on_with(tmp_path):
    written(tmp_path / "whole", "jsonl")
    path = tmp_path / "out"
    interrupted(path, "jsonl", 4)
    partial = Path(f"{path}.partial")
    partial.write_bytes(b"X" + partial.read_bytes()[1:])
    assert written(path, "jsonl").answered == 0
    assert path.read_bytes() == (tmp_path / "whole").read_bytes()


def test_another_run_starts_over_and_says_so(tmp_path):
    path = tmp_path / "out"
    interrupted(path, "trec", 4)
    file = written(path, "trec", run="another run")
    assert (file.answered, file.started_over) == (0, True)
    Path(f"{path}.partial").write_text("of nobody knows whom")
    assert AnswerFile(path, "a run").started_over


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
def test_what_is_written_over_a_private_file_is_private_from_the_beginning(tmp_path):
    path = tmp_path / "out"
    path.write_text("of before")
    path.chmod(0o600)
    with pytest.raises(Stop):
        written(path, "trec", 4)
    assert {file.name: file.stat().st_mode & 0o777 for file in (path, Path(f"{path}.partial"))} == {
        "out": 0o600,
        "out.partial": 0o600,
    }
    written(path, "trec")
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_link_stays_one_and_the_file_that_it_names_is_written(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").symlink_to("elsewhere/file")
    written(tmp_path / "whole", "jsonl")
    for content in ("", "of another run"):
        if content:
            (tmp_path / "elsewhere" / "file").write_text(content)
        written(tmp_path / "out", "jsonl")
        assert (tmp_path / "out").is_symlink()
        assert (tmp_path / "elsewhere" / "file").read_bytes() == (tmp_path / "whole").read_bytes()
    assert {path.name for path in tmp_path.rglob("*")} == {"elsewhere", "file", "out", "whole"}


def test_links_that_lead_to_each_other_are_no_stack_trace(tmp_path):
    for name, other in (("out", "back"), ("back", "out")):
        (tmp_path / name).symlink_to(other)
    with pytest.raises(SourceError, match="cannot write"):
        written(tmp_path / "out", "jsonl")
    with pytest.raises(SourceError, match="cannot write"):
        write_output(tmp_path / "out", "")


def test_two_runs_do_not_write_one_file(tmp_path):
    path = tmp_path / "out"

    def meanwhile() -> Iterator[Answer]:
        with pytest.raises(SourceError, match="another process is writing"):
            written(path, "jsonl")
        yield from answers(0, len(QUERIES))

    other = AnswerFile(path, "a run")  # looks before the first has begun
    AnswerFile(path, "a run").write(FORMATS["jsonl"], QUERIES, meanwhile(), papers)
    whole = path.read_bytes()
    assert whole.count(b"\n") == len(QUERIES)
    interrupted_file = tmp_path / "later"
    late = AnswerFile(interrupted_file, "a run")
    interrupted(interrupted_file, "jsonl", 3)
    with pytest.raises(SourceError, match="another process is writing"):
        late.write(FORMATS["jsonl"], QUERIES, answers(0, len(QUERIES)), papers)
    other.write(FORMATS["jsonl"], QUERIES, answers(0, len(QUERIES)), papers)
    assert path.read_bytes() == whole


def test_a_place_that_cannot_be_written_is_one_line(tmp_path):
    with pytest.raises(SourceError, match="cannot write"):
        written(tmp_path / "no" / "folder" / "out", "trec")


@pytest.fixture(scope="module")
def batch(tmp_path_factory) -> Path:
    """Enough queries that a process can be killed between two of them."""
    records = [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()]
    path = tmp_path_factory.mktemp("batch") / "queries.jsonl"
    wanted = ({name: record[name] for name in ("id", "title", "abstract")} for record in records if record["abstract"])
    path.write_text("".join(json.dumps(record) + "\n" for record in islice(wanted, 40)))
    return path


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "number", "code"),
    [("trec", signal.SIGKILL, -9), ("bibtex", signal.SIGKILL, -9), ("jsonl", signal.SIGINT, 130)],
)
def test_a_command_that_is_killed_goes_on(demo_index, batch, tmp_path, name, number, code):
    options = ["recommend", str(batch), "--index", str(demo_index), "--format", name, "-k", "50", "--out"]
    main([*options, str(tmp_path / "whole")])
    out, state = tmp_path / "out", tmp_path / "out.state"
    command = [sys.executable, "-m", "citescout", *options, str(out)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:  # noqa: S603
        deadline = time.monotonic() + 300
        while not (state.exists() and state.read_bytes().count(b"\n") > 5):
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        os.kill(process.pid, number)
        said = process.communicate()[1]
    assert (process.returncode, said) == (code, b"Error: interrupted\n" if number == signal.SIGINT else b"")
    assert not out.exists()
    done = state.read_bytes().count(b"\n") - 1
    assert f"has the answers to {done} of" in run(*options, out).err
    assert out.read_bytes() == (tmp_path / "whole").read_bytes()


def test_other_settings_start_over(demo_index, batch, tmp_path):
    out, few = tmp_path / "out", tmp_path / "few.jsonl"
    few.write_text("".join(batch.read_text().splitlines(keepends=True)[:5]))
    options = ["recommend", str(few), "--index", str(demo_index), "--format", "trec", "--out", str(out)]
    Path(f"{out}.partial").write_text("of another run")
    assert "starting over" in run(*options, "-k", 5).err
    expected = out.read_bytes()
    assert run(*options, "-k", 5).err == ""
    assert out.read_bytes() == expected
