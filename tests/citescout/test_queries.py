"""What may stand where `recommend` asks for QUERIES."""

import bz2
import gzip
import io
import json
import lzma
import os
import tarfile
import threading
import zipfile

import pytest

from citescout.queries import read_draft, read_queries
from common.errors import CitescoutError, QueryError, SourceError
from indexer.readers import read_papers
from manuscripts import read_manuscript

TITLE = "Does the h-index measure performance?"
ABSTRACT = "Self-citations and co-authorship change it, as we show for 147 chemistry groups."
LATEX = rf"""\documentclass{{article}}
\begin{{filecontents}}{{own.bib}}
@article{{own, title = {{Another one}}}}
\end{{filecontents}}
\title{{Does the $h$-index measure performance?\thanks{{Nobody}}}}
\begin{{document}}
\begin{{abstract}}
{ABSTRACT[:-1]}~\cite{{own}}.
\end{{abstract}}
\end{{document}}
"""
PACKED_LATEX = gzip.compress(LATEX.encode())  # as arXiv gives it
CSL = '{"id": "one", "type": "article-journal", "title": "The first", "author": [{"family": "Li"}]}'
BIBTEX = "@article{one, title={The first}}\n@article{two, title={The second}, year=2001}\n"


def asked(source):
    return [(query.id, query.title, query.abstract) for query in read_queries(str(source))]


def piped(monkeypatch, data):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    return asked("-")


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("paper.tex", LATEX, [("paper.tex", TITLE, ABSTRACT)]),
        *((name, PACKED_LATEX, [(name, TITLE, ABSTRACT)]) for name in ("2101.00001v1.gz", "a.tex.gz", "2101.00001v1")),
        *((name, f"{TITLE}\n\n{ABSTRACT}\n", [(name, TITLE, ABSTRACT)]) for name in ("a.txt", "abstract.md", "text")),
        ("draft.txt", f"[Draft] {TITLE}\n\n{ABSTRACT}", [("draft.txt", f"[Draft] {TITLE}", ABSTRACT)]),
        *(
            (f"refs{end}", BIBTEX, [("one", "The first", ""), ("two", "The second", "")])
            for end in (".bib", ".txt", "")
        ),
        ("library.json", f"[{CSL}]", [("one", "The first", "")]),
        ("queries.jsonl", '\ufeff{"title": "One"}\n', [("line-1", "One", "")]),
        ("a.txt", '\ufeff{"title": "One"}\n{"title": "Two"}\n', [("line-1", "One", ""), ("line-2", "Two", "")]),
        ("a.json", '[{"title": "One"},\n {"title": "Two", "id": "b"}]', [("entry-1", "One", ""), ("b", "Two", "")]),
        ("query.json", '\ufeff{\n  "title": "One",\n  "liked": ["a"]\n}\n', [("line-1", "One", "")]),
    ],
)
def test_whatever_may_be_asked_is_read_by_what_it_holds(tmp_path, name, content, expected):
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    assert asked(tmp_path / name) == expected


@pytest.mark.parametrize("name", ["draft.txt", "On retrieval.txt", "On retrieval.md"])
def test_a_folder_or_archive_whose_manuscript_is_a_text_is_one_query(tmp_path, name):
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / name).write_text(f"# {TITLE}\n\n{ABSTRACT}\n")
    (folder / "README.md").write_text("# What lies here\n")
    (folder / "figure.png").write_bytes(b"\x89PNG")
    with zipfile.ZipFile(tmp_path / "paper.zip", "w") as archive:
        for file in folder.iterdir():
            archive.write(file, file.name)
    for source in (folder, tmp_path / "paper.zip"):
        assert [(title, abstract) for _, title, abstract in asked(source)] == [(TITLE, ABSTRACT)]


def test_a_bibliography_beside_a_text_is_its_own_only_where_it_is_called_as_drafts_are(tmp_path):
    (tmp_path / "refs.bib").write_text(BIBTEX)
    (tmp_path / "To read.txt").write_text(f"{TITLE}\n\n{ABSTRACT}\n")
    (tmp_path / "paper.txt").write_text("TY  - JOUR\nTI  - The third\nER  - \n")  # of papers, whatever its name
    assert [title for _, title, _ in asked(tmp_path)] == ["The third", "The first", "The second"]
    (tmp_path / "paper.txt").write_text(f"{TITLE}\n\n{ABSTRACT}\n")
    draft = read_draft(str(tmp_path))
    assert (draft.title, [entry.key for entry in draft.entries]) == (TITLE, ["one", "two"])


def test_a_home_folder_is_no_manuscript_unless_one_lies_at_its_top(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "main.tex").write_text("\\documentclass{article}\\title{Old}\\begin{document}\\maketitle")
    with pytest.raises(SourceError, match="is a home folder or above it"):
        read_queries(str(tmp_path))
    (tmp_path / "main.tex").write_text("\\documentclass{article}\\title{One}\\begin{document}\\maketitle")
    assert [query.title for query in read_queries(str(tmp_path))] == ["One"]


def test_of_several_texts_in_a_folder_none_is_taken_for_the_manuscript(tmp_path):
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text(f"{TITLE}\n\n{ABSTRACT}\n")
    with pytest.raises(SourceError, match="no file in a known format"):
        read_queries(str(tmp_path))


@pytest.mark.parametrize("name", ["arXiv-2101.00001v1.tar.gz", "paper.tgz", "2101.00001v1"])
def test_the_sources_that_arxiv_gives_are_one_manuscript(tmp_path, name):
    with tarfile.open(tmp_path / name, "w:gz") as archive:
        for path, content in (
            ("./refs.bib", BIBTEX.encode()),
            ("./ms.tex", LATEX.replace("own}.", "one}.").encode()),
            ("./fig/über.pdf", b"%PDF-1.5 " + os.urandom(5000)),
        ):
            member = tarfile.TarInfo(path)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    found = read_draft(str(tmp_path / name))
    assert (found.title, found.keys) == (TITLE, ("one",))
    assert found.cited[0].readings[0].title == "The first"
    assert read_manuscript((tmp_path / name).read_bytes(), name=name) == found


def test_a_paper_of_a_bibliography_is_known_in_any_index_by_its_identifier(tmp_path):
    (tmp_path / "refs.bib").write_text(
        "@article{one, title={D3}, doi={10.1000/D3}}\n"
        "@article{two, title={LN}, eprint={1607.06450}, archiveprefix={arXiv}}\n"
        "@article{three, title={Plain}}\n"
    )
    assert [query.copies for query in read_queries(str(tmp_path / "refs.bib"))] == [
        ("10.1000/d3",),
        ("arXiv:1607.06450",),
        (),
    ]


@pytest.mark.parametrize("name", ["queries.jsonl", "queries.txt", "queries", "queries.jsonl.gz"])
def test_what_only_queries_have_is_read_whatever_their_file_is_called(tmp_path, name):
    """Also where each has an id, which makes their lines papers for an index."""
    line = b'{"id": "a", "title": "One", "already_cited": ["b"], "liked": ["c"], "authors": ["D E"]}\n'
    (tmp_path / name).write_bytes(gzip.compress(line) if name.endswith(".gz") else line)
    (query,) = read_queries(str(tmp_path / name))
    assert (query.id, query.already_cited, query.liked, query.authors) == ("a", ("b",), ("c",), ("D E",))


@pytest.mark.parametrize("name", ["papers.jsonl", "papers.jsonl.gz"])
def test_papers_of_our_own_lines_are_known_by_their_dois_and_arxiv_ids(tmp_path, name):
    called = [
        {"doi": "https://doi.org/10.1000/A"},
        {"arxiv": "arXiv:1706.03762v2"},
        {"url": "https://pubmed.ncbi.nlm.nih.gov/31452104/"},
        {"id": "10.1000/b"},
        {"id": "c", "doi": 5},
        {"pmid": 31452104},
        {"copies": ["a"], "doi": "10.1000/a"},
    ]
    lines = "".join(json.dumps({"title": "One", **one}) + "\n" for one in called).encode()
    (tmp_path / name).write_bytes(gzip.compress(lines) if name.endswith(".gz") else lines)
    found = ["".join(query.copies) for query in read_queries(str(tmp_path / name))]
    assert found == ["10.1000/a", "arXiv:1706.03762", "PMID:31452104", "10.1000/b", "", "PMID:31452104", "a"]


@pytest.mark.parametrize("name", ["papers.jsonl", "papers.json", "papers.txt"])
@pytest.mark.parametrize("form", ["arxiv", "openalex", "s2orc"])
def test_papers_of_other_formats_are_queries_whatever_their_file_is_called(tmp_path, name, form):
    record = {
        "arxiv": {"id": "0704.0001", "title": "One", "abstract": "Two", "categories": "cs.DL", "authors_parsed": []},
        "openalex": {"id": "https://openalex.org/W1", "title": "One", "abstract_inverted_index": {"Two": [0]}},
        "s2orc": {"paper_id": "12", "title": "One", "abstract": "Two", "outbound_citations": ["5"]},
    }[form]
    (tmp_path / name).write_text(json.dumps(record) + "\n")
    assert [one[1:] for one in asked(tmp_path / name)] == [("One", "Two")]


@pytest.mark.parametrize("known", [{"DOI": "10.1000/a"}, {"URL": "https://example.org/a"}, {"author": []}])
@pytest.mark.parametrize("listed", [True, False])
def test_a_single_item_of_csl_json_is_a_query(tmp_path, monkeypatch, known, listed):
    item = {"id": "roe", "type": "webpage", "title": "One", **known}
    data = json.dumps([item] if listed else item)
    (tmp_path / "item.json").write_text(data)
    assert asked(tmp_path / "item.json") == [("roe", "One", "")]
    with pytest.raises(SourceError, match="standard input holds papers: name them as a file"):
        piped(monkeypatch, data.encode())


def test_queries_of_a_collection_of_beir_are_their_texts(tmp_path):
    path = tmp_path / "queries.jsonl"
    path.write_text('{"_id": "q/1", "text": "One", "metadata": {"year": 2014}}\n{"_id": 2, "text": "Two"}\n')
    assert asked(path) == [("q/1", "One", ""), ("2", "Two", "")]
    (tmp_path / "README.md").write_text("# A collection\n\nOf papers and of what is asked about them.\n")
    (tmp_path / "corpus.jsonl").write_text('{"_id": "p", "title": "A paper", "text": "Found."}\n')
    assert asked(tmp_path) == asked(path)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_queries_are_read_from_a_file_and_from_standard_input(compress, tmp_path, monkeypatch):
    data = compress(b'{"title": "One", "liked": ["a"]}\n{"title": "Two"}\n')
    (tmp_path / "queries.jsonl.z").write_bytes(data)
    expected = [("line-1", "One", ""), ("line-2", "Two", "")]
    assert asked(tmp_path / "queries.jsonl.z") == piped(monkeypatch, data) == expected
    text = compress(f"{TITLE}\n\n{ABSTRACT}".encode())
    assert piped(monkeypatch, text) == [("standard input", TITLE, ABSTRACT)]
    with pytest.raises(SourceError, match="standard input: truncated or damaged"):
        piped(monkeypatch, data[:-9])


def test_standard_input_is_json_lines_or_a_text(monkeypatch):
    assert piped(monkeypatch, f"{TITLE}\n\n{ABSTRACT}".encode()) == [("standard input", TITLE, ABSTRACT)]
    assert piped(monkeypatch, b'\n{"title": "One"}\n{"title": "Two"}') == [("line-2", "One", ""), ("line-3", "Two", "")]
    with pytest.raises(SourceError, match="standard input holds papers: name them as a file"):
        piped(monkeypatch, BIBTEX.encode())


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_queries_from_windows_are_read_from_a_file_and_from_standard_input(tmp_path, monkeypatch, encoding):
    data = '{"title": "Über Bienen"}\r\n{"title": "Two"}\r\n'.encode(encoding)
    (tmp_path / "queries.jsonl").write_bytes(data)
    expected = [("line-1", "Über Bienen", ""), ("line-2", "Two", "")]
    assert asked(tmp_path / "queries.jsonl") == piped(monkeypatch, data) == expected
    with pytest.raises(SourceError, match="standard input holds papers: name them as a file"):
        piped(monkeypatch, BIBTEX.encode(encoding))


def test_a_pipe_by_name_is_read_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(f"{TITLE}\n\n{ABSTRACT}",))
    writer.start()
    assert asked(tmp_path / "pipe") == [("pipe", TITLE, ABSTRACT)]
    writer.join()


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("table.csv", b"Authors,Item Title,Item DOI\nDoe,One,2000\n", "a table of Springer Link"),
        ("names.csv", b"Author,Year\nDoe,2000\n", "a table without a column for titles"),
        ("photo.jpg", b"\xff\xd8\xff\xe0" + bytes(range(256)), "Unsupported file. Use .tex, .typ, .zip"),
        ("draft.rst", b"A title\n=======\n", "Unsupported file.*convert it first, such as with pandoc -s FILE"),
        ("draft.ORG", b"* A title\n", "Unsupported file.*convert it first"),
        ("draft.lyx", b"#LyX 2.3 created this file.\n", "Unsupported file.*in LyX choose File > Export > LaTeX"),
        ("draft.txt", b"#LyX 2.3 created this file.\n", "Unsupported file"),
        ("draft.rtf", b"{\\rtf1 A title}", "Unsupported file.*save it as .docx"),
        ("draft.xml", b'<?xml version="1.0"?><w:wordDocument/>', "Unsupported file"),
        ("draft.doc", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600), "Word before 2007.*save it as .docx"),
        ("draft.odt", b"PK\3\4mimetype", "the document is damaged, or no .docx, .odt or .pdf"),
        ("paper.pdf", b"%PDF-1.4\nno more", "the PDF"),
        ("empty.tex", b"\\documentclass{article}", "no title and no abstract found"),
        ("nothing.txt", b" \n", "empty"),
        ("topics.301-350.txt", b"\n<top>\n<num> Number: 301\n<title> One\n</top>\n", "topics of TREC; write each as"),
        ("topics.xml", b'<?xml version="1.0"?>\n<topics task="x">\n<topic number="1"/></topics>', "topics of TREC"),
    ],
)
def test_what_asks_nothing_is_named_with_the_reason(tmp_path, name, content, reason):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=reason) as error:
        read_queries(str(tmp_path / name))
    assert str(error.value).startswith(str(tmp_path / name))
    assert "--format" not in str(error.value), "that of recommend is the format of its output"


@pytest.mark.parametrize(
    ("fields", "read"),
    [
        ('"id": 7, "year": null, "venue": "SIGIR", "citations": ["a"]', {"id": "7", "year": None}),
        ('"id": 1.0, "year": 2.02e3', {"id": "1", "year": 2020}),
        ('"year": "2010", "already_cited": [7, 8.0, "nine"]', {"year": 2010, "already_cited": ("7", "8", "nine")}),
        ('"year": "2010-05-01"', {"year": 2010}),
        *((f'"year": {unknown}', {"year": None}) for unknown in ('""', '" "', "0", '"0"')),
        ('"id": 0', {"id": "0"}),  # as pandas counts: from 0 on, and in floats once one is missing
        ('"id": 7.0', {"id": "7"}),
        ('"id": "  a  b "', {"id": "a b"}),
        (
            r'"id": "a\ud800", "abstract": "\udc00", "liked": ["b\udc00"]',
            {"id": "a?", "abstract": "?", "liked": ("b?",)},
        ),
    ],
)
def test_fields_are_read_as_those_of_papers_are(tmp_path, fields, read):
    (tmp_path / "queries.jsonl").write_text(f'{{"title": "One", {fields}}}\n')
    (query,) = read_queries(str(tmp_path / "queries.jsonl"))
    assert {name: getattr(query, name) for name in read} == read


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("null", "line 1: not a JSON object"),
        ("\n7", "line 2: not a JSON object"),
        ("[1]", "entry 1: not a JSON object"),
        ("[]", "holds no query: one JSON object a line"),
        ('[{"title": "One"}, "Two"]', "entry 2: not a JSON object; a query is one"),
        ('[{"title": "One", "id": "a"}, {"title": "Two", "id": "a"}]', "entry 2: has the id of entry 1, 'a'; give it"),
        ('{"title": "One"}\n{"title": }', r"line 2: not JSON \(.* at character 11\); a query is a JSON object on one"),
        (
            '{"title": "One"}\n{"title": "A", "sited": 1}',
            "line 2: unknown field 'sited'; there are abstract, already_cited, arxiv, .*, doi, .*, pmid, title, url",
        ),
        ('{"title": "One", "id": "line-3"}\n\n{"title": "Two"}', "line 3: has the id of line 1, 'line-3'"),
        ('{"title": "One", "id": "x"}\n\n{"title": "Two", "id": "x"}', "line 3: has the id of line 1, 'x'"),
        ('{"title": "One", "year": 2020.5}', r"line 1: year must be a whole number, not 2020\.5"),
        ('{"title": "One", "year": "in press"}', "line 1: year must be a whole number, not 'in press'"),
        ('{"title": "One", "year": "10"}', "line 1: year must be a whole number, not '10'"),
        *((f'{{"title": "One", "id": {id_}}}', "line 1: id must be") for id_ in ("1.5", "[1]")),
    ],
)
@pytest.mark.parametrize("name", ["q.jsonl", "q.json"])
def test_json_that_is_no_query_is_named_by_its_place(tmp_path, name, content, reason):
    (tmp_path / name).write_text(f"{content}\n")
    with pytest.raises(CitescoutError, match=rf"{name}.* {reason}") as error:
        read_queries(str(tmp_path / name))
    assert isinstance(error.value, QueryError) or content == "[]"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("A title", "no such file: A title; a text itself is asked through standard input"),
        ("/dev/zero", "^/dev/zero is a device: name a file or a folder$"),  # which may have no end
    ],
)
def test_what_is_no_file_is_refused(source, reason):
    with pytest.raises(CitescoutError, match=reason):
        read_queries(source)


def test_queries_of_a_table_are_called_by_their_numbers_and_papers_are_not(tmp_path):
    """The number of a row identifies no paper, but the list of a query."""
    path = tmp_path / "queries.csv"
    path.write_text("id,title,abstract\n007,One,\n8,Two,Three\n,Four,\n")
    ids = [one[0] for one in asked(path)]
    assert ids[:2] == ["007", "8"]
    assert ids[2].startswith("table-")
    assert all(paper.id.startswith("table-") for paper in read_papers([str(path)]))


def test_a_table_of_one_column_is_asked_title_by_title_and_never_as_one_text(tmp_path):
    path = tmp_path / "queries.csv"
    path.write_text('title\nOne\n""\n"Two, or three"\n')  # as pandas writes a column, the second value of it missing
    assert [one[1:] for one in asked(path)] == [("One", ""), ("Two, or three", "")]
    path.write_text('Title,,\nOne,,\n"Two, or three",,\n')  # as Excel saves what has empty columns beside it
    assert [one[1] for one in asked(path)] == ["One", "Two, or three"]
    for text in ("abstract\nOne\nTwo\n", "question\nOne, or two\nThree\n"):
        path.write_text(text)
        with pytest.raises(SourceError, match=r"queries\.csv: a table without a column for titles"):
            asked(path)


@pytest.mark.parametrize("ending", ["jsonl", "json"])
def test_a_value_that_is_no_number_is_as_good_as_null(tmp_path, ending):
    """As Python writes what pandas has where nothing is."""
    path = tmp_path / f"queries.{ending}"
    nan = float("nan")
    records = [{"id": nan, "title": "One", "year": nan, "doi": nan}, {"title": nan, "abstract": "Two"}]
    lines = json.dumps(records) if ending == "json" else "\n".join(map(json.dumps, records))
    path.write_text(lines)
    place = "entry" if ending == "json" else "line"
    assert asked(path) == [(f"{place}-1", "One", ""), (f"{place}-2", "", "Two")]
    path.write_text('{"title": NaN, "abstract": null}\n')
    with pytest.raises(QueryError, match="neither a title nor an abstract"):
        asked(path)


def test_papers_of_one_key_are_queries_of_different_ids(tmp_path, caplog):
    path = tmp_path / "papers.bib"
    path.write_text("@misc{k, title={One}}\n@misc{k-2, title={Two}}\n@misc{k, title={Three}}\n")
    assert asked(path) == [("k", "One", ""), ("k-2", "Two", ""), ("k-3", "Three", "")]
    assert caplog.messages == [f"{path}: a query before this one has the id 'k'; it is called 'k-3'"]


def test_entries_of_a_bibliography_that_are_broken_are_named_and_passed_over(tmp_path, caplog):
    path = tmp_path / "papers.bib"
    path.write_text(f"{BIBTEX}@misc{{none, year=2001}}\n@misc{{open, title={{Never\n")
    assert [id_ for id_, *_ in asked(path)] == ["one", "two"]
    assert caplog.messages == [
        f"{path}: 2 papers read, 2 records skipped\n  {path}: line 3, entry 'none': neither title nor abstract\n"
        f"  {path}: line 4: an entry that is not closed, or broken otherwise"
    ]
    path.write_text("@misc{none, year=2001}\n")
    with pytest.raises(SourceError, match=r"papers\.bib holds no query \(skipped 1; .*neither title nor abstract"):
        read_queries(str(path))


def test_the_bibliography_beside_a_paper_that_is_not_read_is_no_query(tmp_path):
    (tmp_path / "refs.bib").write_text("@misc{k, title={One}}\n")
    assert asked(tmp_path) == [("k", "One", "")]
    (tmp_path / "notes.org").write_text("* Read it\n")
    assert asked(tmp_path) == [("k", "One", "")]
    (tmp_path / "paper.org").write_text("#+title: Trees\n")
    with pytest.raises(SourceError, match=r"paper.org: Unsupported file.*convert it first"):
        read_queries(str(tmp_path))
    (tmp_path / "paper.org").unlink()
    with pytest.raises(SourceError, match=r"notes.org: Unsupported file.*convert it first"):
        read_manuscript(tmp_path)
    (tmp_path / "draft.lyx").write_bytes(b"#LyX 2.3")
    with pytest.raises(SourceError, match=r"draft.lyx: Unsupported file.*in LyX"):
        read_queries(str(tmp_path))
