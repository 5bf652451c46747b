"""Indexes that evaluation builds for itself, and whether one that is there is of the papers that are to be searched."""

from collections.abc import Callable, Iterable
from pathlib import Path

from citescout.systems import SYSTEMS
from common.errors import SourceError
from eval.corpora import Corpus
from eval.split import RUNS
from eval.trec import run_path
from indexer.builds import build_index
from indexer.changes import reencode
from indexer.generations import served_manifest
from indexer.layout import CURRENT
from indexer.paper import Paper
from indexer.papers_digest import papers_digest
from indexer.readers import read_papers


def index_of_papers(
    papers: Callable[[], Iterable[Paper]], directory: Path, encoder: str | None, source: object
) -> Path:
    """The index of `papers` in `directory`, built unless it is there.

    An index of other papers or citations is refused and not replaced: somebody may have built it, with vectors of
    another kind or in an engine, and it may hold hours of encoding.

    Args:
        papers: Gives the papers again at each call.
        directory: Of the index.
        encoder: That it has to be made with; None for an index without vectors.
        source: What the papers are read from, for messages.

    Raises:
        SourceError: the index that is there was made with another encoder or from other papers or citations, or does
            not record what it was made from.
        IndexDirectoryError, ModelError: see `build_index`.
    """
    if not (directory / CURRENT).is_file():
        build_index(papers(), directory, encoder)
        return directory
    manifest = served_manifest(directory)[1]
    if manifest.encoder != encoder:
        made = manifest.encoder or "none"
        raise SourceError(
            f"{directory} was made with the encoder {made}, not {encoder or 'none'}: ask with --encoder {made} where "
            "the command has it, or delete that folder, and it is built again"
        )
    if manifest.papers_digest is None:
        raise SourceError(
            f"{directory} does not record which papers and citations it was built from (it was added "
            "to): delete that folder, and it is built again"
        )
    if manifest.papers_digest != papers_digest(papers()):
        raise SourceError(
            f"{directory} was built from other papers or citations than {source} has now, and may show what is to be "
            "found: delete that folder, and it is built again"
        )
    return directory


def index_for_systems(
    papers: Callable[[], Iterable[Paper]], directory: Path, encoder: str | None, source: object, any_encoder: bool
) -> Path:
    """The same for systems, which need vectors unless `encoder` is None.

    An index without vectors gets those of `encoder`; one of another encoder is taken where `any_encoder` will do.
    """
    there, made = (directory / CURRENT).is_file(), encoder_of(directory)
    taken = there and (any_encoder or made is None)
    index_of_papers(papers, directory, made if taken else encoder, source)
    if taken and made is None and encoder is not None:
        reencode(directory, encoder)
    return directory


def index_of_corpus(corpus: Corpus, work: Path, encoder: str | None) -> Path:
    """The index of a corpus below `work`; `encoder` is None for who needs no vectors. See `index_of_papers`."""
    directory = work / "indexes" / corpus.name
    return index_for_systems(corpus.papers, directory, encoder, corpus.source, any_encoder=encoder is None)


def index_of_part(folder: Path, part: str, encoder: str | None, any_encoder: bool, scratch: Path | None = None) -> Path:
    """The index of what a part of a split searches, `FOLDER/index-PART`; for the rest see `index_for_systems`.

    With a folder `scratch`, one that is not there yet is built in that.
    """
    papers, directory = folder / f"{part}.papers.jsonl", folder / f"index-{part}"
    if scratch is not None and not (directory / CURRENT).is_file():
        directory = scratch / directory.name
    return index_for_systems(lambda: read_papers([str(papers)]), directory, encoder, papers, any_encoder)


def encoder_of(directory: Path) -> str | None:
    """What made the vectors of an index; None where it has none, or there is no index."""
    return served_manifest(directory)[1].encoder if (directory / CURRENT).is_file() else None


def runs_without_vectors(folder: Path, part: str) -> dict[str, Path]:
    """Runs of a part, by their systems, that would be others if its index had vectors; none where it has some."""
    directory = folder / f"index-{part}"
    if not (directory / CURRENT).is_file() or encoder_of(directory) is not None:
        return {}
    paths = {
        row.name: run_path(folder / RUNS / part, row.name) for row in SYSTEMS.values() if row.settings.uses_vectors
    }
    return {name: path for name, path in paths.items() if path.is_file()}
