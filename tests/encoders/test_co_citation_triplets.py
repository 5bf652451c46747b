"""Triplets from co-citations against counts over plain sets."""

from collections import Counter

import numpy as np
import pytest

from tests.encoders.triplet_corpora import Sets, random_corpus
from training.triplets.sampling import EASY, HARD, Mix
from training.triplets.specter import co_citation_triplets


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("mix", [Mix(), Mix(3, 1)], ids=str)
def test_positives_are_cited_together_most_and_hard_negatives_least(seed, mix):
    corpus = random_corpus(seed, papers=60, edges=260)
    sets = Sets(corpus)
    sampled, counts = co_citation_triplets(corpus, mix, seed)
    rows, kinds = sampled.rows, sampled.kinds
    asked = set()
    for query in sets.papers:
        together = Counter(
            paper for cited in sets.cites if query in cited for paper in cited if paper != query
        )  # fmt: skip
        own = rows[:, 0] == query
        positives, hard = set(rows[own, 1].tolist()), rows[own & (kinds == HARD), 2].tolist()
        easy = rows[own & (kinds == EASY), 2].tolist()
        if not together:
            assert not own.any()
            continue
        asked.add(query)
        often = sorted(together.values(), reverse=True)
        assert sorted((together[paper] for paper in positives), reverse=True) == often[: mix.triplets]
        rest = sorted(often[mix.triplets :])
        assert sorted(together[paper] for paper in hard) == rest[: mix.hard]
        assert not positives & set(hard)
        assert not (set(easy) & (together.keys() | {query}))
        assert set(easy) <= sets.candidates
        assert len(hard) + len(set(easy)) == own.sum() <= mix.triplets
    assert asked == set(rows[:, 0].tolist())
    assert counts.queries - counts.without_positives == len(asked)


def test_the_same_seed_draws_the_same():
    corpus = random_corpus(3)
    first, again, other = (co_citation_triplets(corpus, Mix(), seed)[0].rows for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert first.shape != other.shape or (first != other).any()
