"""A corpus that is interrupted anywhere: the same command ends in the same index, and asks for nothing twice."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest
import world
from bibliography import FAST, IDS, addresses, of_paper, write_bibliography
from command_line import refused, run
from filelock import FileLock
from index_reading import papers_of
from test_corpus import build

from fetch.corpus import building, updating
from fetch.corpus.answers import Answers
from fetch.corpus.recipe import recipe_of
from indexer.generations import served_manifest
from indexer.layout import CURRENT

pytestmark = pytest.mark.long


class Crash(BaseException):
    """What no code catches."""


def crash_in(patch, owner, method, call, before):
    """It fails at that call, after its work or before it."""
    original, calls = getattr(owner, method), []

    def crashing(*arguments, **named):
        calls.append(None)
        if len(calls) == call and before:
            raise Crash
        result = original(*arguments, **named)
        if len(calls) == call:
            raise Crash
        return result

    patch.setattr(owner, method, crashing)


def questions(openalex):
    return [(path, tuple(sorted(parameters.items()))) for path, parameters, _ in openalex.seen]


@pytest.fixture
def whole(openalex, apis, tmp_path):
    """The papers that an uninterrupted build brings, and what it asks."""
    refs = write_bibliography(tmp_path / "refs.bib")
    build(tmp_path / "whole", "--from", refs, *addresses(openalex, apis))
    asked = questions(openalex)
    assert len(asked) == len(set(asked))
    openalex.seen.clear()
    return papers_of(tmp_path / "whole"), asked


@pytest.mark.parametrize(
    ("owner", "method", "call"),
    [
        *((Answers, "ask", call) for call in (1, 19)),
        *((building, name, 1) for name in ("build_index", "follow")),
        *((building.Recipe, "write", call) for call in (1, 2)),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
@pytest.mark.parametrize("before", [True, False])
def test_a_crash_at_any_point_leads_to_the_same_index(
    openalex, tmp_path, monkeypatch, whole, owner, method, call, before, directory, where
):
    papers, asked = whole
    arguments = [directory, "--from", tmp_path / "refs.bib", *where]
    with monkeypatch.context() as patch, pytest.raises(Crash):
        crash_in(patch, owner, method, call, before)
        build(*arguments)
    told = build(*arguments)
    assert papers_of(directory) == papers
    assert questions(openalex) == asked, "what was answered is not asked again"
    assert f"{len([one for one in asked if 'doi:10' not in one[0]])} requests" in told.out
    assert not (directory / "fetched").exists()
    assert recipe_of(directory).entries[0].id == world.w(IDS[0])


def test_an_update_that_is_cut_off_goes_on(openalex, monkeypatch, refs, directory, where):
    build(directory, "--from", refs, *where, size=60)
    another = next(id_ for id_ in world.BY_ID if id_ not in IDS and world.CITED[id_])
    refs.write_text(refs.read_text() + of_paper(another))
    openalex.seen.clear()
    with monkeypatch.context() as patch, pytest.raises(Crash):
        crash_in(patch, updating, "add_papers", 1, True)
        run("corpus", "update", "--index", directory, *FAST)
    asked = questions(openalex)
    run("corpus", "update", "--index", directory, *FAST)
    assert questions(openalex) == asked
    assert world.w(another) in papers_of(directory)
    assert served_manifest(directory)[1].papers > 60


def test_two_commands_do_not_share_their_answers(tmp_path, refs, where):
    (tmp_path / "index" / "fetched").mkdir(parents=True)
    with FileLock(tmp_path / "index" / "fetched" / "lock"):
        error = refused("corpus", "build", "--from", refs, "--index", tmp_path / "index", *FAST, *where)
    assert "another process" in error


@pytest.mark.parametrize("day", ["2020-01-01", "2099-01-01"])
def test_an_old_part_is_started_over(openalex, tmp_path, monkeypatch, whole, directory, where, day):
    """Or one whose age is unknown, because the clock was wrong."""
    _, asked = whole
    arguments = [directory, "--from", tmp_path / "refs.bib", *where]
    with monkeypatch.context() as patch, pytest.raises(Crash):
        patch.setattr("fetch.corpus.answers.today", lambda: day)
        crash_in(patch, Answers, "ask", 9, False)
        build(*arguments)
    seen = len(openalex.seen)
    build(*arguments)
    assert questions(openalex)[seen:] == asked


def test_a_spent_daily_limit_says_when_to_go_on_and_then_does(openalex, tmp_path, whole, where):
    papers, asked = whole
    openalex.faults = {12: "429 Retry-After=15120"}
    arguments = ["--from", tmp_path / "refs.bib", *where]
    error = refused(
        "corpus", "build", "--index", tmp_path / "index", "--size", 150, "--encoder", "none", *FAST, *arguments
    )
    assert "run the same command again to go on in 4 h 12 min" in error
    openalex.faults = {}
    build(tmp_path / "index", *arguments)
    assert papers_of(tmp_path / "index") == papers
    assert len(openalex.seen) == len(asked) + 1


def killed_at(openalex, command, requests, pause):
    """Run the command and kill it `pause` seconds after that many requests; whether it was still running."""
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as running:  # noqa: S603
        deadline = time.monotonic() + 60
        while len(openalex.seen) < requests and running.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(pause)
        if running.poll() is None:
            os.kill(running.pid, signal.SIGKILL)
    return running.returncode == -signal.SIGKILL


def kill_again_and_again(openalex, apis, tmp_path, whole, points):
    papers, asked = whole
    directory = tmp_path / "index"
    command = [sys.executable, "-c", "from cli.main import main; main()", "corpus", "build", "--index", str(directory)]
    command += ["--from", str(tmp_path / "refs.bib"), "--size", "150", "--encoder", "none", *FAST]
    command += addresses(openalex, apis)
    openalex.delay = 0.05
    kills = 0
    for requests, pause in points:
        if not killed_at(openalex, command, requests, pause):
            break  # it was through: another one would start over
        kills += 1
        if (directory / CURRENT).exists():
            break  # so was this one, but for its exit
    else:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)  # noqa: S603
        assert done.returncode == 0, done.stderr
    openalex.delay = 0
    assert papers_of(directory) == papers
    assert set(questions(openalex)) == set(asked)
    assert len(openalex.seen) <= len(asked) + kills, "at most the request of the kill is asked for twice"
    return kills


def test_a_killed_command_goes_on_when_it_is_run_again(openalex, apis, tmp_path, whole):
    assert kill_again_and_again(openalex, apis, tmp_path, whole, [(7, 0.02)]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_commands_killed_at_random_points_end_in_the_same_index(openalex, apis, tmp_path, whole, seed):
    chance = random.Random(seed)
    points = sorted((chance.randint(1, 19), chance.random() * 0.1) for _ in range(6))
    points += [(19, 0.2 + 0.5 * step + chance.random() * 0.5) for step in range(6)]  # while the index is being built
    assert kill_again_and_again(openalex, apis, tmp_path, whole, points) >= 6
