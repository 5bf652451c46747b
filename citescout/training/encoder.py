"""What encoders are trained on, out of indexes: their papers and citations, without what is held out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from citescout.training.held_out import HeldOut
from common.arrays import unit_rows
from common.errors import TrainingError
from encoders.text import Text
from encoders.triplets.corpus import TrainingCorpus
from encoders.triplets.node_embeddings import link_prediction, node_embeddings
from encoders.triplets.sampling import Mix, Sampled, SamplingCounts
from encoders.triplets.scincl import PAPER_NEGATIVE, PAPER_POSITIVE, Bands, Drawing, scincl_triplets
from encoders.triplets.specter import specter_triplets
from encoders.triplets.triplets import Triplets, joined
from indexer.citations import Adjacency
from indexer.generations import OpenGeneration, open_generation
from indexer.layout import LAYOUT
from indexer.vectors import open_index

if TYPE_CHECKING:
    from encoders.training.neighbourhood import Neighbourhood
    from encoders.transformer import TextEncoder

VALIDATION_SHARE, MOST_VALIDATION_QUERIES = 0.02, 500

Recipe = Callable[[TrainingCorpus], tuple[Sampled, SamplingCounts]]


def training_corpus(directory: Path, held_out: HeldOut) -> TrainingCorpus:
    """An index as training may see it.

    Papers with held-out titles are gone with all their citations. A paper that may be another record of a test paper
    (see `HeldOut.left_out`) keeps its place, but what it cites is unknown: those citations are the test paper's.

    Raises:
        IndexDirectoryError: there is no index, or it is damaged.
    """
    generation = open_generation(directory)
    cites = generation.graph.cites
    citing, cited = cites.of_all(np.arange(len(generation.years)))
    left_out = held_out.left_out(generation, np.diff(cites.offsets) > 0)
    texts = [Text("", "")] * len(generation.years)
    for number, text in generation.catalog.all_texts():
        texts[number] = text
    readable = np.asarray([any(part.strip() for part in text) for text in texts], np.bool_)
    candidates = readable & ~np.asarray(generation.removed) & ~left_out.candidates
    keep = candidates[citing] & candidates[cited] & ~left_out.queries[citing]
    kept = Adjacency.from_edges(citing[keep].astype(np.int32), cited[keep], len(texts))
    years = np.asarray(generation.years)
    generation.close()
    return TrainingCorpus(directory.name, texts, kept, years, candidates)


def specter_recipe(mix: Mix, seed: int) -> Recipe:
    """Triplets as SPECTER draws them."""
    return lambda corpus: specter_triplets(corpus, mix, seed)


def scincl_recipe(
    mix: Mix,
    seed: int,
    positive: int | None = None,
    negative: int | None = None,
    drawing: Drawing | None = None,
    paper_ranks: tuple[int, int] = (PAPER_POSITIVE, PAPER_NEGATIVE),
) -> Recipe:
    """Triplets as SciNCL draws them; the ranks k⁺ and k⁻ are those of the paper, scaled to the corpus, unless given."""

    def sample(corpus: TrainingCorpus) -> tuple[Sampled, SamplingCounts]:
        edges, papers = corpus.citations(), len(corpus.years)
        if not len(edges):
            raise TrainingError(f"{corpus.name} holds no citations to learn from")
        predicted = link_prediction(edges, papers, seed=seed)
        vectors = node_embeddings(edges, papers, seed=seed)
        embedded = int(vectors.any(axis=1).sum())
        bands = Bands.scaled(embedded, mix, *paper_ranks)
        bands = replace(bands, positive=positive or bands.positive, negative=negative or bands.negative)
        sampled, counts = scincl_triplets(corpus, vectors, bands, mix, seed, drawing)
        counts.notes.append(f"{corpus.name}: {predicted}")
        return sampled, counts

    return sample


def triplets_of(corpora: Iterable[TrainingCorpus], recipe: Recipe) -> tuple[Triplets, SamplingCounts]:
    """The triplets of all corpora as one set."""
    counts = SamplingCounts()
    parts = []
    for corpus in corpora:
        sampled, counted = recipe(corpus)
        counts.add(counted)
        parts.append((corpus.texts, sampled, corpus.linked()))
    return joined(parts), counts


def without_leaks(triplets: Triplets, held_out: HeldOut) -> tuple[Triplets, int]:
    """Triplets of a file without those that hold a text with a held-out title, and how many these are."""
    leaking = np.asarray([held_out.leaks(text.title) for text in triplets.texts], np.bool_)
    keep = np.asarray(~leaking[triplets.rows].any(axis=1))
    return triplets.only(keep), int((~keep).sum())


@dataclass(frozen=True, slots=True)
class NeighbourhoodData:
    """What the recipe `neighbourhood` trains and validates on."""

    texts: list[Text]
    corpora: list[Neighbourhood]
    validation: NDArray[np.int64]  # (v, 3) places in `texts`: SPECTER's triplets of queries that are kept back
    counts: SamplingCounts

    def __str__(self) -> str:
        queries = sum(len(one.queries) for one in self.corpora)
        citations = sum(len(one.corpus.cites.neighbours) for one in self.corpora)
        return f"{queries:,} queries with {citations:,} citations, {len(self.validation):,} triplets for validation"


def neighbourhood_data(
    corpora: Sequence[TrainingCorpus], directories: Sequence[Path], base: str | None, share: float, seed: int
) -> NeighbourhoodData:  # fmt: skip
    """The corpora with the vectors of `base`; without a base, for a count, the vectors are empty.

    Raises:
        TrainingError: no query is left.
        ModelError: the base cannot be loaded.
    """
    from encoders.training.neighbourhood import Neighbourhood
    from encoders.transformer import TextEncoder

    encoder = TextEncoder.load(base) if base else None
    texts: list[Text] = []
    found: list[Neighbourhood] = []
    validation = [np.zeros((0, 3), np.int64)]
    counts = SamplingCounts()
    for corpus, directory in zip(corpora, directories, strict=True):
        queries = np.random.default_rng([seed, 1]).permutation(corpus.queries)
        kept_back = queries[: min(MOST_VALIDATION_QUERIES, int(VALIDATION_SHARE * len(queries)))]
        train = queries[len(kept_back) :]
        train = np.sort(train[: max(1, round(share * len(train)))])
        sampled, counted = specter_triplets(corpus, Mix(), seed, np.sort(kept_back))
        validation.append(sampled.rows + len(texts))
        counts.add(counted)
        if len(train):
            vectors = base_vectors(directory, corpus, encoder) if encoder else np.zeros((0, 0), np.float32)
            found.append(Neighbourhood(corpus, train, vectors, len(texts)))
        texts += corpus.texts
    if not found:
        raise TrainingError("no training queries: no paper of the indexes cites another one that may be seen")
    return NeighbourhoodData(texts, found, np.concatenate(validation), counts)


def base_vectors(directory: Path, corpus: TrainingCorpus, encoder: TextEncoder) -> NDArray[np.float32]:
    """Unit vectors of all papers, shape (papers, dimension): the index's, if this encoder made them."""
    generation = open_generation(directory)
    try:
        if generation.manifest.encoder_digest == encoder.digest:
            return _decoded(generation)
    finally:
        generation.close()
    vectors = np.zeros((len(corpus.texts), encoder.dimension), np.float32)
    readable = np.flatnonzero(corpus.candidates)
    vectors[readable] = encoder.encode([corpus.texts[int(number)] for number in readable], progress=True)
    return vectors


def _decoded(generation: OpenGeneration) -> NDArray[np.float32]:
    index = open_index(generation.folder / LAYOUT.vectors.path)
    return unit_rows(np.asarray(index.reconstruct_n(0, index.ntotal), np.float32))
