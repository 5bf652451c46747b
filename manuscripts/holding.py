"""Which files, folders and archives hold a manuscript, told by names and first bytes."""

import gzip
import os
import zlib
from contextlib import ExitStack, suppress
from pathlib import Path

from common.errors import SourceError
from indexer.readers import ReadReport
from indexer.readers.base import detect_reader
from indexer.readers.head import HEAD_BYTES, Head
from indexer.readers.source import source_files
from manuscripts import formats
from manuscripts.files import SETTINGS, decoded
from manuscripts.limits import MAX_FILES
from manuscripts.manuscript import Note
from manuscripts.roots import is_about_files, is_called_main
from manuscripts.unpacking import is_clutter, names_in

_PERHAPS = (*formats.MARKDOWN, formats.NOTEBOOK, formats.TEXT)  # which are also what lies beside papers
_SURELY = (*formats.TYPST, *formats.WOVEN, *formats.DOCUMENTS)  # whose files are manuscripts, whatever they are called
_OF_DRAFTS = (".lyx",)  # in which people write papers and hardly anything else
_OTHER_MARKUP = (*_OF_DRAFTS, ".org", ".adoc", ".asciidoc", ".rst", ".rest", ".textile")
_ADVICE = {".lyx": "in LyX choose File > Export > LaTeX"}


def check_name(name: str, refused: tuple[str, ...] = _OTHER_MARKUP) -> None:
    """Raise SourceError for a file in a markup that is not read, and would be taken for plain text or for papers."""
    if name.lower().endswith(refused):
        advice = _ADVICE.get(name[-4:].lower(), formats.CONVERT)
        raise SourceError(f"{name}: {formats.UNSUPPORTED}; {advice}")


def check_is_read(path: Path) -> None:
    """The same, and for a folder with such a paper: the bibliography beside it is not what is asked."""
    if not path.is_dir():
        check_name(str(path))
        return
    for file in files_of(path):
        is_paper = file.parent == path and is_called_main(str(file))
        check_name(str(file), _OTHER_MARKUP if is_paper else _OF_DRAFTS)


def check_is_narrow(folder: Path) -> None:
    """Raise SourceError for a home folder, or one around it, with no manuscript at its top: any below may be found."""
    with suppress(RuntimeError):  # who has no home
        around = Path.home().resolve().is_relative_to(folder.resolve())
        if around and not any(is_main(file) for file in folder.glob("*.*")):
            raise SourceError(f"{folder} is a home folder or above it: name the manuscript's own folder or main file")


def holds_manuscript(path: Path) -> bool:
    """Whether a file, a folder or a zip archive is a manuscript rather than papers, by names and first bytes.

    A text of any other name, or Markdown that neither has a title in metadata nor cites, is one where it is the only
    one and there are no papers.
    """
    suffix = path.suffix.lower()
    if path.is_dir():
        files = files_of(path)
        names, surely = list(map(str, files)), any(map(is_main, files))
    elif suffix == ".zip":
        names = names_in(path)[:MAX_FILES]
        surely = any(name.lower().endswith((*formats.TEX, *_SURELY, *SETTINGS)) for name in names)
    else:
        return suffix in (*formats.MAINS, *formats.TEMPLATES, *formats.OTHERS) or (
            path.is_file() and _is_of_arxiv(path)
        )
    perhaps = (name for name in names if name.lower().endswith(_PERHAPS) and not is_about_files(name))
    return surely or (len(list(perhaps)) == 1 and not _holds_papers(path))


def _is_of_arxiv(path: Path) -> bool:
    """Whether it is gzipped LaTeX, or a gzipped tar archive, which no file of papers is."""
    try:
        with gzip.open(path) as file:
            head = file.read(HEAD_BYTES)
    except (OSError, EOFError, zlib.error):
        return False
    return formats.is_tar(head) or formats.is_latex_document(decoded(head))


def _holds_papers(path: Path) -> bool:
    """Whether a folder or an archive has papers, or what cannot be read, of which their reader speaks."""
    try:
        with ExitStack() as closing:
            return any(detect_reader(file.head()) for file in source_files([str(path)], closing, ReadReport()))
    except SourceError:
        return True


def is_main(file: Path) -> bool:
    """Whether a file of a folder is surely its manuscript, or a part of it, as the settings of a project are."""
    suffix = file.suffix.lower()
    if suffix in _SURELY or file.name in SETTINGS:
        return True
    if suffix not in (*formats.TEX, *formats.MARKDOWN, formats.TEXT) or is_about_files(str(file)):
        return False
    try:
        with file.open("rb") as opened:
            data = opened.read(HEAD_BYTES)
    except OSError:
        return False
    if suffix == formats.TEXT:
        return is_called_main(str(file)) and not detect_reader(Head(str(file), data))
    head = decoded(data)
    if suffix in formats.TEX:
        return formats.is_latex(head)
    return is_called_main(str(file)) or formats.is_markdown(head)


def files_of(folder: Path, notes: list[Note] | None = None) -> list[Path]:
    """The files below a folder, nearest first, without clutter; folders that are links are not entered.

    Raises:
        OSError: the folder cannot be read; what cannot be read below it is passed over, as others' folders in /tmp.
    """
    found: list[Path] = []
    unread: list[str] = []
    level = [folder]
    while level and len(found) < 20 * MAX_FILES:
        below: list[Path] = []
        for parent in level:
            try:
                entries = _listed(parent)
            except OSError as error:
                if parent == folder:
                    raise
                unread.append(f"{parent.relative_to(folder)} ({error.strerror})")
                continue
            for entry in entries:
                with suppress(OSError):  # of links in a circle
                    if entry.is_dir(follow_symlinks=False):
                        below.append(Path(entry.path))
                    elif entry.is_dir():
                        unread.append(f"{Path(entry.path).relative_to(folder)} is a link to a folder")
                    elif entry.is_file():
                        found.append(Path(entry.path))
        level = below
    if notes is not None:
        notes.extend(Note(f"not read: {one}") for one in unread)
    return found


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    return sorted((entry for entry in os.scandir(folder) if not is_clutter(entry.name)), key=lambda entry: entry.name)
