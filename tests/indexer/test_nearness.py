"""How near an index's papers are to each other, against loops over all pairs."""

import numpy as np

from common.arrays import unit_rows
from indexer.layout import LAYOUT
from indexer.nearness import NEAREST, measure, read_nearness, write_nearness


def test_it_is_the_mean_cosine_with_the_nearest():
    vectors = unit_rows(np.random.default_rng(0).random((90, 8)).astype(np.float32))
    found = measure(lambda docids: vectors[docids], len(vectors))
    for row, count in zip(found, NEAREST, strict=True):
        means = [np.sort(np.delete(vectors @ one, place))[::-1][:count].mean() for place, one in enumerate(vectors)]
        np.testing.assert_allclose(row, [np.mean(means), np.std(means)], rtol=1e-4)


def test_of_many_papers_some_ask_all_the_others():
    vectors = unit_rows(np.random.default_rng(0).normal(size=(45_000, 4)).astype(np.float32))
    found = measure(lambda docids: vectors[docids], len(vectors))
    one = np.random.default_rng(0).permutation(len(vectors))[:300]
    means = [np.sort(np.delete(vectors @ vectors[place], place))[::-1][:10].mean() for place in one[:300]]
    np.testing.assert_allclose(found[0, 0], np.mean(means), rtol=1e-4)


def test_what_a_few_papers_lack_counts_as_nothing():
    found = measure(lambda docids: np.ones((len(docids), 2), np.float32), 3)
    np.testing.assert_allclose(found[:, 0], [2 / 10, 2 / 50], rtol=1e-5)
    assert not found[:, 1].any()


def test_every_index_with_vectors_has_it(demo_index):
    (generation,) = demo_index.glob("gen-*")
    found = read_nearness(generation)
    assert found is not None
    assert found.shape == (2, 2)
    assert 0 < found[1, 0] < found[0, 0] < 1


def test_so_has_one_whose_vectors_are_elsewhere(tmp_path):
    vectors = unit_rows(np.random.default_rng(0).random((90, 8)).astype(np.float32))
    np.save(tmp_path / LAYOUT.years, np.zeros(len(vectors), np.int16))
    write_nearness(tmp_path, lambda docids: vectors[docids])
    np.testing.assert_array_equal(read_nearness(tmp_path), measure(lambda docids: vectors[docids], len(vectors)))
