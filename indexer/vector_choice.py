"""Which kind of code, and which search structure: as asked for, or by the number of papers and the memory there is.

The rule of `auto`, with n papers of d dimensions: the first of these that fits the memory.

    1  fp16 codes, scanned      while they are at most 1 GB, about 0.1 s a query on one core
    2  sq8 codes, scanned       the same
    3  fp16 codes, HNSW         codes and links in memory: n · (2d + 272) bytes
    4  sq8 codes, HNSW          n · (d + 272) bytes
    5  sq8 codes, IVF-PQ        n · (d / 8 + 8) bytes and centroids in memory, codes on disk

What the user names outright is kept, and only the rest is chosen. Where nothing is said of codes they have 8 bits. Of
8 bits that were not named, a build makes 16 where they lose too much (`finer`).
"""

from dataclasses import dataclass, replace
from math import ceil

from common.errors import VectorChoiceError
from indexer.structures import FLAT, STRUCTURES
from indexer.vectors import DEFAULT_KIND, FINER_KIND, KINDS, code_size

AUTO = "auto"
SEARCHES = (FLAT, *STRUCTURES)
SCANNED_BYTES = 10**9  # of codes, that a query may scan

_PREFERENCE = (("fp16", FLAT), ("sq8", FLAT), ("fp16", "hnsw"), ("sq8", "hnsw"), ("sq8", "ivfpq"))


@dataclass(frozen=True, slots=True)
class VectorChoice:
    """What an index has."""

    kind: str = DEFAULT_KIND  # of `KINDS`
    search: str = FLAT  # of `SEARCHES`


@dataclass(frozen=True, slots=True)
class VectorOptions:
    """What was asked for."""

    kind: str | None = None  # of `KINDS`, or auto; None for 8 bits, or 16 where these lose too much
    search: str = FLAT  # of `SEARCHES`, or auto
    memory: int | None = None  # bytes that a search may keep in memory; None for as many as it likes


def memory(choice: VectorChoice, papers: int, dimension: int) -> int:
    """Bytes that a search keeps in memory."""
    codes = papers * code_size(dimension, choice.kind)
    if choice.search == FLAT:
        return codes
    structure = STRUCTURES[choice.search]
    return structure.memory(papers, dimension) + (0 if structure.maps_codes else codes)


def check_options(options: VectorOptions) -> None:
    """Raise VectorChoiceError if a name is unknown; choosing itself needs the number of papers."""
    for option, name, known in (("--vectors", options.kind, KINDS), ("--search", options.search, SEARCHES)):
        if name not in {AUTO, None} and name not in known:
            raise VectorChoiceError(f"{option} must be one of {', '.join([*known, AUTO])}, not {name!r}")


def choose(options: VectorOptions, papers: int, dimension: int) -> VectorChoice:
    """The choice for a corpus.

    Raises:
        VectorChoiceError: an unknown name, or nothing that was asked for fits the memory or the number of papers.
    """
    check_options(options)
    named = [(options.kind or DEFAULT_KIND, search) for search in SEARCHES]
    possible = [
        VectorChoice(kind, search)
        for kind, search in (_PREFERENCE if options.kind == AUTO else named)
        if options.search in {AUTO, search} and papers >= least_papers(search)
    ]
    if not possible:
        raise VectorChoiceError(
            f"--search {options.search} needs at least {least_papers(options.search):,} papers, there are {papers:,}: "
            "take --search flat"
        )
    fitting = [
        choice for choice in possible if options.memory is None or memory(choice, papers, dimension) <= options.memory
    ]
    if not fitting:
        least = min(memory(choice, papers, dimension) for choice in possible)
        raise VectorChoiceError(
            f"vectors of {papers:,} papers with {dimension} dimensions take at least {least:,} bytes as "
            f"--vectors {options.kind or DEFAULT_KIND} --search {options.search}, not the {options.memory or 0:,} of "
            f"--memory: index with --memory {ceil(least / 1e6)}MB or more"
        )
    if options.search != AUTO:
        return fitting[0]
    quick = (one for one in fitting if one.search != FLAT or memory(one, papers, dimension) <= SCANNED_BYTES)
    return next(quick, fitting[0])


def finer(options: VectorOptions, choice: VectorChoice, papers: int, dimension: int) -> VectorChoice | None:
    """The same with 16 bits in place of 8; None where 8 were named, or where 16 do not fit the memory."""
    if choice.kind != DEFAULT_KIND or options.kind == DEFAULT_KIND:
        return None
    other = replace(choice, kind=FINER_KIND)
    return other if options.memory is None or memory(other, papers, dimension) <= options.memory else None


def least_papers(search: str) -> int:
    """Papers that a way to search needs at least."""
    return STRUCTURES[search].minimum if search in STRUCTURES else 1
