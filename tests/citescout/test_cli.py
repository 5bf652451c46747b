"""The commands as a user types them."""

import csv
import json
import os
import shutil
from collections.abc import Iterator

import click
import pytest
from command_line import refused, run, run_alone

from cli.main import citescout
from indexer.layout import LAYOUT

QUERIES = [
    {
        "id": "q1",
        "title": "Dense retrieval with hard negatives",
        "abstract": "A dual encoder for passages.",
        "year": 2022,
    },
    {"id": "q2", "abstract": "Citation recommendation with pretrained transformers"},
]


@pytest.fixture
def queries(tmp_path):
    path = tmp_path / "queries.jsonl"
    path.write_text("".join(json.dumps(query) + "\n" for query in QUERIES))
    return path


@pytest.mark.long
def test_index_recommend_and_info_work_together(tmp_path, queries):
    source = tmp_path / "papers.jsonl"
    source.write_text(
        '{"id":"a","title":"Neural ranking","abstract":"Rankers with transformers"}\n'
        "not json\n"
        '{"id":"b","title":"Citation recommendation","citations":["a"]}\n'
    )
    indexed = run_alone("index", source, "--index", tmp_path / "ix", "--encoder", "none")
    assert indexed.code == 0, indexed.err
    assert "2 papers with 1 citation among them" in indexed.out
    assert "line 2" in indexed.err
    info = json.loads(run("info", "--index", tmp_path / "ix", "--json").out)
    assert (info["papers"], info["citations"], info["removed"], info["encoder"]) == (2, 1, 0, None)
    shown = run("info", "--index", tmp_path / "ix").out.splitlines()
    assert [line.split()[0] for line in shown] == [name for name, value in info.items() if value is not None]
    out = tmp_path / "out.jsonl"
    options = ("--index", tmp_path / "ix", "--reranker", "none", "--format", "jsonl", "--out", out)
    done = run_alone("recommend", queries, *options)
    assert done.code == 0, done.err
    answers = [json.loads(line) for line in out.read_text().splitlines()]
    assert [answer["id"] for answer in answers] == ["q1", "q2"]
    assert {entry["id"] for entry in answers[1]["recommendations"]} == {"a", "b"}


def test_add_remove_and_compact_change_an_index(tmp_path):
    first, more, directory = tmp_path / "first.jsonl", tmp_path / "more.jsonl", tmp_path / "ix"
    first.write_text("".join(f'{{"id":"p{n}","title":"Neural ranking {n}"}}\n' for n in range(8)))
    more.write_text('{"id":"p1","title":"Bread"}\n{"id":"new","title":"Citation graphs","citations":["p2"]}\n')
    assert run("index", first, "--index", directory, "--encoder", "none").code == 0
    added = run("add", first, more, "--index", directory)
    assert "Added 1 paper to" in added.out, added.err
    assert "replaced 1" in added.out
    assert "7 were there already" in added.out
    info = json.loads(run("info", "--index", directory, "--json").out)
    assert (info["papers"], info["citations"], info["removed"], info["compact"]) == (9, 1, 1, "not needed")
    removed = run("remove", "p0", "--from", "-", "--index", directory, stdin="p2\r\n\n p3\t\n")
    assert "Removed 3 papers" in removed.out, removed.err
    assert "compact" in removed.err
    info = json.loads(run("info", "--index", directory, "--json").out)
    assert (info["papers"], info["citations"], info["removed"], info["compact"]) == (6, 0, 4, "would pay off")
    compacted = run("compact", "--index", directory)
    assert "6 papers, 4 removed papers dropped" in compacted.out, compacted.err
    assert "all" in run("verify", "--index", directory).out
    info = json.loads(run("info", "--index", directory, "--json").out)
    assert (info["papers"], info["removed"]) == (6, 0)


def test_info_names_a_file_of_the_index_that_is_gone_behind_what_is_known_of_it(tmp_path, demo_index):
    directory = tmp_path / "index"
    shutil.copytree(demo_index, directory)
    (directory / "gen-000001" / LAYOUT.catalog).unlink()
    shown = run("info", "--index", directory)
    assert shown.code == 1
    assert shown.err == f"Error: {directory / 'gen-000001' / LAYOUT.catalog} is missing: build the index again\n"
    assert "papers      375" in shown.out
    assert json.loads(run("info", "--index", directory, "--json").out)["papers"] == 375


def test_a_change_that_cannot_be_made_ends_in_one_line(tmp_path, demo_index):
    line = refused("remove", "no-such-paper", "--index", demo_index)
    assert "1 of 1 id is not in" in line and "no-such-paper" in line
    assert "no.txt" in refused("remove", "--from", tmp_path / "no.txt", "--index", demo_index)
    line = refused("remove", "a", "--index", tmp_path / "nowhere")
    assert "nowhere" in line and "citescout index" in line
    assert "not an index" in refused("compact", "--index", tmp_path)
    (tmp_path / "empty.jsonl").write_text('{"title": "no id"}\n')
    empty = refused("add", tmp_path / "empty.jsonl", "--index", demo_index, "--format", "jsonl")
    assert "no paper to add" in empty
    assert run("remove", "--index", demo_index).code == 2
    assert "standard input holds no id" in refused("remove", "--from", "-", "--index", demo_index)


@pytest.mark.parametrize("format_name", ["table", "jsonl", "csv", "trec", "bibtex", "ris", "csl-json", "markdown"])
def test_every_format_comes_out_whole(demo_index, queries, format_name):
    written = run("recommend", queries, "--index", demo_index, "-k", 3, "--no-blend", "--format", format_name).out
    lines = written.splitlines()
    if format_name == "trec":
        assert [line.split()[0] for line in lines] == ["q1"] * 3 + ["q2"] * 3
        assert [int(line.split()[3]) for line in lines] == [1, 2, 3] * 2
    elif format_name == "csv":
        assert len(list(csv.DictReader(lines))) == 6
    elif format_name == "jsonl":
        assert [len(json.loads(line)["recommendations"]) for line in lines] == [3, 3]
    else:
        assert "Dense passage retrieval" in written


def test_bm25_asks_for_as_many_terms_as_the_option_says(demo_index, queries):
    options = ("--index", demo_index, "--sources", "bm25", "--no-blend", "-k", 1000, "--format", "trec")
    found = [run("recommend", queries, *options, *terms).out.count("\n") for terms in ((), ("--bm25-terms", 1))]
    assert 0 < found[1] < found[0]


def test_queries_come_from_standard_input(demo_index):
    options = ("--index", demo_index, "-k", 1, "--reranker", "none", "--format", "trec")
    done = run("recommend", "-", *options, stdin='{"title": "word embeddings"}\n')
    assert done.out.startswith("line-1 Q0 ")


def test_queries_without_a_list_of_which_a_trec_run_has_no_line_are_counted(demo_index):
    options = ("--index", demo_index, "--sources", "bm25", "--no-blend", "-k", 1)
    asked = '{"title": "qqqxzzy"}\n{"title": "word embeddings"}\n{"title": "zzyqqqx"}\n'
    done = run("recommend", "-", *options, "--format", "trec", stdin=asked)
    assert [line.split()[0] for line in done.out.splitlines()] == ["line-2"]
    assert "2 queries have no list and are not in the run, such as line-1" in done.err
    assert "no list" not in run("recommend", "-", *options, "--format", "jsonl", stdin=asked).err


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("{broken", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"title": 3}', "must be text"),
        ("{}", "neither a title"),
        ('{"title":"x","year":"then"}', "year"),
        ('{"title":"x","already_cited":"y"}', "already_cited"),
    ],
)
def test_a_malformed_query_is_named_by_its_line_and_nothing_is_written(tmp_path, demo_index, line, part):
    path, out = tmp_path / "q.jsonl", tmp_path / "out.csv"
    out.write_text("precious")
    path.write_text('{"title": "fine"}\n' + line + "\n")
    said = refused("recommend", path, "--index", demo_index, "--out", out)
    assert "line 2" in said and part in said
    assert out.read_text() == "precious"


def test_missing_files_folders_and_encoders_end_in_one_line(tmp_path, demo_index, queries):
    assert "no.jsonl" in refused("recommend", tmp_path / "no.jsonl", "--index", demo_index)
    line = refused("recommend", queries, "--index", tmp_path / "nowhere")
    assert "nowhere" in line and "citescout index" in line
    assert "not an index" in refused("recommend", queries, "--index", tmp_path)
    assert "no.bib" in refused("index", tmp_path / "no.bib", "--index", tmp_path / "ix")
    missing = tmp_path / "no-model"
    assert "no-model" in refused("index", queries, "--index", tmp_path / "ix", "--encoder", missing)
    assert "web" in refused("recommend", queries, "--index", demo_index, "--sources", "web")
    assert "no-model" in refused("recommend", queries, "--index", demo_index, "--reranker", missing)
    assert not (tmp_path / "ix").exists()


def test_a_report_that_cannot_be_written_is_said_before_the_work(tmp_path):
    (tmp_path / "papers.jsonl").write_text('{"id":"a","title":"Neural ranking"}\n')
    options = ("--encoder", "none", "--merge-duplicates", "--report", tmp_path / "nowhere" / "merged.jsonl")
    assert "nowhere" in refused("index", tmp_path / "papers.jsonl", "--index", tmp_path / "ix", *options)
    assert not (tmp_path / "ix").exists()


@pytest.mark.parametrize("there", [True, False])
def test_output_goes_where_a_link_leads(tmp_path, demo_index, queries, there):
    (tmp_path / "web").mkdir()
    target, link = tmp_path / "web" / "lists.tsv", tmp_path / "link"
    if there:
        target.write_text("old")
    link.symlink_to(target)
    options = ("--index", demo_index, "--reranker", "none", "--format", "trec", "-k", "1", "--out", link)
    assert run("recommend", queries, *options).code == 0
    assert link.is_symlink()
    assert target.read_text().startswith("q1 Q0 ")


def test_a_dash_is_standard_output(tmp_path, demo_index, queries, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = ("--index", demo_index, "--reranker", "none", "--format", "trec", "-k", "1")
    shown = run("recommend", queries, *options)
    assert shown.out.startswith("q1 Q0 ")
    assert run("recommend", queries, *options, "--out", "-").out == shown.out
    assert not (tmp_path / "-").exists()


def test_a_pipe_is_not_replaced_by_a_file(tmp_path, demo_index, queries):
    os.mkfifo(tmp_path / "pipe")
    assert "device or pipe" in refused("recommend", queries, "--index", demo_index, "--out", tmp_path / "pipe")
    for name, other in (("one", "two"), ("two", "one")):
        (tmp_path / name).symlink_to(other)
    assert "lead to each other" in refused("recommend", queries, "--index", demo_index, "--out", tmp_path / "one")
    assert (tmp_path / "pipe").is_fifo()


def test_only_malformed_records_are_no_index_and_the_first_is_named(tmp_path):
    source = tmp_path / "papers.jsonl"
    source.write_text('{"id": "a"}\n{"title": "no id"}\n')
    line = refused("index", source, "--index", tmp_path / "ix", "--format", "jsonl")
    assert "no paper to index" in line and "papers.jsonl" in line
    assert not (tmp_path / "ix").exists()


def test_what_a_bibliography_lacks_and_what_was_renamed_of_it_is_reported(tmp_path):
    (tmp_path / "refs").mkdir()
    (tmp_path / "refs" / "a.bib").write_bytes("@misc{a, title={Größe}}\n@misc{a, title={B}}\n".encode("latin-1"))
    (tmp_path / "refs" / "b.csv").write_text("Title,Year,Shelf\nC,2000,4\n")
    (tmp_path / "refs" / "c.csv").write_text("Name,Year\nD,2000\n")
    done = run("index", tmp_path / "refs", "--index", tmp_path / "ix", "--encoder", "none")
    assert done.out == f"Indexed 3 papers with 0 citations among them in {tmp_path / 'ix'}\n"
    output = done.err.splitlines()
    assert output[0] == "WARNING: 1 paper has the citation key of a different one: kept as a-2"
    assert output[1].startswith("No paper cites another one here")
    assert output[2:] == [
        "3 papers read, 1 file skipped, 2 characters not in UTF-8",
        f"  {tmp_path}/refs/a.bib: not in UTF-8: 2 characters, read as Windows-1252; "
        "where they are wrong, save it as UTF-8",
        f"  {tmp_path}/refs/b.csv: columns read: title, year; not read: shelf",
        f"  {tmp_path}/refs/c.csv: a table without a column for titles (its columns: name, year); "
        "call its columns title, authors, year, abstract, journal and doi in the first line, as far as it has them",
    ]


@pytest.mark.parametrize("group", [[], ["fetch"], ["train"], ["eval"], ["eval", "experiment"]])
def test_no_description_of_a_command_is_cut_off(group, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    written = run(*group, "--help").out
    assert "Commands:" in written
    assert "..." not in written.partition("Commands:")[2]


def test_strict_indexing_stops_at_a_malformed_record_and_keeps_the_old_index(tmp_path):
    source, directory = tmp_path / "papers.jsonl", tmp_path / "ix"
    source.write_text('{"id":"a","title":"One"}\n')
    assert run("index", source, "--index", directory, "--encoder", "none").code == 0
    source.write_text('{"id":"a","title":"One"}\n{"id":"b"}\n')
    assert "line 2" in refused("index", source, "--index", directory, "--encoder", "none", "--strict")
    assert json.loads(run("info", "--index", directory, "--json").out)["papers"] == 1


def test_a_wrong_option_is_a_usage_error(demo_index, queries):
    assert run("recommend", queries).code == 2
    assert run("recommend", queries, "--index", demo_index, "--format", "poem").code == 2
    assert run("recommend", queries, "--index", demo_index, "--bm25-terms", "0").code == 2
    assert run("no-such-command").code == 2
    for option in ("--quiet", "-q", "--verbose"):
        for command in (["recommend", queries], ["train", "reranker"]):
            assert run(*command, option).err.endswith(
                f"Error: {option} stands before the command: citescout {option} …\n"
            )


def named_commands(group: click.Group, *names: str) -> Iterator[tuple[str, ...]]:
    """The group and all commands below it, as they are typed."""
    yield names
    context = click.Context(group)
    for name in group.list_commands(context):
        below = group.get_command(context, name)
        yield from named_commands(below, *names, name) if isinstance(below, click.Group) else [(*names, name)]


@pytest.mark.parametrize("command", named_commands(citescout), ids=" ".join)
def test_every_command_explains_itself(command):
    done = run(*command, "--help")
    assert done.code == 0
    assert "Usage: citescout" in done.out
