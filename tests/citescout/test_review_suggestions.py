"""What a review suggests: likely enough, not cited yet, and with the key of an entry that is there."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from reviewed import OPTIONS, PAPERS, faulty
from small_index import recommender_of

from citescout import Query, Recommender, Settings
from citescout.review import review
from citescout.systems import DEFAULT
from exports.reviews import FORMATS, write_review
from indexer.paper import Paper
from manuscripts import read_manuscript


def test_notices_of_retractions_and_corrections_are_not_suggested(tmp_path: Path) -> None:
    title = PAPERS[0].title
    notices = [
        Paper(f"n{number}", f"{beginning} {title}", "", 2012)
        for number, beginning in enumerate(("Retraction of:", "Correction to:", "Corrigendum to"))
    ]
    with recommender_of([*PAPERS, *notices], tmp_path / "index") as opened:
        for settings in (Settings(), Settings(blend=False), Settings(blend=False, sources=("bm25",))):
            query = Query(f"On {title}")
            for answer in (opened.answer(query, settings), *opened.answers([query], settings)):
                listed = {one.paper.id for one in answer.recommendations}
                assert "graphs" in listed
                assert not listed & {paper.id for paper in notices}
        done = review(opened, read_manuscript(f"On {title}\n\nLists.".encode()), replace(OPTIONS, chance=0))
        assert done.missing
        assert not {one.paper.id for one in done.missing} & {paper.id for paper in notices}


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


def test_suggestions_are_likely_enough_and_neither_cited_nor_retracted(
    small: Recommender, small_index: Path, tmp_path: Path
) -> None:
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
    with Recommender.open(small_index, reranker="none", system=DEFAULT.changed(k=1, sources=("bm25",))) as opened:
        assert review(opened, without, OPTIONS).missing[1:] == ()


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
