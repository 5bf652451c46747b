"""Notes of the user's own on papers, in every format, read back by those who read such files."""

import csv
import io
import json
from dataclasses import replace

import bibtexparser
import pytest
import rispy
from markdown_it import MarkdownIt

from citescout.recommendation import Recommendation
from exports import written
from indexer.original import Original
from indexer.paper import Paper
from retrieval.query import Query

NOTE = "For § 2: 100 % of {it},\nnot = “that” & more_"
PAPER = Paper("a", "A title of words", "", 2019, ("Ada Lovelace",), "SIGIR")
BIB = "@Article{mine,\r\n\ttitle = {{A} title},\r\n\tyear=2019,\r\n}"
RIS = "TY  - JOUR\nTI  - A title\nN1  - mine\nER  - "


def exported(name: str, paper: Paper = PAPER, note: str = NOTE) -> str:
    entries = [Recommendation(1, 0.0, paper, note=note), Recommendation(2, 0.0, replace(PAPER, id="b"))]
    return written(name, [(Query("basket"), entries)])


def fields(text: str) -> dict[str, str]:
    library = bibtexparser.parse_string(text)
    assert not library.failed_blocks
    return {field.key: field.value for field in library.entries[0].fields}


def own(kind: str, text: str) -> Paper:
    return replace(PAPER, original=Original(kind, text))  # type: ignore[arg-type]


def test_bibtex_has_a_field_that_is_not_printed() -> None:
    found = fields(exported("bibtex"))
    assert found["annote"] == r"For § 2: 100 \% of $\lbrace$it$\rbrace$, not = “that” \& more\_"
    assert "note" not in found


@pytest.mark.parametrize(
    "entry",
    [BIB, "@misc(mine, title = {In parentheses}, year = 2001)", "@book{mine, title = {T}}\n", "@misc{mine}"],
)
def test_an_entry_of_ones_own_gets_the_note_and_keeps_the_rest(entry: str) -> None:
    text = exported("bibtex", own("bibtex", entry))
    found = fields(text)
    assert found.pop("annote").startswith("For § 2")
    assert found == fields(entry)
    assert text.startswith(entry.rstrip()[:-1].rstrip().rstrip(","))
    assert exported("bibtex", own("bibtex", entry), note="").startswith(entry + "\n")


def test_a_note_stands_beside_the_one_that_an_entry_has() -> None:
    found = fields(exported("bibtex", own("bibtex", "@misc{mine, Annote = {mine}, annotation={too}}"), "new"))
    assert (found["Annote"], found["annotation"], found["comment"]) == ("mine", "too", "new")


def test_ris_has_a_note() -> None:
    one_line = NOTE.replace("\n", " ")
    first, second = rispy.loads(exported("ris"))
    assert first["notes"] == [one_line]
    assert "notes" not in second
    (first, _) = rispy.loads(exported("ris", own("ris", RIS)))
    assert first["notes"] == ["mine", one_line]
    assert exported("ris", own("ris", RIS), note="").startswith(RIS.replace("\n", "\r\n"))


def test_csl_json_has_a_note() -> None:
    first, second = json.loads(exported("csl-json"))
    assert first["note"] == NOTE
    assert "note" not in second
    item = {"id": "x", "type": "book", "note": "mine"}
    assert json.loads(exported("csl-json", own("csl-json", json.dumps(item))))[0] == {**item, "note": f"mine\n{NOTE}"}


def test_csv_and_json_lines_have_a_note() -> None:
    rows = list(csv.DictReader(io.StringIO(exported("csv", note="=1+1"))))
    assert [row["note"] for row in rows] == ["'=1+1", ""]
    first, second = json.loads(exported("jsonl"))["recommendations"]
    assert first["note"] == NOTE
    assert "note" not in second


def test_markdown_has_a_note_within_the_list() -> None:
    html = MarkdownIt().render(exported("markdown"))
    assert html.count("<ol>") == 1
    assert html.count("<li>") == 2
    assert "<p>Note: For § 2: 100 % of {it}, not = “that” &amp; more_</p>" in html


LONG = "\n First\tline \nsecond line\n \n\n@article{x, title={1}}\n\n# ER  - \n=1+1\n"


def test_paragraphs_of_a_note_stay_where_a_format_can_hold_them() -> None:
    assert json.loads(exported("csl-json", note=LONG))[0]["note"] == (
        "First line\nsecond line\n\n@article{x, title={1}}\n\n# ER -\n=1+1"
    )
    (row, _) = csv.DictReader(io.StringIO(exported("csv", note=LONG), newline=""))
    assert row["note"] == "First line\nsecond line\n\n@article{x, title={1}}\n\n# ER -\n=1+1"
    (row, _) = csv.DictReader(io.StringIO(exported("csv", note=f"=2\n{LONG}"), newline=""))
    assert row["note"].startswith("'=2\n")
    (first, _) = rispy.loads(exported("ris", note=LONG))
    assert first["notes"] == ["First line second line @article{x, title={1}} # ER - =1+1"]
    paragraphs = (
        r"First line second line",
        r"{@}article$\lbrace$x, title=$\lbrace$1$\rbrace$$\rbrace$",
        r"\# ER - =1+1",
    )
    assert fields(exported("bibtex", note=LONG))["annote"] == "\n\n".join(paragraphs)
    entry = exported("bibtex", own("bibtex", BIB), note=LONG)
    assert "\r\n\r\n".join(paragraphs) in entry
    html = MarkdownIt().render(exported("markdown", note=LONG))
    assert html.count("<li>") == 2
    for part in ("Note: First line second line", "@article{x, title={1}}", "# ER - =1+1"):
        assert f"<p>{part}</p>" in html
