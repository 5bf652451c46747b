"""What encoders are trained on, out of indexes: their papers and citations, without what is held out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from common.arrays import unit_rows
from common.errors import TrainingError
from encoders.picked_texts import PickedTexts
from encoders.text import Text
from indexer.citations import Adjacency
from indexer.generations import CatalogTexts, open_generation
from training.queries import MOST_VALIDATION_QUERIES, HeldOut, TrainingSplit
from training.triplets.node_embeddings import link_prediction, node_embeddings
from training.triplets.sampling import Mix, Sampled, SamplingCounts, TrainingCorpus, Triplets, joined
from training.triplets.scincl import PAPER_NEGATIVE, PAPER_POSITIVE, Bands, Drawing, scincl_triplets
from training.triplets.specter import specter_triplets

if TYPE_CHECKING:
    from encoders.transformer import TextEncoder
    from training.encoder.batches import Neighbourhood

VALIDATION_SHARE = 0.02

Recipe = Callable[[TrainingCorpus], tuple[Sampled, SamplingCounts]]


def training_corpus(directory: Path, held_out: HeldOut, split: TrainingSplit | None = None) -> TrainingCorpus:
    """An index as training may see it; its texts are read from it when they are asked for.

    Papers with held-out titles are gone with all their citations. A paper that may be another record of a test paper
    (see `HeldOut.left_out`) keeps its place, but what it cites is unknown: those citations are the test paper's. Of a
    `split`, only what its training papers cite is known.

    Raises:
        IndexDirectoryError: there is no index, or it is damaged.
    """
    generation = open_generation(directory)
    cites = generation.graph.cites
    citing, cited = cites.of_all(np.arange(len(generation.years)))
    may_cite = np.diff(cites.offsets) > 0
    if split is not None:
        may_cite &= np.isin(np.arange(len(may_cite)), split.queries)
    left_out = held_out.left_out(generation, may_cite, copies=split is None)
    candidates = np.zeros(len(generation.years), np.bool_)
    for docid, text in generation.catalog.all_texts():
        candidates[docid] = any(part.strip() for part in text)
    candidates &= ~np.asarray(generation.removed) & ~left_out.candidates
    keep = candidates[citing] & candidates[cited] & may_cite[citing] & ~left_out.queries[citing]
    kept = Adjacency.from_edges(citing[keep].astype(np.int32), cited[keep], len(candidates))
    years = np.asarray(generation.years)
    return TrainingCorpus(directory.name, CatalogTexts(generation), kept, years, candidates)


def development_triplets(corpus: TrainingCorpus, split: TrainingSplit, seed: int) -> tuple[TrainingCorpus, Sampled]:
    """SPECTER's triplets of a split's development queries, over the corpus with these queries behind its papers."""
    first = len(corpus.years)
    texts = [one.query.text for one in split.validation]
    gold = [one.gold[corpus.candidates[one.gold]] for one in split.validation]
    with open_generation(split.directory) as generation:
        own = (id_ for one in split.validation for id_ in (one.query.id, *one.query.copies))
        records = list(generation.catalog.docids(own).values())
    candidates = np.concatenate([corpus.candidates, np.ones(len(texts), np.bool_)])
    candidates[records] = False  # a query's own record is none of its negatives
    known = corpus.citations()
    citing = [known[:, 0], np.repeat(np.arange(first, first + len(texts)), [len(one) for one in gold])]
    edges = [np.concatenate(citing).astype(np.int32), np.concatenate([known[:, 1], *gold]).astype(np.int32)]
    years = np.concatenate([corpus.years, [one.query.year or 0 for one in split.validation]]).astype(np.int16)
    both = PickedTexts([(corpus.texts, np.arange(first)), (texts, np.arange(len(texts)))])
    with_queries = TrainingCorpus(
        corpus.name, both, Adjacency.from_edges(edges[0], edges[1], len(years)), years, candidates
    )
    sampled, _ = specter_triplets(with_queries, Mix(), seed, np.arange(first, len(years)))
    return with_queries, sampled


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


def split_triplets(
    corpus: TrainingCorpus, recipe: Recipe, split: TrainingSplit, seed: int
) -> tuple[Triplets, Triplets, SamplingCounts]:
    """The triplets of a split's training papers, those of its development queries, and the counts of the former."""
    sampled, counts = recipe(corpus)
    developed, validating = development_triplets(corpus, split, seed)
    nothing = np.zeros(0, np.int64)
    both = joined([(corpus.texts, sampled, corpus.linked()), (developed.texts, validating, nothing)])
    learned = np.arange(len(both)) < len(sampled.rows)
    return both.only(learned), both.only(~learned), counts


def without_leaks(triplets: Triplets, held_out: HeldOut) -> tuple[Triplets, int]:
    """Triplets of a file without those that hold a text with a held-out title, and how many these are."""
    leaking = np.asarray([held_out.leaks(text.title) for text in triplets.texts], np.bool_)
    keep = np.asarray(~leaking[triplets.rows].any(axis=1))
    return triplets.only(keep), int((~keep).sum())


@dataclass(frozen=True, slots=True)
class NeighbourhoodData:
    """What the recipe `neighbourhood` trains and validates on."""

    texts: Sequence[Text]
    corpora: list[Neighbourhood]
    validation: NDArray[np.int64]  # (v, 3) places in `texts`: SPECTER's triplets of queries that are kept back

    def __str__(self) -> str:
        queries = sum(len(one.queries) for one in self.corpora)
        citations = sum(len(one.corpus.cites.neighbours) for one in self.corpora)
        return f"{queries:,} queries with {citations:,} citations, {len(self.validation):,} triplets for validation"


def neighbourhood_data(
    corpora: Sequence[TrainingCorpus], directories: Sequence[Path], base: str | None, share: float, seed: int,
    split: TrainingSplit | None,
) -> NeighbourhoodData:  # fmt: skip
    """The corpora with the vectors of `base`; without a base, for a count, the vectors are empty.

    Some queries are kept back for validation, or the development queries of a `split` are for it.

    Raises:
        TrainingError: no query is left.
        ModelError: the base cannot be loaded.
    """
    from encoders.transformer import TextEncoder
    from training.encoder.batches import Neighbourhood

    encoder = TextEncoder.load(base) if base else None
    parts: list[tuple[Sequence[Text], NDArray[np.int64]]] = []
    first = 0
    found: list[Neighbourhood] = []
    validation = [np.zeros((0, 3), np.int64)]
    for corpus, directory in zip(corpora, directories, strict=True):
        queries = np.random.default_rng([seed, 1]).permutation(corpus.queries)
        most = 0 if split and split.validation else MOST_VALIDATION_QUERIES
        kept_back = queries[: min(most, int(VALIDATION_SHARE * len(queries)))]
        train = queries[len(kept_back) :]
        train = np.sort(train[: max(1, round(share * len(train)))])
        sampled, _ = specter_triplets(corpus, Mix(), seed, np.sort(kept_back))
        validation.append(sampled.rows + first)
        if len(train):
            vectors = base_vectors(directory, corpus, encoder) if encoder else np.zeros((0, 0), np.float32)
            found.append(Neighbourhood(corpus, train, vectors, first))
        parts.append((corpus.texts, np.arange(len(corpus.texts))))
        first += len(corpus.texts)
    if split and split.validation:
        developed, sampled = development_triplets(corpora[0], split, seed)
        queries = np.arange(len(corpora[0].texts), len(developed.texts))
        parts.append((developed.texts, queries))  # behind the one corpus, as they are there
        validation.append(sampled.rows)
    if not found:
        raise TrainingError("no training queries: no paper of the indexes cites another one that may be seen")
    return NeighbourhoodData(PickedTexts(parts), found, np.concatenate(validation))


def base_vectors(directory: Path, corpus: TrainingCorpus, encoder: TextEncoder) -> NDArray[np.float32]:
    """Unit vectors of all papers, shape (papers, dimension): the index's, if this encoder made them."""
    with open_generation(directory) as generation:
        if generation.manifest.encoder_digest == encoder.digest:
            return unit_rows(np.asarray(generation.vectors(), np.float32))
    vectors = np.zeros((len(corpus.texts), encoder.dimension), np.float32)
    readable = np.flatnonzero(corpus.candidates)
    vectors[readable] = encoder.encode([corpus.texts[int(docid)] for docid in readable], progress=True)
    return vectors
