"""Texts and word vectors that are small enough to compute with by hand, for the tests of the baselines."""

import numpy as np

from encoders.text import Text
from eval.baselines.base import Setup
from eval.baselines.registry import find_baselines

PAPERS = (
    Text("Graph ranking", "A graph of citations ranks papers; ranks of papers and citations of papers."),
    Text("Neural ranking", "Neural networks rank passages and papers."),
    Text("Protein folding", "Neural networks fold proteins, cells hold proteins."),
    Text("Cells", "Cells divide; cells hold proteins and the membranes of cells."),
    Text("Citations of papers", "Papers cite papers, a graph."),
    Text("Neural networks", "Networks of cells are a graph."),
)
QUERIES = (Text("Ranking papers", "A neural graph of citations"), Text("Proteins in cells", "which networks fold"))
NONSENSE = Text("zzz", "qqq the of")
VECTORS = {
    "graph": (0.9, 0.1, 0.2),
    "papers": (0.5, -0.4, 0.1),
    "citations": (0.7, -0.2, 0.3),
    "ranking": (0.6, 0.0, -0.3),
    "neural": (0.1, 0.8, 0.1),
    "networks": (0.2, 0.9, -0.1),
    "proteins": (-0.6, 0.3, 0.5),
    "cells": (-0.7, 0.2, 0.6),
    "fold": (-0.4, 0.5, 0.1),
    "of": (0.3, 0.3, 0.3),
    "the": (0.2, 0.3, 0.3),
    "unheard": (9.0, 9.0, 9.0),
}


def every(queries=QUERIES, papers=PAPERS):
    return np.ones((len(queries), len(papers)), bool)


def made(name, setup=None):
    return find_baselines([name])[0].make(setup or Setup())


def fitted(name, setup=None, papers=PAPERS):
    ranker = made(name, setup)
    ranker.fit(papers)
    return ranker


def two_fields(papers=80):
    """Texts of two fields whose words never meet."""
    generator = np.random.default_rng(0)
    fields = [[f"{name}{letter}" for letter in "abcdefghij"] for name in ("star", "gene")]
    return [Text("", " ".join(generator.choice(fields[number % 2], 40))) for number in range(papers)]


def write_vectors(path):
    """`VECTORS` in the format of GloVe."""
    lines = (f"{word} {' '.join(map(str, vector))}\n" for word, vector in VECTORS.items())
    path.write_text("".join(lines), encoding="utf-8")
    return path
