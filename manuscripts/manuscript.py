"""What a manuscript is, whatever file it came in: its text with the citations in it, and its bibliography."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Literal

from common.text import composed
from indexer.paper import Paper

Markup = Literal["latex", "markdown", "typst", ""]  # "" for what writes citations as no command, as Word and PDF do
# How a citation is printed: in brackets, as "Doe (2020)", as "Doe", or as "(2020)".
Form = Literal["", "text", "author", "year"]
NoteKind = Literal["", "entry", "bibliography", "beside", "added to"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in the files of a manuscript."""

    file: str  # from the folder of the manuscript or of its file, with "/"; "" for a file that has no name
    line: int  # from 1


@dataclass(frozen=True, slots=True)
class Note:
    """What could not be read of a manuscript."""

    text: str  # one line
    # "entry": keys that are in no bibliography; "bibliography": a file of entries that can be handed over beside it;
    # "beside": one that lies there and that it does not name; "added to": one that entries cannot be added to.
    kind: NoteKind = ""
    file: str = ""  # the missing or unread file as it is named, perhaps without its ending; "" where there is none

    def is_about(self, path: str) -> bool:
        """Whether the file at this path is the one that was not read."""
        given = PurePosixPath(composed(path))
        return bool(self.file) and PurePosixPath(composed(self.file)).name in (given.name, given.stem)


@dataclass(frozen=True, slots=True)
class Mark:
    """One citation in the text, of one or several works."""

    place: int  # character of its sentence before which it stands
    keys: tuple[str, ...]
    form: Form = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """Plain text without its citations, and where they stand in it."""

    text: str
    marks: tuple[Mark, ...] = ()  # by place
    place: Place | None = field(default=None, compare=False)  # None where the format has no lines, as a PDF
    noted: bool = field(default=False, compare=False)  # whether a note to it, a paragraph of its own, cites something

    def with_marks(self, mark: str = "[CITATION]") -> str:
        """The text with `mark` where something is cited."""
        text = self.text
        for one in reversed(self.marks):
            before, after = text[: one.place].rstrip(), text[one.place :]
            gap = "" if not after or after[0] in " .,;:!?)]”’" else " "
            text = f"{before} {mark}{gap}{after}" if before else f"{mark} {after.lstrip()}"
        return text


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Its sentences; a caption, a footnote and a cell of a table are paragraphs, too."""

    sentences: tuple[Sentence, ...]

    @property
    def text(self) -> str:
        """The sentences without their citations."""
        return " ".join(sentence.text for sentence in self.sentences)


@dataclass(frozen=True, slots=True)
class Section:
    """What stands below one heading, up to the next."""

    heading: str  # "" for what stands before the first
    level: int  # 0 for a chapter or the abstract, 1 for a section, 2 for a subsection, …
    paragraphs: tuple[Paragraph, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One work of the bibliography."""

    key: str
    readings: tuple[Paper, ...]  # what it may name, the likeliest first; one where its fields are known
    source: str = ""  # as it stands in the manuscript's files
    place: Place | None = field(default=None, compare=False)

    @property
    def title(self) -> str:
        """The likeliest title; "" where no reading has one."""
        return next((paper.title for paper in self.readings if paper.title), "")


@dataclass(frozen=True, slots=True)
class BibtexSource:
    """A file of BibTeX that lies beside a manuscript."""

    path: str  # as in `Place`
    data: bytes  # as it is


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A manuscript as far as it could be read."""

    title: str = ""
    abstract: str = ""  # plain text without citations
    sections: tuple[Section, ...] = ()  # in the order of the text; one of them may be the abstract
    entries: tuple[Entry, ...] = ()  # the bibliography, in its order, each key once
    notes: tuple[Note, ...] = ()  # what could not be read: a missing file, a key without an entry
    listed: tuple[str, ...] = ()  # keys that go into the reference list without being cited anywhere (\\nocite)
    authors: tuple[str, ...] = ()  # "First Last", as far as LaTeX, Markdown or Typst names them
    markup: Markup = ""  # in which its source is written
    bibtex: tuple[BibtexSource, ...] = ()  # that hold its entries, those of the most first
    beside: tuple[Entry, ...] | None = None  # what they hold instead, such as beside a document of Word
    # Keys of the entries of a printed list: each counts as cited, since not every citation may be recognised.
    printed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()  # keys of further entries, which were not read because there were too many

    @property
    def unread(self) -> tuple[str, ...]:
        """The notes, a line each."""
        return tuple(note.text for note in self.notes)

    def sentences(self) -> Iterator[Sentence]:
        """Every sentence, in the order of the text."""
        for section in self.sections:
            for paragraph in section.paragraphs:
                yield from paragraph.sentences

    def marks(self) -> Iterator[Mark]:
        """Every citation, in the order of the text."""
        for sentence in self.sentences():
            yield from sentence.marks

    @property
    def keys(self) -> tuple[str, ...]:
        """What is cited, by key, each once, in the order of the first citation; `listed` at the end."""
        cited = (key for mark in self.marks() for key in mark.keys)
        return tuple(dict.fromkeys((*cited, *self.listed)))

    @property
    def keys_without_entry(self) -> tuple[str, ...]:
        """What is cited, or listed, and is not in the bibliography."""
        known = {*(entry.key for entry in self.entries), *self.left_out}
        return tuple(key for key in self.keys if key not in known)

    @property
    def lacks_bibliography(self) -> bool:
        """Whether it cites by keys and no entry was found at all, as where one file of several is handed over."""
        return bool(self.keys) and not self.entries

    @property
    def missing_bibliographies(self) -> tuple[str, ...]:
        """The files of entries that were not found or not read, as they are named."""
        return tuple(note.file for note in self.notes if note.kind in ("bibliography", "beside"))

    @property
    def cited(self) -> tuple[Entry, ...]:
        """The entries that are cited; all of them where the text shows no citations."""
        if not self.keys:
            return self.entries
        keys = {*self.keys, *self.printed}
        return tuple(entry for entry in self.entries if entry.key in keys)
