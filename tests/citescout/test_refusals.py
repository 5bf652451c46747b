"""What the command line refuses: options that contradict each other (2), and files that cannot be meant (1)."""

import errno
import os
from pathlib import Path

import pytest
from command_line import refused, run

from eval.reproduce import Outcome

TRAIN = ("train", "encoder", "--recipe")

WRONG_USAGE = {
    "a report of no merge": (
        ("index", "x", "--index", "ix", "--report", "merged.jsonl"),
        "--report goes with --merge-duplicates",
    ),
    "a search of no vectors": (
        ("index", "x", "--index", "ix", "--encoder", "none", "--search", "hnsw"),
        "which --encoder none leaves out",
    ),
    "memory of no vectors": (
        ("index", "x", "--index", "ix", "--encoder", "none", "--memory", "1GB"),
        "which --encoder none leaves out",
    ),
    "other vectors that are none": (
        ("re-encode", "--index", "ix", "--encoder", "none"),
        "Invalid value for '--encoder': none makes no vectors: name a model (only a new index can be without vectors)",
    ),
    "codes that an engine does not keep": (
        ("index", "x", "--index", "ix", "--engine", "milvus-lite:m.db", "--vectors", "sq8"),
        "--engine keeps vectors as fp16 or fp32",
    ),
    "an option for a folder": (
        ("serve", "--index", "ix", "--permalinks", "--metrics"),
        "'--permalinks': its value is missing, and --metrics follows; a file of that name is ./--metrics",
    ),
    "a folder without a name": (
        ("index", "x", "--index", "", "--encoder", "none"),
        "'--index': its value is empty, as of a variable that is not set; the folder you are in is .",
    ),
    "one of several folders without a name": (
        ("serve", "--index", "a=ix", "--index", "b="),
        "'--index': its value is empty, as of a variable that is not set",
    ),
    "a file or folder without a name": (
        ("eval", "corpora", ".", "--work", "w", "--blend", ""),
        "'--blend': its value is empty, as of a variable that is not set",
    ),
    "one of several files without a name": (
        (*TRAIN, "scincl", "--triplets", "", "--dry-run"),
        "'--triplets': its value is empty, as of a variable that is not set",
    ),
    "an option for a file": (
        ("watch", "run", "--index", "ix", "--out", "--exit-code"),
        "its value is missing, and --exit-code follows",
    ),
    "nothing to remove": (("remove", "--index", "ix"), "give ids, or a file of ids with --from"),
    "nothing to learn from": ((*TRAIN, "scincl", "--dry-run"), "give one of --index, --split and --triplets"),
    "triplets of a recipe that has none": (
        (*TRAIN, "neighbourhood", "--triplets", "t.jsonl", "--dry-run"),
        "the recipe neighbourhood has no triplets",
    ),
    "negatives of a recipe that has none": (
        (*TRAIN, "neighbourhood", "--index", ".", "--hard", "2", "--dry-run"),
        "--hard is of no use: the recipe neighbourhood has no triplets",
    ),
    "what another recipe draws": (
        (*TRAIN, "specter", "--index", ".", "--k-positive", "4", "--dry-run"),
        "--k-positive goes with --recipe scincl",
    ),
    "what is drawn of triplets that are ready": (
        (*TRAIN, "scincl", "--triplets", "t.jsonl", "--easy-from", "random", "--dry-run"),
        "--easy-from goes with --recipe scincl and what it draws triplets from",
    ),
    "steps and epochs": (
        (*TRAIN, "specter", "--index", ".", "--steps", "2", "--epochs", "5", "--dry-run"),
        "--epochs is given instead of --steps",
    ),
    "a teacher of nothing": (
        ("train", "reranker", "--index", ".", "--loss", "cross-entropy", "--teacher", "default", "--out", "rr"),
        "--teacher goes with --loss distillation",
    ),
    "triplets without a negative": (
        (*TRAIN, "specter", "--index", ".", "--hard", "0", "--easy", "0", "--dry-run"),
        "a triplet has a negative",
    ),
    "a seed that no generator takes": (
        (*TRAIN, "specter", "--index", ".", "--seed", "-1", "--dry-run"),
        "Invalid value for '--seed': -1 is not in the range 0<=x<=4294967295",
    ),
    "passes without an end": (
        (*TRAIN, "specter", "--index", ".", "--epochs", "inf", "--dry-run"),
        "Invalid value for '--epochs': 'inf' is not a finite number",
    ),
    "a share that is no number": (
        (*TRAIN, "specter", "--index", ".", "--share", "nan", "--dry-run"),
        "Invalid value for '--share': 'nan' is not a finite number",
    ),
    "a time that is no number": (
        ("serve", "--index", "ix", "--deadline", "nan"),
        "Invalid value for '--deadline': 'nan' is not a finite number",
    ),
    "nowhere to write": ((*TRAIN, "specter", "--index", "."), "give --out, --write-triplets or --dry-run"),
    "data for what has its own": (
        ("eval", "reproduce", "demo", "--data", "x"),
        "--data and --model go with exactly one NAME",
    ),
    "a model for no row": (
        ("eval", "reproduce", "dblp", "--model", "minilm"),
        "'minilm' is not of the form 'ROW=MODEL'",
    ),
    "no report of nothing": (("eval", "report", "--out", "r.html"), "give a SPLIT, or --experiments FOLDER"),
    "classes from nowhere": (("eval", "clusters", "minilm", "--out", "c.png"), "give either several --corpus or --sci"),
}


@pytest.mark.parametrize("name", WRONG_USAGE)
def test_options_that_contradict_each_other_are_refused_before_anything_is_made(name, tmp_path, monkeypatch):
    arguments, message = WRONG_USAGE[name]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").write_text('{"id": "a", "title": "Neural ranking"}\n')
    (tmp_path / "t.jsonl").write_text("{}\n")
    ended = run(*arguments)
    assert ended.code == 2, ended
    assert message in " ".join(ended.err.split())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.jsonl", "x"]


def papers(folder: Path) -> str:
    (folder / "papers.jsonl").write_text('{"id": "a", "title": "Neural ranking"}\n')
    return str(folder / "papers.jsonl")


def test_a_list_of_ids_that_is_no_text_removes_nothing(demo_index, tmp_path):
    listed = tmp_path / "ids.txt"
    listed.write_bytes("vaswani2017attention\nmüller".encode("cp1252"))
    before = (demo_index / "CURRENT").read_bytes()
    said = refused("remove", "--from", listed, "--index", demo_index)
    assert said == f"Error: {listed}: no UTF-8 text: save it as UTF-8, or unpack it if it is an archive\n"
    assert (demo_index / "CURRENT").read_bytes() == before


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_list_of_ids_from_windows_names_what_it_says(demo_index, tmp_path, encoding):
    listed = tmp_path / "ids.txt"
    listed.write_bytes("vaswani2017attention\r\nmüller\r\n".encode(encoding))
    said = refused("remove", "--from", listed, "--index", demo_index)
    assert said == f"Error: 1 of 2 ids is not in {demo_index} (müller): nothing was removed\n"


def test_an_index_below_a_file_cannot_be_made(tmp_path):
    source = papers(tmp_path)
    said = refused("index", source, "--index", f"{source}/ix", "--encoder", "none")
    assert said.startswith(f"Error: cannot create the index directory {source}/ix: ")


@pytest.mark.parametrize(("name", "content"), [("drafts.jsonl", "\n\n"), ("drafts.bib", "% nothing yet\n")])
def test_a_file_without_a_query_is_reported(demo_index, tmp_path, name, content):
    drafts = tmp_path / name
    drafts.write_text(content)
    assert refused("recommend", drafts, "--index", demo_index).startswith(f"Error: {drafts} holds no query")


@pytest.mark.parametrize(
    "command",
    [
        ("recommend", "missing.jsonl", "--index", "missing", "--out"),
        ("review", "missing", "--index", "missing", "--out"),
        ("train", "blend", "--index", "missing", "--out"),
        ("fetch", "openalex", "--topic", "T1", "--out"),
        ("watch", "run", "--index", "missing", "--out"),
    ],
)
def test_a_file_that_cannot_be_written_is_reported_before_the_work(command, tmp_path):
    folder = tmp_path / "nowhere"
    out = folder / "out.bib"
    assert refused(*command, out) == f"Error: cannot write {out}: there is no folder {folder}\n"


def test_a_file_that_is_needed_is_not_called_a_dash(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "./-" in refused("train", "blend", "--index", "missing", "--out", "-")


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (("eval", "split", "papers.jsonl"), "--out"),
        (("eval", "corpora", "corpora"), "--work"),
        (("eval", "contexts", "papers.jsonl", "contexts.jsonl"), "--work"),
        (("eval", "experiment", "query-forms", "--index", "missing"), "--out"),
        (("eval", "reproduce"), "--work"),
        (("train", "blend", "--index", "missing", "--out", "blend.json"), "--left-out"),
        (("train", "encoder", "--recipe", "specter", "--index", "missing"), "--out"),
        (("train", "encoder", "--recipe", "ctpe", "--index", "missing"), "--out"),
        (("train", "reranker", "--index", "missing"), "--out"),
    ],
)
def test_a_folder_that_cannot_be_made_is_reported_before_the_work(command, option, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = papers(tmp_path)
    expected = f"Error: cannot write into papers.jsonl/no/out: {source} is no folder\n"
    assert refused(*command, option, "papers.jsonl/no/out") == expected


def test_what_cannot_train_a_blend_is_refused_before_the_indexes_are_asked(tmp_path):
    command = ("train", "blend", "--index", f"{tmp_path}/a", "--index", f"{tmp_path}/b", "--out", f"{tmp_path}/b.json")
    said = refused(*command, "--left-out", f"{tmp_path}/left", "--keep-trees")
    assert said.startswith("Error: --left-out trains an order, and --keep-trees keeps the one that ships")
    assert refused(*command, "--reranker", f"{tmp_path}/no") == f"Error: no model folder at '{tmp_path}/no'\n"
    assert run(*command, "--reranker", "default", "--depth", 0).code == 2
    assert "two indexes are called 'a'" in refused(*command, "--index", f"{tmp_path}/other/a")


@pytest.mark.parametrize("content", ["% my bibliography", '["trees"]', '{"id": "a"}'])
def test_a_blend_is_not_written_over_another_file(content, tmp_path):
    out = tmp_path / "left" / "a.json"
    out.parent.mkdir()
    out.write_text(content)
    indexes = ("--index", f"{tmp_path}/a", "--index", f"{tmp_path}/b")
    expected = f"Error: {out} is another file, and no blend that could be replaced: give another name, or delete it\n"
    assert refused("train", "blend", *indexes, "--out", out) == expected
    assert refused("train", "blend", *indexes, "--left-out", out.parent, "--out", f"{tmp_path}/b.json") == expected
    assert refused("train", "contexts", "c", "s", "--index", f"{tmp_path}/a", "--out", out) == expected
    assert out.read_text() == content
    out.write_text('{"trees": "of features that are no more"}')
    assert "no index" in refused("train", "blend", *indexes, "--out", out)


def test_what_is_no_key_file_stays_as_it_is(tmp_path):
    keys = tmp_path / "keys.txt"
    keys.write_bytes(b"\xff\xfe not text")
    assert refused("key", "ada", "--file", keys).startswith(f"Error: cannot write the key file {keys}: ")
    assert keys.read_bytes() == b"\xff\xfe not text"


@pytest.mark.skipif(os.name != "posix", reason="refusals of other systems differ")
@pytest.mark.parametrize("errno_", [errno.EACCES, errno.ENAMETOOLONG])
def test_what_the_system_refuses_of_a_path_is_one_line_in_every_command(errno_, tmp_path, monkeypatch):
    refusing = tmp_path / ("n" * 300)
    if errno_ == errno.EACCES:  # root may search any folder
        refusing = tmp_path / "closed" / "x"
        stat = os.stat

        def refuse(path, *args, **options):
            if isinstance(path, str | os.PathLike) and str(refusing) in os.fspath(path):
                raise PermissionError(errno_, os.strerror(errno_), os.fspath(path))
            return stat(path, *args, **options)

        monkeypatch.setattr("os.stat", refuse)
    for command in (
        ("info", "--index", refusing),
        ("recommend", "-", "--index", refusing),
        ("recommend", "-", "--index", tmp_path, "--out", refusing),
        ("recommend", refusing, "--index", tmp_path),
        ("review", refusing, "--index", tmp_path),
        ("index", refusing, "--index", tmp_path / "ix", "--encoder", "none"),
        ("remove", "a", "--index", refusing),
        ("mcp", "--index", refusing),
    ):
        assert f"{refusing}"[:150] in refused(*command, stdin="A title")


@pytest.mark.parametrize(
    "command",
    [
        ("index", "", "--encoder", "none"),
        ("add", "more.bib", ""),
        ("recommend", ""),
        ("recommend", "more.bib", "--cited", ""),
        ("cite", "Wheat is old.", "--draft", ""),
        ("watch", "add", ""),
        ("corpus", "build", "--from", ""),
    ],
)
def test_what_has_no_name_is_not_the_folder_in_which_somebody_is(command, demo_index, tmp_path, monkeypatch):
    (tmp_path / "more.bib").write_text("@misc{more, title={Wheat in the early Bronze Age}, year=2001}")
    monkeypatch.chdir(tmp_path)
    done = run(*command, "--index", tmp_path / "new" if command[0] in {"index", "corpus"} else demo_index)
    assert done.code == 1
    assert done.err == "Error: a source has no name, as of a variable that is not set; the folder you are in is .\n"


def test_a_text_in_place_of_a_file_is_said_to_belong_on_standard_input(tmp_path):
    for text in ("Citation recommendation", "Citation recommendation. " * 100):
        said = refused("recommend", text, "--index", tmp_path)
        assert said.endswith("; a text itself is asked through standard input (-)\n")
        assert len(said) < 300


def test_messages_hold_no_control_characters_of_what_they_quote(tmp_path):
    ids = tmp_path / "ids.txt"
    ids.write_bytes(b"a\0\x1b[2Jb\n")
    index = tmp_path / "ix"
    source = tmp_path / "papers.jsonl"
    source.write_text('{"id": "a", "title": "A title"}\n')
    assert run("index", source, "--index", index, "--encoder", "none").code == 0
    assert "a[2Jb" in refused("remove", "--from", ids, "--index", index)
    assert refused("remove", "--from", "-", "--index", index) == "Error: standard input holds no id\n"


def test_sources_without_a_paper_say_what_was_wrong_with_the_first_record(tmp_path):
    source = tmp_path / "papers.jsonl"
    source.write_text('{"id": "a", "title": ""}\n{"title": "no id"}\n')
    said = refused("index", source, "--index", tmp_path / "ix", "--encoder", "none")
    assert "skipped 2" in said
    assert f"{source}" in said
    assert "line 1" in said


def test_figures_that_do_not_come_out_end_with_3(monkeypatch):
    found = [Outcome("BM25", "MRR", 0.7, 0.7004, 0.005), Outcome("BM25", "F1@20", 0.3, 0.28, 0.005)]
    monkeypatch.setattr("eval.reproduce.reproduce", lambda *_: found)
    ended = run("eval", "reproduce", "demo")
    assert ended.code == 3
    kept, missed = ended.out.splitlines()
    assert kept.startswith("ok     demo, BM25, MRR: ")
    assert missed.startswith("MISSED demo, BM25, F1@20: ")
    assert refused("eval", "reproduce", "dmeo").startswith("Error: nothing is written down of 'dmeo'")


@pytest.mark.parametrize(
    "command",
    [
        ("index", "papers.jsonl", "--index", "ix", "--encoder", "none", "--merge-duplicates", "--report"),
        ("index", ".", "--index", "ix", "--encoder", "none", "--merge-duplicates", "--report"),
        ("corpus", "build", "--from", "papers.jsonl", "--index", "ix", "--encoder", "none", "--report"),
        ("fetch", "openalex", "--around-file", "papers.jsonl", "--restart", "--out"),
        ("train", "encoder", "--recipe", "specter", "--triplets", "papers.jsonl", "--write-triplets"),
        ("eval", "leakage", "papers.jsonl", "--against", "other.jsonl", "--report"),
        ("eval", "leakage", "other.jsonl", "--against", ".", "--report"),
        ("eval", "leakage", "other.jsonl", "--against", "papers.test.ids", "--report"),
        ("eval", "embed", "static", "papers.jsonl", "--out"),
        ("eval", "report", "--experiments", ".", "--out"),
    ],
    ids=" ".join,
)
def test_a_file_that_is_read_is_never_written_over(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    read = Path("papers.json" if "report" in command else "papers.jsonl")
    for path in (read, Path("other.jsonl")):
        path.write_text('{"id": "a", "title": "Neural ranking of papers"}\n')
    Path("papers.test.ids").write_text("a\n")
    said = refused(*command, f"../{tmp_path.name}/{read}")
    assert said.endswith(f"{read}: it is one of the files that are read; choose another\n")
    assert read.read_text().startswith('{"id": "a"')


def test_a_split_does_not_take_the_place_of_its_own_source(tmp_path):
    source = tmp_path / "test.papers.jsonl"
    source.write_text('{"id": "a", "title": "Neural ranking of papers", "year": 2001}\n')
    said = refused("eval", "split", source, "--out", tmp_path)
    assert said == f"Error: cannot write {source}: it is one of the files that are read; choose another\n"
    assert source.exists()


@pytest.mark.parametrize("place", ["out.bib", "gen-000001/out.bib"])
def test_nothing_is_written_into_an_index(place, demo_index, tmp_path):
    (tmp_path / "link").symlink_to(demo_index)
    out = tmp_path / "link" / place
    for command in (("watch", "run", "--out", out), ("recommend", tmp_path / "draft.tex", "--append-to", out)):
        said = refused(*command, "--index", demo_index)
        assert said == f"Error: cannot write {out}: {demo_index} is an index directory; choose another place\n"
    assert refused("eval", "split", demo_index, "--out", out / "split").endswith("choose another place\n")
