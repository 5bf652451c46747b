"""BibTeX of the user's own, to which entries are added: nothing else of it changes."""

import re
import stat
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from common.errors import SourceError
from common.files import alone_with, behind_links, write_atomically
from exports.citation_keys import Keys, own_key
from exports.formats.bibtex import BibtexWriter, parents_last
from indexer.identity.holdings import Holdings
from indexer.paper import Paper
from indexer.readers import ReadReport
from indexer.readers.base import detect_reader
from indexer.readers.bibtex_keys import keys_in, unclosed_line
from indexer.readers.formats.bibtex import untitled
from indexer.readers.head import HEAD_BYTES, Head
from indexer.readers.reading import papers_of_bytes
from manuscripts.formats import MAINS

_BIBTEX = re.compile(rb"^[ \t]*@[ \t]*\w+[ \t\r\n]*[{(]", re.MULTILINE)
_LINE_END = re.compile(r"\r\n?|\n")
_TRIES = 5
_PATIENCE = 10  # seconds
_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class BibtexText:
    """The content of a BibTeX file as it was found."""

    def __init__(
        self,
        name: str,
        data: bytes,
        holds: Iterable[Paper],
        taken: Iterable[str] = (),
        given: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Of a file of that name.

        Args:
            name: For messages.
            data: Its bytes.
            holds: The papers that its entries are, each with its key as id.
            taken: Keys that stand elsewhere, such as in other bibliographies of the same manuscript.
            given: Keys under which papers are to be added, by their ids; another where the file has it.

        Raises:
            SourceError: it is not in UTF-8, or ends within an entry.
        """
        self.data = data
        try:
            self._text = data.decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            raise SourceError(f"{name}: not in UTF-8 (byte {error.start + 1}); convert it, then add to it") from None
        if (line := unclosed_line(self._text)) is not None:
            raise SourceError(f"{name}, line {line}: this entry is not closed; close it, then add to the file")
        self._ends = next((ends for ends in ("\r\n", "\n", "\r") if ends in self._text), "\n")
        self._writer = BibtexWriter(Keys((*keys_in(self._text), *taken), given), self._text)
        self.holdings = Holdings(holds)

    def key(self, paper: Paper) -> str:
        """The key under which a paper that it does not have is added."""
        return self._writer.key(paper)

    def reserve(self, papers: Iterable[Paper]) -> None:
        """Give papers the keys under which they are added, first those that bring one, whatever stands before them."""
        for paper in sorted(papers, key=lambda paper: not own_key(paper)):
            self._writer.key(paper)

    def with_entries(self, papers: Iterable[Paper]) -> bytes:
        """The content with entries of these papers at its end."""
        ordered = parents_last(papers)
        self.reserve(ordered)
        entries = "\n".join(map(self._writer.entry, ordered)) + self._writer.end()
        if not entries:
            return self.data
        entries = _LINE_END.sub(self._ends, entries)  # of owners' entries, too, whatever theirs end in
        gap = self._ends * (0 if not self._text.strip() else 1 if self._text.endswith(("\n", "\r")) else 2)
        return self.data + (gap + entries).encode("utf-8", "replace")


class BibtexFile:
    """A file as it was found; `add` rewrites it."""

    def __init__(self, path: Path) -> None:
        """Look at the file, which need not be there yet; a link is followed.

        Raises:
            SourceError: it is no file, cannot be read, is read-only or not in UTF-8, ends within an entry, or holds
                something else than BibTeX.
        """
        self._name = path
        self._path = behind_links(path)
        self._text = self._found()

    def _found(self) -> BibtexText:
        path = self._name
        if self._path.exists() and not self._path.is_file():
            raise SourceError(f"{path}: a device, pipe or folder, and no file that could be added to")
        try:
            data = self._path.read_bytes() if self._path.exists() else b""
        except OSError as error:
            raise SourceError(f"{path}: cannot be read ({error.strerror})") from None
        if not self._path.parent.is_dir():
            raise SourceError(f"{path}: there is no folder {self._path.parent}")
        if self._path.exists() and not self._path.stat().st_mode & _WRITABLE:  # it could be replaced all the same
            raise SourceError(f"{path}: read-only, so nothing is added to it")
        return BibtexText(str(path), data, self._papers(data))

    def _papers(self, data: bytes) -> Iterable[Paper]:
        data = data.removeprefix(BOM_UTF8)
        if not data.strip():
            return
        reader = detect_reader(Head(str(self._name), data[:HEAD_BYTES]))
        comments = all(line.lstrip().startswith(b"%") for line in data.splitlines() if line.strip())
        is_text = str(self._name).lower().endswith(MAINS)  # a manuscript, which may hold some BibTeX
        if is_text or (reader is None and not _BIBTEX.search(data) and not comments):
            raise SourceError(f"{self._name}: neither empty nor BibTeX; entries are added to BibTeX files only")
        if reader is not None and reader.name != "bibtex":
            elsewhere = "--format and --out write a file of their own"
            raise SourceError(
                f"{self._name}: in the format {reader.name}; entries are added to BibTeX alone; {elsewhere}"
            )
        if reader:
            found = list(papers_of_bytes(str(self._name), data, ReadReport()))
            yield from (*found, *untitled(data.decode("utf-8", "replace"), {paper.id for paper in found}))

    def add(self, papers: Iterable[Paper]) -> int:
        """Add those that the file does not have, at its end, in one step; gives their number.

        Where the file was changed since it was looked at, it is looked at again.

        Raises:
            SourceError: the file cannot be added to any more, is changed again and again, or cannot be written.
        """
        wanted = list(papers)
        for _ in range(_TRIES):
            new = self._text.holdings.take(wanted)
            if not new or self._replaced(self._text.with_entries(new)):
                return len(new)
            self._text = self._found()
        raise SourceError(f"{self._name}: changed again and again meanwhile, nothing was added; run it again")

    def _replaced(self, data: bytes) -> bool:
        """Write the file; False where it is not any more what it was."""
        busy = SourceError(f"{self._path}: another process is adding to it; run it again")
        try:
            with alone_with(self._path.with_name(f".{self._path.name}.lock"), busy, _PATIENCE):
                there = self._path.exists()
                if (self._path.read_bytes() if there else b"") != self._text.data:
                    return False
                write_atomically(self._path, data)
                return True
        except OSError as error:
            raise SourceError(f"{self._name}: cannot be written ({error.strerror}); nothing was added") from None
