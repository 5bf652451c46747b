"""Indexes that evaluation builds for itself, and whether one that is there is of the papers that are to be searched."""

from collections.abc import Callable, Iterable
from pathlib import Path

from common.errors import SourceError
from indexer.builds import build_index
from indexer.generations import served_manifest
from indexer.layout import CURRENT
from indexer.paper import Paper
from indexer.papers_digest import papers_digest


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
