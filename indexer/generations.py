"""Opening the generation that is served, and its encoder."""

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from common.errors import IndexDirectoryError, ModelError
from encoders.base import Encoder
from encoders.model import folder_named
from encoders.picked_texts import TextsOnDemand
from encoders.text import Text
from indexer.catalog import Catalog
from indexer.citations import CitationGraph, load_array
from indexer.directory import read_current
from indexer.layout import CURRENT, GENERATION_PREFIX, LAYOUT
from indexer.leases import lease
from indexer.manifest import Manifest
from indexer.outside import OutsideWorks
from indexer.vectors import DEFAULT_KIND, KINDS, Floats, read_codes


@dataclass(frozen=True, slots=True)
class OpenGeneration:
    """A generation that is being read; no writer deletes it before it is closed."""

    folder: Path
    manifest: Manifest
    catalog: Catalog
    graph: CitationGraph  # removed papers have no citations in it
    years: NDArray[np.int16]  # (docids,), 0 where unknown
    removed: NDArray[np.bool_]  # (docids,)
    outside: OutsideWorks  # what papers cite beside them
    lease: BinaryIO

    @property
    def name(self) -> str:
        """Such as gen-000002."""
        return self.folder.name

    def vectors(self) -> Floats:
        """The vector of every docid as the index keeps it, shape (docids, dimension), memory-mapped.

        Raises:
            IndexDirectoryError: the file is missing or damaged, or an engine has the vectors.
        """
        if self.manifest.engine:
            raise IndexDirectoryError(
                f"{self.folder.parent} has its vectors in {self.manifest.engine.address}: this needs an index without "
                "--engine"
            )
        if self.manifest.vectors == DEFAULT_KIND:
            return load_array(self.folder / LAYOUT.originals)
        return read_codes(self.folder / LAYOUT.vectors).view(KINDS[self.manifest.vectors].kept)

    def close(self) -> None:
        """Let the generation go."""
        self.catalog.close()
        self.lease.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


class CatalogTexts(TextsOnDemand):
    """Every docid's title and abstract; both are empty where a docid is no paper (any more).

    The generation must stay open while they are read.
    """

    def __init__(self, generation: OpenGeneration) -> None:
        """Of an open generation."""
        self._generation = generation

    def __len__(self) -> int:
        return len(self._generation.removed)

    def _read(self, docid: int) -> Text:
        if self._generation.removed[docid]:
            return Text("", "")
        return self._generation.catalog.texts([docid])[0]


def load_encoder(name: str, unit: bool = True) -> Encoder:
    """The encoder of that name, for documents; what has to be assumed of its use is logged.

    Without `unit`, vectors keep the lengths that the model gives them.

    Raises:
        ModelError: it cannot be loaded.
    """
    from encoders import loading  # OpenVINO: only where it is needed

    encoder = loading.load_encoder(name, unit=unit)
    loading.warn_of_assumptions(encoder)
    return encoder


def check_not_moved(generation: OpenGeneration) -> None:
    """Say how an index gets the new place of its encoder, if that is a folder which is not there any more.

    Raises:
        ModelError: it is.
    """
    folder = Path(generation.manifest.encoder or "")
    if folder.is_absolute() and not folder.exists():
        raise ModelError(
            f"no model folder at '{folder}', whose vectors the index has: if it was moved, `citescout re-encode "
            f"--index {generation.folder.parent} --encoder FOLDER` tells the index where it is now, and encodes nothing"
        )


def encoder_of(generation: OpenGeneration) -> Encoder | None:
    """The encoder that made the vectors of a generation; None where it has none.

    Raises:
        ModelError: it cannot be loaded, its folder is not there any more, or another model stands in it by now, such as
            one that was trained again: its vectors would be compared with those of the first.
    """
    name = generation.manifest.encoder
    if name is None:
        return None
    from encoders import loading  # torch: only where it is needed

    check_not_moved(generation)
    encoder = loading.load_encoder(name)
    if folder_named(name).is_dir() and encoder.digest != generation.manifest.encoder_digest:
        raise ModelError(f"the encoder in {name} is not the one that the index was built with: build the index again")
    return encoder


def served_manifest(directory: Path) -> tuple[str, Manifest]:
    """Name and manifest of the served generation, without opening its files.

    Raises:
        IndexDirectoryError: no such folder, no index in it, or a damaged manifest.
    """
    folder, manifest, held = _hold(directory)
    held.close()
    return folder.name, manifest


def open_generation(directory: Path, full_check: bool = False) -> OpenGeneration:
    """Open the served generation of an index directory; `full_check` compares all checksums even of a large one.

    Raises:
        IndexDirectoryError: no such folder, no index in it, or a missing or damaged file.
    """
    folder, manifest, held = _hold(directory)
    folder = folder.absolute()  # its files are opened later, too, wherever the process has changed to
    try:
        manifest.check(folder, full_check)
        return OpenGeneration(
            folder=folder,
            manifest=manifest,
            catalog=Catalog(folder / LAYOUT.catalog),
            graph=CitationGraph.load(folder / LAYOUT.graph),
            years=load_array(folder / LAYOUT.years),
            removed=load_array(folder / LAYOUT.removed),
            outside=OutsideWorks.load(folder / LAYOUT.outside),
            lease=held,
        )
    except IndexDirectoryError:
        held.close()
        raise
    except OSError as error:
        held.close()
        raise IndexDirectoryError(f"cannot read {error.filename or folder}: {error.strerror}") from None


def _hold(directory: Path) -> tuple[Path, Manifest, BinaryIO]:
    """The served generation, with a lease on it."""
    if not directory.is_dir():
        raise IndexDirectoryError(
            f"no index directory {directory}: build one with `citescout index SOURCE --index DIR`"
        )
    served = read_current(directory)
    while served is not None:
        folder = directory / served.name
        if held := lease(folder):
            try:
                return folder, Manifest.read(folder, served.manifest), held
            except IndexDirectoryError:
                held.close()
                raise
        # A writer has swapped and deleted it since CURRENT was read, or it is not there at all.
        before, served = served, read_current(directory)
        if served == before:
            raise IndexDirectoryError(
                f"{directory / CURRENT} names {served.name!r}, which is not there: build the index again"
            )
    if any(directory.glob(f"{GENERATION_PREFIX}*")):
        raise IndexDirectoryError(
            f"{directory / CURRENT} is missing, because no build was completed or it was deleted: build the index again"
        )
    raise IndexDirectoryError(f"{directory} is not an index (it has no file {CURRENT})")
