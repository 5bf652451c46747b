import bz2
import gzip
import io
import lzma
import os
import resource
import threading
import zipfile
from pathlib import Path

import pytest
from archives import zipped
from backports import zstd

from common.errors import RecordError, SourceError
from indexer.readers import ReadReport, read_papers, streams
from indexer.readers.reading import papers_of_bytes
from indexer.readers.report import Problem
from indexer.readers.source import file_named

from .helpers import json_lines, read, write

LINES = json_lines(*({"id": f"p{i}", "title": f"Títle {i}", "abstract": "Words. " * i} for i in range(40)))
IDS = [f"p{i}" for i in range(40)]
PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstd.compress}


@pytest.mark.parametrize("kind", PACKERS)
def test_compression_is_reported_by_content(tmp_path, kind):
    packed = PACKERS[kind](LINES.encode())
    assert list(read(write(tmp_path / "no-ending", packed))[0]) == IDS
    assert list(read(write(tmp_path / "twice", packed + packed))[0]) == IDS


def test_zip_members_are_read_in_order_and_clutter_is_passed_over(tmp_path):
    half = LINES.index('{"id": "p20"')
    packed = zipped(
        {"b/2.gz": gzip.compress(LINES[half:].encode()), "a/1": LINES[:half], "__MACOSX/x": "junk", "b/README": "hi"}
    )
    papers, report = read(write(tmp_path / "a.zip", packed))
    assert list(papers) == IDS
    assert [(p.file, p.reason) for p in report.problems] == [(f"{tmp_path}/a.zip/b/README", "in no known format")]


def test_folder_is_read_recursively_and_unknown_files_are_reported(tmp_path):
    write(tmp_path / "corpus" / "b" / "2.jsonl", '{"id": "2", "title": "B"}')
    write(tmp_path / "corpus" / "a.zip", zipped({"x": '{"id": "1", "title": "A"}'}))
    write(tmp_path / "corpus" / "notes.txt", "Nothing that a machine would read.")
    write(tmp_path / "corpus" / "void.jsonl", "")
    write(tmp_path / "corpus" / ".hidden", '{"id": "3", "title": "C"}')
    papers, report = read(tmp_path / "corpus")
    assert list(papers) == ["1", "2"]
    assert (report.read, report.skipped, report.skipped_files) == (2, 0, 2)
    assert {p.reason for p in report.problems} == {"in no known format", "empty"}


@pytest.mark.parametrize("packed", [LINES.encode(), gzip.compress(LINES.encode()), zipped({"corpus": LINES})])
def test_standard_input_may_be_anything(monkeypatch, packed):
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(packed)))
    monkeypatch.setattr("sys.stdin", stdin)
    assert list(read("-")[0]) == IDS
    assert not stdin.buffer.closed


def test_an_index_beside_its_sources_is_none_of_them(tmp_path):
    write(tmp_path / "a.jsonl", LINES)
    index = tmp_path / "index"
    (index / "gen-000001").mkdir(parents=True)
    for name in ("LOCK", "gen-000001/catalog.sqlite"):
        write(index / name, b"")
    papers, report = read(tmp_path)
    assert (list(papers), report.problems) == (IDS, [])
    write(index / "notes.txt", b"mine")  # somebody else's folder with such a file
    assert read(tmp_path)[1].skipped_files == 3


def test_named_pipe_is_read_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(gzip.compress(LINES.encode()),))
    writer.start()
    assert list(read(tmp_path / "pipe")[0]) == IDS
    writer.join()


def test_bytes_of_files_that_hold_no_papers_are_no_unreadable_characters(tmp_path):
    write(tmp_path / "corpus" / "a.jsonl", LINES)
    write(tmp_path / "corpus" / "photo.jpg", b"\xff\xd8\xff\xe0" + bytes(range(256)) * 20)
    _, report = read(tmp_path / "corpus")
    assert (report.skipped_files, report.replaced_bytes, report.found) == (1, 0, 1)


def test_every_problem_is_counted_even_where_it_is_not_kept():
    report = ReadReport(max_problems=2)
    for number in range(3):
        report.skip(Problem("a", f"line {number}", "broken"))
    report.replace("b", 7)
    total = ReadReport()
    total.add(report)
    assert [(one.found, len(one.problems), one.replaced_bytes) for one in (report, total)] == [(4, 2, 7)] * 2


@pytest.mark.parametrize(
    "data",
    [
        "Göttingen\n \n Last one".encode(),
        "Göttingen\r\n\r\nLast one\r\n".encode("utf-8-sig"),
        "Göttingen\r\nLast one\r\n".encode("utf-16"),
        "\ufeffGöttingen\n\ufeffLast one\n".encode(),
        "Göttingen\rLast one\r".encode(),
        gzip.compress("Göttingen\nLast one\n".encode()),
    ],
    ids=["unix", "Notepad", "PowerShell 5", "one list behind another", "old Macs", "gzip"],
)
def test_lists_are_read_as_any_system_saves_them(tmp_path, monkeypatch, data):
    path = write(tmp_path / "ids.txt", data)
    assert file_named(path).listed() == ["Göttingen", "Last one"]
    assert file_named(path).text().split() == ["Göttingen", "Last", "one"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert file_named("-").listed() == ["Göttingen", "Last one"]


def test_lists_that_are_no_unicode_are_refused_and_named(tmp_path):
    path = write(tmp_path / "ids.txt", "Göttingen\n".encode("cp1252"))
    for read_list in (file_named(path).listed, file_named(path).text):
        with pytest.raises(SourceError, match=r"ids\.txt: no UTF-8 text: save it as UTF-8"):
            read_list()
    assert file_named(path).text(western=True) == "Göttingen\n"
    with pytest.raises(SourceError, match=r"cannot read the ids of .*: Is a directory"):
        file_named(tmp_path, "the ids of ").listed()


ZIP = zipped({"corpus": LINES})
UNPACKED = LINES.encode() + os.urandom(3000).hex().encode()


def changed(packed, *changes):
    """With other bytes at some places."""
    data = bytearray(packed)
    for place, bits in changes:
        data[place] ^= bits
    return bytes(data)


@pytest.mark.parametrize(
    ("packed", "reason"),
    [
        *((pack(UNPACKED)[: len(pack(UNPACKED)) * 2 // 3], "truncated or damaged") for pack in PACKERS.values()),
        (ZIP[:-30], "damaged"),
        (changed(ZIP, (60, 0xFF)), "damaged"),
        (changed(ZIP, (6, 1), (ZIP.index(b"PK\x01\x02") + 8, 1)), "encrypted; unpack it first"),
        (zipped({"b.zip": ZIP}), "/b.zip: an archive within another; unpack that one first"),
    ],
)
def test_an_archive_that_cannot_be_read_is_one_clear_error(tmp_path, packed, reason):
    path = write(tmp_path / "a.zip", packed)
    with pytest.raises(SourceError, match=rf"a\.zip.*{reason}") as error:
        read(path, format="jsonl")
    assert "\n" not in str(error.value)


def test_zip_in_memory_that_lost_some_bytes_is_one_clear_error():
    with pytest.raises(SourceError, match="damaged"):
        list(papers_of_bytes("a.zip", ZIP[:40] + ZIP[50:], ReadReport()))


def test_more_archives_than_files_may_be_open(tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for number in range(100):
        write(tmp_path / f"{number:03}.zip", zipped({"a.jsonl": json_lines({"id": number, "title": "T"})}))
    highest = max(int(file.name) for file in Path("/proc/self/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 25, hard))
    try:
        papers, _ = read(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(papers) == 100


def test_report_of_an_earlier_run_hides_no_failure(tmp_path):
    report = ReadReport()
    list(read_papers([write(tmp_path / "a.jsonl", LINES)], report=report))
    write(tmp_path / "empty" / "notes.txt", "Prose.")
    with pytest.raises(SourceError, match="no file in a known format"):
        list(read_papers([str(tmp_path / "empty")], report=report))


def test_links_that_lead_to_no_file_are_named(tmp_path):
    folder = tmp_path / "papers"
    folder.mkdir()
    write(tmp_path / "here.bib", "@misc{k, title={One}}")
    (folder / "there.bib").symlink_to(tmp_path / "here.bib")
    (folder / "gone.bib").symlink_to(tmp_path / "nowhere.bib")
    (folder / "more").symlink_to(tmp_path)
    papers, report = read(folder)
    assert list(papers) == ["k"]
    assert {problem.file: problem.reason.partition(",")[0] for problem in report.problems} == {
        str(folder / "gone.bib"): "a link to nothing",
        str(folder / "more"): "a link to a folder",
    }


def test_named_format_leaves_other_files_of_a_folder_out_and_is_used_where_detection_would_fail(tmp_path):
    write(tmp_path / "corpus" / "a.jsonl", "broken\n" + LINES)
    write(tmp_path / "corpus" / "notes.txt", "Prose.")
    papers, report = read(tmp_path / "corpus", format="jsonl")
    assert list(papers) == IDS
    assert [p.reason for p in report.problems][1:] == ["not in the format jsonl"]
    assert report.skipped == 1


@pytest.mark.parametrize("kind", [*PACKERS, "zip"])
def test_decompression_bomb_is_one_clear_error(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(streams, "FREE_EXPANSION_BYTES", 1 << 18)
    bomb = b'{"id": "p", "title": "boom"}\n' * 100_000
    packed = zipped({"corpus": bomb}) if kind == "zip" else PACKERS[kind](bomb)
    with pytest.raises(SourceError, match="times its size when decompressed"):
        read(write(tmp_path / "bomb", packed))


def test_endless_line_is_skipped_and_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "MAX_RECORD_BYTES", 10_000)
    long = '{"id": "long", "title": "' + "x" * 1_000_000 + '"}'
    lines = ['{"id": "a", "title": "A"}', long, '{"id": "b", "title": "B"}']
    papers, report = read(write(tmp_path / "a.jsonl", "\n".join(lines)))
    assert list(papers) == ["a", "b"]
    assert [p.where for p in report.problems] == ["line 2"]
    assert "longer than" in report.problems[0].reason


def test_missing_source_is_reported_before_anything_is_read(tmp_path):
    good = write(tmp_path / "a.jsonl", LINES)
    with pytest.raises(SourceError, match="no such file"):
        read_papers([good, str(tmp_path / "missing")])
    with pytest.raises(SourceError, match="no source given"):
        read_papers([])
    with pytest.raises(SourceError, match=r"choose one of: .*jsonl"):
        read_papers([good], format="docx")


@pytest.mark.parametrize(
    "content",
    ["", "\n \n", "Just prose.", "\x7fELF\x00\x01", "{}", "[]", "<html></html>", "id,name\n", "A title, and text\n"],
)
def test_unknown_file_is_one_clear_error(tmp_path, content):
    with pytest.raises(SourceError, match=r"empty|in no known format; docs/formats.md lists|a web page; look there"):
        read(write(tmp_path / "file", content))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("Item Title;Authors;Item DOI\nA;B;C\n", "a table of Springer Link; export RIS or BibTeX of its papers"),
        ("10.1000/a\nhttps://doi.org/10.1000/B\n\ndoi:10.1000/c", "a list of DOIs, without titles; `citescout fetch"),
        ("Record #1 of 2\nID: CN-01\nAU: Roe A\nTI: One\n", "Cochrane's text; export RIS instead"),
        ("<1>\nUI  - 30000001\nTI  - One.\n", "Ovid's text; export RIS instead"),
        ("<1>\nUnique Identifier\n  30000001\nTitle\n  One.\n", "Ovid's text; export RIS instead"),
        ("RT Journal Article\nSR Electronic\nID 1\nA1 Roe,Ann\nT1 One\n", "RefWorks' tagged text; export RIS instead"),
        ("1. Acta. 2019;1:2.\n\nOne.\n\nRoe A(1).\n\nPMID: 30000001\n", "PubMed's text; export its format PubMed"),
        ("11812492\nPMID: 22345678\n", "a list of PMIDs, without titles; search for them at PubMed"),
        ("<!DOCTYPE html>\n<html><p>10.1000/a</p>", "a web page; look there for a way to export BibTeX"),
        ('<?xml version="1.0"?>\n<!-- x --><feed><entry/></feed>', "XML that begins with <feed>; PubMed, JATS"),
        ("\\documentclass{article}\nText", "LaTeX source, which holds no papers; name its .bib file"),
        ("\\begin{thebibliography}{9}\n", "a formatted bibliography; take the .bib file"),
        ('{"title": "A", "authors": [], "year": 2000}\n', 'papers in JSON without an "id"; give each its own'),
        ('{\n"id": 1,\n"tit\nel": "A"}\n', r'JSON without a "title" \(its fields: id, tit el\); docs/formats.md'),
        ('{"result": {"hits": {"hit": [{"@score": "7", "url": "https://dblp.org/rec/a"}]}}}', "an answer of DBLP; its"),
        (
            '<TEI xmlns="x"><teiHeader><title>HAL TEI export</title></teiHeader><text><listBibl><biblFull/></listBibl>',
            "HAL's list of publications in XML; export BibTeX, RIS",
        ),
        ('{"lens_id": "000-1", "title": "A", "abstract": "B"}\n', "JSON of the Lens; export CSV"),
        ("<modsCollection/>", "MODS in XML; export BibTeX, RIS"),
        ("<?xml version='1.0'?>\n<dblp/>", "DBLP in XML; export BibTeX, RIS"),
        ("<OAI-PMH><ListRecords/></OAI-PMH>", "an answer of OAI-PMH; export BibTeX, RIS or CSL-JSON there instead"),
        (
            '<OAI-PMH><arXiv xmlns="http://arxiv.org/OAI/arXiv/"/></OAI-PMH>',
            "an answer of OAI-PMH; answers of arXiv's API",
        ),
        (
            '<?xml version="1.0" encoding="UTF-8"?>\n<result>\n<query id="1">x*</query>\n<hits total="1">'
            '<hit score="2"><info><title>A</title></info><url>URL#1</url></hit></hits></result><!-- dblp.org/ -->',
            "an answer of DBLP; its export as BibTeX is read",
        ),
        ("SQLite format 3\0" + "\0" * 100, "a database; export BibTeX, RIS or CSL-JSON from the program"),
        (zipped({"[Content_Types].xml": "<Types/>", "word/document.xml": "<w/>"}), "a document of a word processor"),
        pytest.param(
            gzip.compress(zipped({"xl/workbook.xml": "<w/>"})),
            "a damaged or compressed workbook; save its sheet as CSV",
            id="a compressed workbook",
        ),
        pytest.param(
            gzip.compress(zipped({"mimetype": "application/vnd.oasis.opendocument.spreadsheet"}, zipfile.ZIP_STORED)),
            "a damaged or compressed workbook; save its sheet as CSV",
            id="a compressed workbook of LibreOffice",
        ),
        (
            zipped({"mimetype": "application/vnd.oasis.opendocument.spreadsheet"}, zipfile.ZIP_STORED),
            "cannot be read as a workbook",
        ),
        ("%PDF-1.7\n", "a PDF, of which no paper is read; export BibTeX, RIS"),
    ],
)
def test_what_people_have_and_nothing_reads_is_reported_with_what_to_do(tmp_path, content, reason):
    path = write(tmp_path / "corpus" / "file", content)
    write(tmp_path / "corpus" / "a.jsonl", LINES)
    with pytest.raises(SourceError, match=f"{path}: {reason}"):
        read(path)
    _, report = read(tmp_path / "corpus")
    assert reason.partition(";")[0].replace("\\", "") in report.problems[0].reason


ALL_THE_SAME = "all the same, `index`, `add` and `encode` read it so with --format"


@pytest.mark.parametrize(
    ("name", "content", "hint"),
    [
        ("refs.bib", "% nothing yet\n", f"; if it is bibtex {ALL_THE_SAME}"),
        ("refs.ris", "Exported by X\n", f"; if it is ris {ALL_THE_SAME}"),
        ("refs.bib", "\x7fELF\x00\x01", "; docs/formats.md lists what is read"),
        ("notes.docx.md", "Prose.", "; docs/formats.md lists what is read"),
    ],
)
def test_format_is_only_suggested_where_the_ending_tells_one(tmp_path, name, content, hint):
    path = write(tmp_path / name, content)
    with pytest.raises(SourceError, match=f"^{path}: in no known format{hint}$"):
        read(path)


def test_strict_stops_at_the_first_malformed_record(tmp_path):
    path = write(tmp_path / "a.jsonl", '{"id": "a", "title": "A"}\n{"id": "b"}\n{"id": "c", "title": "C"}\n')
    papers = read_papers([path], strict=True)
    assert next(papers).id == "a"
    with pytest.raises(RecordError, match=r"a\.jsonl: line 2: neither title nor abstract"):
        next(papers)


def test_only_the_first_problems_are_kept(tmp_path):
    path = write(tmp_path / "a.jsonl", '{"id": "a", "title": "A"}\n' + "broken\n" * 100)
    report = ReadReport(max_problems=7)
    assert len(list(read_papers([path], report=report))) == 1
    assert (report.skipped, len(report.problems)) == (100, 7)


def test_summary_is_logged_where_no_report_is_kept(tmp_path, caplog):
    path = write(tmp_path / "a.jsonl", '{"id": "a", "title": "A"}\n{"id": "b"}\n')
    list(read_papers([path]))
    assert caplog.messages == [f"{path}: 1 paper read, 1 record skipped ({path}: line 2: neither title nor abstract)"]
