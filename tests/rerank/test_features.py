"""Every column of the learned order against its definition, by loops over a small pool, and what must not move it."""

from dataclasses import replace
from statistics import mean, median, pstdev

import numpy as np
import pytest

from encoders.text import Text
from rerank.features import FEATURES, NAMES, feature_matrix, shares, standardised, words, years_of
from retrieval.citation_rates import RATES
from retrieval.first_stage import DIRECTIONS, Pool
from retrieval.graph import KINDS, VOTERS, Evidence
from retrieval.hits import Hits

SIZE, YEAR = 60, 2020
QUERY = Text("Dense retrieval of citations", "We rank the papers that a manuscript should cite, by vectors and graphs.")
TITLES = ("Dense vectors", "Citations and graphs", "Ranking", "The of and", "Protein folding in yeast", "")


def a_pool(seed: int = 0) -> Pool:
    generator = np.random.default_rng(seed)
    bm25 = np.sort(generator.uniform(1, 30, SIZE)).astype(np.float32)[::-1].copy()
    bm25[generator.random(SIZE) < 0.3] = np.nan
    years = generator.integers(1990, YEAR + 1, SIZE).astype(np.int16)
    years[generator.random(SIZE) < 0.2] = 0
    text_ranks = np.where(generator.random(SIZE) < 0.8, generator.permutation(SIZE) + 1, 0).astype(np.int32)
    return Pool(
        docids=generator.permutation(SIZE).astype(np.int32),
        fused=np.linspace(1, 0.1, SIZE).astype(np.float32),
        hits={"bm25": Hits(np.arange(SIZE, dtype=np.int32), np.linspace(30, 1, SIZE).astype(np.float32))},
        term_weights={"dens": 1.0},
        term_idf={"dens": 2.0},
        rarest_idf=5.0,
        rare_words=generator.random(SIZE).astype(np.float32),
        cosines=generator.uniform(-0.2, 0.9, (SIZE, len(DIRECTIONS))).astype(np.float32),
        votes=generator.random((SIZE, len(KINDS))).astype(np.float32),
        rates={voters: generator.random((SIZE, len(RATES))).astype(np.float32) for voters in VOTERS},
        expected=np.where(generator.random(SIZE) < 0.5, generator.random(SIZE), 0).astype(np.float32),
        citations=generator.integers(0, 3000, SIZE),
        years=years,
        evidence=Evidence(np.ones(SIZE, np.bool_), np.ones(SIZE, np.bool_)),
        own=np.zeros(0, np.int32),
        cites=generator.random(SIZE) < 0.5,
        text_ranks=text_ranks,
        ranks={"bm25": np.where(np.isnan(bm25), 0, 1).astype(np.int32)},
        scores={"bm25": bm25},
    )


def titles() -> list[frozenset[str]]:
    return [words(TITLES[n % len(TITLES)]) for n in range(SIZE)]


def by_loops(pool: Pool) -> dict[str, list[float]]:
    """Each feature of each candidate, by its definition."""
    nan = float("nan")

    def known(values):
        return [float(one) for one in values if one == one]

    def deviations(values):
        best = sorted(known(values))[-200:]
        return [(float(one) - mean(best)) / pstdev(best) if one == one else nan for one in values]

    bm25 = pool.scores["bm25"]
    asked, asked_title = words(QUERY.joined()), words(QUERY.title)
    middle = median([int(year) for year in pool.years[:50] if year])
    years = [int(year) or middle for year in pool.years]
    cosines = {name: deviations(pool.cosines[:, place]) for place, name in enumerate(DIRECTIONS)}
    citing = sorted(year for year, cites in zip(years, pool.cites, strict=True) if cites)
    newest = min(sorted(years)[-5], citing[-5] + 1)
    return {
        "bm25_share": [float(one) / max(known(bm25)) for one in bm25],
        "bm25": deviations(bm25),
        "rare_words": pool.rare_words.tolist(),
        "title_in_query": [len(one & asked) / len(one) if one else 0.0 for one in titles()],
        "title_overlap": [len(one & asked_title) / len(one | asked_title) for one in titles()],
        "cosine": cosines["projected"],
        "own_cosine": cosines["query"],
        "text_rank": [np.log2((int(rank) or 3000) + 1) for rank in pool.text_ranks],
        "cited_rate": pool.rates["seeds"][:, 0].tolist(),
        "recently_cited_rate": pool.rates["seeds"][:, 1].tolist(),
        "cites_seeds": pool.votes[:, 1].tolist(),
        "cocited": pool.votes[:, 2].tolist(),
        "cited_rate_of_many": pool.rates["many"][:, 0].tolist(),
        "recently_cited_rate_of_many": pool.rates["many"][:, 1].tolist(),
        "expected": deviations(pool.expected),
        "expected_share": [float(one) / max(known(pool.expected)) for one in pool.expected],
        "year_gap": [YEAR - year for year in years],  # of an older paper positive
        "pool_gap": [year - middle for year in years],
        "newest_gap": [max(newest - year, 0) for year in years],
    }


def test_every_column_is_what_its_definition_says():
    pool = a_pool()
    found = feature_matrix(pool, QUERY, YEAR, titles())
    expected = by_loops(pool)
    assert set(expected) == set(NAMES) == {feature.name for feature in FEATURES}
    for place, name in enumerate(NAMES):
        np.testing.assert_allclose(found[:, place], expected[name], rtol=2e-4, atol=2e-4, err_msg=name)


def test_words_leave_out_what_says_nothing():
    assert words("The Models of a Model: graphs, using graphs") == {"model", "graph"}
    assert words("CO₂ models") == words("CO2 model") == {"co2", "model"}
    assert words("TNFα antagonists") == words("TNF-alpha antagonist") == {"tnf", "alpha", "antagonist"}


def test_a_query_s_accents_are_those_of_the_titles():
    titles = [words(title) for title in ("Nino drought", "Bezier", "Bezier curves", "Bézier", "Naïve Bayes", "Naive")]
    for query, expected in {
        "Niño": [0.5, 0, 0, 0, 0, 0],
        "Bézier": [0, 1, 0.5, 0, 0, 0],
        "naïve": [0, 0, 0, 0, 0.5, 0],  # as many with as without
        "naive": [0, 0, 0, 0, 0, 1],
    }.items():
        assert shares(titles, words(query)).tolist() == expected


@pytest.mark.parametrize("change", ["all cited ten times as often", "one cited ten times as often", "nobody is cited"])
def test_how_often_papers_are_cited_at_all_moves_nothing(change):
    """Trees remember counts of single papers; a famous paper of another corpus would meet their thresholds."""
    pool = a_pool()
    citations = {
        "all cited ten times as often": pool.citations * 10,
        "one cited ten times as often": pool.citations * np.where(np.arange(SIZE) == 3, 10, 1),
        "nobody is cited": pool.citations * 0,
    }[change]
    before, after = (feature_matrix(one, QUERY, YEAR, titles()) for one in (pool, replace(pool, citations=citations)))
    np.testing.assert_array_equal(before, after)


def test_another_encoder_s_scale_of_cosines_moves_nothing():
    pool = a_pool()
    other = replace(pool, cosines=(0.8 + 0.1 * pool.cosines).astype(np.float32))
    before, after = (feature_matrix(one, QUERY, YEAR, titles()) for one in (pool, other))
    np.testing.assert_allclose(before, after, atol=2e-4)


def test_what_is_not_there_is_unknown_or_nothing():
    pool = a_pool()
    unknown = {name: np.full_like(getattr(pool, name), np.nan) for name in ("cosines", "expected")}
    bare = replace(pool, **unknown, votes=np.zeros_like(pool.votes), rates={}, scores={}, ranks={})
    found = dict(zip(NAMES, feature_matrix(bare, QUERY, YEAR, titles()).T, strict=True))
    for name in ("bm25", "bm25_share", "cosine", "own_cosine", "expected", "expected_share"):
        assert np.isnan(found[name]).all(), name
    for name in ("cited_rate", "recently_cited_rate_of_many", "cites_seeds", "cocited"):
        assert not found[name].any(), name


@pytest.mark.parametrize(("known", "expected"), [([], np.nan), ([59], 1999), ([0, 1, 59], 2010)])
def test_a_paper_of_unknown_year_is_taken_for_one_of_the_middle_of_the_best_that_are_known(known, expected):
    years = np.zeros(SIZE, np.int16)
    years[known] = [2005, 2015, 1999][-len(known) :] if known else []
    found = years_of(replace(a_pool(), years=years))
    np.testing.assert_array_equal(found[known], years[known])
    np.testing.assert_array_equal(np.delete(found, known), expected)


def test_where_no_year_is_known_all_papers_are_as_old_as_is_usual():
    found = feature_matrix(replace(a_pool(), years=np.zeros(SIZE, np.int16)), QUERY, YEAR, titles())
    ages = dict(zip(NAMES, found.T, strict=True))
    assert {name: set(ages[name].tolist()) for name in ("year_gap", "pool_gap", "newest_gap")} == {
        "year_gap": {6.0},
        "pool_gap": {0.0},
        "newest_gap": {6.0},
    }


def test_what_is_newer_than_all_known_reference_lists_is_new():
    pool = a_pool()
    years = np.where(pool.years > 0, np.minimum(pool.years, 2010), 2010).astype(np.int16)
    later = np.flatnonzero(~pool.cites)[:12]
    years[later] = 2018
    found = feature_matrix(replace(pool, years=years), QUERY, YEAR, titles())[:, NAMES.index("newest_gap")]
    newest_citing = np.sort(years[pool.cites])[-5]
    np.testing.assert_array_equal(found, np.maximum(newest_citing + 1 - years.astype(int), 0))
    assert not found[later].any()
    few = np.zeros(SIZE, np.bool_)
    few[:4] = True  # too few to say how far reference lists go
    found = feature_matrix(replace(pool, years=years, cites=few), QUERY, YEAR, titles())[:, NAMES.index("newest_gap")]
    np.testing.assert_array_equal(found, 2018 - years.astype(int))


def test_a_handful_of_scores_or_equal_ones_stand_nowhere():
    assert np.isnan(standardised(np.asarray([1.0, 2.0, np.nan]))).all()
    assert standardised(np.full(10, 0.5)).tolist() == [0.0] * 10
