"""How a review is written: as text, as a page and as JSON, by the command too."""

import errno
import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import full_disk, run
from reviewed import OPTIONS, PAPERS, clean, faulty, line_of
from word_files import packed_document, paragraph
from word_files import run as words

from citescout import Recommender
from citescout.review import review
from citescout.review.review_parts import KINDS
from exports.reviews import write_review
from manuscripts import Manuscript, read_manuscript
from manuscripts.manuscript import Entry, Note


def test_citations_that_are_plain_text_are_not_said_to_be_none(small: Recommender) -> None:
    body = (
        paragraph("", words("Passages are ranked by neural models [1].")),
        paragraph("berschrift1", words("References")),
        paragraph("", words("[1] Somebody, A. (2019). Neural ranking of passages. A Journal, 3, 1-9.")),
    )
    done = review(small, read_manuscript(packed_document("".join(body))), OPTIONS)
    assert (done.citations, len(done.references)) == (0, 1)
    said = write_review(done, "markdown")
    assert "1 entry in the bibliography" in said
    assert "1 cited work:" in said
    assert "0 citations" not in said


def test_one_sentence_that_was_not_looked_at_is_one(small: Recommender, tmp_path: Path) -> None:
    done = review(small, read_manuscript(clean(tmp_path)), OPTIONS)
    said = {left: write_review(replace(done, claims_left=left), "markdown") for left in (1, 2)}
    assert "\n1 further sentence that could cite something was not looked at." in said[1]
    assert "\n2 further sentences that could cite something were not looked at." in said[2]


def test_a_long_title_shows_that_it_was_cut(small: Recommender, tmp_path: Path) -> None:
    folder = clean(tmp_path)
    with (folder / "refs.bib").open("a") as file:
        file.write("@misc{long, title={Bees " + "and more bees " * 20 + "}}\n")
    (finding,) = review(small, read_manuscript(folder), OPTIONS).findings
    assert finding.locations[0].beginning.endswith("…")


def test_entries_that_are_cited_nowhere_stand_last_and_not_all_in_a_text(small: Recommender, tmp_path: Path) -> None:
    folder = faulty(tmp_path)
    with (folder / "refs.bib").open("a") as file:
        file.writelines(f"@misc{{spare{number}, title={{A spare work of number {number}}}}}\n" for number in range(30))
    done = review(small, read_manuscript(folder), OPTIONS)
    text = write_review(done, "markdown")
    count = done.counts()["unused"]
    before, heading, unused = text.partition(f"## Entries that are cited nowhere ({count})\n")
    assert count >= 30
    assert "## Sentences that may need a citation" in before
    assert heading
    assert unused.partition("\n## ")[0].rstrip().splitlines()[-1] == f"- and {count - 20} more"
    assert len(json.loads(write_review(done, "json"))["findings"]) == len(done.findings)
    headings = re.findall("<h2>(.*?)(?: <|<)", write_review(done, "html"))
    assert [re.sub(r" \(.*", "", line[3:]) for line in text.splitlines() if line.startswith("## ")] == headings


HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)">` [x](javascript:alert(3)) \u202e\x1b[31m & {{ 7*7 }}'


def test_what_a_manuscript_says_is_text_and_no_markup(small: Recommender) -> None:
    entry = Entry(HOSTILE, (replace(PAPERS[1], id=HOSTILE, title=HOSTILE, year=1999, doi="10.1000/fused"),))
    manuscript = Manuscript(
        HOSTILE, HOSTILE, (), (entry, replace(entry, key="b")), (Note(HOSTILE),), (HOSTILE, "b", "<b>")
    )
    sections = read_manuscript(f"T\n\nSeveral studies have shown {HOSTILE}.\n\nA b c.".encode()).sections
    done = review(small, replace(manuscript, sections=sections), replace(OPTIONS, chance=0.0))
    assert done.claims
    page = write_review(done, "html")
    body = page.partition("</style>")[2]
    for tag in ("<script", "<img", "<b>alert", 'onerror="', 'href="javascript'):
        assert tag not in body
    assert "&lt;script&gt;" in body
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "49" not in body.partition("</h1>")[0]
    markdown = write_review(done, "markdown")
    assert "\\<script\\>" in markdown
    assert re.search(r"(?<!\\)<script|(?<!\\)\[x\\?\]\(", markdown) is None
    assert "\x1b" not in markdown
    assert json.loads(write_review(done, "json"))["title"] == HOSTILE


@pytest.mark.long
def test_the_command_reviews_and_fails_only_on_what_it_is_told(
    small_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = faulty(tmp_path / "paper")
    asked = (folder, "--index", small_index, "--reranker", "none", "--year", 2020)
    code, out, err = run("-q", "review", *asked, "--author", "Ada Lovelace", "--format", "json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert record["counts"]["differs"] == 3
    assert record["self_citations"]["keys"] == ["graphs", "placed"]
    code, out, err = run("-q", "review", *asked, "--fail-on", "retracted,differs", "--out", tmp_path / "review.md")
    assert (code, out, err) == (1, "", "Error: found: 1 retracted, 3 differs (--fail-on)\n")
    text = (tmp_path / "review.md").read_text(encoding="utf-8")
    line = line_of(folder / "refs.bib", "{dated,")
    assert f"`refs.bib:{line}`: “dated”: the year is “2013” here and “2012” in the index" in text
    assert run("-q", "review", clean(tmp_path / "clean"), *asked[1:], "--fail-on", "differs")[0] == 0
    assert run("-q", "review", *asked, "--fail-on", "typos")[0] == 2
    monkeypatch.setattr("common.files.os.fsync", full_disk)
    lost, why = tmp_path / "lost.md", os.strerror(errno.ENOSPC)
    assert run("-q", "review", *asked, "--out", lost) == (1, "", f"Error: cannot write {lost}: {why}\n")
    assert run("-q", "review", tmp_path / "nowhere", *asked[1:])[0] == 1
    circle = tmp_path / "circle"
    circle.mkdir()
    (circle / "main.tex").write_text(r"\documentclass{article}\title{T}\begin{document}\input{a}\end{document}")
    (circle / "a.tex").write_text(r"\input{a}")
    code, out, err = run("-q", "review", circle, *asked[1:])
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "in a circle: a.tex → a.tex" in err
    (tmp_path / "queries.jsonl").write_text('{"title": "A query"}\n', encoding="utf-8")
    code, _, err = run("-q", "review", tmp_path / "queries.jsonl", *asked[1:])
    assert code == 1
    assert "no manuscript" in err


def test_a_bibliography_elsewhere_has_entries_too(small_index: Path, tmp_path: Path) -> None:
    folder, shared = faulty(tmp_path / "paper"), tmp_path / "shared.bib"
    (folder / "refs.bib").rename(shared)
    asked = (folder, "--index", small_index, "--reranker", "none", "--format", "json")
    kinds = ("retracted", "no-entry", "duplicate", "published", "differs", "unused")
    _, out, said = run("-q", "review", *asked)
    assert json.loads(out)["counts"]["no-entry"] > 1
    assert said == "paper: --cited FILE gives it a bibliography that was not read\n"
    _, out, said = run("-q", "review", *asked, "--cited", shared)
    counts = json.loads(out)["counts"]
    assert "--cited" not in said
    assert [counts[kind] for kind in kinds] == [1, 1, 1, 1, 3, 0]


def test_the_document_names_every_field_of_the_json(small: Recommender, tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "review.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w-]+)`", text))
    record = json.loads(write_review(review(small, read_manuscript(faulty(tmp_path)), OPTIONS), "json"))

    def names(value: object) -> set[str]:
        if isinstance(value, list):
            return set().union(*map(names, value))
        if isinstance(value, dict):
            return {*value, *set().union(*(names(inner) for key, inner in value.items() if key != "paper"))}
        return set()

    assert names(record) - named == set()
    assert set(KINDS) <= named
