"""Title and abstract of plain text, and what is no draft or no bibliography."""

import gzip
import textwrap
from pathlib import Path

import pytest
from archives import zipped
from title_and_abstract import ABSTRACT, TITLE, read_draft

from common.errors import SourceError
from manuscripts import read_manuscript, read_references
from manuscripts.draft import Draft, abstract_of
from manuscripts.limits import MAX_BYTES

pytest.importorskip("pypdf")


PARTED = ABSTRACT.replace("representations", "represen-\ntations")


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
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_plain_text(text, expected, encoding):
    found = read_draft(text.replace("Where words", "Where wörds").encode(encoding))
    assert found.abstract == ABSTRACT
    assert (expected is None) or found.title == TITLE.replace("words", "wörds")
    assert found.title


def test_one_letter_in_another_encoding_leaves_the_others_as_they_are():
    text = "Gröbner bases in naïve cafés"
    broken = text.encode().replace("é".encode(), b"\xe9")
    assert read_draft(broken).title == text


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
    for end in ("1 Introduction", "I. INTRODUCTION", "Keywords: x", "Index Terms—x", "CCS CONCEPTS", "Contents"):
        assert abstract_of(f"Title\nAbstract— {ABSTRACT}\n{end}\nmore") == ABSTRACT
    assert abstract_of("We give an abstract interpretation.") == ""


def test_words_at_the_beginning_of_a_wrapped_line_are_no_headings():
    text = "We give an\nabstract interpretation, and a\nsummary of it"
    assert abstract_of(text) == ""
    for line in ("introduction of trees", "1 diabetes and its kin", "contents"):
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
        (b"<!-- Made so. -->\n<html><title>Dense retrieval</title>", "Unsupported file.*convert it first"),
        (b'<?xml version="1.0"?>\n<article><title>Dense retrieval</title></article>', "Unsupported file.*convert it"),
        (b'<TEI xmlns="http://www.tei-c.org/ns/1.0"><text>Dense</text></TEI>', "Unsupported file.*convert it first"),
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


BOMB = gzip.compress(b"@article{a, title={Dense passage retrieval}}") + gzip.compress(b" " * (1 << 20) + b"\n") * 300


@pytest.mark.parametrize(
    "data",
    [b"hello there", b"PK\x03\x04zip", zipped({"a.png": "\0"}), b"\x1f\x8bgz", BOMB, b"{", b"\0"],
    ids=["text", "zip", "picture", "gzip", "bomb", "JSON", "NUL"],
)
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


def test_no_other_file_is_read_in_place_of_a_named_one_that_is_too_large(tmp_path: Path) -> None:
    (tmp_path / "other.tex").write_text(r"\documentclass{article}\title{Bees}\begin{document}Bees.\end{document}")
    with (tmp_path / "mine.tex").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(SourceError, match=r"mine\.tex: not read \(larger than 12 MB\)"):
        read_manuscript(tmp_path / "mine.tex")
