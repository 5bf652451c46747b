"""Vectors of the citation graph against a dense eigendecomposition, and link prediction on known graphs."""

import numpy as np
import pytest

from common.arrays import unordered
from training.triplets.node_embeddings import DEGREE_EXPONENT, link_prediction, node_embeddings, rank_links


def communities(seed, groups=6, size=30, inside=0.2, outside=0.002):
    generator = np.random.default_rng(seed)
    papers = groups * size
    group = np.repeat(np.arange(groups), size)
    probability = np.where(group[:, None] == group, inside, outside)
    return np.argwhere((generator.random((papers, papers)) < probability) & ~np.eye(papers, dtype=bool)), papers, group


def test_vectors_are_the_scaled_eigenvectors():
    edges, papers, _ = communities(0)
    vectors = node_embeddings(edges, papers, dimension=10)
    adjacent = np.zeros((papers, papers))
    adjacent[edges[:, 0], edges[:, 1]] = adjacent[edges[:, 1], edges[:, 0]] = 1
    degrees = np.bincount(edges.reshape(-1), minlength=papers)
    weights = (degrees + 1.0) ** -DEGREE_EXPONENT
    values, dense = np.linalg.eigh((adjacent + np.eye(papers)) * weights[:, None] * weights)
    expected = dense[:, ::-1][:, :10] * np.sqrt(values[::-1][:10])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    # Eigenvectors are free in sign, and within equal eigenvalues: cosines are what counts.
    assert np.abs(vectors @ vectors.T - expected @ expected.T).mean() < 0.015


def test_papers_without_citations_have_no_vector():
    vectors = node_embeddings(np.asarray([[0, 1], [1, 2], [0, 2]]), 5, dimension=2)
    assert vectors.shape == (5, 2)
    assert np.allclose(np.linalg.norm(vectors, axis=1), [1, 1, 1, 0, 0], atol=1e-5)


def test_citations_that_were_kept_back_are_found_among_communities_and_not_in_a_random_graph():
    edges, papers, _ = communities(1)
    found = link_prediction(edges, papers, share=0.1)
    assert found.edges == int(len(edges) * 0.1)
    # One random paper in six is of the same community: .92 is the most that one can have.
    assert found.auc > 0.75
    random = np.unique(np.random.default_rng(2).integers(0, papers, (len(edges), 2)), axis=0)
    assert link_prediction(random[random[:, 0] != random[:, 1]], papers, share=0.1).auc < 0.65


def test_figures_are_those_of_the_formulas():
    # The query points along the first axis; one paper is nearer than the cited one, one ties, two are farther.
    vectors = np.asarray([[1, 0], [0.8, 0.6], [0.9, 0.436], [0.8, -0.6], [0, 1], [-1, 0]], np.float32)
    linked = unordered(np.asarray([0]), np.asarray([1]))
    found = rank_links(vectors, np.asarray([[0, 1]]), np.arange(6), linked, np.random.default_rng(0))
    others = np.random.default_rng(0).integers(0, 6, 1000)
    others = others[(others != 0) & (others != 1)]
    ahead = (others == 2).sum() + (others == 3).sum() / 2
    assert found.auc == pytest.approx(1 - ahead / len(others))
    assert found.mrr == pytest.approx(1 / (1 + ahead))
    assert found.hits_at_10 == 0
