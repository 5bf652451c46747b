"""Indexes that evaluation builds for itself, and whether one that is there is of the papers that are to be searched."""

from collections.abc import Callable, Iterable
from pathlib import Path

from citescout.systems import systems
from common.errors import SourceError
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


def index_of_part(folder: Path, part: str, encoder: str | None, vectors: bool) -> Path:
    """The index of what a part of a split searches, `FOLDER/index-PART`; for errors see `index_of_papers`.

    Without a need of `vectors` it is built without, and one that is there may have those of any encoder. Once they are
    needed, it gets those of `encoder`.
    """
    papers, directory = folder / f"{part}.papers.jsonl", folder / f"index-{part}"
    wanted = expected = encoder if vectors else None
    if (directory / CURRENT).is_file():
        made = served_manifest(directory)[1].encoder
        if made is None or not vectors:
            expected = made
    index_of_papers(lambda: read_papers([str(papers)]), directory, expected, papers)
    if wanted is not None and expected is None:
        reencode(directory, wanted)
    return directory


def runs_without_vectors(folder: Path, part: str) -> dict[str, Path]:
    """Runs of a part, by their systems, that would be others if its index had vectors; none where it has some."""
    directory = folder / f"index-{part}"
    if not (directory / CURRENT).is_file() or served_manifest(directory)[1].encoder is not None:
        return {}
    paths = {
        row.name: run_path(folder / RUNS / part, row.name) for row in systems().values() if row.settings.uses_vectors
    }
    return {name: path for name, path in paths.items() if path.is_file()}
