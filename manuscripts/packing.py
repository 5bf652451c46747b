"""A manuscript on disk → one block of bytes for the process that reads it: a file as it is, a folder as an archive."""

import io
import os
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from common.errors import SourceError
from common.text import encodable
from common.words import listed
from indexer.readers.head import HEAD_BYTES
from manuscripts import formats
from manuscripts.files import SETTINGS, decoded
from manuscripts.holding import check_name, files_of, is_main
from manuscripts.limits import MAX_ARCHIVE, MAX_BYTES, MAX_FILES, MAX_UNPACKED
from manuscripts.manuscript import Note, NoteKind
from manuscripts.roots import is_about_files, is_called_other
from manuscripts.unpacking import ENDINGS, INNER_ARCHIVE, OF_LATEX, is_clutter

OF_SEVERAL_FILES = (*formats.TEX, *formats.TYPST, *formats.MARKDOWN, formats.NOTEBOOK)
_WITH_PICTURES = (".zip", ".gz", ".tgz", *formats.DOCUMENTS, *formats.TEMPLATES)
_LISTS = (".bib", ".json", ".yml", ".yaml")  # what the settings of a project may name, and these
_SHOWN = 3  # names of files in a message


@dataclass(frozen=True, slots=True)
class Packed:
    """What the reading process gets."""

    data: bytes
    root: str = ""  # path of the main file in an archive, "" where it is to be found; the name of a single file
    notes: tuple[Note, ...] = ()  # what was left behind


def packed(path: Path, unsaved: Mapping[Path, bytes] | None = None) -> Packed:
    """A file, with the files beside it where it may include them, or a folder.

    Of the project of Quarto whose settings lie in a folder above a file, the bibliographies near these are added.

    `unsaved` are contents that files are to have instead of those on disk, or before they are there, by their resolved
    paths.

    Links that lead out of the folder are not followed. A folder is read from the top down, as far as the bounds allow.

    Raises:
        SourceError: it cannot be read, or is too large.
    """
    try:
        if path.is_dir():
            return _folder(path, "", unsaved or {})
        check_name(str(path))
        if path.suffix.lower() in OF_SEVERAL_FILES:
            folder = _project_of(path)
            return _folder(folder, path.absolute().relative_to(folder.absolute()).as_posix(), unsaved or {})
        limit = MAX_ARCHIVE if path.suffix.lower() in _WITH_PICTURES else MAX_BYTES
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror or error})") from None
    if len(data) > limit:
        raise SourceError(f"{path}: the file is larger than {limit >> 20} MB")
    return Packed(data, encodable(path.name))


def packed_files(files: Mapping[str, bytes]) -> bytes:
    """The files of a manuscript by path, such as a browser sends those of a folder, as one archive.

    What can be no part of a manuscript stays out, and so does a folder that all of them lie in. The archive's reader
    checks the paths.

    Raises:
        SourceError: there is no manuscript among them, or there are too many, or they are too large.
    """
    kept = parts_of(files)
    if not any(path.lower().endswith((*formats.MAINS, formats.TEXT, ".zip")) for path in kept):
        raise SourceError(f"there is no manuscript among the files ({formats.KINDS}, or a .txt or .zip)")
    if sum(path.lower().endswith(".zip") for path in kept) > 1:
        raise SourceError("choose one archive, not several")
    alone = [path for path in kept if "/" not in path and path.lower().endswith((*formats.WHOLE, formats.TEXT, ".zip"))]
    if len(alone) > 1 and not any(path.lower().endswith(OF_SEVERAL_FILES) for path in kept):
        raise SourceError(f"choose one manuscript, not several ({listed(sorted(alone), _SHOWN)})")
    if len(kept) > MAX_FILES:
        raise SourceError(f"more than {MAX_FILES:,} files")
    if sum(len(files[path]) for path in kept) > MAX_BYTES:
        raise SourceError(f"the files are larger than {MAX_BYTES >> 20} MB")
    tops = {PurePosixPath(path).parts[:1] for path in kept}
    cut = 1 if len(tops) == 1 and all("/" in path for path in kept) else 0
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for path in sorted(kept):
            name = INNER_ARCHIVE if path.lower().endswith(".zip") else "/".join(path.split("/")[cut:])
            archive.writestr(zipfile.ZipInfo(name), files[path])
    return stream.getvalue()


def parts_of(paths: Iterable[str]) -> list[str]:
    """Those of the paths that a manuscript may be made of; a text or an archive only where there is no other file."""
    clean = [path for path in paths if not any(map(is_clutter, path.split("/")))]
    endings: tuple[str, ...] = (*ENDINGS, formats.TEXT, ".zip")
    if any(path.lower().endswith(formats.MAINS) for path in clean):
        endings = OF_LATEX if any(path.lower().endswith(formats.TEX) for path in clean) else (*ENDINGS, *formats.WHOLE)
    return [path for path in clean if path.lower().endswith(endings)]


def _project_of(path: Path) -> Path:
    """The folder of a file; of one in Markdown that of its project of Quarto, whose settings name the bibliography."""
    for folder in path.absolute().parents if path.suffix.lower() in (*formats.MARKDOWN, formats.NOTEBOOK) else ():
        if any(os.access(folder / name, os.R_OK) for name in SETTINGS):
            return folder
        if is_clutter(folder.name) or folder.is_symlink():  # which would not be entered from above
            break
    return path.parent


def _folder(folder: Path, root: str, unsaved: Mapping[Path, bytes]) -> Packed:
    stream = io.BytesIO()
    notes: list[Note] = []
    links = None if root else notes  # beside a named file they are nothing to it until it names one
    files = files_of(folder, links)
    top = folder.resolve()
    files += [folder / path.relative_to(top) for path in unsaved if path.is_relative_to(top) and not path.exists()]
    main = folder / root
    left, count = MAX_UNPACKED, 0
    with zipfile.ZipFile(stream, "w") as archive:
        for file in _chosen(folder, root, files):
            place, target = file.relative_to(folder), file.resolve()
            data, why = b"", " is a link that leads out of the folder"
            if file == main or target.is_relative_to(top):
                try:
                    data, why = _content(file, unsaved.get(target), left, count)
                except OSError as error:
                    if file == main:
                        raise
                    why = f" ({error.strerror or error})"
            if why and file == main:  # in whose place another one would be read
                raise SourceError(f"{file}: not read{why}")
            if why:
                kind: NoteKind = "beside" if file.suffix.lower() == ".bib" else ""
                notes.append(Note(f"not read: {place}{why}", kind, place.as_posix()))
            else:
                archive.writestr(zipfile.ZipInfo(encodable(place.as_posix())), data)
                left, count = left - len(data), count + 1
    if not any(name.lower().endswith((*formats.MAINS, formats.TEXT)) for name in archive.namelist()):
        for file in files:
            if not is_about_files(str(file)):
                check_name(str(file.relative_to(folder)))
        raise SourceError(f"{folder}: there is no manuscript in it ({formats.KINDS})")
    return Packed(stream.getvalue(), encodable(root), tuple(notes))


def _chosen(folder: Path, root: str, files: Sequence[Path]) -> list[Path]:
    """The files of a folder that may be part of its manuscript: the named one first, then from the top down."""
    main = folder / root
    mains = [] if root else [file for file in files if is_main(file)]
    latex = root.lower().endswith(formats.TEX) if root else _are_latex(mains)
    endings = OF_LATEX if latex else ENDINGS  # a folder of LaTeX may hold any amount of data in JSON
    chosen = [file for file in files if file.suffix.lower() in endings or file == main]
    if "/" in root:
        lists = (file for file in chosen if file.suffix.lower() in _LISTS)
        near = [file for file in lists if file.parent.parent in (folder, folder.parent)]
        chosen = [*{main, *near, *(file for file in chosen if file.is_relative_to(main.parent))}]
    if not root and not any(file.suffix.lower() in OF_SEVERAL_FILES for file in mains):
        documents = [file for file in files if file.suffix.lower() in formats.WHOLE]
        documents = [file for file in documents if file.suffix.lower() in (".docx", ".docm")] or documents[:1]
        chosen += documents or [file for file in files if file.suffix.lower() == formats.TEXT]
    return sorted(chosen, key=lambda file: (file != main, len(file.parts), file))


def _are_latex(mains: Sequence[Path]) -> bool:
    """Whether they are LaTeX, and not Markdown with its preamble, what was made of it, or a letter."""
    tex = [file for file in mains if file.suffix.lower() in formats.TEX]
    if not any(file.suffix.lower() in formats.MARKDOWN for file in mains):
        return bool(tex)
    woven = {file.with_suffix("") for file in mains if file.suffix.lower() in formats.WOVEN}
    tex = [file for file in tex if file.with_suffix("") not in woven and not is_called_other(str(file))]
    return any(map(_is_document, tex))


def _is_document(file: Path) -> bool:
    with file.open("rb") as opened:
        return formats.is_latex_document(decoded(opened.read(HEAD_BYTES)))


def _content(file: Path, unsaved: bytes | None, left: int, count: int) -> tuple[bytes, str]:
    """What a file holds, or `unsaved` instead; or why that is too much beside `count` files, with `left` bytes left."""
    size = file.stat().st_size if unsaved is None else len(unsaved)
    if count == MAX_FILES:
        return b"", f" (the folder holds more than {MAX_FILES:,} files)"
    if size > MAX_BYTES:
        return b"", f" (larger than {MAX_BYTES >> 20} MB)"
    if size > left:
        return b"", f" (the folder holds more than {MAX_UNPACKED >> 20} MB)"
    return file.read_bytes() if unsaved is None else unsaved, ""
