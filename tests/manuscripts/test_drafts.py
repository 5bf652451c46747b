import contextlib
import io
import random
import re
import subprocess
import sys
import textwrap
import time
import zlib
from pathlib import Path

import pytest
from pdf_files import pdf_of_lines, raised

from common.errors import SourceError
from manuscripts import pdf_page, read_manuscript, read_references, sandbox
from manuscripts.draft import Draft, abstract_of
from manuscripts.pdf_runs import Run

TITLE = "Where words and references meet: recommending citations"
ABSTRACT = (
    "Given the title and abstract of a manuscript, we recommend papers that it should cite. Our model learns document "
    "representations from the citation graph, so that papers which cite each other lie close together."
)


def read_draft(data):
    found = read_manuscript(data)
    return Draft(found.title, found.abstract)


PARTED = ABSTRACT.replace("representations", "represen-\ntations")
pytest.importorskip("pypdf")


def printed_pdf(heading="Abstract", title=TITLE, metadata=None):
    """A first page as matplotlib, which knows nothing of pypdf, prints it; with arXiv's upright stamp."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("pdf")
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(8.27, 11.69))
    lines = textwrap.wrap(title, 40)
    figure.text(0.5, 0.9, "\n".join(lines), size=18, ha="center")
    figure.text(0.5, 0.82, "Ada Lovelace and Grace Hopper", size=11, ha="center")
    figure.text(0.02, 0.3, "arXiv:2401.00001v1 [cs.IR] 1 Jan 2024", size=24, rotation=90)
    figure.text(0.15, 0.7, heading, size=11)
    figure.text(0.15, 0.55, "\n".join(textwrap.wrap(ABSTRACT, 70)), size=10)
    figure.text(0.15, 0.48, "1 Introduction", size=12)
    figure.text(0.15, 0.4, "Citations matter, and there are many of them in this paragraph.", size=10)
    stream = io.BytesIO()
    figure.savefig(stream, format="pdf", metadata=metadata)
    pyplot.close(figure)
    return stream.getvalue()


def test_first_page_of_a_pdf_gives_title_and_abstract():
    assert read_draft(printed_pdf()) == Draft(TITLE, ABSTRACT)


@pytest.mark.parametrize("codes", ["\\013 \\014 \\015 \\016 \\017", "\\033 \\034 \\035 \\036 \\037"])
def test_ligatures_of_fonts_that_do_not_name_them_are_those_of_latex(codes):
    lines = [(20, 780, "Trees of the north"), (10, 740, "Abstract"), (10, 720, f"They grow {codes} in rows.")]
    assert read_draft(pdf_of_lines(*lines)) == Draft("Trees of the north", "They grow ff fi fl ffi ffl in rows.")


def test_ligatures_of_a_pdf_are_letters_also_by_the_names_of_their_glyphs():
    font = b"/Encoding<</Differences[123/f_i/f_f_l/f_f]>>"
    lines = [(20, 780, "Trees of the north"), (10, 740, "Abstract"), (10, 720, "They {nd wa|es o}, and/or f_i.")]
    assert read_draft(pdf_of_lines(*lines, font=font)).abstract == "They find waffles off, and/or f_i."


def test_ligatures_of_a_pdf_are_letters():
    # A font whose "{" and "|" are ligatures, as a table beside it says.
    table = b"1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfchar <7b> <FB01> <7c> <FB02> endbfchar"
    lines = ((18, 760, "Classi{cation of re|ections"), (10, 700, "Abstract"), (10, 680, "We {nd |ows of words."))
    more = (b"<</Length %d>>\nstream\n%s\nendstream" % (len(table), table),)
    found = read_draft(pdf_of_lines(*lines, font=b"/ToUnicode 5 0 R", more=more))
    assert found == Draft("Classification of reflections", "We find flows of words.")


def test_ligatures_of_another_font_are_letters_of_their_words():
    # "{" and "|" are in another font, as browsers print what a font lacks; "<" and ">" have places of private use.
    pairs = b"<7b> <FB00> <7c> <FB03> <3c> <F001> <3e> <F002>"
    table = b"1 begincodespacerange <00> <ff> endcodespacerange 4 beginbfchar %s endbfchar" % pairs
    text = "So e{ective are >owers in the |ces of the <rst e|cient > cli{ to fall o{. A >ag is sti{."
    line, left = "", 60
    for part in re.split(r"([{|])", text):
        line += f") Tj ET BT /{'F2' if part in '{|' else 'F1'} 10 Tf 1 0 0 1 {left} 680 Tm ({part}"
        left += 5 * len(part) + 1
    more = (b"<</Length %d>>\nstream\n%s\nendstream" % (len(table), table),)
    lines = ((18, 760, "How trees grow in towns"), (10, 700, "Abstract"), (10, 680, line))
    data = pdf_of_lines(*lines, font=b"/ToUnicode 5 0 R", more=more)
    data = data.replace(b"Helvetica-Bold>>", b"Helvetica-Bold/ToUnicode 5 0 R>>")
    assert read_draft(data).abstract == (
        "So effective are flowers in the ffices of the first efficient \uf002 cliff to fall off. A flag is stiff."
    )


@pytest.mark.parametrize(
    ("shown", "read"),
    [
        ("M¨uller’s na¨ıve tr`es", "Müller’s naïve très"),
        ("Dvoˇr´ak, H˚aland, Fran¸cois, C¸elik, Er˝os, Pe˜na", "Dvořák, Håland, François, Çelik, Erős, Peña"),
        ("x ˆ y, http://a.b/˜doe, `if` and ˇ3", "x ˆ y, http://a.b/˜doe, `if` and ˇ3"),
    ],
)
def test_accents_beside_letters_of_a_pdf_are_composed(shown: str, read: str) -> None:
    # A font whose "#", "$", … are what ASCII lacks, and a grave accent, as a table beside it says.
    others = sorted({character for character in shown if character == "`" or character > "~"})
    codes = dict(zip(others, "#$%&*+<=>@", strict=False))
    pairs = b" ".join(b"<%02x> <%04X>" % (ord(code), ord(character)) for character, code in codes.items())
    table = b"1 begincodespacerange <00> <ff> endcodespacerange %d beginbfchar %s endbfchar" % (len(codes), pairs)
    line = "".join(codes.get(character, character) for character in shown)
    more = (b"<</Length %d>>\nstream\n%s\nendstream" % (len(table), table),)
    lines = ((18, 760, "How trees grow in towns"), (10, 700, "Abstract"), (10, 680, line))
    assert read_draft(pdf_of_lines(*lines, font=b"/ToUnicode 5 0 R", more=more)).abstract == read


@pytest.mark.parametrize("kind", ["differences", "cids"])
def test_gaps_between_words_are_seen_also_where_a_wide_glyph_has_the_place_of_the_space(kind: str) -> None:
    widths = b" ".join([b"500"] * 95)  # from the place of the space on, which no text uses
    descriptor = b"<</Type/FontDescriptor/FontName/A/Flags 4>>"
    if kind == "differences":  # as LaTeX's
        names = b"".join(b"/" + bytes([code]) for code in range(ord("a"), ord("z") + 1))
        coded = b"<</Type/Encoding/Differences[46/period 65/I 97%s]>>" % names
        font = b"/Subtype/Type1/FirstChar 32/Widths[%s]/Encoding %s/FontDescriptor 5 0 R" % (widths, coded)
        more: tuple[bytes, ...] = (descriptor,)
    else:  # as XeTeX's and LuaTeX's
        table = b"1 begincodespacerange <0000> <ffff> endcodespacerange 3 beginbfrange <0021> <007e> <0021> endbfrange"
        below = b"<</Type/Font/Subtype/CIDFontType0/BaseFont/A/W[32[%s]]/FontDescriptor 5 0 R>>" % widths
        font = b"/Subtype/Type0/Encoding/Identity-H/DescendantFonts[6 0 R]/ToUnicode 7 0 R"
        more = (descriptor, below, b"<</Length %d>>\nstream\n%s\nendstream" % (len(table), table))
    words = "".join(
        f"{-gap} <{word.encode('utf-16-be' if kind == 'cids' else 'ascii').hex()}>"
        for gap, word in [(0, "trees"), (221, "that"), (180, "g"), (60, "row"), (-30, "in"), (200, "rows.")]
    )
    lines = (
        (18, 760, "How trees grow in towns"),
        (10, 700, "Abstract"),
        (10, 680, f") Tj /F3 10 Tf [{words}] TJ /F1 1 Tf ("),
    )
    data = pdf_of_lines(*lines, more=more).replace(b"/F2 4 0 R>>", b"/F2 4 0 R/F3<</Type/Font/BaseFont/A%s>>>>" % font)
    assert read_draft(data).abstract == "trees that growin rows."


def printed_trees(heading="Abstract"):
    """A paper whose lines have the sizes and heights of a printed one."""
    listed = ("Doe J. How trees grow. Acta. 2001;1:1.", "Roe C. Why they fall. Acta. 2002;2:2.", "Poe E. Bark. 2003.")
    texts = (
        f"Ann Doe{raised(1)} and Bob Roe{raised(2)}. At homes.",
        heading,
        "We ask why trees grow.",
        "1 Introduction",
        f"Trees do grow{raised('1,2')} and fall.{raised(3)} They do in 10{raised(3)} towns of 5 m{raised(2)}.",
        f"What is small is below{raised(1, rise=-3)} or large{raised(1, size=10)}.",
        "4 Oaks and elms",
        "1.1 Related work",
        "Others ask, too.",
        "2. Methods of growing",
        "We water them.",
        "References",
        *(f"{number}. {entry}" for number, entry in enumerate(listed, start=1)),
    )
    lines = [(10, 740 - 15 * place, text) for place, text in enumerate(texts)]
    return read_manuscript(pdf_of_lines((18, 760, "Trees and how they grow in towns"), *lines))


def test_raised_numbers_of_a_pdf_are_citations():
    found = printed_trees()
    assert [mark.keys for mark in found.marks()] == [("1", "2"), ("3",)]
    text = found.sections[0].paragraphs[0].text
    assert text.startswith("Trees do grow and fall. They do in 10³ towns of 5 m². What is small is below1 or large1.")


def test_without_a_heading_of_the_abstract_raised_numbers_of_the_first_page_may_be_those_of_institutions():
    found = printed_trees("")
    assert not list(found.marks())
    assert "Ann Doe1 and Bob Roe2." in " ".join(paragraph.text for paragraph in found.sections[0].paragraphs)


def test_numbered_headings_of_a_pdf_part_its_text():
    assert [(one.heading, one.level, one.paragraphs[0].text[-25:]) for one in printed_trees().sections] == [
        ("Introduction", 1, "r large1. 4 Oaks and elms"),
        ("Related work", 2, "Others ask, too."),
        ("Methods of growing", 1, "We water them."),
    ]


def test_title_of_a_pdf_that_is_not_set_larger_is_the_declared_one():
    runs = [Run("A line of text as long as others", 10, 700), Run("and another line", 10, 680)]
    assert pdf_page.largest(runs, 800) == ""
    assert pdf_page.largest([Run("The paper's own title", 14, 720), *runs], 800) == "The paper's own title"
    assert pdf_page.largest([Run("W", 40, 700), Run("A large note below", 14, 90), *runs], 800) == ""
    banner = [Run("HHS Public Access", 20, 780), Run("Author manuscript\n", 14, 760)]
    runs.append(Run("and lines of the text that follow", 10, 660))
    assert pdf_page.largest([*banner, Run("The paper's own title", 14, 720), *runs], 800) == "The paper's own title"


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{TITLE}\n\n{ABSTRACT}", Draft(TITLE, ABSTRACT)),
        (f"# {TITLE}\r\nAda Lovelace\r\n\r\nAbstract. {ABSTRACT}\r\n\r\n1 Introduction\r\nMore.", None),
        (f"{TITLE}\n\nABSTRACT\n{ABSTRACT}\n\nKeywords: a, b\n\nMore", Draft(TITLE, ABSTRACT)),
        (f"{TITLE}\n\nAbstract\n\n{PARTED}", Draft(TITLE, ABSTRACT)),
        (f"Title: {TITLE}\nAbstract: {PARTED}\nKeywords: a", Draft(TITLE, ABSTRACT)),
        (f"{TITLE}\n{textwrap.fill(ABSTRACT, 80)}", Draft(TITLE, ABSTRACT)),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_plain_text(text, expected, encoding):
    found = read_draft(text.replace("Where words", "Where wörds").encode(encoding))
    assert found.abstract == ABSTRACT
    assert (expected is None) or found.title == TITLE.replace("words", "wörds")
    assert found.title


def test_a_short_line_alone_is_a_title():
    assert read_draft(f"{TITLE}\n".encode()) == Draft(TITLE, "")
    assert read_draft(textwrap.fill(ABSTRACT, 60).encode()) == Draft("", ABSTRACT)


def test_latex():
    source = rf"""
        \documentclass{{article}} % \title{{Wrong}}
        \title[Short]{{Where words and {{\em references}} meet:\\ recommending citations\thanks{{By {{X}}.}}}}
        \begin{{document}}\maketitle
        \begin{{abstract}} % a remark
        {ABSTRACT[:-1]}~\cite[p.~3]{{a,b}}, by 50\% for Gr\"obner.\end{{abstract}}
        \section{{Introduction}} Never read."""
    found = read_draft(source.encode())
    assert found == Draft(TITLE, f"{ABSTRACT[:-1]}, by 50% for Gröbner.")
    for option in ("", "[Summary]"):
        source = rf"\title{{{TITLE}}}\abstract{option}{{We {{do}}.}}\section{{x}}"
        assert read_draft(source.encode()) == Draft(TITLE, "We do.")


def test_abstract_ends_where_the_next_section_begins():
    for end in ("1 Introduction", "I. INTRODUCTION", "Keywords: x", "Index Terms—x", "CCS CONCEPTS"):
        assert abstract_of(f"Title\nAbstract— {ABSTRACT}\n{end}\nmore") == ABSTRACT
    assert abstract_of("We give an abstract interpretation.") == ""


def test_words_at_the_beginning_of_a_wrapped_line_are_no_headings():
    text = "We give an\nabstract interpretation, and a\nsummary of it"
    assert abstract_of(text) == ""
    for line in ("introduction of trees", "1 diabetes and its kin"):
        assert abstract_of(f"Abstract\nWe ask of the\n{line}.\nIntroduction\nMore.") == f"We ask of the {line}."


def test_the_abstract_of_a_whole_text_without_headings_is_its_paragraph():
    text = "On trees\n\nAbstract\n\nWe ask why trees\ngrow [1].\n\nTrees are old [2]. They grow.\n\n"
    entries = "References\n\n[1] A. Doe. Trees of towns. Acta 1, 2001.\n[2] B. Roe. Old trees. Acta 2, 2002.\n"
    assert read_draft(f"{text}{entries}".encode()).abstract == "We ask why trees grow [1]."
    parts = "BACKGROUND: Trees grow.\n\nMETHODS AND RESULTS: They did [1].\n\nConclusions\nThey do."
    whole = text.replace("We ask why trees\ngrow [1].", parts) + entries
    assert read_draft(whole.encode()).abstract == parts.replace("\nThey", " They")
    unnamed = whole.replace("Abstract\n\n", "").replace("Trees are old", "Introduction\n\nTrees are old")
    assert read_draft(unnamed.encode()) == Draft("On trees", parts.replace("\nThey", " They"))
    above = "Title: On trees\nAuthors: A. Doe, B. Roe\n\nAbstract: We ask.\n\nIntroduction\n\nMore."
    assert read_draft(above.encode()) == Draft("On trees", "We ask.")
    alone = "On trees\n\nAbstract\n\nTrees grow.\n\nWe say why."  # as it is pasted
    assert read_draft(alone.encode()).abstract == "Trees grow.\n\nWe say why."


@pytest.mark.long
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"\x89PNG\0\0", "Unsupported file. Use .tex, .typ, .zip"),
        (b"{\\rtf1\\ansi Dense retrieval}", "Unsupported file. Use .tex, .typ, .zip"),
        (b"\n<!DOCTYPE html><title>Dense retrieval</title>", "Unsupported file. Use .tex, .typ, .zip"),
        (b"#+TITLE: Dense retrieval\n#+AUTHOR: A\n", "Unsupported file"),
        (b"= Dense retrieval\nA. Author\n\n== Introduction\n", "Unsupported file"),
        (b"===============\nDense retrieval\n===============\n", "Unsupported file"),
        (b"%PDF-1.7 that is none", "PDF"),
        (b"\\documentclass{article}", "no title and no abstract"),
        (b"x" * (12 * 2**20 + 1), "larger than 12 MB"),
    ],
)
def test_what_is_no_draft_is_said_in_one_line(data, message):
    with pytest.raises(SourceError, match=message) as error:
        read_draft(data)
    assert "\n" not in str(error.value)
    assert "/" not in str(error.value)


def test_broken_pdfs_are_refused_or_read_and_never_crash():
    whole = printed_pdf()
    rng = random.Random(4)
    for _ in range(60):
        broken = bytearray(whole)
        for _ in range(rng.randint(1, 40)):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        with contextlib.suppress(SourceError):
            assert isinstance(pdf_page.read(bytes(broken[: rng.randrange(500, len(broken))])), Draft)


def bomb(size):
    """A PDF whose page expands to `size` bytes of text operators."""
    packer = zlib.compressobj(1)
    part = b"BT /F1 12 Tf (aaaaaaaa) Tj ET\n" * 32_768
    content = b"".join(packer.compress(part) for _ in range(size // len(part))) + packer.flush()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R"
        b"/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(content), content),
    ]
    body, places = b"%PDF-1.4\n", []
    for number, record in enumerate(objects, start=1):
        places.append(len(body))
        body += b"%d 0 obj %s endobj\n" % (number, record)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return body + b"xref\n0 5\n0000000000 65535 f \n%strailer<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        table,
        len(body),
    )


def test_a_page_that_expands_without_end_is_given_up():
    start = time.monotonic()
    with pytest.raises(SourceError):
        read_draft(bomb(200 * 2**20))
    assert time.monotonic() - start < sandbox.PATIENCE + 5


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


def test_the_process_that_reads_can_neither_write_nor_grow(tmp_path: Path):
    code = """
import os, sys
from common import bounded
bounded._bound()
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
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "f")], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stderr.split("\n") == ["no file", "no memory", ""]


@pytest.mark.parametrize(
    "text",
    [
        "@article{a, title={Dense passage retrieval}, author={Turing, Alan and Hopper, Grace}, year=2020,"
        " doi={10.1000/dense}}",
        "TY  - JOUR\nTI  - Dense passage retrieval\nAU  - Turing, Alan\nAU  - Hopper, Grace\nPY  - 2020\n"
        "DO  - 10.1000/dense\nER  - \n",
        '[{"id": "a", "type": "article-journal", "title": "Dense passage retrieval", "DOI": "10.1000/dense",'
        ' "author": [{"family": "Turing", "given": "Alan"}, {"family": "Hopper", "given": "Grace"}],'
        ' "issued": {"date-parts": [[2020]]}}]',
    ],
)
def test_bibliographies(text):
    ((paper,), skipped) = read_references(text.encode())
    assert skipped == ""
    assert (paper.title, paper.year, paper.doi) == ("Dense passage retrieval", 2020, "10.1000/dense")
    assert paper.authors == ("Alan Turing", "Grace Hopper")


@pytest.mark.parametrize("data", [b"hello there", b"PK\x03\x04zip", b"\x1f\x8bgz", b"{", b"\0"])
def test_what_is_no_bibliography_is_refused(data):
    with pytest.raises(SourceError, match=r"bibliography"):
        read_references(data)


def test_a_reference_list_below_a_text_is_what_it_cites_and_none_of_its_abstract():
    listed = "Roe, A. (2001). Of trees. doi:10.1000/t\n\nDoe, B. (2002). Of graphs and of trees. Acta, 3.\n"
    found = read_manuscript(f"{TITLE}\n\n{ABSTRACT}\n\nReferences\n\n{listed}".encode())
    assert (found.title, found.abstract) == (TITLE, ABSTRACT)
    assert [entry.readings[0].doi for entry in found.cited] == ["10.1000/t", ""]
    assert read_manuscript(f"{TITLE}\n\n{ABSTRACT}\n\nReferences\n".encode()).entries == ()
    alone = read_manuscript(f"References\n\n{listed}".encode())  # a text may be called so
    assert (alone.title, alone.entries) == ("References", ())
