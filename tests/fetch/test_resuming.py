"""A download that is interrupted anywhere goes on, and ends in the same file as one that was not."""

import os
import signal
import subprocess
import sys

import pytest
from command_line import refused, run
from fake_openalex import CORPUS, doi_of
from filelock import FileLock
from test_fetching import access, fetch, ids_of, neighbourhood

from common.errors import FetchError
from fetch.download import download
from fetch.partial import PartialFile
from fetch.selection import Selection

PAPER = Selection("paper")
AROUND = Selection(around=tuple(doi_of(number) for number in range(1, 200, 3)))
COMMAND = [sys.executable, "-c", "from cli.main import main; main()", "fetch", "openalex"]


def files(folder):
    return sorted(path.name for path in folder.iterdir())


class Crash(BaseException):
    """What no code catches."""


def crash_in(monkeypatch, method, call):
    """The method of PartialFile fails at that call, after its work or before it."""
    original = getattr(PartialFile, method)
    calls = []

    def crashing(self, *arguments):
        calls.append(None)
        if len(calls) == call:
            if method == "append":  # half of what was to be written is on disk
                size = self._partial.stat().st_size if self._partial.exists() else 0
                original(self, *arguments)
                os.truncate(self._partial, (size + self._partial.stat().st_size) // 2)
            raise Crash
        return original(self, *arguments)

    monkeypatch.setattr(PartialFile, method, crashing)


@pytest.mark.long
@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz"])
@pytest.mark.parametrize("selection", [PAPER, AROUND], ids=["search", "around"])
@pytest.mark.parametrize(
    ("method", "call"), [(method, call) for method in ("append", "save") for call in (1, 2, 4)] + [("publish", 1)]
)
def test_a_crash_at_any_point_leads_to_the_same_bytes(fake, tmp_path, monkeypatch, name, selection, method, call):
    whole, out = tmp_path / "whole" / name, tmp_path / name
    whole.parent.mkdir()
    download(selection, whole, access(fake))
    needed, before = len(fake.seen), len(fake.seen)
    with monkeypatch.context() as patch, pytest.raises(Crash):
        crash_in(patch, method, call)
        download(selection, out, access(fake))
    assert not out.exists()
    download(selection, out, access(fake))
    assert out.read_bytes() == whole.read_bytes()
    assert files(tmp_path) == sorted(["whole", name])
    if selection is PAPER:
        assert len(fake.seen) - before <= needed + 1, "at most the page of the crash is asked for twice"


@pytest.mark.long
@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz"])
@pytest.mark.parametrize("requests", [1, 3, 5])
def test_a_killed_command_goes_on_when_it_is_run_again(fake, tmp_path, name, requests):
    whole, out = tmp_path / "whole" / name, tmp_path / name
    whole.parent.mkdir()
    download(PAPER, whole, access(fake))
    fake.seen.clear()
    fake.faults = {requests: "silent"}  # it is on its way when the command is killed
    command = [*COMMAND, "--search", "paper", "--out", str(out), "--backoff", "0", "--rate", "100"]
    environment = {**os.environ, "CITESCOUT_OPENALEX_URL": fake.url}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) as running:  # noqa: S603
        fake.wait_for(requests)
        os.kill(running.pid, signal.SIGKILL)
    assert running.returncode == -signal.SIGKILL
    assert not out.exists()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)  # noqa: S603
    assert done.returncode == 0, done.stderr
    earlier = f" ({(requests - 1) * 100} of them by an earlier run)" if requests > 1 else ""
    assert done.stdout == f"Fetched {len(CORPUS)} works{earlier} into {out}\n"
    assert out.read_bytes() == whole.read_bytes()
    got = ids_of(out)
    assert len(got) == len(set(got)) == len(CORPUS)
    assert files(tmp_path) == sorted(["whole", name])


def test_the_neighbours_of_a_resumed_download_are_all_there(fake, tmp_path, monkeypatch):
    out = tmp_path / "out.jsonl"
    with monkeypatch.context() as patch, pytest.raises(Crash):
        crash_in(patch, "save", 2)
        download(AROUND, out, access(fake))
    seen = len(fake.seen)
    download(AROUND, out, access(fake))
    assert set(ids_of(out)) == neighbourhood(*range(1, 200, 3))
    assert not any(filters.startswith("doi:") for filters in fake.filters()[seen:])


def interrupted(fake, out, selection=PAPER):
    fake.faults = {len(fake.seen) + 3: "400"}
    with pytest.raises(FetchError):
        download(selection, out, access(fake))
    fake.faults = {}


def test_the_part_of_another_selection_is_kept_and_refused_unless_one_starts_over(fake, tmp_path):
    out = tmp_path / "out.jsonl"
    interrupted(fake, out)
    for other in (Selection("ranking"), Selection("paper", limit=300), Selection("paper", from_year=2000)):
        with pytest.raises(FetchError, match=r"another selection.*--restart"):
            download(other, out, access(fake))
    assert fetch(fake, out, search="paper").resumed == 200
    interrupted(fake, other_out := tmp_path / "other.jsonl")
    assert fetch(fake, other_out, restart=True, search="ranking").resumed == 0
    assert len(ids_of(other_out)) == len(ids_of(out)) // 2 + 1


def test_a_finished_file_is_not_fetched_again_unless_asked_for(fake, tmp_path):
    out = tmp_path / "out.jsonl"
    out.write_text("precious")
    with pytest.raises(FetchError, match=r"is there already.*--restart"):
        fetch(fake, out, search="paper")
    assert fake.seen == []
    fake.faults = {3: "400"}
    with pytest.raises(FetchError):
        fetch(fake, out, restart=True, search="paper")
    assert out.read_text() == "precious"
    assert fetch(fake, out, search="paper").resumed == 200  # the restart goes on without being repeated
    assert len(ids_of(out)) == len(CORPUS)


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
def test_what_is_fetched_over_a_private_file_is_private_from_the_beginning_and_a_link_stays_one(
    fake, tmp_path, monkeypatch
):
    monkeypatch.setenv("CITESCOUT_OPENALEX_URL", fake.url)
    out, link = tmp_path / "out.jsonl", tmp_path / "link.jsonl"
    out.write_text("of before")
    out.chmod(0o600)
    link.symlink_to(out)
    command = ["fetch", "openalex", "--search", "paper", "--rate", 100, "--out", link, "--restart"]
    fake.faults = {3: "400"}
    assert "400" in refused(*command)
    assert (tmp_path / "out.jsonl.partial").stat().st_mode & 0o777 == 0o600
    run(*command)
    assert out.stat().st_mode & 0o777 == 0o600
    assert link.is_symlink()
    assert len(ids_of(out)) == len(CORPUS)


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz"])
@pytest.mark.parametrize("damage", ["shorter", "state", "version", "garbage"])
def test_a_damaged_part_is_reported_as_such(fake, tmp_path, damage, name):
    out = tmp_path / name
    interrupted(fake, out)
    partial, state = tmp_path / f"{name}.partial", tmp_path / f"{name}.state"
    if damage == "shorter":
        os.truncate(partial, partial.stat().st_size - 1)
    elif damage == "garbage":
        partial.write_bytes(b"x" * partial.stat().st_size)
    else:
        state.write_text("{" if damage == "state" else state.read_text().replace('"version": 1', '"version": 0'))
    with pytest.raises(FetchError, match="--restart starts over"):
        fetch(fake, out, search="paper")
    fetch(fake, out, restart=True, search="paper")
    assert len(ids_of(out)) == len(CORPUS)


def test_a_part_that_was_deleted_is_fetched_again(fake, tmp_path):
    out = tmp_path / "out.jsonl"
    interrupted(fake, out)
    (tmp_path / "out.jsonl.partial").unlink()
    assert fetch(fake, out, search="paper").resumed == 0
    assert len(ids_of(out)) == len(CORPUS)


def test_two_writers_of_one_file_exclude_each_other(fake, tmp_path):
    out = tmp_path / "out.jsonl"
    with FileLock(tmp_path / "out.jsonl.lock"), pytest.raises(FetchError, match="another process"):
        fetch(fake, out, search="paper")
    assert fake.seen == []


def test_a_place_that_cannot_be_written_is_reported_before_anything_is_asked(fake, tmp_path):
    with pytest.raises(FetchError, match="no folder"):
        fetch(fake, tmp_path / "nowhere" / "out.jsonl", search="paper")
    assert fake.seen == []
    assert files(tmp_path) == []


def test_a_full_disk_ends_in_one_line_and_the_next_run_goes_on(fake, tmp_path, monkeypatch):
    out = tmp_path / "out.jsonl"

    def full(self, state):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(FetchError, match=r"out\.jsonl: No space left"):
        patch.setattr(PartialFile, "save", full)
        fetch(fake, out, search="paper")
    fetch(fake, out, search="paper")
    assert len(ids_of(out)) == len(CORPUS)


def test_the_command_line_refuses_what_it_cannot_mean(fake, tmp_path, monkeypatch):
    monkeypatch.setenv("CITESCOUT_OPENALEX_URL", fake.url)
    command = ["fetch", "openalex", "--out", tmp_path / "out.jsonl"]
    assert "nothing is selected" in refused(*command)
    assert "not a DOI" in refused(*command, "--around", "W12")
    assert "2001 is after" in refused(*command, "--search", "x", "--from-year", 2001, "--to-year", 2000)
    assert run(*command, "--search", "x", "--email", "a b").code == 2
    assert fake.seen == []
