"""The process that builds an index for a visitor: its command, its end, and what it leaves to be read."""

import sys
import time

import pytest
import world
from bibliography import IDS, addresses, of_paper
from growth import that_ends
from visitors import waited

from cli.main import main
from cli.serve import CorpusProcess, begin, corpus_command
from webui import create_app
from webui.builds import Builds


@pytest.mark.parametrize("by_visitor", [False, True])
def test_a_server_that_stops_and_a_visitor_who_does_end_the_command(recommender, tmp_path, by_visitor):
    def begin(origins, directory, size, output):
        return CorpusProcess([sys.executable, "-c", "import time; time.sleep(6_000)"], output)

    builds = Builds(tmp_path / "built", begin, lambda _: recommender)
    client = create_app(recommender, builds=builds).test_client()
    client.post("/build", data={"name": "mine", "dois": world.doi(IDS[0])})
    client.post("/build/other/stop")
    assert "is being built" in client.get("/build/mine").text
    with that_ends():
        client.post("/build/mine/stop") if by_visitor else builds.stop()
    assert "was not built" in waited(client, "/build/mine")
    # A server that starts later says so, too.
    later = Builds(tmp_path / "built", begin, lambda _: recommender)
    assert (later.progress("mine").state, later.progress("../mine")) == ("failed", None)


@pytest.mark.skipif(sys.platform == "win32", reason="ends it by a signal")
@pytest.mark.parametrize(("ends", "status"), [("sys.exit(3)", "3"), ("os.kill(os.getpid(), 9)", "-9")])
def test_a_build_that_fails_is_logged_with_its_exit_status(recommender, tmp_path, caplog, ends, status):
    def begin(origins, directory, size, output):
        return CorpusProcess([sys.executable, "-c", f"import os, sys; print('a visitors text'); {ends}"], output)

    client = create_app(recommender, builds=Builds(tmp_path / "built", begin, lambda _: recommender)).test_client()
    client.post("/build", data={"name": "mine", "dois": world.doi(IDS[0])})
    assert "was not built" in waited(client, "/build/mine")
    (line,) = caplog.record_tuples
    assert line == ("webui.builds", 30, f"{tmp_path / 'built' / 'mine'} was not built: exit status {status}")


def test_a_build_that_outlived_its_server_goes_on_behind_what_the_next_one_says(tmp_path):
    said, go_on = tmp_path / "said", tmp_path / "go-on"
    waits = f"""
import pathlib, time
print("longer than others", flush=True)
while not pathlib.Path({str(go_on)!r}).exists():
    time.sleep(0.01)
print("last")
"""
    first = CorpusProcess([sys.executable, "-c", waits], said)
    until = time.monotonic() + 20
    while not said.read_text().endswith("\n") and time.monotonic() < until:
        time.sleep(0.01)
    CorpusProcess([sys.executable, "-c", "print('again')"], said).wait()
    go_on.touch()
    first.wait()
    assert said.read_text() == "again\nlast\n"


def test_the_command_of_the_server_is_one_that_the_command_line_takes(openalex, apis, tmp_path, monkeypatch, capsys):
    played = " ".join(part for part in addresses(openalex, apis) if part != "--base-url")
    monkeypatch.setenv("CITESCOUT_APIS", played)
    refs = tmp_path / "refs.bib"
    refs.write_text(of_paper(IDS[0]))
    arguments = corpus_command([str(refs)], tmp_path / "index", 5)
    main([*arguments[arguments.index("citescout") + 1 :], "--encoder", "none"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Looking up 1 entry at OpenAlex"
    assert lines[-1].startswith("Indexed 5 papers")


def test_modules_where_the_server_was_started_are_not_taken_for_ours(tmp_path, monkeypatch):
    (tmp_path / "cli.py").write_text("raise SystemExit('of the user')")
    monkeypatch.chdir(tmp_path)
    assert begin(["missing.bib"], tmp_path / "index", 5, tmp_path / "said").wait() == 1
    assert (tmp_path / "said").read_text().startswith("Error: ")
