"""What all baselines keep: masks, seeds, and lists that do not depend on what else is asked."""

import hashlib
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from command_line import printed_by
from tiny_corpus import PAPERS, QUERIES, every, fitted, two_fields

from encoders.text import Text
from encoders.word_vectors import train_word2vec
from eval.baselines.base import ScoreRanker
from eval.baselines.registry import find_baselines
from eval.baselines_protocol import Collection, rank_all, read_collection
from retrieval.query import Query

pytest.importorskip("sklearn")
ROOT = Path(__file__).parents[2]


def names_that_run_here():
    needed = {"word2vec": "gensim", "sif": "gensim", "relaxed-wmd": "gensim", "doc2vec": "gensim", "wmd": "ot"}
    return [one.name for one in find_baselines() if one.name not in needed or find_spec(needed[one.name])]


@pytest.mark.parametrize("name", names_that_run_here())
def test_lists_are_masked_cut_repeatable_and_independent_of_other_queries(name):
    papers = (*PAPERS, *two_fields(8))
    ranker = fitted(name, papers=papers)
    allowed = np.random.default_rng(1).random((2, len(papers))) < 0.6
    both = ranker.rank(QUERIES, allowed, 5)
    for row, hits in enumerate(both):
        assert 0 < len(hits) <= 5
        assert len(set(hits.docids)) == len(hits)
        assert allowed[row, hits.docids].all()
        assert (np.diff(hits.scores) <= 0).all()
    alone = ranker.rank(QUERIES[1:], allowed[1:], 5)[0]
    assert np.array_equal(alone.docids, both[1].docids)
    again = fitted(name, papers=papers).rank(QUERIES, allowed, 5)
    assert [list(hits.docids) for hits in again] == [list(hits.docids) for hits in both]
    none = ranker.rank(QUERIES, np.zeros_like(allowed), 5)
    assert [len(hits) for hits in none] == [0, 0]


@pytest.mark.parametrize("name", names_that_run_here())
def test_a_list_does_not_depend_on_the_queries_beside_it(name):
    papers = (*PAPERS, *two_fields(30), *PAPERS)  # the same text twice: the lower number comes first
    queries = (*QUERIES, *papers[4:12], Text("zzz", "qqq"))
    ranker = fitted(name, papers=papers)
    alone = [ranker.rank([query], every([query], papers), 40)[0] for query in queries]
    for order in (range(len(queries)), reversed(range(len(queries))), [3, 0, 0, 5]):
        places = list(order)
        together = ranker.rank([queries[place] for place in places], every(places, papers), 40)
        assert [list(hits.docids) for hits in together] == [list(alone[place].docids) for place in places]


@pytest.mark.parametrize("name", names_that_run_here())
def test_the_last_bits_of_scores_do_not_order_a_list(name, monkeypatch):
    papers = (*PAPERS, *two_fields(30), *PAPERS)
    ranker = fitted(name, papers=papers)
    if not isinstance(ranker, ScoreRanker):
        ranker = ranker._first  # what it reranks
    expected = [list(hits.docids) for hits in ranker.rank(QUERIES, every(QUERIES, papers), 20)]
    plain = ranker.scores(QUERIES)
    for seed in range(20):
        noise = np.random.default_rng(seed).uniform(-1e-6, 1e-6, plain.shape)
        monkeypatch.setattr(ranker, "scores", lambda _, noise=noise: (plain * (1 + noise)).astype(np.float32))
        assert [list(hits.docids) for hits in ranker.rank(QUERIES, every(QUERIES, papers), 20)] == expected


@pytest.mark.parametrize("name", ["tf-idf", "lsa", "lda", "word2vec", "doc2vec", "sif"])
def test_a_text_without_a_known_word_is_neither_found_nor_answered(name):
    if name in {"word2vec", "doc2vec", "sif"}:
        pytest.importorskip("gensim")
    papers = (*PAPERS, Text("---", "the of"), *two_fields(4))
    # All words are known to models that keep stop words, once they stand twice.
    papers = papers if name in {"tf-idf", "lsa", "lda"} else (*PAPERS, Text("---", "xylo"), *two_fields(4))
    queries = (QUERIES[0], Text("zzz", "qqq"))
    found, unanswered = fitted(name, papers=papers).rank(queries, every(queries, papers), 20)
    assert len(found)
    assert len(PAPERS) not in found.docids
    assert len(unanswered) == 0


def test_masks_are_those_of_the_first_stage(demo_index):
    from indexer.generations import open_generation
    from retrieval.first_stage import FirstStage

    papers = read_collection(demo_index)
    with open_generation(demo_index) as generation:
        queries = [
            Query("a", "", papers.ids[10], 2015),
            Query("b", "", papers.ids[-1]),
            Query("c", "", "elsewhere", 2000, (papers.ids[3], papers.ids[4], "nowhere")),
        ]
        stage = FirstStage(generation, None)
        theirs = np.array([stage.masks(query, ())[1] for query in queries])
        stage.close()
    ours = papers.allowed(queries)
    assert np.array_equal(ours, theirs)
    assert 0 < ours.sum() < ours.size


def test_own_paper_newer_and_cited_papers_are_never_in_a_run():
    papers = Collection(tuple("abcdef"), PAPERS, np.array([2001, 2005, 2005, 0, 2010, 2004], np.int16))
    queries = [Query(*QUERIES[0], "a", 2005), Query(*QUERIES[1], "new", None, ("c",))]
    run = rank_all(fitted("random"), papers, queries, 10)
    assert {query: sorted(found) for query, found in run.items()} == {"a": list("bcdf"), "new": list("abdef")}


@pytest.mark.long
def test_another_instruction_set_thread_count_or_seed_of_hashes_gives_the_same_lists():
    program = """
import sys
sys.path.insert(0, "tests/eval")
from tiny_corpus import PAPERS, QUERIES, every, fitted, two_fields
papers = (*PAPERS, *two_fields(30), *PAPERS)
for name in sys.argv[1:]:
    for hits in fitted(name, papers=papers).rank(QUERIES, every(QUERIES, papers), 40):
        print(name, *hits.docids)
"""
    names = [
        name for name in names_that_run_here() if name != "minilm"
    ]  # which is in tests/citescout/test_same_lists.py
    processors = (
        {"PYTHONHASHSEED": "1"},
        {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "Prescott", "PYTHONHASHSEED": "2"},
        {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"},
    )
    answers = {printed_by(program, *names, folder=ROOT, **processor) for processor in processors}
    assert len(answers) == 1
    assert len(answers.pop().splitlines()) == len(QUERIES) * len(names)


def test_another_seed_gives_other_vectors():
    pytest.importorskip("gensim")
    digests = {
        hashlib.sha256(train_word2vec(tuple(two_fields(20)), seed).matrix.tobytes()).hexdigest() for seed in (0, 1, 0)
    }
    assert len(digests) == 2
