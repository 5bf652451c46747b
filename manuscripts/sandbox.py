"""Files that anybody may have made are parsed in a process of their own, which is bounded and may be killed."""

from collections.abc import Mapping
from dataclasses import replace
from os.path import normpath, relpath
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import orjson

from common.bounded import parsed
from common.errors import SourceError
from indexer.paper import Paper
from manuscripts.bibliographies import with_bibliography
from manuscripts.files import BIBLIOGRAPHY_OUTSIDE
from manuscripts.formats import DOCUMENTS, MARKDOWN, OTHERS, TEX, TYPST
from manuscripts.limits import MAX_ARCHIVE, MAX_BIBTEX_FILES, MAX_BYTES, OWN_PATIENCE, PATIENCE
from manuscripts.manuscript import BibtexSource, Manuscript, Note
from manuscripts.manuscript_json import manuscript_of, paper_of
from manuscripts.packing import OF_SEVERAL_FILES, Packed, packed

_MISSING = "there is no such file"
_LISTS = (".bib", ".json")  # what is read outside of a manuscript's folder
_ENDINGS = (*TEX, *MARKDOWN, *TYPST, *DOCUMENTS, *OTHERS, ".txt")  # that say more than the content


Task = Literal["manuscript", "part", "unsaved", "references", "bibliography", "paper"]


def read_manuscript(source: str | Path | bytes, part: bool = False, name: str = "") -> Manuscript:
    """A manuscript in LaTeX, Typst, Markdown, Word, LibreOffice, PDF or plain text: a file, folder, archive or bytes.

    A file's format is recognised by its content. Files that a named one includes are looked for in its folder, and
    those of BibTeX and CSL-JSON where the manuscript says: one of somebody else is given as bytes, or as an archive. A
    `part` of one, such as a chapter, needs neither title nor abstract, but text. Of the `name` of a file whose bytes
    are given the ending counts.

    Raises:
        SourceError: it is none of these, damaged, too large, takes too long, holds files that include each other in a
            circle, or has neither title nor abstract nor, as a part, any text.
    """
    task: Task = "part" if part else "manuscript"
    if isinstance(source, bytes):
        ending = PurePosixPath(name).suffix.lower()  # of a name that anybody may have made
        return manuscript_of(_run(task, source, f"manuscript{ending}" if ending in _ENDINGS else ""))
    path = Path(source)
    return with_outside(_read(path, packed(path), task), path)


def read_within(source: Path, unsaved: Mapping[Path, bytes]) -> Manuscript:
    """A part of a manuscript, or all of it, by the files of its folder alone.

    `unsaved` are contents that files are to have instead, by their resolved paths. Sentences and entries do not know
    where they stand: to find that takes half of the time.

    Raises:
        SourceError: as `read_manuscript`.
    """
    return _read(source, packed(source, unsaved), "unsaved")


def _read(source: Path, handed: Packed, task: Task) -> Manuscript:
    try:
        found = manuscript_of(_run(task, handed.data, handed.root, limit=MAX_ARCHIVE, patience=OWN_PATIENCE))
    except SourceError as error:
        raise SourceError(f"{source}: {error}") from None
    left: list[Note] = []
    missing = found.notes
    for note in handed.notes:
        named = [one for one in missing if note.file and one.is_about(note.file)]  # why they are missing is known
        left += [replace(note, kind=one.kind, file=one.file) for one in named[:1]] or [note]
        missing = tuple(one for one in missing if one not in named)
    return replace(found, notes=(*left, *missing))


def with_outside(manuscript: Manuscript, source: Path, unsaved: Mapping[Path, bytes] | None = None) -> Manuscript:
    """With the files of BibTeX and CSL-JSON that the manuscript at `source` names outside of its folder, or links to.

    Only for the user's own: that a manuscript names a file is all that says that it may be read. Of one that is
    missing, or cannot be read, the notes say so. `unsaved` as of `read_within`.
    """
    if not (source.is_dir() or source.suffix.lower() in OF_SEVERAL_FILES):  # archives are anybody's
        return manuscript
    folder = source if source.is_dir() else source.parent
    named = [note for note in manuscript.notes if note.kind == "bibliography"]
    for note in named[:MAX_BIBTEX_FILES]:
        try:
            path = Path(normpath(folder / Path(note.file).expanduser()))
            if path.suffix.lower() not in _LISTS:
                if path.is_file():  # in a format that is read within the folder alone
                    continue
                path = Path(f"{path}.bib")
            read, place = _bibliography(path, unsaved or {}), Path(relpath(path, folder)).as_posix()
        except (OSError, SourceError, RuntimeError, ValueError) as error:  # RuntimeError: there may be no user ~name
            # A ValueError is a name that no file can have; each Python says so in other words.
            why = _MISSING if isinstance(error, ValueError) else getattr(error, "strerror", None) or error
            said = replace(note, text=note.text.replace(BIBLIOGRAPHY_OUTSIDE, f"cannot be read: {why}"))
            notes = [said if one == note else one for one in manuscript.notes]
            manuscript = replace(manuscript, notes=tuple(notes))
        else:
            manuscript = with_bibliography(manuscript, place, read)
    return manuscript


def _bibliography(path: Path, unsaved: Mapping[Path, bytes]) -> Manuscript:
    """What a file of BibTeX or CSL-JSON holds: its entries, and of BibTeX its bytes, also of an empty one."""
    file = path.resolve()
    if file.suffix.lower() != path.suffix.lower() or not file.is_file():  # a link may lead to anything
        raise SourceError(_MISSING)
    data = unsaved.get(file)
    if data is None:
        with file.open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    if not data.strip() and path.suffix.lower() == ".bib":
        return Manuscript(bibtex=(BibtexSource(path.name, data),))
    return manuscript_of(_run("bibliography", data, path.name))


def read_references(data: bytes) -> tuple[list[Paper], str]:
    """The works in a bibliography (BibTeX, RIS, CSL-JSON, a workbook, …), and what of it was skipped and why, or "".

    It may be compressed, or in a zip archive. They are the first 2,000, without abstracts.

    Raises:
        SourceError: it is in no known format, damaged, too large, or takes too long.
    """
    found = _run("references", data)
    return [paper_of(record) for record in found["works"]], found["skipped"]


def read_pdf(data: bytes) -> dict[str, Any]:
    """Title, abstract, doi, arxiv, year and authors of a paper as PDF.

    Raises:
        SourceError: it is damaged, encrypted, too large, takes too long, or its first pages hold no text.
    """
    record: dict[str, Any] = _run("paper", data)
    return record


def _run(task: Task, data: bytes, root: str = "", limit: int = MAX_BYTES, patience: float | None = None) -> Any:
    if not data.strip():
        raise SourceError("the file is empty")
    if len(data) > limit:
        raise SourceError(f"the file is larger than {limit >> 20} MB")
    return orjson.loads(parsed("manuscripts.worker", (task, root), data, patience or PATIENCE))
