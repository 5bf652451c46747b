"""Papers of which a text repeats a passage."""

import re

import numpy as np
import pytest
from small_index import recommender_of

from citescout.settings import Settings
from common.text import words_set_apart
from demo import CORPUS
from indexer.paper import Paper
from indexer.readers import read_papers
from retrieval.hits import Hits
from retrieval.query import Query
from retrieval.quoted import quoted_in

PASSAGE = "we show that every careful reader of long abstracts remembers at least fourteen of their words"
NOTICE = "This is an open access article under the terms of the licence, which permits use in any medium."
PAPERS = [
    Paper("held", "Memory", f"Background. {PASSAGE.capitalize()}, and more. {NOTICE}"),
    Paper(
        "greek",
        "Signals",
        "TNF-alpha and\nCO2 raise the state-of-the-art level of every naive marker in all of our cells.",
    ),
    Paper("short", "Nine", "Only nine words are said of this by it."),
    *(Paper(f"other{number}", f"Topic {number}", f"Readers of topic {number}. {NOTICE}") for number in range(4)),
]


@pytest.fixture(scope="module")
def first_stage(tmp_path_factory):
    with recommender_of(PAPERS, tmp_path_factory.mktemp("quoted") / "index") as opened:
        yield opened._first_stage


def quoted(first_stage, text, hidden=()):
    generation, bm25 = first_stage.generation, first_stage.bm25
    everything = np.arange(len(PAPERS), dtype=np.int32)
    allowed = ~np.isin(generation.catalog.ids(everything), hidden)
    return generation.catalog.ids(quoted_in(text, everything[allowed], generation.catalog, bm25, allowed))


WORDS = PASSAGE.split()


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (PASSAGE, ["held"]),
        (f"As others say, “{PASSAGE.upper()}”.", ["held"]),
        (" ".join(WORDS[:14]), ["held"]),
        (f"Before it {' '.join(WORDS[1:15])} and behind", ["held"]),
        (f"Before it {' '.join(WORDS[1:14])} and behind", []),  # thirteen words of a longer text
        (" ".join([*WORDS[:7], "not", *WORDS[7:]]), []),
        (" ".join(WORDS[:9]), ["held"]),  # the whole text
        (" ".join(WORDS[:8]), []),
        (" ".join(reversed(WORDS)), []),
        ("TNF-α and CO₂ raise the state-of-the-art level of every naïve marker in all of our cells", ["greek"]),
        ("only nine words are said of this by it?", ["short"]),
        (NOTICE, []),  # of five papers
        (f"{NOTICE} {PASSAGE}", ["held"]),
        ("", []),
    ],
)
def test_what_is_quoted(first_stage, text, ids):
    assert quoted(first_stage, text) == ids


def test_only_what_is_allowed_and_counts_as_such(first_stage):
    assert not quoted(first_stage, PASSAGE, hidden=["held"])
    assert quoted(first_stage, NOTICE, hidden=["other0", "other1"]) == ["held", "other2", "other3"]


def test_nothing_of_no_papers(first_stage):
    everything = np.ones(len(PAPERS), np.bool_)
    assert not len(quoted_in(PASSAGE, Hits.none().docids, first_stage.generation.catalog, first_stage.bm25, everything))


SENTENCE = re.compile(r"(?<=[a-z]\. )[A-Z][^.]{60,300}\.(?= [A-Z]|$)")


@pytest.mark.parametrize("asked", ["title", "abstract", "context"])
def test_who_asks_by_a_sentence_of_an_abstract_finds_its_paper_first(recommender, asked):
    """By vectors and links alone it is another paper for every fifth."""
    papers = [paper for paper in read_papers([str(CORPUS)]) if paper.abstract]
    texts = {paper.id: words_set_apart(paper.text.joined()) for paper in papers}
    sentences = [(paper.id, found[0]) for paper in papers[::12] if (found := SENTENCE.findall(paper.abstract))]
    sentences = [
        (id_, sentence)
        for id_, sentence in sentences
        if [one for one, text in texts.items() if words_set_apart(sentence) in text] == [id_]
    ]
    assert len(sentences) > 20
    settings = Settings(depth=0)
    for id_, sentence in sentences:
        found = recommender.answer(Query(**{asked: sentence}), settings).recommendations
        assert found[0].paper.id == id_, sentence
        assert found[0].reasons.quoted


def test_a_whole_abstract_keeps_what_is_likelier_before_what_it_quotes(recommender):
    papers = {paper.id: paper for paper in read_papers([str(CORPUS)])}
    asked = next(paper for paper in papers.values() if len(paper.abstract.split()) > 100 and len(paper.citations) > 5)
    other = next(
        paper for paper in papers.values() if SENTENCE.search(paper.abstract) and paper.id not in asked.citations
    )
    query = Query(title=asked.title, abstract=f"{asked.abstract} {SENTENCE.findall(other.abstract)[0]}")
    before = recommender.answer(Query(title=asked.title, abstract=asked.abstract), Settings(depth=0)).recommendations
    found = recommender.answer(query, Settings(depth=0)).recommendations
    place = next(one.rank for one in found if one.paper.id == other.id)
    assert all(one.score >= 38 for one in found[: place - 1])
    assert found[place - 1].score >= 38
    assert before
