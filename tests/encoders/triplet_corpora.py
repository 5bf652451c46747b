"""Random corpora with citations, and what they hold as plain sets, which the samplers are compared with."""

import numpy as np

from encoders.text import Text
from indexer.citations import CitationGraph
from training.triplets.sampling import TrainingCorpus


def random_corpus(seed, papers=60, edges=240, years=True):
    """Citations to papers that are older, equally old, or (a few) newer; some papers are no candidates."""
    generator = np.random.default_rng(seed)
    known = generator.integers(2000, 2012, papers) * (generator.random(papers) < 0.9) * years
    candidates = generator.random(papers) < 0.95
    pairs = generator.integers(0, papers, (edges, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    newer = known[pairs[:, 1]] > known[pairs[:, 0]]
    pairs = np.where((newer & (generator.random(len(pairs)) < 0.9))[:, None], pairs[:, ::-1], pairs)
    pairs = np.unique(pairs[candidates[pairs].all(axis=1)], axis=0).astype(np.int32)
    return corpus_of(pairs, known.astype(np.int16), candidates)


def corpus_of(pairs, years, candidates=None):
    papers = len(years)
    graph = CitationGraph.from_edges(np.asarray(pairs, np.int32).reshape(-1, 2), papers)
    texts = [Text(f"paper {number}", f"about {number}") for number in range(papers)]
    candidates = np.ones(papers, np.bool_) if candidates is None else candidates
    return TrainingCorpus("random", texts, graph.cites, np.asarray(years, np.int16), candidates)


class Sets:
    """A corpus as Python sets."""

    def __init__(self, corpus):
        rows = zip(corpus.cites.offsets[:-1], corpus.cites.offsets[1:], strict=True)
        self.cites = [set(corpus.cites.neighbours[first:last].tolist()) for first, last in rows]
        self.papers = range(len(self.cites))
        self.years = corpus.years.tolist()
        self.candidates = set(np.flatnonzero(corpus.candidates).tolist())

    def linked(self, one, other):
        return other in self.cites[one] or one in self.cites[other]

    def not_newer(self, query, paper):
        return self.years[query] == 0 or self.years[paper] <= self.years[query]

    def positives(self, query):
        return {paper for paper in self.cites[query] if self.not_newer(query, paper)}

    def possible(self, query):
        """Every paper that may be a negative."""
        return {
            paper
            for paper in self.candidates
            if paper != query and not self.linked(query, paper) and self.not_newer(query, paper)
        }

    def hard(self, query):
        second = {paper for cited in self.cites[query] for paper in self.cites[cited]}
        return second & self.possible(query)
