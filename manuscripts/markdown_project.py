"""The files of a manuscript in Markdown: what they include, and the chapters of a book of Quarto, bookdown or MyST."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from textwrap import indent
from typing import Any

from common.errors import SourceError
from common.text import composed
from indexer.readers.json_records import mapping
from manuscripts import formats, notebook
from manuscripts.files import MOST_CHARACTERS, SETTINGS, Files, decoded
from manuscripts.markdown_metadata import metadata, parted, without_rules

# A line that stands for a file: of Quarto, MultiMarkdown and iA Writer.
_INCLUDE = re.compile(
    r"^[ \t]*(?:\{\{<\s*include\s+[\"']?([^\"'>\n]+?)[\"']?\s*>\}\}|\{\{([^{}<>\n]+\.(?:md|markdown))\}\}"
    r"|/([^/\n\"][^\n\"]*\.(?:md|markdown))(?:[ \t]+\"[^\"\n]*\")?)[ \t]*$",
    re.MULTILINE,
)
# And one that stands for a note of Obsidian, or for what is below a heading of it, or for its paragraph `^block`.
_EMBEDDED = re.compile(r"^[ \t]*!\[\[(?!@)([^\[\]|#\n]+)(?:#([^\[\]|\n]*))?(?:\|[^\[\]\n]*)?\]\][ \t]*$", re.MULTILINE)
_NO_NOTE = re.compile(
    r"\.(?:avif|base|bmp|canvas|excalidraw|gif|jpe?g|m4a|mkv|mov|mp[34]|og[gv]|pdf|png|svg|wav|webm|webp)$", re.I
)
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.*)$", re.MULTILINE)
_CHILD = re.compile(
    r"^[ \t]*(`{3,}|:{3,})[ \t]*\{(?:r\b(?:[^\n]*[\s,]child\s*=\s*([^\n]*)\}[ \t]*"
    r"|[^\n]*\}[ \t]*\n#\|[ \t]*child:[ \t]*([^\n]*))|include\}([^\n]*))\n"
    r"(?:(?![ \t]*(?:`{3,}|:{3,})[ \t]*\{).*\n)*?[ \t]*\1[ \t]*$",
    re.MULTILINE,
)
_KNIT = re.compile(r"\bknit_child\(([^()\n]*)")
_CHILD_NAME = re.compile(r"[\w./ -]+\.[qr]?md\b", re.IGNORECASE)
_UNNUMBERED = re.compile(r"\s*#[^\n]*\{(?:[^{}\n]*\s)?(?:\.unnumbered|-)(?:\s[^{}\n]*)?\}[ \t]*$", re.MULTILINE)
_RULE = re.compile(r"^---[ \t]*$", re.MULTILINE)
_NUMBER = re.compile(r"(\d{1,3})(?=[ ._-])")
_MOST_IN_ROW = 99  # chapters; of more numbers the files are notes
_DEEPEST = 20
_BELOW = ("chapters", "parts", "sections", "children")  # lists of chapters in one of Quarto, Jupyter Book and MyST


@dataclass(frozen=True, slots=True)
class Book:
    """A book in several files."""

    settings: dict[str, Any]  # as the metadata of a manuscript
    chapters: tuple[str, ...]  # their paths, in order; at least one
    is_article: bool = False  # the only text of a project, which is no part of something else
    is_numbered: bool = False  # whether only the names of its chapters put them in a row


def with_included(files: Files, path: str) -> tuple[dict[str, Any], str]:
    """The metadata of a file, and its text with all that it includes.

    Raises:
        SourceError: files include each other in a circle.
    """
    front, body = _parted(files, path)
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
        settings = settings_at(files, path) if path in files.contents else {}
        book, contents = settings.get("book"), settings.get("toc")
        named: Iterable[str]
        if isinstance(book, dict):
            named = chain(_chapters(book.get("chapters")), _chapters(book.get("appendices")))
            settings = {**settings, **book}
        elif isinstance(article := settings.get("manuscript"), dict):
            named = _chapters(article.get("article"))
        elif isinstance(contents, dict | list):
            named = _chapters(contents)
        elif settings and name == "_bookdown.yml":
            named, settings = _of_bookdown(files, folder, settings.get("rmd_files")), {}
        else:
            continue
        if chapters := _found(files, folder, named):
            is_article = len(chapters) == 1 and not (isinstance(book, dict) or name == "_bookdown.yml")
            return Book(settings, chapters, is_article)
    return _of_defaults(files, folder) or _in_rows(files, folder)


def _found(files: Files, folder: str, named: Iterable[str]) -> tuple[str, ...]:
    """The paths of chapters that settings in a folder name, each once; what is missing is noted."""
    endings = (*formats.MARKDOWN, formats.NOTEBOOK)
    asked = (files.named(f"chapter {one[:200]}", one, (folder,), endings) for one in dict.fromkeys(named))
    return tuple(filter(None, asked))


def _of_defaults(files: Files, folder: str) -> Book | None:
    """The book whose chapters a file of Pandoc's defaults names."""
    for path in files.paths(".yaml", ".yml"):
        if posixpath.dirname(path) != folder or b"input-files:" not in files.contents[path]:
            continue
        found = metadata(files, path, without_rules(files.text(path)))
        if chapters := _found(files, folder, _chapters(found.get("input-files"))):
            return Book({"bibliography": found.get("bibliography"), **mapping(found.get("metadata"))}, chapters)
    return None


def _in_rows(files: Files, folder: str) -> Book | None:
    """The book whose chapters only their numbers put in a row, as those are that Pandoc and Manubot get."""
    every = [path for path in files.paths(*formats.MARKDOWN) if posixpath.dirname(path) == folder]
    # What was made of another, as by knitr, is none: the name's ending that Quarto or R writes goes before.
    woven_last = sorted(every, key=lambda path: path.lower().endswith(formats.WOVEN))
    sources = {path.lower().rpartition(".")[0]: path for path in woven_last}.values()
    named = ((_NUMBER.match(posixpath.basename(path)), path) for path in sources)
    chapters = tuple(path for _, path in sorted((int(number[1]), path) for number, path in named if number))
    # Their texts are decoded here, since what is read of `files` counts as text of the manuscript.
    titled = (formats.has_title(decoded(files.contents[path])) for path in chapters[1:])
    if not 2 <= len(chapters) <= _MOST_IN_ROW or any(titled):
        return None  # papers of their own
    beside = (posixpath.join(place, f"metadata.{ending}") for place in (folder, "") for ending in ("yaml", "yml"))
    path = next((path for path in beside if path in files.contents), None)
    settings = metadata(files, path, without_rules(files.text(path))) if path else {}
    return Book(settings, chapters, is_numbered=True)


def from_top(files: Files, name: str) -> str:
    """The name of a file without the "/" that is the top of a project of Quarto, if there is such a file."""
    return name.lstrip("/") if name.lstrip("/") in files.contents else name


def settings_at(files: Files, path: str) -> dict[str, Any]:
    """What a project's settings say, called as in the metadata of a manuscript; the chapters of MyST are its `toc`."""
    if path.endswith("_toc.yml"):
        beside = posixpath.join(posixpath.dirname(path), "_config.yml")
        config = metadata(files, beside, files.text(beside)) if beside in files.contents else {}
        # A list of files, as Jupyter Book had it before 2021, or more.
        contents = metadata(files, path, "toc:\n" + indent(_RULE.sub("", files.text(path)), " "))
        return {**config, "bibliography": config.get("bibtex_bibfiles"), **contents}
    found = metadata(files, path, files.text(path))
    if path.endswith("myst.yml"):
        project = found.get("project")
        return project if isinstance(project, dict) else {}
    return found


def _chapters(value: object) -> Iterator[str]:
    """The names in a list of files, and of parts and chapters with chapters below."""
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, dict):
            for key in ("root", "part", "file", "href", *_BELOW):
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


def _parted(files: Files, path: str) -> tuple[dict[str, Any], str]:
    text = files.text(path)
    if formats.is_notebook(text):
        text = files.added[path] = notebook.markdown(text)
    return parted(files, path, text)


def _included(files: Files, path: str, text: str, chain: tuple[str, ...]) -> str:
    key = path, text
    if key in files.included:
        return files.included[key]

    def body(asked: str, name: str) -> str:
        other = files.named(f"{asked} {name[:200]}", from_top(files, name), (posixpath.dirname(path),))
        if other is None:
            return ""
        if other in chain or len(chain) > _DEEPEST:
            raise SourceError(f"files of the manuscript include each other in a circle: {' → '.join((*chain, other))}")
        return _included(files, other, _parted(files, other)[1], (*chain, other))

    def children(found: re.Match[str]) -> str:
        value = found[2] or found[3] or found[4]
        names = _CHILD_NAME.findall(value)
        asked = "include" if found[4] else "child"
        if not names:  # a variable of R
            files.note(f"not read: the {asked} {value.strip()[:200]}")
        return "\n\n".join(body(asked, name.strip()) for name in names)

    for asked in _KNIT.findall(text):
        files.note(f"not read: the child {asked[:200]}")
    text = _INCLUDE.sub(lambda found: body("include", (found[1] or found[2] or found[3]).strip()), text)
    text = _CHILD.sub(children, _EMBEDDED.sub(lambda found: _embedded(files, path, found, chain), text))
    if len(text) > MOST_CHARACTERS:
        raise SourceError(f"{path} has more than {MOST_CHARACTERS:,} characters with the files that it takes in")
    files.included[key] = text
    return text


def _embedded(files: Files, path: str, found: re.Match[str], chain: tuple[str, ...]) -> str:
    """What Obsidian shows of a note, wherever that lies; "" for a picture, and in a circle."""
    name, part = found[1].strip(), found[2] or ""
    if _NO_NOTE.search(name):
        return ""
    note = composed(name if name.lower().endswith(formats.MARKDOWN) else f"{name}.md")
    anywhere = (one for one in files.paths(*formats.MARKDOWN) if f"/{one}".endswith(f"/{note}"))
    other = files.find(note, (posixpath.dirname(path),), ()) or next(anywhere, None)
    if other in chain or len(chain) > _DEEPEST:
        return ""
    text = _part(_parted(files, other)[1], part) if other else ""
    if not other or not text.strip():
        files.note(f"not found: the note {'#'.join(filter(None, (name, part)))[:200]}")
        return ""
    return _included(files, other, f"\n\n{text}\n\n", (*chain, other))


def _part(text: str, named: str) -> str:
    """What stands below the heading that is `named`, or the paragraph `^named`, or all; "" where that is missing."""
    if "^" in named:
        mark = f" {named.strip()}"
        paragraphs = re.split(r"\n\s*\n", _HEADING.sub("\n", text))
        return next((one for one in paragraphs if one.rstrip().endswith(mark)), "")
    words = re.findall(r"\w+", named.rpartition("#")[2])
    headings = list(_HEADING.finditer(text))
    found = next((one for one in headings if re.findall(r"\w+", one[2]) == words), None)
    if not words or not found:
        return "" if words else text
    behind = (one.start() for one in headings if one.start() > found.start() and len(one[1]) <= len(found[1]))
    return text[found.start() : next(behind, len(text))]
