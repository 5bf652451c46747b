"""The manuscript that is open in an editor, with what is not saved of it, and the sentence with the cursor."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from os.path import lexists, normpath
from pathlib import Path

from common.errors import SourceError
from editors.open_citation import HERE
from manuscripts import Manuscript
from manuscripts.formats import MARKDOWN, TEX, TYPST, WOVEN
from manuscripts.holding import files_of, holds_manuscript
from manuscripts.roots import CLASS, root_named
from manuscripts.sandbox import read_within, with_outside
from manuscripts.unpacking import ENDINGS


@dataclass(frozen=True, slots=True)
class OpenDraft:
    """What is being written, as far as it could be read."""

    manuscript: Manuscript
    folder: Path  # in which the paths of its files begin
    sentence: str  # with a mark where the key goes; "" where the cursor stands in no sentence
    missing: Path | None = None  # the first file of BibTeX that the draft names and nobody has made yet

    def on_disk(self, edited: Collection[Path]) -> dict[Path, tuple[int, int]]:
        """Nanoseconds of the last change, and bytes, of each file that may be part of it and is not among `edited`."""
        files = [self.folder / one.path for one in self.manuscript.bibtex]  # perhaps in a folder above
        with suppress(OSError):
            files += files_of(self.folder)
        found: dict[Path, tuple[int, int]] = {}
        for path in {Path(normpath(file)) for file in files} - set(edited):
            if path.suffix.lower() in ENDINGS:
                with suppress(OSError):
                    found[path] = ((status := path.stat()).st_mtime_ns, status.st_size)
        return found


def open_draft(path: Path, text: str, unsaved: Mapping[Path, str], folders: Sequence[Path]) -> OpenDraft:
    """The draft that the file at `path` is part of.

    Args:
        path: Absolute.
        text: Of this file, with `HERE` as a key.
        unsaved: Texts of the editor's other files, by path.
        folders: That the editor works in: above these only the settings of a project of Quarto are looked for.

    Raises:
        SourceError: nothing of it can be read; says why.
    """
    contents = {one.resolve(): text.encode(errors="replace") for one, text in {**unsaved, path: text}.items()}
    partial: OpenDraft | None = None
    why: SourceError | None = None
    for source in _sources(path, text, folders):
        try:
            manuscript = read_within(source, contents)
        except SourceError as error:
            if source == path:
                why = error
            continue
        if source != path and HERE not in manuscript.keys:
            continue  # another draft
        manuscript = with_outside(manuscript, source, contents)
        folder = source if source.is_dir() else source.parent
        found = OpenDraft(manuscript, folder, _sentence(manuscript), _missing(manuscript, folder))
        listed = manuscript.entries or manuscript.bibtex or manuscript.missing_bibliographies
        if found.sentence and (manuscript.title or manuscript.abstract) and (listed or not _is_chapter(path, text)):
            return found
        if partial is None or (found.sentence and not partial.sentence):
            partial = found
    if partial is None:
        raise why or SourceError(f"{path}: cannot be read")
    return partial


def _sources(path: Path, text: str, folders: Sequence[Path]) -> Iterator[Path]:
    """What may be the whole manuscript, the likeliest first."""
    if named := root_named(text):
        yield Path(normpath(path.parent / named))
    alone = path.suffix.lower() in MARKDOWN or not _is_chapter(path, text)
    if alone:
        yield path
    yield from (folder for folder in _around(path, folders) if holds_manuscript(folder))
    if not alone:
        yield path


def _is_chapter(path: Path, text: str) -> bool:
    """Whether another file has to name the bibliography, in Quarto and R Markdown unless its project does."""
    suffix = path.suffix.lower()
    if suffix in TEX:
        return not CLASS.search(text)
    if suffix in TYPST:
        return "bibliography" not in text
    return suffix in WOVEN and not text.lstrip().startswith("---")


def _around(path: Path, folders: Sequence[Path]) -> Iterator[Path]:
    """The file's folder, and those above it that the editor works in, the nearest first."""
    yield path.parent
    works_in = [folder for folder in folders if path.is_relative_to(folder)]
    yield from (parent for parent in path.parents[1:] if any(parent.is_relative_to(folder) for folder in works_in))


def _missing(manuscript: Manuscript, folder: Path) -> Path | None:
    named = (Path(normpath(folder / name)) for name in manuscript.missing_bibliographies)
    files = [file.with_suffix(".bib") for file in named if file.suffix in ("", ".bib")]
    new = (file for file in files if file.parent.is_dir() and file.is_relative_to(folder) and not lexists(file))
    return next(new, None)


def _sentence(manuscript: Manuscript) -> str:
    for sentence in manuscript.sentences():
        for mark in sentence.marks:
            if HERE in mark.keys and sentence.text.strip():
                return replace(sentence, marks=(mark,)).with_marks()
    return ""
