"""Triplets as SPECTER draws them (Cohan et al., ACL 2020, sections 2.2 and 4), from citations or from co-citations.

The positive is a paper that the query cites. Two of a query's five negatives are hard, cited by a paper that the query
cites but not by the query; three are random. Beyond the paper: no negative is linked with the query in either
direction, or is newer than it. A newer paper is uncited for its date, and a model that sees only older positives among
negatives of all years learns dates instead of subjects.

From co-citations (section 6, "task-specific fine-tuning", and table 3) positives are the papers that are most often
cited along with the query, hard negatives those that are cited along with it least often, but at least once; easy ones
are random papers that never are.

They are also drawn from the training files of the SPECTER code: data.json, metadata.json and, if there is one,
train.txt. data.json is {paper: {other paper: {"count": n}}}: 5 for a paper that it cites, 1 for one that a cited paper
cites. metadata.json is {paper: {"title": …, "abstract": …}}, and train.txt names the queries, one a line.
"""

from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from common.arrays import contained, ordered, place_within, unordered
from common.errors import SourceError
from common.progress import progress
from encoders.text import Text
from indexer.citations import Adjacency
from indexer.readers.source import file_named
from training.triplets.sampling import (
    EasyPool,
    Edges,
    Mix,
    Sampled,
    SamplingCounts,
    TrainingCorpus,
    Triplets,
    assemble,
    joined,
    joined_chunks,
)

# Queries at a time: citations of citations are many, and so are papers that are cited together.
_CHUNK = 1024


def specter_triplets(
    corpus: TrainingCorpus, mix: Mix, seed: int = 0, queries: NDArray[np.int64] | None = None
) -> tuple[Sampled, SamplingCounts]:
    """Triplets of `queries`, all papers that cite unless given."""
    queries = corpus.queries if queries is None else queries
    linked = corpus.linked()
    by_year = np.flatnonzero(corpus.candidates)
    by_year = by_year[np.argsort(corpus.years[by_year], kind="stable")]

    def of_chunk(start: int) -> tuple[Sampled, SamplingCounts]:
        some = queries[start : start + _CHUNK]
        years = corpus.years[some]

        def not_newer(at: NDArray[np.int64], papers: NDArray[np.integer]) -> NDArray[np.bool_]:
            return np.asarray((years[at] == 0) | (corpus.years[papers] <= years[at]))

        def possible_negative(at: NDArray[np.int64], papers: NDArray[np.int64]) -> NDArray[np.bool_]:
            keep = (papers != some[at]) & not_newer(at, papers)
            keep[keep] &= ~contained(unordered(some[at[keep]], papers[keep]), linked)
            return np.asarray(keep)

        positions, cited = corpus.cites.of_all(some)
        edges, second = corpus.cites.of_all(cited)
        keys = np.unique(ordered(positions[edges], second))
        places, papers = keys >> 32, keys & 0xFFFFFFFF
        positive, hard = not_newer(positions, cited), possible_negative(places, papers)
        older = np.searchsorted(corpus.years[by_year], years, side="right")
        pool = EasyPool(by_year, np.where(years > 0, older, len(by_year)).astype(np.int64), possible_negative)
        generator = np.random.default_rng([seed, start])
        positives, negatives = (positions[positive], cited[positive]), (places[hard], papers[hard])
        return assemble(some, positives, negatives, pool, mix, generator)

    starts = progress(range(0, len(queries), _CHUNK), f"triplets of {corpus.name}")
    return joined_chunks(map(of_chunk, starts))


def co_citation_triplets(corpus: TrainingCorpus, mix: Mix, seed: int = 0) -> tuple[Sampled, SamplingCounts]:
    """Triplets of all papers that are cited along with another one."""
    citing, cited = corpus.citations().T
    cited_by = Adjacency.from_edges(cited.astype(np.int32), citing.astype(np.int32), len(corpus.years))
    queries = np.unique(cited)
    papers = np.flatnonzero(corpus.candidates)

    def of_chunk(start: int) -> tuple[Sampled, SamplingCounts]:
        some = queries[start : start + _CHUNK]
        generator = np.random.default_rng([seed, start])
        positions, citing_too = cited_by.of_all(some)
        edges, others = corpus.cites.of_all(citing_too)
        keys, often = np.unique(ordered(positions[edges], others), return_counts=True)
        places, together = keys >> 32, keys & 0xFFFFFFFF
        other = together != some[places]
        places, together, often = places[other], together[other], often[other]
        order = np.lexsort((generator.random(len(places)), -often, places))  # ties at random
        places, together = places[order], together[order]
        rank = place_within(places)
        near = rank < mix.triplets
        far = ~near & (rank >= (np.bincount(places, minlength=len(some)) - mix.hard)[places])
        never = np.unique(ordered(places, together))

        def unrelated(at: NDArray[np.int64], drawn: NDArray[np.int64]) -> NDArray[np.bool_]:
            return np.asarray((drawn != some[at]) & ~contained(ordered(at, drawn), never))

        pool = EasyPool.of_all(papers, len(some), unrelated)
        return assemble(some, (places[near], together[near]), (places[far], together[far]), pool, mix, generator)

    starts = progress(range(0, len(queries), _CHUNK), f"co-citations of {corpus.name}")
    return joined_chunks(map(of_chunk, starts))


_DATA, _METADATA, _TRAIN = "data.json", "metadata.json", "train.txt"
_CITED = 2  # counts from here on are citations, lower ones citations of citations


def is_specter(path: Path) -> bool:
    """Whether `path` is a folder of such files, or the data.json in one."""
    return path.is_dir() or (path.name == _DATA and path.with_name(_METADATA).exists())


def read_specter(path: Path, mix: Mix, seed: int = 0) -> Triplets:
    """Draw `mix` for every query.

    Raises:
        SourceError: a file is missing or damaged, or a paper is without text: which one, and where.
    """
    folder = path if path.is_dir() else path.parent
    metadata = _object(folder / _METADATA)
    numbers = {id_: number for number, id_ in enumerate(metadata)}
    texts = [_text(folder / _METADATA, id_, paper) for id_, paper in metadata.items()]
    names, cited, hard, related = _relations(folder, numbers)
    queries = np.asarray([numbers[name] for name in names], np.int64)

    def allowed(at: NDArray[np.int64], drawn: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.asarray((drawn != queries[at]) & ~contained(unordered(queries[at], drawn), related))

    pool = EasyPool.of_all(np.arange(len(texts)), len(queries), allowed)
    # A pair that is cited one way is no hard negative the other way.
    linked = np.unique(unordered(queries[cited[0]], cited[1]))
    keep = ~contained(unordered(queries[hard[0]], hard[1]), linked)
    sampled, _ = assemble(queries, cited, (hard[0][keep], hard[1][keep]), pool, mix, np.random.default_rng(seed))
    return joined([(texts, sampled, linked)])


def _relations(folder: Path, numbers: dict[str, int]) -> tuple[list[str], Edges, Edges, NDArray[np.int64]]:
    """The queries, the papers that they cite, citations of these, and all pairs that data.json names."""
    path = folder / _DATA
    data = _object(path)
    names = _queries(folder, data)
    edges: list[tuple[int, int, int]] = []
    for place, name in enumerate(names):
        if name not in numbers:
            raise SourceError(f"{path}: paper {name!r} is not in {_METADATA}")
        others = data[name]
        if not isinstance(others, dict):
            raise SourceError(f"{path}: what belongs to paper {name!r} is not an object")
        for other, value in others.items():
            if other not in numbers:
                raise SourceError(f"{path}: paper {other!r}, named by {name!r}, is not in {_METADATA}")
            count = value.get("count") if isinstance(value, dict) else None
            if not isinstance(count, int | float):
                raise SourceError(f'{path}: paper {other!r} of {name!r} has no number as "count"')
            if other != name:
                edges.append((place, numbers[other], int(count >= _CITED)))
    table = np.asarray(edges, np.int64).reshape(-1, 3)
    table = table[np.argsort(ordered(table[:, 0], table[:, 1]), kind="stable")]
    own = np.asarray([numbers[name] for name in names], np.int64)
    related = np.unique(unordered(own[table[:, 0]], table[:, 1]))
    cited, hard = (table[table[:, 2] == kind] for kind in (1, 0))
    return names, (cited[:, 0], cited[:, 1]), (hard[:, 0], hard[:, 1]), related


def _queries(folder: Path, data: dict[str, Any]) -> list[str]:
    path = folder / _TRAIN
    if not path.exists():
        return list(data)
    wanted = dict.fromkeys(file_named(path).listed())
    return [name for name in wanted if name in data]


def _object(path: Path) -> dict[str, Any]:
    try:
        value = orjson.loads(file_named(path).text())
    except orjson.JSONDecodeError as error:
        raise SourceError(f"{path} line {error.lineno}: no valid JSON ({error.msg})") from None
    if not isinstance(value, dict):
        raise SourceError(f"{path}: no JSON object of papers")
    return value


def _text(path: Path, id_: str, paper: Any) -> Text:
    title, abstract = (paper.get(part) or "" for part in Text._fields) if isinstance(paper, dict) else ("", "")
    if not isinstance(title, str) or not isinstance(abstract, str) or not (title.strip() or abstract.strip()):
        raise SourceError(f"{path}: paper {id_!r} has neither title nor abstract")
    return Text(title, abstract)
