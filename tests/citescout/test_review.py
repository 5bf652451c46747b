"""Reviews of manuscripts whose faults are known, because they were planted."""

import errno
import json
import os
import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from command_line import full_disk, run
from reviewed import CLAIM, PAPERS, clean, faulty

from citescout import Query, Recommender, Settings
from citescout.review import Review, ReviewOptions, review
from citescout.review.entries import venues_agree
from citescout.review.review_parts import KINDS
from exports.reviews import FORMATS, write_review
from indexer.builds import build_index
from indexer.paper import Paper
from manuscripts import Manuscript, read_manuscript
from manuscripts.manuscript import Entry, Note
from manuscripts.reading import read

sys.path.append(str(Path(__file__).parents[1] / "manuscripts"))
from projects import PROJECTS, Project
from word_files import packed_document, paragraph
from word_files import run as words

OPTIONS = ReviewOptions(authors=("A. Lovelace",), year=2020)


@pytest.fixture(scope="module")
def small_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("reviewed") / "index"
    build_index(PAPERS, directory, None)
    return directory


@pytest.fixture(scope="module")
def small(small_index: Path):
    with Recommender.open(small_index, reranker="none") as opened:
        yield opened


def found(review: Review) -> Counter[tuple[str, tuple[str, ...], str]]:
    return Counter((finding.kind, finding.keys, finding.field or "") for finding in review.findings)


def line_of(path: Path, text: str) -> int:
    whole = path.read_text(encoding="utf-8")
    return whole[: whole.index(text)].count("\n") + 1


def test_a_clean_manuscript_has_no_findings(small: Recommender, tmp_path: Path) -> None:
    done = review(small, read_manuscript(clean(tmp_path)), OPTIONS)
    assert done.counts() == dict.fromkeys(KINDS, 0)
    assert [one.key for one in done.references_in("not in this index")] == ["elsewhere"]
    assert not done.references_in("not checked")
    for text in (write_review(done, name) for name in FORMATS):
        assert "elsewhere" in text


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


def test_each_planted_fault_is_found_once_and_nothing_else(small: Recommender, tmp_path: Path) -> None:
    folder = faulty(tmp_path)
    done = review(small, read_manuscript(folder), OPTIONS)
    assert found(done) == Counter(
        [
            ("retracted", ("fused",), ""),
            ("no-entry", ("nowhere",), ""),
            ("repeated", ("idle", "idle"), ""),
            ("duplicate", ("twice", "again"), ""),
            ("published", ("preprint",), ""),
            ("differs", ("dated",), "year"),
            ("differs", ("placed",), "doi"),
            ("differs", ("placed",), "venue"),
            ("unused", ("idle",), ""),
        ]
    )
    assert [claim.sentence for claim in done.claims] == [CLAIM]
    assert done.unread == ()
    states = {one.key: one.state for one in done.references}
    assert [key for key, state in states.items() if state == "not checked"] == ["blank"]
    assert [key for key, state in states.items() if state == "not in this index"] == ["elsewhere"]
    # Every place is where the file has it.
    (repeated,) = (finding for finding in done.findings if finding.kind == "repeated")
    lines = [line_of(folder / "refs.bib", text) for text in ("@article{idle", "@book{idle")]
    assert [(place.file, place.line) for place in repeated.locations] == [("refs.bib", line) for line in lines]
    assert f"`refs.bib:{lines[0]}`, `refs.bib:{lines[1]}`: “idle” is the key of 2 entries" in write_review(
        done, "markdown"
    )
    for finding in (one for one in done.findings if one is not repeated):
        for key, location in zip(finding.keys, finding.locations, strict=True):
            if finding.kind == "no-entry":
                assert location.file == "main.tex"
                assert location.line == line_of(folder / "main.tex", "The lists are fused")
            else:
                assert (location.file, location.line) == ("refs.bib", line_of(folder / "refs.bib", f"{{{key},"))
    (claim,) = done.claims
    assert claim.location.line == line_of(folder / "main.tex", CLAIM)
    assert (claim.location.section, claim.location.paragraph) == ("Introduction", 2)


def test_an_entry_of_a_wrong_year_cites_its_paper_all_the_same(small: Recommender, tmp_path: Path) -> None:
    title = "Walking on citation graphs to find related work"
    entry = f"@article{{%s, title={{{title}}}, author={{%s}}, year={{%d}}}}\n"
    cited = [("wrong", "Lovelace, A.", 2003), ("later", "Lovelace, A.", 2026), ("other", "Far, A.", 2003)]
    (tmp_path / "refs.bib").write_text("".join(entry % one for one in cited))
    keys = ",".join(key for key, _, _ in cited)
    (tmp_path / "main.tex").write_text(
        f"\\documentclass{{article}}\\title{{Related work in graphs}}\\begin{{document}}\\begin{{abstract}}"
        f"Walks find papers.\\end{{abstract}}Walks find papers \\cite{{{keys}}}.\\bibliography{{refs}}\\end{{document}}"
    )
    made = review(small, read_manuscript(tmp_path), ReviewOptions(chance=0))
    assert "graphs" not in [one.paper.id for one in made.missing]
    assert [one.paper_id for one in made.references] == ["graphs", "graphs", ""]
    differing = [(one.keys, one.here, one.index) for one in made.findings if one.kind == "differs"]
    assert differing == [(("wrong",), "2003", "2015"), (("later",), "2026", "2015")]
    # The two may be of an annual report.
    assert not any(one.kind == "duplicate" and one.here == "the paper of the index" for one in made.findings)


def test_an_entry_whose_title_says_so_is_retracted_whatever_the_index_has(small: Recommender, tmp_path: Path) -> None:
    (tmp_path / "main.tex").write_text(
        r"\documentclass{article}\title{Of bees}\begin{document}Bees \cite{bees,graphs}."
        r"\bibliography{refs}\end{document}"
    )
    (tmp_path / "refs.bib").write_text(
        "@article{bees, title={RETRACTED: Bees and their dances}}\n"
        "@article{graphs, title={RETRACTED ARTICLE: Walking on citation graphs to find related work}, year={2015}}\n"
    )
    done = review(small, read_manuscript(tmp_path), OPTIONS)
    assert found(done) == Counter([("retracted", ("bees",), ""), ("retracted", ("graphs",), "")])
    assert [one.state for one in done.references] == ["not in this index", "in the index"]
    assert "“bees” was retracted: RETRACTED: Bees and their dances" in write_review(done, "markdown")


def test_notices_of_retractions_and_corrections_are_not_suggested(tmp_path: Path) -> None:
    title = PAPERS[0].title
    notices = [
        Paper(f"n{number}", f"{beginning} {title}", "", 2012)
        for number, beginning in enumerate(("Retraction of:", "Correction to:", "Corrigendum to"))
    ]
    build_index([*PAPERS, *notices], tmp_path / "index", None)
    with Recommender.open(tmp_path / "index", reranker="none") as opened:
        for settings in (Settings(), Settings(blend=False), Settings(blend=False, sources=("bm25",))):
            query = Query(f"On {title}")
            for answer in (opened.answer(query, settings), *opened.answers([query], settings)):
                listed = {one.paper.id for one in answer.recommendations}
                assert "graphs" in listed
                assert not listed & {paper.id for paper in notices}
        done = review(opened, read_manuscript(f"On {title}\n\nLists.".encode()), replace(OPTIONS, chance=0))
        assert done.missing
        assert not {one.paper.id for one in done.missing} & {paper.id for paper in notices}


def test_an_entry_from_which_a_cited_one_takes_fields_is_used(small: Recommender, tmp_path: Path) -> None:
    (tmp_path / "main.tex").write_text(
        r"\documentclass{article}\title{Of bees}\begin{document}Bees \cite{bees}.\bibliography{refs}\end{document}"
    )
    (tmp_path / "refs.bib").write_text(
        "@inproceedings{bees, crossref={hive}, xdata={press}, title={Of bees and their dances}}\n"
        "@proceedings{hive, title={The hive of all the bees}}\n@xdata{press, xdata={city}}\n@xdata{city, address={P}}\n"
    )
    assert not review(small, read_manuscript(tmp_path), OPTIONS).findings


def test_ages_and_self_citations_are_those_of_the_cited_works(small: Recommender, tmp_path: Path) -> None:
    done = review(small, read_manuscript(clean(tmp_path)), OPTIONS)
    ages = 2020 - np.array([2015, 2016, 2019, 2012, 2018, 2017, 1999])
    assert done.ages is not None
    assert (done.ages.known, done.ages.unknown, done.ages.year) == (7, 0, 2020)
    assert done.ages.median == np.median(ages)
    assert done.ages.quartiles == (np.quantile(ages, 0.25), np.quantile(ages, 0.75))
    assert done.ages.recent == np.mean(ages <= 5)
    assert done.self_citations is not None
    assert done.self_citations.keys == ("graphs", "placed")
    assert done.self_citations.share == 2 / 7
    assert "2 of 7 works are by the authors themselves" in write_review(done, "markdown")
    one = replace(done, self_citations=replace(done.self_citations, keys=(), known=1))
    assert "0 of 1 work is by the authors themselves" in write_review(one, "markdown")
    assert review(small, read_manuscript(tmp_path)).self_citations is None


@pytest.mark.long
@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_projects_as_people_have_them_are_reviewed(small: Recommender, project: Project, tmp_path: Path) -> None:
    manuscript = read_manuscript(project.write(tmp_path) / project.main)
    done = review(small, manuscript, OPTIONS)
    kinds = Counter(finding.kind for finding in done.findings)
    missing = {line.rpartition(" ")[2] for line in project.unread if line.startswith("no entry")}
    assert {finding.keys[0] for finding in done.findings if finding.kind == "no-entry"} == missing
    unused = {entry.key for entry in manuscript.entries} - set(project.keys)
    assert {finding.keys[0] for finding in done.findings if finding.kind == "unused"} == unused
    assert kinds["retracted"] == kinds["published"] == kinds["differs"] == 0
    # None of its works is in the index; one that can be looked for was.
    assert {one.key for one in done.references} == set(project.keys) - missing
    assert {one.state for one in done.references} <= {"not in this index", "not checked"}
    for name in FORMATS:
        assert project.title.split()[0] in write_review(done, name)


@pytest.mark.long
def test_a_review_is_the_same_alone_and_beside_others(recommender: Recommender) -> None:
    text = " ".join(
        f"Several studies have used {name} for citation recommendation." for name in ("BERT", "GloVe", "SciBERT", "LDA")
    )
    source = (
        r"\documentclass{article}\title{Recommending citations}\begin{document}\section{Introduction} %s\end{document}"
    )
    whole = review(recommender, read_manuscript((source % text).encode()), OPTIONS)
    assert len(whole.claims) == 4
    assert any(claim.suggestions for claim in whole.claims)
    for claim in whole.claims:
        alone = review(recommender, read_manuscript((source % claim.sentence).encode()), OPTIONS)
        assert [one.suggestions for one in alone.claims] == [claim.suggestions]
    assert review(recommender, read_manuscript((source % text).encode()), OPTIONS) == whole


def test_suggestions_are_likely_enough_and_neither_cited_nor_retracted(small: Recommender, tmp_path: Path) -> None:
    manuscript = read_manuscript(faulty(tmp_path))
    every = review(small, manuscript, replace(OPTIONS, chance=0.0))
    cited = {one.paper_id for one in every.references}
    suggested = [*every.missing, *every.claims[0].suggestions]
    assert not cited & {one.paper.id for one in suggested}
    # One that cites nothing, and shares a word with every paper.
    title = "Graphs, ranked lists, vectors, sentences, names, places in a paragraph, and long theses"
    without = replace(manuscript, title=title, sections=(), entries=())
    assert "fused" in {one.paper.id for one in small.recommend(Query(title))}
    alone = review(small, without, replace(OPTIONS, chance=0.0))
    assert "fused" not in {one.paper.id for one in alone.missing}
    assert {one.paper.id for one in alone.missing} > {"graphs", "named"}
    highest = max(one.chance for one in alone.missing)
    some = review(small, without, replace(OPTIONS, chance=highest))
    assert [one.chance for one in some.missing] == [highest] * len(some.missing) != []
    assert review(small, without, OPTIONS, Settings(k=1, sources=("bm25",))).missing[1:] == ()


def test_of_a_typed_list_beside_keys_what_is_not_cited_is_found_where_most_is(
    small: Recommender, tmp_path: Path
) -> None:
    listed = "Doe, A. (2001). Of trees.\n\nRoe, C. (2002). How graphs grow.\n\nPoe, E. (2003). How trees fall."
    (tmp_path / "refs.bib").write_text("@misc{one, title={Of one}}\n@misc{two, title={Of two}}\n")
    for text, unused in (("(Doe, 2001; Roe, 2002)", ["two", "3"]), ("(Doe, 2001)", ["two"])):
        (tmp_path / "p.md").write_text(f"# On trees\n\nTrees grow [@one] {text}.\n\n# References\n\n{listed}\n")
        done = review(small, read_manuscript(tmp_path), OPTIONS)
        assert [(one.kind, *one.keys) for one in done.findings] == [("unused", key) for key in unused]


def test_a_suggestion_that_the_bibliography_has_names_its_entry(small: Recommender, tmp_path: Path) -> None:
    title = "Graphs, ranked lists, vectors, sentences, names, places in a paragraph, and long theses"
    text = r"\documentclass{article}\title{%s}\begin{document}Walks \cite{g}. Several studies have named authors."
    (tmp_path / "main.tex").write_text(text % title + r"\bibliography{refs}\end{document}")
    named = "title={Names of Authors in {Bibliographies} that Nobody Checks}, author={Reader, K.}, year={2016}"
    bib = f"@article{{g, doi={{10.1000/graphs}}, title={{Walking}}}}\n@misc{{mine, {named}}}\n"
    (tmp_path / "refs.bib").write_text(bib)
    done = review(small, read_manuscript(tmp_path), replace(OPTIONS, chance=0.0))
    keys = {one.paper.id: one.key for one in done.missing}
    assert "graphs" not in keys
    assert keys.pop("named") == "mine"
    assert keys
    assert set(keys.values()) == {""}
    unused = len(re.findall("mine", write_review(replace(done, missing=()), "markdown")))
    for name in FORMATS:
        assert len(re.findall("mine", write_review(done, name))) > unused


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("year={2016}", "year={2016}", "first"),
        ("year={2016}", "year={2018}", "first"),
        ("year={2018}", "year={2016}", "second"),
        ("year={2016}", "year={2015}, journal={arXiv}", "first"),
        ("year={2015}, journal={arXiv}", "year={2016}", "second"),
        ("year={2015}, journal={arXiv}", "year={2014}, journal={arXiv}", "first"),
    ],
)
def test_of_entries_of_one_paper_that_is_named_which_agrees_best(
    small: Recommender, tmp_path: Path, first: str, second: str, expected: str
) -> None:
    title = "Graphs, ranked lists, vectors, sentences, names, places in a paragraph, and long theses"
    text = r"\documentclass{article}\title{%s}\begin{document}Walks \cite{g}.\bibliography{refs}\end{document}"
    (tmp_path / "main.tex").write_text(text % title)
    named = "title={Names of authors in bibliographies that nobody checks}, author={Reader, K.}"
    entries = (f"@article{{{key}, {named}, {more}}}" for key, more in (("first", first), ("second", second)))
    (tmp_path / "refs.bib").write_text("\n".join(("@article{g, doi={10.1000/graphs}, title={Walking}}", *entries)))
    done = review(small, read_manuscript(tmp_path), replace(OPTIONS, chance=0.0))
    assert [one.key for one in done.missing if one.paper.id == "named"] == [expected]


def test_a_long_bibliography_is_reviewed_whole_as_far_as_it_is_cited(small: Recommender, tmp_path: Path) -> None:
    folder = clean(tmp_path)
    with (folder / "refs.bib").open("r+") as file:
        right = file.read()
        file.seek(0)
        for number in range(5_000):
            file.write(f"@misc{{n{number}, title={{The same title of five thousand entries in all}}, year=2001}}\n")
        file.write(right)
    done = review(small, read_manuscript(folder), OPTIONS)
    assert not any(finding.kind == "no-entry" for finding in done.findings)
    assert {one.key for one in done.references} == {*(paper.id for paper in PAPERS if not paper.retracted), "elsewhere"}
    assert any("entries were left out" in line for line in done.unread)
    duplicates = [finding for finding in done.findings if finding.kind == "duplicate"]
    assert duplicates == []  # a title that so many bear is a column's
    for name in FORMATS:
        assert len(write_review(done, name)) < 2_000_000


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


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("J. Graph Walks", "Journal of Graph Walks", True),
        ("Proc. ACL", "Annual Meeting of the Association for Computational Linguistics", True),
        ("NIPS", "Advances in Neural Information Processing Systems", True),
        ("Proc. Natl. Acad. Sci. USA", "Proceedings of the National Academy of Sciences", True),
        ("Comput. Linguist.", "Computational Linguistics", True),
        ("Science", "Science", True),
        ("Advances in Neural Information Processing Systems 30", "NeurIPS", True),
        ("NIPS", "NeurIPS", True),
        ("Conference of the International Speech Communication Association", "INTERSPEECH", True),
        ("CACM", "Communications of the ACM", True),
        ("Text REtrieval Conference", "TREC", True),
        ("FnTIR", "Foundations and Trends in Information Retrieval", True),
        ("Proceedings of the 13th ACM Conference on Recommender Systems", "RecSys", True),
        ("SIGIR", "NeurIPS", False),
        ("ACL", "EMNLP", False),
        ("The Lancet", "Nature", False),
        ("RecSys", "Proceedings of the National Academy of Sciences", False),
        ("Journal of Graph Walks", "Annals of Typesetting", False),
        ("EMNLP", "The Lancet", False),
    ],
)
def test_venues_agree_where_one_may_abbreviate_the_other(one: str, other: str, agree: bool) -> None:
    assert venues_agree(one, other) is venues_agree(other, one) is agree


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
    assert json.loads(run("-q", "review", *asked)[1])["counts"]["no-entry"] > 1
    counts = json.loads(run("-q", "review", *asked, "--cited", shared)[1])["counts"]
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


def test_entries_beyond_bounds_are_not_said_to_lack(small: Recommender, tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text("".join(f"@misc{{k{n}, title={{Title number {n}}}}}\n" for n in range(2_500)))
    cites = "".join(rf"\cite{{k{n}}}" for n in range(2_501))
    head = r"\documentclass{article}\title{Many}\begin{document}"
    (tmp_path / "main.tex").write_text(rf"{head}Much {cites}.\bibliography{{refs}}\end{{document}}")
    done = review(small, read_manuscript(tmp_path), OPTIONS)
    assert [one.keys for one in done.findings if one.kind == "no-entry"] == [("k2500",)]
    for name in FORMATS:
        assert "500 further entries were not looked at: no more than 2,000 are, cited ones first." in write_review(
            done, name
        )


def test_citations_that_are_typed_are_compared_with_the_list_that_is_typed(small: Recommender) -> None:
    listed = (
        "Doe, A. (2001). Of trees and of graphs. Acta.",
        "Roe, C. (2002). How graphs grow. Acta.",
        "Poe, E. (2003). How trees fall. Acta.",
    )
    text = "On trees\n\nAbstract\n\nWe ask why.\n\nMuch is known (Doe, 2001). Roe (2002) and Moe et al. (2018) say so."
    done = review(small, read("\n\n".join((text, "References", *listed)).encode()), OPTIONS)
    assert [(one.kind, one.keys) for one in done.findings] == [("no-entry", ("Moe et al. 2018",)), ("unused", ("3",))]
    assert (done.citations, done.entries) == (3, 3)
    assert {one.key for one in done.references} == {"Doe 2001", "Roe 2002", "3"}
    assert "Poe, E." in write_review(done, "markdown")
    assert done.ages is not None
    assert (done.ages.known, done.ages.median) == (3, done.ages.year - 2002)
    assert not any("Doe" in claim.sentence for claim in done.claims)
    # Where hardly any is recognised, as of superscripts in a PDF, it is unknown which are not cited.
    text = text.replace("Roe (2002) and Moe et al. (2018) say so.", "Others say more.")
    done = review(small, read("\n\n".join((text, "References", *listed)).encode()), OPTIONS)
    assert (done.citations, done.findings) == (1, ())
