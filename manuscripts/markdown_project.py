"""The files of a manuscript in Markdown: what they include, and the chapters of a book of Quarto or bookdown."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from common.errors import SourceError
from manuscripts.files import SETTINGS, Files
from manuscripts.markdown_metadata import metadata, parted

_INCLUDE = re.compile(r"^[ \t]*\{\{<\s*include\s+[\"']?([^\"'>\n]+?)[\"']?\s*>\}\}[ \t]*$", re.MULTILINE)
_CHILD = re.compile(
    r"^[ \t]*(`{3,})[ \t]*\{r\b(?:[^\n]*[\s,]child\s*=\s*([^\n]*)\}[ \t]*"
    r"|[^\n]*\}[ \t]*\n#\|[ \t]*child:[ \t]*([^\n]*))\n"
    r"(?:.*?\n)??[ \t]*\1[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_CHILD_NAME = re.compile(r"[\w./ -]+\.[qr]?md\b", re.IGNORECASE)
_UNNUMBERED = re.compile(r"\s*#[^\n]*\{(?:[^{}\n]*\s)?(?:\.unnumbered|-)(?:\s[^{}\n]*)?\}[ \t]*$", re.MULTILINE)
_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class Book:
    """A book in several files."""

    settings: dict[str, Any]  # as the metadata of a manuscript
    chapters: tuple[str, ...]  # their paths, in order; at least one


def with_included(files: Files, path: str) -> tuple[dict[str, Any], str]:
    """The metadata of a file, and its text with all that it includes.

    Raises:
        SourceError: files include each other in a circle.
    """
    front, body = parted(files, path)
    return front, _included(files, path, body, (path,))


def book_of(files: Files, path: str) -> Book | None:
    """The book of which the file at `path` is the first chapter."""
    book = book_at(files, posixpath.dirname(path))
    return book if book and book.chapters[0] == path else None


def is_unnumbered(chapter: str) -> bool:
    """Whether a chapter's heading says that it has no number, as those around a book's text do."""
    return _UNNUMBERED.match(chapter) is not None


def book_at(files: Files, folder: str) -> Book | None:
    """The book whose settings lie in this folder."""
    for name in (*SETTINGS, "_bookdown.yml"):
        path = posixpath.join(folder, name)
        settings = metadata(files, path, files.text(path)) if path in files.contents else {}
        book = settings.get("book")
        if isinstance(book, dict):
            named = list(_chapters(book.get("chapters"))) + list(_chapters(book.get("appendices")))
            settings = {**settings, **book}
        elif settings and name == "_bookdown.yml":
            named, settings = _of_bookdown(files, folder, settings.get("rmd_files")), {}
        else:
            continue
        found = (files.named(f"chapter {chapter[:200]}", chapter, (folder,)) for chapter in dict.fromkeys(named))
        if chapters := tuple(chapter for chapter in found if chapter):
            return Book(settings, chapters)
    return None


def _chapters(value: object) -> Iterator[str]:
    """The names in a list of files, and of parts and chapters with chapters below."""
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, dict):
            for key in ("part", "file", "href", "chapters"):
                below = one.get(key)
                if key != "part" or str(below).lower().endswith((".qmd", ".md", ".rmd")):  # else it is a heading
                    yield from _chapters(below)
        elif isinstance(one, str):
            yield one


def _of_bookdown(files: Files, folder: str, named: object) -> list[str]:
    """`index.Rmd`, and then those that are named, for each format or for all, or else all of the folder."""
    lists = named.values() if isinstance(named, dict) else [named]
    names = [name for one in lists for name in _chapters(one)]
    if not names:
        below = (path for path in files.paths(".rmd") if posixpath.dirname(path) == folder)
        names = [name for name in map(posixpath.basename, below) if not name.startswith("_")]
    return sorted(names, key=lambda name: name.lower() != "index.rmd")


def _included(files: Files, path: str, text: str, chain: tuple[str, ...]) -> str:
    def body(asked: str, name: str) -> str:
        other = files.named(f"{asked} {name[:200]}", name, (posixpath.dirname(path),))
        if other is None:
            return ""
        if other in chain or len(chain) > _DEEPEST:
            raise SourceError(f"files of the manuscript include each other in a circle: {' → '.join((*chain, other))}")
        return _included(files, other, parted(files, other)[1], (*chain, other))

    def children(found: re.Match[str]) -> str:
        value = found[2] or found[3]
        names = _CHILD_NAME.findall(value)
        if not names:  # a variable of R
            files.note(f"not read: the child {value.strip()[:200]}")
        return "\n\n".join(body("child", name.strip()) for name in names)

    return _CHILD.sub(children, _INCLUDE.sub(lambda found: body("include", found[1].strip()), text))
