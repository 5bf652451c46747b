"""The server for assistants, asked by the client of the protocol's own SDK."""

import asyncio
import inspect
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from command_line import refused, run
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.server import MCPServer
from mcp_types import CallToolResult, Tool

from assistants import server
from citescout.live import LiveRecommender
from citescout.recommendation import Answer
from citescout.recommender import Recommender
from citescout.settings import Settings
from common.processes import module_path
from indexer.changes import add_papers
from indexer.paper import Paper
from retrieval.query import Query

_TITLE = "Attention models for machine translation"
_SENTENCE = "Recurrent networks were replaced by attention [CITATION]."
_DRAFT = r"""\documentclass{article}\title{Attention models for machine translation}
\begin{document}\maketitle\begin{abstract}We translate with attention alone.\end{abstract}
Attention was proposed \cite{vaswani}. It replaced other work \cite{nobody}.
Recurrent networks are slower than attention on long sentences in all of the experiments.
\bibliography{refs}\end{document}
"""
_ENTRIES = """@article{vaswani, title={Attention Is All You Need}, author={Vaswani, Ashish}, year={2017}}
@article{nobody, title={Gardening in the shade of old apple trees}, author={Nobody, A.}, year={2001}}
"""


@pytest.fixture(scope="module")
def recommender(demo_index: Path):
    with LiveRecommender.open(demo_index) as opened:
        yield opened


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    (tmp_path / "main.tex").write_text(_DRAFT)
    (tmp_path / "refs.bib").write_text(_ENTRIES)
    return tmp_path


def asked(recommender: LiveRecommender | MCPServer, tool: str, **arguments: object) -> CallToolResult:
    async def call() -> CallToolResult:
        async with Client(server(recommender) if isinstance(recommender, LiveRecommender) else recommender) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(call())


def found(recommender: LiveRecommender | MCPServer, tool: str, **arguments: object) -> Any:
    result = asked(recommender, tool, **arguments)
    assert not result.is_error, result
    return result.structured_content or {"result": result.content[0].text}


def error(recommender: LiveRecommender, tool: str, **arguments: object) -> str:
    result = asked(recommender, tool, **arguments)
    assert result.is_error
    return result.content[0].text


def ids(papers: Sequence[dict[str, Any]]) -> list[str]:
    return [paper["id"] for paper in papers]


@pytest.mark.long
def test_a_process_talks_to_the_client_and_ends_with_its_input(demo_index: Path) -> None:
    command = ["-c", "from cli.main import main; main()", "mcp", "--index", str(demo_index)]

    async def talk() -> tuple[list[Tool], CallToolResult]:
        environment = {**os.environ, "PYTHONPATH": module_path()}
        started = StdioServerParameters(command=sys.executable, args=command, env=environment)
        async with Client(stdio_client(started)) as client:
            return (await client.list_tools()).tools, await client.call_tool("recommend", {"title": _TITLE})

    tools, answer = asyncio.run(talk())
    assert {tool.name for tool in tools} == {"recommend", "cite", "review", "find_papers", "entries"}
    assert all(tool.description and tool.annotations and tool.annotations.read_only_hint for tool in tools)
    assert answer.structured_content and len(answer.structured_content["papers"]) == 20
    ended = subprocess.run(  # noqa: S603
        [sys.executable, *command], env={**os.environ, "PYTHONPATH": module_path()}, input=b"", capture_output=True
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def test_every_tool_and_argument_is_described(recommender: LiveRecommender) -> None:
    tools = {tool.name: tool for tool in asyncio.run(server(recommender).list_tools())}
    for tool in tools.values():
        assert tool.description and tool.description == inspect.cleandoc(tool.description)
        arguments = tool.input_schema["properties"]
        assert {name for name, schema in arguments.items() if "description" not in schema} <= {"format"}
    drafts = {name: str(tool.input_schema["properties"].get("draft")) for name, tool in tools.items()}
    assert {name for name, text in drafts.items() if "not recommended again" in text} == {"recommend", "cite"}


def test_no_index_is_one_line(tmp_path: Path) -> None:
    assert str(tmp_path) in refused("mcp", "--index", tmp_path)


def test_lists_are_those_of_the_command_line(recommender: LiveRecommender, demo_index: Path, tmp_path: Path) -> None:
    queries = tmp_path / "q.jsonl"
    queries.write_text(f'{{"id": "q", "title": "{_TITLE}", "already_cited": ["bahdanau2015neural"]}}\n')
    listed = run("recommend", queries, "--index", demo_index, "-k", 7, "--format", "trec").out
    papers = found(recommender, "recommend", title=_TITLE, already_cited=["bahdanau2015neural"], k=7)["papers"]
    assert ids(papers) == [line.split()[2] for line in listed.splitlines()]
    assert [paper["score"] for paper in papers] == sorted((paper["score"] for paper in papers), reverse=True)
    listed = run("cite", _SENTENCE, "--index", demo_index, "-k", 4, "--format", "trec").out
    papers = found(recommender, "cite", sentence=_SENTENCE, k=4)["papers"]
    assert ids(papers) == [line.split()[2] for line in listed.splitlines()]


def test_what_is_no_chance_is_not_given_as_one(demo_index: Path) -> None:
    with LiveRecommender.open(demo_index, system="BM25") as recommender:
        papers = found(recommender, "recommend", title=_TITLE, k=3)["papers"]
    assert [paper["score"] for paper in papers] == [None] * 3


def test_what_a_draft_cites_is_evidence(recommender: LiveRecommender, demo_index: Path, draft: Path) -> None:
    listed = run("recommend", draft, "--index", demo_index, "-k", 9, "--format", "trec").out
    answer = found(recommender, "recommend", draft=str(draft), k=9)
    assert ids(answer["papers"]) == [line.split()[2] for line in listed.splitlines()]
    assert "vaswani2017attention" not in ids(answer["papers"])
    assert answer["not_in_index"] == ["Gardening in the shade of old apple trees"]
    named = found(recommender, "cite", sentence="Vaswani et al. (2017) use attention.", draft=str(draft))["verdict"]
    assert named == "What the sentence names is cited already: Vaswani et al. 2017 (vaswani)."
    inside = found(recommender, "cite", sentence=_SENTENCE, draft=str(draft))["papers"]
    assert ids(inside) != ids(found(recommender, "cite", sentence=_SENTENCE)["papers"])


def test_what_could_not_be_read_of_a_draft_is_told(recommender: LiveRecommender, draft: Path) -> None:
    answer = found(recommender, "recommend", draft=str(draft))
    assert (answer["draft_title"], answer["draft_notes"]) == (_TITLE, [])
    (draft / "refs.bib").unlink()
    for tool, given in (("recommend", {}), ("cite", {"sentence": _SENTENCE})):
        answer = found(recommender, tool, draft=str(draft), **given)
        assert answer["draft_notes"][0] == r"not found: \bibliography{refs}"
        assert answer["draft_notes"][1:] == ["no entry for the key vaswani", "no entry for the key nobody"]
    answer = found(recommender, "recommend", title=_TITLE)
    assert (answer["draft_title"], answer["draft_notes"]) == ("", [])


def test_a_bibliography_outside_of_the_folder_is_read(recommender: LiveRecommender, draft: Path) -> None:
    (draft / "paper").mkdir()
    (draft / "main.tex").rename(draft / "paper/main.tex")
    main = draft / "paper/main.tex"
    main.write_text(_DRAFT.replace(r"\bibliography{refs}", rf"\bibliography{{../refs,{draft}/no.bib}}"))
    for given in (main, main.parent):
        answer = found(recommender, "recommend", draft=str(given))
        assert "vaswani2017attention" not in ids(answer["papers"])
        assert answer["not_in_index"] == ["Gardening in the shade of old apple trees"]
        (note,) = answer["draft_notes"]
        assert "no.bib" in note


def test_null_is_like_nothing(recommender: LiveRecommender) -> None:
    nothing = dict.fromkeys(("abstract", "draft", "year", "already_cited"))
    for tool, given in (("recommend", {"title": _TITLE}), ("cite", {"sentence": _SENTENCE})):
        assert found(recommender, tool, **given, **nothing) == found(recommender, tool, **given)


def test_of_a_long_list_that_the_index_lacks_the_beginning_is_told(recommender: LiveRecommender, draft: Path) -> None:
    titles = [f"Gardening in the shade of {number} old apple trees" for number in range(40)]
    entries = (f"@book{{n{number}, title={{{title}}}, year={{2001}}}}\n" for number, title in enumerate(titles))
    (draft / "refs.bib").write_text("".join(entries))
    cited = ",".join(f"n{number}" for number in range(40))
    (draft / "main.tex").write_text(_DRAFT.replace("{vaswani}", f"{{{cited}}}").replace(r" \cite{nobody}", ""))
    answer = found(recommender, "cite", sentence=_SENTENCE, draft=str(draft))
    assert answer["not_in_index"] == titles[:10]
    assert answer["all_not_in_index"] == 40
    assert found(recommender, "cite", sentence=_SENTENCE)["all_not_in_index"] == 0


def test_a_review_is_that_of_the_command_line(recommender: LiveRecommender, demo_index: Path, draft: Path) -> None:
    written = found(recommender, "review", draft=str(draft))["result"]
    assert written == run("review", draft, "--index", demo_index).out
    assert "Gardening" in written


def test_a_review_that_nobody_waits_for_any_more_ends(
    recommender: LiveRecommender, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = "Previous studies have shown that attention is faster on sentences of {} words."
    (tmp_path / "long.md").write_text(f"# Attention\n\n{' '.join(map(claim.format, range(80)))}\n")
    begun, answers, asked_for = threading.Event(), Recommender.answers, []

    def counted(self: Recommender, queries: Sequence[Query], settings: Settings) -> Iterator[Answer]:
        asked_for.extend(queries)
        begun.set()
        return answers(self, queries, settings)

    async def call() -> None:
        async with Client(server(recommender)) as client:
            reviewed = asyncio.create_task(client.call_tool("review", {"draft": str(tmp_path / "long.md")}))
            assert await asyncio.to_thread(begun.wait, 60)
            reviewed.cancel()

    monkeypatch.setattr(Recommender, "answers", counted)
    asyncio.run(call())
    assert 0 < len(asked_for) < 40


@pytest.mark.long
def test_a_long_review_is_asked_for_in_parts(recommender: LiveRecommender, tmp_path: Path) -> None:
    """Of 105 sentences it had 21,000 tokens, twice, which assistants refuse."""
    claims = [f"Previous studies have shown that attention is faster on sentences of {n} words." for n in range(50)]
    entry = "Poe, E. (2001). Gardening in the shade of old apple trees. Garden, 1(2), 3-4."
    (tmp_path / "long.md").write_text(f"# Attention\n\n{' '.join(claims)}\n\n## References\n\n{entry}\n")
    shown: list[str] = []
    for after, further in ((0, True), (40, False), (90, False)):
        answer = asked(recommender, "review", draft=str(tmp_path / "long.md"), after=after)
        assert answer.structured_content is None
        (part,) = answer.content
        shown += re.findall(r"`long.md:3`: (.*)", part.text)
        assert ("10 further sentences that could cite something were not looked at" in part.text) is further
        assert ("Gardening" in part.text) is (after == 0)  # what is in the first part is not repeated
    assert part.text == "There are no further sentences that could cite something.\n"
    assert shown == claims


@pytest.mark.long
def test_a_review_tells_how_far_it_is(recommender: LiveRecommender, tmp_path: Path) -> None:
    """Clients take a call for dead of which they hear nothing for a minute."""
    claim = "Previous studies have shown that attention is faster on sentences of {} words."
    (tmp_path / "long.md").write_text(f"# Attention\n\n{' '.join(map(claim.format, range(25)))}\n")
    told: list[tuple[float, float | None]] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total))

    async def call() -> CallToolResult:
        async with Client(server(recommender)) as client:
            return await client.call_tool("review", {"draft": str(tmp_path / "long.md")}, progress_callback=tell)

    assert not asyncio.run(call()).is_error
    assert told == [(done, 25) for done in range(0, 25, 4)]


def test_papers_are_found_as_people_name_them(recommender: LiveRecommender) -> None:
    names = {"vaswani2017attention": True, "1706.03762": True, "attention is all you need": True, "Vaswani": False}
    for text, exact in names.items():
        papers = found(recommender, "find_papers", text=text)["result"]
        assert papers[0]["id"] == "vaswani2017attention"
        assert "Transformer" in papers[0]["abstract"]
        assert [paper["exact"] for paper in papers] == [exact, *[False] * (len(papers) - 1)]
    assert not any(paper["exact"] for paper in found(recommender, "find_papers", text="Attention to gardens")["result"])


def test_that_no_paper_is_found_is_said(recommender: LiveRecommender) -> None:
    answer = asked(recommender, "find_papers", text="zxcv qwer")
    assert not answer.is_error
    assert answer.structured_content == {"result": []}
    assert [one.text for one in answer.content] == [
        "The index has no paper that is called 'zxcv qwer' or has these words."
    ]
    (long,) = asked(recommender, "find_papers", text="zxcv" * 9_000).content
    assert len(long.text) < 300


def test_entries_are_without_private_notes(tmp_path: Path) -> None:
    source = tmp_path / "mine.bib"
    source.write_text("@article{a1, title = {Neural {Ranking}}, year = 2019, annote = {boring}}\n")
    run("index", source, "--index", tmp_path / "index", "--encoder", "none")
    with LiveRecommender.open(tmp_path / "index") as recommender:
        entry = found(recommender, "entries", ids=["a1"])["result"]
        assert "title = {Neural {Ranking}}" in entry
        assert "boring" not in entry
        assert "TY  - JOUR" in found(recommender, "entries", ids=["a1"], format="ris")["result"]


def test_entries_of_papers_in_a_review_are_given_by_what_it_says_of_them(recommender: LiveRecommender) -> None:
    """Its lines are those of a reference list, without ids."""
    for name in (
        "https://doi.org/10.18653/v1/n19-1423",
        "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
    ):
        named = found(recommender, "entries", ids=[name, "devlin2019bert"])["result"]
        assert named == found(recommender, "entries", ids=["devlin2019bert"])["result"]
    assert "no paper '10.1000/none'" in error(recommender, "entries", ids=["10.1000/none"])


def test_no_key_is_given_to_two_papers(tmp_path: Path) -> None:
    """Whichever call asks for them: a bibliography may be put together of several."""
    titles = ("Vast apple trees", "Vast pear trees", "Vast plum trees")
    papers = [Paper(f"W{n}", title, year=2007, authors=("Auvil, L.",)) for n, title in enumerate(titles, 1)]
    (tmp_path / "papers.jsonl").write_text('{"id": "W0", "title": "Old roses"}\n')
    run("index", tmp_path / "papers.jsonl", "--index", tmp_path / "index", "--encoder", "none")
    add_papers(papers, tmp_path / "index")
    main = tmp_path / "main.tex"
    main.write_text(_DRAFT.replace(r"\cite{vaswani}", r"\cite{auvil2007vast-2, Pear}"))
    others = "@book{AUVIL2007vast-2, title={Gardens of the north}, year={1990}}"
    (tmp_path / "refs.bib").write_text(f"{others}\n@article{{Pear, title={{Vast pear trees}}, author={{Auvil, L.}}}}\n")

    def keys(given: list[str], format: str = "bibtex", **more: str) -> list[str]:
        text = found(made, "entries", ids=given, format=format, **more)["result"]
        return re.findall(r"(?m)^(?:@\w+\{|ID  - |.*\"id\":\")([^,\"\s]+)", text)

    with LiveRecommender.open(tmp_path / "index") as recommender:
        made = server(recommender)
        assert keys(["W1"]) == ["auvil2007vast"]
        assert keys(["W3"], draft=str(main)) == ["auvil2007vast-3"]
        assert keys(["W3", "W1"], draft=str(tmp_path)) == ["auvil2007vast-3", "auvil2007vast"]
        for format in ("ris", "csl-json"):
            assert keys(["W3", "W2", "W1"], format, draft=str(main)) == ["auvil2007vast-3", "Pear", "auvil2007vast"]
        text = found(made, "entries", ids=["W2", "W3"], draft=str(main))["result"]
        assert text.startswith("% In the draft's bibliography already: Pear\n@misc{auvil2007vast-3,")
        assert "pear" not in text
        assert keys(["W2"]) == ["auvil2007vast-2"]


def test_entries_in_markdown_are_lines(recommender: LiveRecommender) -> None:
    ids = ["vaswani2017attention", "devlin2019bert"]
    first, second = found(recommender, "entries", ids=ids, format="markdown")["result"].splitlines()
    assert re.fullmatch(r"- Vaswani, A.*\(2017\)\. \[Attention Is All You Need\]\(<https://\S+>\)\. .*", first)
    assert second.startswith("- Devlin, J.")


def test_mistakes_are_told_as_on_the_command_line(recommender: LiveRecommender, draft: Path) -> None:
    assert "neither a title nor an abstract" in error(recommender, "recommend")
    assert "sentence is empty" in error(recommender, "cite", sentence=" ")
    for name, most in (("sentence", 5_000), ("title", 2_000), ("abstract", 50_000)):
        given = {"sentence": "a claim", name: "x" * (most + 1)}
        assert error(recommender, "cite", **given) == f"{name} may have at most {most:,} characters, not {most + 1:,}"
    said = error(recommender, "recommend", title=_TITLE, already_cited=["x" * 1_001])
    assert said.endswith("may have at most 1,000 characters, not 1,001")
    assert error(recommender, "cite", sentence="[CITATION]").endswith(
        "sentence holds no words beside the mark of the citation"
    )
    assert "text is empty" in error(recommender, "find_papers", text=" ")
    assert "'nobody2020'" in error(recommender, "entries", ids=["vaswani2017attention", "nobody2020"])
    assert len(error(recommender, "entries", ids=[f"{number}-{'x' * 9_000}" for number in range(200)])) < 3_000
    said = error(recommender, "review", draft="/no/draft.tex")
    assert said.endswith("no such file: /no/draft.tex")
    assert error(recommender, "recommend", draft="/dev/zero").endswith("is a device: name a file or a folder")
    for folder in ("/", "~", str(Path.home().parent)):
        assert error(recommender, "recommend", draft=folder).endswith("name the manuscript's own folder or main file")
    for tool, given in (("recommend", {"title": _TITLE, "cited": ["a"]}), ("entries", {"ids": ["a"], "to_year": 2})):
        assert error(recommender, tool, **given).startswith(f"unknown field {list(given)[-1]!r}; there are ")
    for relative in (
        "-",
        "main.tex",
        "~nobody-of-that-name/main.tex",
        "/no\0name",
    ):  # "-" is the standard input, which the protocol has
        assert "give its absolute path" in error(recommender, "recommend", draft=relative)
    os.mkfifo(draft / "pipe.tex")
    for other in (draft / "refs.bib", draft / "pipe.tex", "/etc/passwd"):
        said = error(recommender, "recommend", draft=str(other))
        assert said.startswith(f"draft is '{other}', which is no manuscript: give its folder, its main .tex, ")
    for year in (12, 0):
        said = error(recommender, "recommend", title=_TITLE, year=year)
        assert said == f"year must be from 1000 to 2200, not {year}"
    assert error(recommender, "recommend", title=_TITLE, k=101) == "k must be from 1 to 100, not 101"
    assert error(recommender, "recommend", title=_TITLE, already_cited=[5]) == "already_cited[0] must be text"
    assert error(recommender, "cite") == "sentence is missing"


def test_a_fault_of_ours_is_in_the_log_alone(recommender: LiveRecommender, monkeypatch, caplog) -> None:
    monkeypatch.setattr(LiveRecommender, "latest", lambda _: 1 // 0)
    assert "division" not in error(recommender, "find_papers", text="x")
    assert "ZeroDivisionError" in caplog.text


def test_what_is_added_meanwhile_is_found(tmp_path: Path) -> None:
    source = tmp_path / "papers.jsonl"
    source.write_text('{"id": "a", "title": "Old apple trees"}\n')
    run("index", source, "--index", tmp_path / "index", "--encoder", "none")
    with LiveRecommender.open(tmp_path / "index") as recommender:
        assert ids(found(recommender, "find_papers", text="young pear trees")["result"]) == ["a"]
        add_papers([Paper("b", "Young pear trees")], tmp_path / "index")
        assert ids(found(recommender, "find_papers", text="young pear trees")["result"]) == ["b"]


def test_where_the_index_has_nothing_assistants_are_told(recommender: LiveRecommender) -> None:
    answer = found(recommender, "recommend", title="asdf qwer zxcv uiop hjkl vbnm tyui ghjk")
    assert answer["verdict"].startswith("Nothing in this index")
    assert found(recommender, "recommend", title=_TITLE)["verdict"] == ""
