"""A BibTeX file of the user's own, to which entries are added: nothing else of it changes."""

from __future__ import annotations

import re
import stat
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from common.errors import SourceError
from common.files import write_atomically
from exports.formats.bibtex import BibtexWriter
from indexer.identity.evidence import title_holds, unlike
from indexer.identity.keys import keys_of
from indexer.original import Original
from indexer.paper import Paper
from indexer.readers import ReadReport
from indexer.readers.base import detect_reader
from indexer.readers.head import HEAD_BYTES, Head
from indexer.readers.reading import papers_of_bytes

_KEY = re.compile(r"^[ \t]*@[ \t]*(?!string|comment|preamble)[a-z]+[ \t]*[{(]\s*([^\s,{}=]+)[ \t]*,", re.I | re.M)
_NEW_FILE = 0o644


class BibtexFile:
    """The file as it was found; `add` writes it anew."""

    def __init__(self, path: Path) -> None:
        """Look at the file, which need not be there yet; a link is followed.

        Raises:
            SourceError: it cannot be read, is not in UTF-8, or holds something else than BibTeX.
        """
        self._name = path
        self._path = path.resolve()
        try:
            self._data = self._path.read_bytes() if self._path.exists() else b""
        except OSError as error:
            raise SourceError(f"{path}: cannot be read ({error.strerror})") from None
        if not self._path.parent.is_dir():
            raise SourceError(f"{path}: there is no folder {self._path.parent}")
        try:
            self._text = self._data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise SourceError(f"{path}: not in UTF-8 (byte {error.start + 1}); convert it, then add to it") from None
        self._known: dict[str, list[Paper]] = defaultdict(list)
        for paper in self._papers():
            self._note(paper)

    def _papers(self) -> list[Paper]:
        if not self._text.strip():
            return []
        reader = detect_reader(Head(str(self._name), self._data[:HEAD_BYTES]))
        if reader is None and "@" not in self._text:
            raise SourceError(f"{self._name}: neither empty nor BibTeX; entries are added to BibTeX files only")
        if reader is not None and reader.name != "bibtex":
            raise SourceError(f"{self._name}: in the format {reader.name}; entries are added to BibTeX files only")
        return list(papers_of_bytes(str(self._name), self._data, ReadReport())) if reader else []

    def _note(self, paper: Paper) -> None:
        for key in keys_of(paper):
            self._known[str(key)].append(paper)

    def holds(self, paper: Paper) -> bool:
        """Whether the file has the paper: its DOI, arXiv id or PMID, or its title where the years agree."""
        for key in keys_of(paper):
            for other in self._known.get(str(key), []):
                if title_holds(paper, other) if key.kind == "title" else not unlike(paper, other):
                    return True
        return False

    def add(self, papers: Iterable[Paper]) -> int:
        """Add those that the file does not have, at its end, in one step; gives their number.

        Raises:
            SourceError: the file was changed since it was looked at, or cannot be written.
        """
        new: list[Paper] = []
        for paper in papers:
            if not self.holds(paper):
                new.append(paper)
                self._note(paper)
        if not new:
            return 0
        writer = BibtexWriter(_KEY.findall(self._text), self._text)
        entries = "\n".join(self._with_its_line_ends(writer.entry(paper), paper.original) for paper in new)
        gap = "" if not self._text.strip() else "\n" if self._text.endswith("\n") else "\n\n"
        ends = "\r\n" if "\r\n" in self._text else "\n"
        added = gap.replace("\n", ends) + entries + self._with_its_line_ends(writer.end(), None)
        try:
            there = self._path.exists()
            if (self._path.read_bytes() if there else b"") != self._data:
                raise SourceError(f"{self._name}: changed meanwhile, nothing was added; run it again")
            mode = stat.S_IMODE(self._path.stat().st_mode) if there else _NEW_FILE
            write_atomically(self._path, self._data + added.encode("utf-8", "replace"), mode)
        except OSError as error:
            raise SourceError(f"{self._name}: cannot be written ({error.strerror}); nothing was added") from None
        return len(new)

    def _with_its_line_ends(self, entry: str, original: Original | None) -> str:
        """Lines end as those of the file; an entry that somebody wrote stays as it is."""
        if "\r\n" not in self._text or (original is not None and original.format == "bibtex"):
            return entry
        return entry.replace("\r\n", "\n").replace("\n", "\r\n")
