"""The manifest of a generation: what it was made from, and a checksum of every file."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Self

import orjson

from common.errors import IndexDirectoryError, os_errors
from common.files import sha256, write_atomically
from indexer.engines.address import EngineAddress, EngineRecord
from indexer.layout import FORMAT_VERSION, LAYOUT, data_files
from indexer.recall import Recall
from indexer.structures import FLAT
from indexer.vector_choice import SEARCHES, VectorChoice, VectorOptions
from indexer.vectors import DEFAULT_KIND, KINDS

# Below this size all checksums are compared when an index is opened; above it, sizes (and checksums by `verify`).
_CHECK_FULLY_BYTES = 256 * 2**20
# A removed paper still counts in BM25's statistics and takes its place in every file; docs/index.md has what that does.
_COMPACT_SHARE = 0.1
_RECORDS = {"recall": Recall, "eight_bits": Recall, "asked": VectorOptions, "engine": EngineRecord}  # fields that are


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
    removed: int = 0  # papers marked as removed but still in the files
    encoder: str | None = None  # registered name, folder or hub id; None without vectors
    encoder_digest: str | None = None  # of its weights and tokenizer: the name may stand for another model one day
    dimension: int | None = None
    created: str = ""  # ISO 8601, UTC; said when it is written
    vectors: str = DEFAULT_KIND  # the kind of the codes
    search: str = FLAT  # the search structure over them
    asked: VectorOptions = field(default_factory=VectorOptions)  # of the build
    recall: Recall | None = None  # of the dense search; None where it compares the vectors themselves
    eight_bits: Recall | None = None  # what 8 bits kept, where 16 were taken in their place
    engine: EngineRecord | None = None  # that holds texts and vectors; None where they are in the directory
    # Of the papers offered to the build (`indexer.papers_digest`); None where some were added or removed since.
    papers_digest: str | None = None
    encoder_assumed: str | None = None  # how the encoder is used although its files do not say so
    format_version: int = FORMAT_VERSION
    files: dict[str, FileEntry] = field(default_factory=dict)

    @property
    def docid_count(self) -> int:
        """Docids given so far: the length of every array by docid."""
        return self.papers + self.removed

    @property
    def choice(self) -> VectorChoice:
        """How vectors are kept and searched."""
        return VectorChoice(self.vectors, self.search)

    @property
    def texts_elsewhere(self) -> bool:
        """Whether an engine has the texts, rather than Lucene in the directory."""
        return self.engine is not None and EngineAddress.parsed(self.engine.address).holds_texts

    @property
    def bytes(self) -> int:
        """Size of all files but the manifest."""
        return sum(entry.size for entry in self.files.values())

    @property
    def worth_compacting(self) -> bool:
        """Whether so much was removed that a compaction pays."""
        return self.removed > _COMPACT_SHARE * self.docid_count

    def write(self, generation: Path, linked: Mapping[str, FileEntry]) -> str:
        """Add the checksums of all files in `generation`, write the manifest beside them, return its own SHA-256.

        `linked` are files that an earlier generation shares. Their checksums are taken from its manifest, so that a
        file damaged since then does not pass for sound.
        """
        files = {path.relative_to(generation).as_posix(): path for path in data_files(generation)}
        entries = {
            name: linked.get(name) or FileEntry(path.stat().st_size, sha256(path)) for name, path in files.items()
        }
        record = asdict(replace(self, files=entries))
        data = orjson.dumps(record, option=orjson.OPT_INDENT_2)
        write_atomically(generation / LAYOUT.manifest, data)
        return hashlib.sha256(data).hexdigest()

    @classmethod
    def read(cls, generation: Path, digest: str | None = None) -> Self:
        """Read and check the manifest; `digest` is the SHA-256 that it must have, where that is known.

        Raises:
            IndexDirectoryError: it cannot be read, is damaged, or was written by another format version.
        """
        path = generation / LAYOUT.manifest
        with os_errors(IndexDirectoryError, f"read {path}"):
            data = path.read_bytes()
        try:
            record = orjson.loads(data)
            _check_format(record, generation)
            record["files"] = {name: FileEntry(**entry) for name, entry in record["files"].items()}
            for name, kind in _RECORDS.items():
                record[name] = record[name] and kind(**record[name])
            manifest = cls(**record)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise IndexDirectoryError(f"{path} is damaged ({error}): build the index again") from None
        if digest is not None and hashlib.sha256(data).hexdigest() != digest:
            raise IndexDirectoryError(f"{path} is damaged (not what was written): build the index again")
        if manifest.vectors not in KINDS or manifest.search not in SEARCHES:
            raise IndexDirectoryError(
                f"{generation} keeps vectors as {manifest.vectors!r} and searches by {manifest.search!r}, "
                f"this program knows {', '.join(KINDS)} and {', '.join(SEARCHES)}: build the index again"
            )
        return manifest

    def check(self, generation: Path, full: bool = False) -> None:
        """Compare the files with the manifest: sizes always, checksums when `full` or when the index is small.

        Raises:
            IndexDirectoryError: a file is missing or not what was written.
        """
        self.check_parts(generation)
        full = full or self.bytes <= _CHECK_FULLY_BYTES
        for name in self.files:
            self.check_file(generation, name, full)

    def check_file(self, generation: Path, name: str, full: bool = True) -> None:
        """The same of one file."""
        path, entry = generation / name, self.files[name]
        if not path.is_file():
            raise IndexDirectoryError(f"{path} is missing: build the index again")
        if path.stat().st_size != entry.size or (full and sha256(path) != entry.sha256):
            raise IndexDirectoryError(f"{path} is damaged (not what was written): build the index again")

    def check_parts(self, generation: Path) -> None:
        """Raise IndexDirectoryError if the manifest lacks a part of the layout."""
        needed = LAYOUT.required(self.texts_elsewhere)
        if self.encoder is not None and self.engine is None:
            needed += [LAYOUT.vectors, *([LAYOUT.structure] if self.search != FLAT else [])]
            needed += [LAYOUT.originals] if self.vectors == DEFAULT_KIND else []
        present = {LAYOUT.manifest, *self.files, *(name.partition("/")[0] for name in self.files)}
        if missing := [path for path in needed if path not in present]:
            raise IndexDirectoryError(f"{generation / LAYOUT.manifest} lacks {missing[0]}: build the index again")


def _check_format(record: Mapping[str, object], generation: Path) -> None:
    """Before anything else is read of a manifest: other versions have other fields."""
    version = record["format_version"]
    if version != FORMAT_VERSION:
        newer = isinstance(version, int) and version > FORMAT_VERSION
        advice = "install the citescout that wrote it, or a newer one" if newer else "build the index again"
        raise IndexDirectoryError(
            f"{generation} has index format {version}, this program reads {FORMAT_VERSION}: {advice}"
        )
