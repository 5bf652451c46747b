"""The files of a manuscript, in memory, and how one of them names another."""

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from common.text import composed
from indexer.readers import unicode
from manuscripts.formats import TEX
from manuscripts.manuscript import Note, NoteKind

# Files that hold those of a project of Quarto, MyST or Jupyter Book.
SETTINGS = ("_quarto.yml", "_quarto.yaml", "myst.yml", "_toc.yml")
NAMELESS = "manuscript"  # the path of a single file whose name is not known

_OUTSIDE = "leads out of the manuscript's folder"
BIBLIOGRAPHY_OUTSIDE = f"{_OUTSIDE}; copy it there"
MOST_CHARACTERS = 16_000_000  # of a text with all that it takes in
_MARKS = dict.fromkeys(range(0xE000, 0xF900))  # characters of private use: the reading has its own


def decoded(data: bytes) -> str:
    """Bytes in any Unicode encoding, or an older one, as text in NFC; lines end in a line feed."""
    text = composed(unicode.decoded(data))
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_MARKS)


@dataclass(slots=True)
class Files:
    """Every file by its path below the manuscript's folder, `composed`, with "/" and without "..".

    What is missing, or cannot be read, is noted by those who look for it.
    """

    contents: Mapping[str, bytes]
    notes: list[Note] = field(default_factory=list)
    # What the manuscript itself makes (filecontents), and what is made of a file.
    added: dict[str, str] = field(default_factory=dict)
    base: str = ""  # the folder from which it is told where something stands
    opened: dict[str, None] = field(default_factory=dict)  # the paths whose text was read, in that order
    lists: dict[str, None] = field(default_factory=dict)  # the paths of the bibliographies that were read, as `opened`
    # By path and text of a file of Markdown: the text with all that it takes in, which may be taken in many times.
    included: dict[tuple[str, str], str] = field(default_factory=dict)
    _by_small_letters: dict[str, str] = field(default_factory=dict)  # path in small letters → path

    def text(self, path: str) -> str:
        """The text of a file that `find` has found."""
        self.opened.setdefault(path)
        return self.added[path] if path in self.added else decoded(self.contents[path])

    def told(self, path: str) -> str:
        """The path from `base`, which may begin with "../"; "" for a file without a name."""
        return "" if path == NAMELESS else posixpath.relpath(path, self.base or ".")

    def from_base(self, name: str, folder: str) -> str:
        """What a file in `folder` calls `name`, from `base`; names that say by themselves where it is as they are."""
        if folder == self.base or _is_absolute(name):
            return name
        up = "../" * len(PurePosixPath(self.base).parts)
        return posixpath.normpath(posixpath.join(up, folder, name))

    def paths(self, *endings: str) -> Iterator[str]:
        """The paths with one of these endings, those nearest to the top first."""
        every = (path for path in (*self.contents, *self.added) if path.lower().endswith(endings))
        return iter(sorted(set(every), key=lambda path: (path.count("/"), path)))

    def latex(self) -> Iterator[str]:
        """The texts of the files of LaTeX, as which a single file without a name counts."""
        return map(self.text, self.paths(*TEX, NAMELESS))

    def find(self, name: str, folders: tuple[str, ...], endings: tuple[str, ...]) -> str | None:
        """The path of the file that is called `name`, with one of `endings` or as it is, in the first of `folders`.

        Where there is none, it may have other capitals, by which macOS and Windows tell no files apart.
        """
        name = composed(name).strip().strip('"')
        paths = [posixpath.normpath(posixpath.join(folder, name)) for folder in dict.fromkeys((*folders, ""))]
        candidates = [candidate for path in paths for candidate in (*(path + ending for ending in endings), path)]
        for candidate in candidates:
            if candidate in self.contents or candidate in self.added:
                return candidate
        if not self._by_small_letters:
            self._by_small_letters = {path.lower(): path for path in sorted(self.contents)}
        small = (self._by_small_letters.get(candidate.lower()) for candidate in candidates)
        return next(filter(None, small), None)

    def named(self, asked: str, name: str, folders: tuple[str, ...], endings: tuple[str, ...] = ()) -> str | None:
        """The path of what the manuscript names as `asked`; None, and noted, for what is missing or leads outside."""
        file = self.from_base(name.strip().strip('"'), folders[0])
        kind: NoteKind = "bibliography" if ".bib" in endings else ""
        if leads_outside(name, folders):
            self.note(f"not read: {asked} {BIBLIOGRAPHY_OUTSIDE if kind else _OUTSIDE}", kind, file)
        elif (path := self.find(name, folders, endings)) is None:
            self.note(f"not found: {asked}", kind, file)
        else:
            return path
        return None

    def note(self, problem: str, kind: NoteKind = "", file: str = "") -> None:
        """Note what could not be read, as in `Note`; each once."""
        if not any(note.text == problem for note in self.notes):
            self.notes.append(Note(problem, kind, file))


def leads_outside(name: str, folders: tuple[str, ...]) -> bool:
    """Whether a name points out of the manuscript's folder, wherever in it the search begins."""
    if _is_absolute(name):
        return True
    paths = (posixpath.normpath(posixpath.join(folder, name)) for folder in (*folders, ""))
    return all(path.startswith("..") for path in paths)


def _is_absolute(name: str) -> bool:
    """Whether it says by itself where it is, on any system."""
    return name.startswith(("/", "~", "\\")) or name[1:2] == ":"
