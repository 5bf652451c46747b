"""Abstracts below headings of other languages than English, in every format; an English one goes first."""

import pytest
from word_files import packed_document, paragraph, run

from manuscripts.draft import abstract_of
from manuscripts.reading import read

HEADINGS = (
    "Zusammenfassung, Résumé, Resumen, Resumo, Riassunto, 摘要, Аннотация, Özet, 초록, الملخص, چکیده, תקציר, Tóm tắt"
)
OWN, ENGLISH, BEHIND = "Wir tun es.", "We do it.", "Schlüsselwörter"


def latex(*sections: tuple[str, str]) -> bytes:
    parts = "".join(rf"\section*{{{heading}}}{text}" for heading, text in sections)
    return (
        rf"\documentclass{{article}}\title{{T}}\begin{{document}}{parts}\section{{Anfang}}X.\end{{document}}".encode()
    )


def latex_chapters(*sections: tuple[str, str]) -> bytes:
    return latex(*sections).replace(b"section*{", b"chapter*{")


def markdown(*sections: tuple[str, str]) -> bytes:
    return ("---\ntitle: T\n---\n" + "".join(f"\n# {heading}\n\n{text}\n" for heading, text in sections)).encode()


def word(*sections: tuple[str, str], style: str = "berschrift1") -> bytes:
    parts = (paragraph(style, run(heading)) + paragraph("", run(text)) for heading, text in sections)
    return packed_document(paragraph("Titel", run("T")) + "".join(parts) + paragraph("berschrift1", run("Anfang")))


def word_without_styles(*sections: tuple[str, str]) -> bytes:
    return word(*sections, style="")


def word_with_leads(*sections: tuple[str, str]) -> bytes:
    return packed_document(
        paragraph("Titel", run("T")) + "".join(paragraph("", run(f"{heading}: {text}")) for heading, text in sections)
    )


def plain_text(*sections: tuple[str, str]) -> bytes:
    return ("T\n\n" + "".join(f"{heading}\n{text}\n\n" for heading, text in sections)).encode()


MAKERS = (latex, latex_chapters, markdown, word, word_without_styles, word_with_leads, plain_text)


@pytest.mark.parametrize("made", MAKERS)
@pytest.mark.parametrize("heading", HEADINGS.split(", "))
def test_an_abstract_may_have_a_heading_in_another_language(made, heading: str) -> None:
    found = read(made((heading, OWN), (BEHIND, "A, B")))
    assert (found.title, found.abstract) == ("T", OWN)


@pytest.mark.parametrize("made", MAKERS)
@pytest.mark.parametrize("english_first", [False, True])
def test_an_english_abstract_goes_before_another_and_ends_where_that_begins(made, english_first: bool) -> None:
    both = [("Abstract", ENGLISH), ("Résumé", OWN)]
    found = read(made(*(both if english_first else reversed(both)), (BEHIND, "A, B")))
    assert found.abstract == ENGLISH
    assert any(sentence.text.endswith(OWN) for sentence in found.sentences())


@pytest.mark.parametrize("made", [latex, markdown, word, word_without_styles, plain_text])
@pytest.mark.parametrize("heading", ["Summary", "Proposal summary", "Executive Summary"])
def test_proposals_have_a_summary(made, heading: str) -> None:
    assert read(made((heading, ENGLISH), ("Keywords", "A, B"))).abstract == ENGLISH


@pytest.mark.parametrize("heading", [r"R\'esum\'e", r"\centering Kurzfassung", r"{\bf Zusammenfassung}"])
def test_a_heading_of_latex_is_known_by_how_it_reads(heading: str) -> None:
    assert read(latex((heading, OWN))).abstract == OWN


@pytest.mark.parametrize("name", ["zusammenfassung", "Kurzfassung", "resumo", "resumen"])
def test_environments_of_latex_stand_for_such_headings(name: str) -> None:
    one = rf"\begin{{{name}}}{OWN}\end{{{name}}}"
    assert read(rf"\title{{T}}{one}".encode()).abstract == OWN
    assert read(rf"\title{{T}}{one}\begin{{abstract}}{ENGLISH}\end{{abstract}}".encode()).abstract == ENGLISH


@pytest.mark.parametrize(
    ("pages", "abstract"),
    [
        (("Titel\nZusammenfassung. Wir tun\nes.\n1 Einleitung\nX",), OWN),
        (("标题\n【摘要】我们推荐。\n关键词：推荐",), "我们推荐。"),
        (("标题\n摘 要 我们推荐。",), ""),
        (("Titel\nZusammenfassung\nWir tun es.", "Abstract\nWe do it.\nRésumé\nNous."), ENGLISH),
        (("Title\nWe would\nabstrakt it so that\nresumo is a word.",), ""),
    ],
)
def test_in_a_pdf_a_heading_of_another_language_stands_alone_or_is_marked(
    pages: tuple[str, ...], abstract: str
) -> None:
    assert abstract_of(*pages) == abstract
