"""The corpora of an ablation: what may be learnt from, the test papers that are asked, and how lists are scored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from common.errors import SourceError
from common.names import shown_names
from encoders.text import Text
from eval.baselines.base import Ranker
from eval.baselines_protocol import Collection, rank_all
from eval.corpora import TestSet, find_corpora
from eval.experiments.ablation_tables import Reads
from eval.experiments.base import Inputs
from eval.experiments.findings import Measured
from eval.indexes import index_of_corpus
from eval.leakage import held_out_titles
from eval.metrics import score_queries
from indexer.citations import Adjacency
from indexer.generations import open_generation
from indexer.paper import Paper
from retrieval.copies import with_copies
from retrieval.query import Query
from training.encoder.from_index import training_corpus
from training.queries import HeldOut
from training.triplets.sampling import TrainingCorpus


@dataclass(frozen=True, slots=True)
class Tested:
    """One corpus, indexed without the citations of its test papers."""

    directory: Path
    papers: Sequence[Paper]  # by docid
    tests: TestSet


@dataclass(frozen=True)
class Corpora:
    """All corpora of a run."""

    tested: Mapping[str, Tested]  # by name
    hidden: tuple[str, ...]  # sources of papers that training must not see, as `train encoder --held-out`

    @cached_property
    def training(self) -> list[TrainingCorpus]:
        """What encoders may learn from."""
        return [training_corpus(one.directory, self.held_out) for one in self.tested.values()]

    @cached_property
    def held_out(self) -> HeldOut:
        """The titles that training must not see."""
        return held_out_titles(self.hidden)

    def reading(self, reads: Reads) -> list[TrainingCorpus]:
        """What encoders may learn from that get to see this of a paper; papers of which nothing is left are gone."""
        return [
            _with_texts(corpus, [text_of(paper, reads) for paper in one.papers])
            for corpus, one in zip(self.training, self.tested.values(), strict=True)
        ]

    @property
    def directories(self) -> list[Path]:
        """The indexes."""
        return [one.directory for one in self.tested.values()]

    def has(self, reads: Reads) -> bool:
        """Whether any paper has what is to be read beside title and abstract."""
        wanted = reads.removeprefix("title+abstract").strip("+")
        return not wanted or any(getattr(paper, wanted) for one in self.tested.values() for paper in one.papers)

    def measure(self, ranker: Ranker, reads: Reads, depth: int) -> Measured:
        """Fit a ranker on every corpus and score its best `depth` papers for each test paper.

        Raises:
            CitescoutError: see `eval.baselines.base`.
        """
        scores = {}
        for name, one in self.tested.items():
            texts = {paper.id: text_of(paper, reads) for paper in one.papers}
            years = np.array([paper.year or 0 for paper in one.papers], np.int16)
            papers = Collection(tuple(texts), tuple(texts.values()), years, candidates=one.tests.candidates)
            queries = [_reading(query, reads, texts) for query in one.tests.queries]
            ranker.fit(papers.texts)
            scores[name] = score_queries(one.tests.qrels, rank_all(ranker, papers, queries, depth))
        return Measured(scores)


def open_corpora(folder: Path, inputs: Inputs) -> Corpora:
    """The corpora of a folder; those that are not indexed yet are, below the folder of the results.

    Raises:
        SourceError: see `find_corpora`, `eval.indexes` and `Corpus.test_set`; or a corpus has no test paper to ask.
    """
    tested = {}
    corpora = find_corpora(folder, inputs.names)
    for corpus in corpora:
        tests = corpus.test_set(inputs.sample, inputs.seed)
        if not tests.queries:
            raise SourceError(f"no test paper of {corpus.name} in {folder} cites another paper of the corpus")
        directory = index_of_corpus(corpus, inputs.out, None)
        with open_generation(directory) as generation:
            queries = with_copies(tests.queries, generation.catalog)
            tested[corpus.name] = Tested(
                directory, tuple(generation.catalog.all_papers()), replace(tests, queries=tuple(queries))
            )
    return Corpora(tested, (*(str(ids) for corpus in corpora for _, ids in corpus.parts), *inputs.held_out))


def text_of(paper: Paper, reads: Reads) -> Text:
    """What is read of a paper; venue and authors stand before the abstract, where no limit of tokens cuts them off."""
    if reads == "title":
        return Text(paper.title, "")
    more = {"venue": paper.venue, "authors": ", ".join(shown_names(paper.authors))}.get(reads.rpartition("+")[2], "")
    return Text(paper.title, ". ".join(part for part in (more, paper.abstract) if part))


def _reading(query: Query, reads: Reads, texts: Mapping[str, Text]) -> Query:
    """A query as the encoder gets to see it; what is another record of an earlier paper is not in the index."""
    own = Paper(query.id or "", query.title, query.abstract, authors=tuple(query.authors))
    text = texts.get(own.id) or text_of(own, reads)
    return replace(query, title=text.title, abstract=text.abstract)


def _with_texts(corpus: TrainingCorpus, texts: list[Text]) -> TrainingCorpus:
    """The corpus with other texts; papers without one are gone with their citations."""
    candidates = corpus.candidates & np.asarray([any(part.strip() for part in text) for text in texts], np.bool_)
    citing, cited = corpus.citations().T
    keep = candidates[citing] & candidates[cited]
    cites = Adjacency.from_edges(citing[keep].astype(np.int32), cited[keep].astype(np.int32), len(texts))
    return replace(corpus, texts=texts, cites=cites, candidates=candidates)
