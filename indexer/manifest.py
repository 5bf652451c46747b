"""The manifest of a generation: what it was made from, and a checksum of every file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path

import orjson

from common.errors import IndexDirectoryError
from common.files import sha256, write_atomically
from indexer.layout import FORMAT_VERSION, LAYOUT, data_files

# Below this size all checksums are compared when an index is opened; above it, sizes (and checksums by `verify`).
_CHECK_FULLY_BYTES = 256 * 2**20


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file of the generation."""

    size: int  # bytes
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a generation is."""

    papers: int
    citations: int  # links within the corpus
    removed: int  # papers marked as removed but still in the files
    encoder: str | None  # preset name, folder or hub id; None without vectors
    dimension: int | None
    created: str  # ISO 8601, UTC
    skipped_records: int = 0
    replaced_records: int = 0
    format_version: int = FORMAT_VERSION
    files: dict[str, FileEntry] = field(default_factory=dict)

    def write(self, generation: Path) -> None:
        """Add the checksums of all files in `generation` and write the manifest beside them."""
        record = asdict(self)
        record["files"] = {
            str(path.relative_to(generation)): {"size": path.stat().st_size, "sha256": sha256(path)}
            for path in data_files(generation)
        }
        write_atomically(generation / LAYOUT.manifest.path, orjson.dumps(record, option=orjson.OPT_INDENT_2))

    @classmethod
    def read(cls, generation: Path) -> Manifest:
        """Read and check the manifest.

        Raises:
            IndexDirectoryError: missing, damaged, or written by another format version.
        """
        path = generation / LAYOUT.manifest.path
        try:
            record = orjson.loads(path.read_bytes())
            record["files"] = {name: FileEntry(**entry) for name, entry in record["files"].items()}
            manifest = cls(**record)
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise IndexDirectoryError(f"{path} is missing or damaged ({error}): build the index again") from None
        if manifest.format_version != FORMAT_VERSION:
            raise IndexDirectoryError(
                f"{generation} has index format {manifest.format_version}, this program reads {FORMAT_VERSION}: "
                "build the index again"
            )
        return manifest

    def check(self, generation: Path, full: bool = False) -> None:
        """Compare the files with the manifest: sizes always, checksums when `full` or when the index is small.

        Raises:
            IndexDirectoryError: a file is missing or not what was written.
        """
        for part in LAYOUT.required():
            if part != LAYOUT.manifest.path and not any(Path(name).parts[:1] == (part,) for name in self.files):
                raise IndexDirectoryError(f"{generation / LAYOUT.manifest.path} lacks {part}: build the index again")
        full = full or sum(entry.size for entry in self.files.values()) <= _CHECK_FULLY_BYTES
        for name, entry in self.files.items():
            path = generation / name
            if not path.is_file():
                raise IndexDirectoryError(f"{path} is missing: build the index again")
            if path.stat().st_size != entry.size or (full and sha256(path) != entry.sha256):
                raise IndexDirectoryError(f"{path} is damaged (not what was written): build the index again")
