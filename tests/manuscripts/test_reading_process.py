"""Files are read in a process of its own, whose time and memory end, and which writes nothing."""

import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from command_line import run_program
from growth import that_ends
from pdf_files import pdf_of_objects
from title_and_abstract import read_draft

from common import bounded
from common.bounded import parsed
from common.errors import SourceError
from manuscripts import read_manuscript, sandbox

pytest.importorskip("pypdf")


def bomb(size):
    """A PDF whose page expands to `size` bytes of text operators."""
    packer = zlib.compressobj(1)
    part = b"BT /F1 12 Tf (aaaaaaaa) Tj ET\n" * 32_768
    content = b"".join(packer.compress(part) for _ in range(size // len(part))) + packer.flush()
    return pdf_of_objects(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R"
        b"/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(content), content),
    )


def test_a_page_that_expands_without_end_is_given_up():
    with that_ends(), pytest.raises(SourceError):
        read_draft(bomb(200 * 2**20))


def test_patience_ends(monkeypatch):
    monkeypatch.setattr(sandbox, "PATIENCE", 0.001)
    with pytest.raises(SourceError, match="takes too long"):
        read_draft(b"A title\n\nAnd an abstract")


def test_an_interpreter_that_cannot_be_started_is_named(monkeypatch, tmp_path: Path):
    interpreter = tmp_path / "python"
    interpreter.write_text("of somebody else")
    monkeypatch.setattr(sys, "executable", str(interpreter))
    with pytest.raises(SourceError, match=f"cannot start {interpreter}, which would read the file: Permission denied"):
        read_draft(b"A title\n\nAnd an abstract")


HALF = r"A \ud800 title"
HALVES = {
    "a.md": f'---\ntitle: "{HALF}"\nabstract: b\n---\n',
    "b.md": f'---\ntitle: A\nabstract: b\nreferences: [{{id: x, type: book, title: "{HALF}"}}]\n---\nAs in @x.\n',
    "a.ipynb": f'{{"cells": [{{"cell_type": "markdown", "source": "# {HALF}\\n\\nText."}}], "nbformat": 4}}',
    "a.typ": "= A \\u{d800} title\n\n#set page(width: 1cm)\n",
}


@pytest.mark.parametrize("name", HALVES)
def test_half_a_surrogate_pair_is_a_question_mark_or_in_a_bibliography_nothing(name):
    found = read_manuscript(HALVES[name].encode(), name=name)
    titles = [found.title, *(one.title for entry in found.entries for one in entry.readings)]
    assert titles == (["A", "A title"] if name == "b.md" else ["A ? title"])


def test_numbers_of_any_length_may_stand_in_yaml():
    item = "{id: x, type: book, title: T, number: 99999999999999999999}"
    found = read_manuscript(f"---\ntitle: A\nreferences: [{item}]\n---\nAs in @x.\n".encode(), name="a.md")
    assert found.entries[0].readings[0].title == "T"


def test_brackets_that_are_nested_too_deep_are_named():
    with pytest.raises(SourceError, match="brackets, or other parts of it, are nested too deep"):
        read_manuscript(b"= A\n\n#set page(width: 1cm)\n" + b"#cite(" * 6_000, name="a.typ")


@pytest.fixture
def reads(tmp_path, monkeypatch):
    """`reads(code)`: what `parsed` makes of files with a module that reads them so, by their `data` and an argument."""

    def with_code(code, platform=sys.platform):
        name = f"reads_{len(list(tmp_path.iterdir()))}"
        head = f"import os, sys, time\nsys.platform = {platform!r}\nfrom common.bounded import answer"
        (tmp_path / f"{name}.py").write_text(f"{head}\n\ndef work(data, name):\n    {code}\n\nanswer(work)")
        monkeypatch.syspath_prepend(tmp_path)
        return lambda name_of_file="", data=b"x", patience=60: parsed(name, (name_of_file,), data, patience)

    yield with_code
    for name in set(bounded._idle) - {"manuscripts.worker"}:
        bounded._idle.pop(name).end()


def test_an_error_in_reading_is_told_from_a_file_that_takes_too_much(reads):
    with pytest.raises(SourceError, match="an error of citescout, not of the file: KeyError: 'x'"):
        reads("{}['x']")()
    with pytest.raises(
        SourceError, match=r"an error of citescout, not of the file: SyntaxError: '\(' was never closed"
    ):
        reads("(")()
    for code in ("os.abort()", "os._exit(0)", "bytearray(1 << 31)", "while True: pass"):
        with that_ends(), pytest.raises(SourceError, match="takes too much"):
            reads(code)()


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_file_that_breaks_its_reader_or_waits_for_ever_leaves_the_next_one_alone(reads, monkeypatch, platform):
    monkeypatch.setattr(bounded, "_FORKS", platform == "linux" == sys.platform)
    read = reads("return data.upper() if not name else time.sleep(60) if name == 'sleep' else os.abort()", platform)
    assert read(data=b"one") == b"ONE"
    with pytest.raises(SourceError, match="takes too much time or memory"):
        read("abort")
    assert read(data=b"two") == b"TWO"
    with pytest.raises(SourceError, match="takes too long"):
        read("sleep", patience=0.3)
    assert read(data=b"three") == b"THREE"


def test_nothing_of_a_file_is_left_for_the_next(reads):
    read = reads("sys.left = [*getattr(sys, 'left', []), name]; return os.read(0, 9) + os.fsencode(' '.join(sys.left))")
    assert [read("a"), read("\udcff\n"), read()] == [b"a", b"\xff\n", b""]


def test_files_are_read_side_by_side(reads):
    read = reads("time.sleep(1); return name.encode()")
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(read, "abc")) == [b"a", b"b", b"c"]
    assert [name for name in bounded._idle if name.startswith("reads_")] == ["reads_0"]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each file has a process of its own")
@pytest.mark.parametrize(("module", "again"), [("common.sentences", b"True"), ("this", b"False")])
def test_our_modules_and_no_others_are_imported_for_the_next_file(reads, module, again):
    read = reads(f"was = {module!r} in sys.modules; import {module}; return str(was).encode()")
    assert [read(), read(), read()] == [b"False", again, again]


def test_the_process_that_reads_can_neither_write_nor_grow(tmp_path: Path):
    code = """
import os, sys
from common import bounded
bounded._bound(bounded.PROCESSOR_SECONDS)
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    with open(sys.argv[1], "w") as file:
        file.write("x")
except OSError:
    print("no file", file=sys.stderr)
try:
    bytearray(1 << 31)
except MemoryError:
    print("no memory", file=sys.stderr)
sys.stderr.flush()
os._exit(0)  # nothing that wants to write at the end, such as a measurement of coverage
"""
    assert run_program(code, tmp_path / "f") == (0, "", "no file\nno memory\n")
