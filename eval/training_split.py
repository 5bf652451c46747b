"""The folder of `eval split` as training reads it: train.ids and the development part, never the test queries."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citescout.queries import read_queries
from common.errors import SourceError, os_errors
from common.sequences import batches
from eval.indexes import index_of_part, runs_without_vectors
from eval.split import read_record
from eval.trec import read_qrels
from indexer.catalog import Catalog
from indexer.generations import OpenGeneration, open_generation
from retrieval.copies import with_copies
from training.queries import MOST_VALIDATION_QUERIES, Asking, TrainingQuery, TrainingSplit

_IDS_AT_A_TIME = 50_000


def read_training_split(
    folder: Path, encoder: str | None = "minilm", seed: int = 0, scratch: Path | None = None
) -> TrainingSplit:
    """What a split trains and validates on.

    The index is that of the development part, as `eval run` builds it: one that is there is taken with its encoder,
    else it is built with `encoder`, or in the folder `scratch`, without vectors, for who only counts. One without
    vectors gets those of `encoder`, unless its runs are to be without. A split without a development part validates on
    nothing of its own, and its index is that of the test part, which holds no citation of a test query.

    Args:
        folder: Written by `eval.split`.
        encoder: None for who needs no vectors.
        seed: Of the sample of development queries.
        scratch: See above.

    Raises:
        SourceError: no split there, none of its training papers is in the index, or see `eval.indexes`.
    """
    protocol = read_record(folder).protocol
    asking = Asking(dated=protocol.mode == "inductive", newer=True, copies=protocol.copies)
    part = "dev" if (folder / "dev.papers.jsonl").is_file() else "test"
    wanted = None if scratch is not None or runs_without_vectors(folder, part) else encoder
    directory = index_of_part(folder, part, wanted, any_encoder=True, scratch=scratch)
    with open_generation(directory) as generation:
        queries, missing = _docids(folder / "train.ids", generation.catalog)
        if not len(queries):
            raise SourceError(
                f"no paper of {folder / 'train.ids'} is in {folder / f'{part}.papers.jsonl'}: split it again"
            )
        searched = ~np.asarray(generation.removed)
        listed = folder / f"{part}.candidates.ids"
        if listed.is_file():
            candidates, _ = _docids(listed, generation.catalog)
            searched &= np.bincount(candidates, minlength=len(searched)).astype(np.bool_)
        validation = _validation(folder, generation, seed) if part == "dev" else ()
        return TrainingSplit(directory, queries, searched, asking, validation, missing)


def _validation(folder: Path, generation: OpenGeneration, seed: int) -> tuple[TrainingQuery, ...]:
    gold, _ = read_qrels(folder / "dev.qrels")
    queries = [query for query in read_queries(str(folder / "dev.queries.jsonl")) if query.id in gold]
    drawn = np.random.default_rng(seed).permutation(len(queries))[:MOST_VALIDATION_QUERIES]
    found = []
    for query in with_copies([queries[place] for place in drawn], generation.catalog):
        cited = np.asarray(sorted(generation.catalog.docids(gold[query.id]).values()), np.int32)
        if len(cited):
            found.append(TrainingQuery(query, cited))
    return tuple(found)


def _docids(path: Path, catalog: Catalog) -> tuple[NDArray[np.int64], int]:
    """The numbers of a file's ids, in their order, and how many ids the catalog does not know."""
    parts, unknown = [np.zeros(0, np.int64)], 0
    with os_errors(SourceError, f"read {path}"), path.open(encoding="utf-8") as file:
        for ids in batches((line.rstrip("\n") for line in file), _IDS_AT_A_TIME):
            known = catalog.docids(ids)
            parts.append(np.asarray([known[id_] for id_ in ids if id_ in known], np.int64))
            unknown += len(ids) - len(known)
    return np.concatenate(parts), unknown
