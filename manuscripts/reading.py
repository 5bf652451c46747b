"""The bytes of a manuscript, in a format recognised by content → a `Manuscript`."""

import posixpath
import re
from collections.abc import Callable
from dataclasses import replace

from common.errors import SourceError
from common.text import composed, one_line
from manuscripts import formats
from manuscripts.bibliographies import bounded, entries_of_file, notes_on_keys, once, with_bibtex
from manuscripts.draft import Draft
from manuscripts.files import NAMELESS, Files, decoded
from manuscripts.limits import MAX_REFERENCES
from manuscripts.manuscript import Manuscript, Markup, Note
from manuscripts.places import located
from manuscripts.roots import root_of

# RTF, HTML, Org, AsciiDoc, reStructuredText, LyX: as plain text their markup would be searched for. Or an archive,
# or JSON, such as the .gdoc that Google's Drive has in place of a document.
_FORMATTED = re.compile(
    r"\s*(?:PK\x03\x04|\{\s*\"\w+\"\s*:|\{\\rtf|<!doctype html|<html|#\+\w+:|#LyX |= \w|([=#*~^])\1{2,}\r?\n.+\n\1{3})",
    re.IGNORECASE,
)
# XML, such as that of journals; what is called Markdown may begin with a comment.
_XML = re.compile(r"\s*<(?:[!?]|(?:article|body|book|html|tei|\w+:(?:document|package))\b)", re.IGNORECASE)
# How the archives begin that Word, LibreOffice and their kin write, and what Word wrote before.
_DOCUMENT = re.compile(
    rb"PK.{28}(?:\[Content_Types\]\.xml|_rels/\.rels|word/\w+\.xml|docProps/|mimetypeapplication/vnd\.oasis)", re.DOTALL
)
_ZIP = b"PK"  # how a document of Word or LibreOffice begins, and an archive
_GZIP = b"\x1f\x8b"  # as arXiv gives the sources of a paper
_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".7z", ".rar")
_OLDER = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MOST_NOTES = 50
_LONGEST_NAME = 200  # characters of it in a message
_GIVE_MAIN_FILE = ": of a part of a manuscript, such as a chapter, give the main file"


def read(data: bytes, root: str = "", part: bool = False, placed: bool = True) -> Manuscript:
    """A single file, which is called `root`, or an archive whose main file that is, or else is looked for.

    It is all of a manuscript, or a `part` of it, such as a chapter or a draft without a title. If it is `placed`, its
    sentences and entries know where they stand.

    Raises:
        SourceError: it is no manuscript, or damaged, beyond bounds, or has neither title nor abstract nor, as a part,
            any text; says why.
    """
    if data.startswith(_GZIP):
        from manuscripts.unpacking import ungzipped

        data = ungzipped(data)
        if not data.startswith(_ZIP) and not formats.is_latex(decoded(data)):
            raise SourceError(formats.UNSUPPORTED)
    if data.startswith(_ZIP) and not (_reader_of_document(data) or _is_document(data, root)):
        manuscript, files = _of_archive(data, root)
    else:
        files = Files({NAMELESS: data})
        manuscript = _of_file(files, NAMELESS, root)
    if manuscript.entries and not manuscript.keys:
        from manuscripts.typed_citations import with_typed_citations  # its patterns take 40 ms

        manuscript = with_typed_citations(manuscript)
    draft = Draft(manuscript.title, manuscript.abstract).shortened()
    if not (draft.title or draft.abstract or (part and next(manuscript.sentences(), None))):
        why = _GIVE_MAIN_FILE if manuscript.lacks_bibliography else ""
        why = f"; {files.notes[0].text}" if files.notes else why
        raise SourceError(f"no title and no abstract found, of which one is needed{why}")
    for note in notes_on_keys(manuscript):
        files.note(note.text, note.kind)
    manuscript = bounded(manuscript)
    if left_out := len(manuscript.left_out):
        files.note(f"of the bibliography {left_out:,} entries were left out: more than {MAX_REFERENCES:,} are not read")
    if placed:
        manuscript = located(manuscript, files)
    manuscript = with_bibtex(manuscript, files)
    notes = tuple(files.notes)
    if len(notes) > _MOST_NOTES:
        notes = (*notes[:_MOST_NOTES], Note(f"and {len(notes) - _MOST_NOTES:,} more"))
    return replace(manuscript, title=draft.title, abstract=draft.abstract, notes=notes)


def _of_archive(data: bytes, root: str) -> tuple[Manuscript, Files]:
    from manuscripts.unpacking import names_in, unpacked

    files = Files(unpacked(data), base=posixpath.dirname(root))
    main = composed(root) if composed(root) in files.contents else root_of(files)
    names = names_in(data)
    inner = [one_line(name)[:_LONGEST_NAME] for name in names if name.lower().endswith(_ARCHIVES)]
    if main is None and any(name.endswith(".iwa") for name in names):
        raise SourceError("a document of Pages: export it as Word (.docx)")
    if main is None:
        why = f"; unpack {inner[0]} first, which is in it" if inner else f" ({formats.KINDS})"
        raise SourceError(f"there is no manuscript in the archive{why}")
    if main.lower().endswith(formats.TEXT):  # perhaps a letter beside the manuscript
        for name in inner:
            files.note(f"not read: {name}", file=name)
    try:
        return _of_file(files, main, main), files
    except SourceError as error:
        raise SourceError(f"{main}: {error}" if main.lower().endswith(formats.WHOLE) else str(error)) from None


def _reader_of_document(data: bytes) -> Callable[[Files, bytes], Manuscript] | None:
    """Who reads this document of Word or LibreOffice; None for any other file."""
    if not data.startswith(_ZIP):
        return None
    from manuscripts.word_parts import is_of_word, is_open_document

    if is_of_word(data):
        from manuscripts import word

        return word.read
    if is_open_document(data):
        from manuscripts import open_document

        return open_document.read
    return None


def _is_document(data: bytes, name: str) -> bool:
    """Whether a file is one of a word processor, by its name or its beginning, though it may be damaged."""
    return name.lower().endswith((*formats.DOCUMENTS, *formats.TEMPLATES)) or _DOCUMENT.match(data) is not None


def _refused(data: bytes, name: str) -> SourceError:
    if data.startswith(_OLDER):
        return SourceError("a document of Word before 2007, or an encrypted one: save it as .docx, without a password")
    if name.lower().endswith(formats.WHOLE) or _DOCUMENT.match(data):
        return SourceError("the document is damaged, or no .docx, .odt or .pdf")
    if name.lower().endswith(formats.OTHERS):
        return SourceError(f"{formats.UNSUPPORTED}; save it as .docx where it was written")
    return SourceError(formats.UNSUPPORTED if b"\0" in data[:4096] else f"{formats.UNSUPPORTED}; {formats.CONVERT}")


def _of_file(files: Files, path: str, called: str) -> Manuscript:
    """What the file at `path` holds, which is `called` so for who handed it over."""
    # Readers are imported where they are needed: all of them take longer than a chapter does.
    files.opened.clear()  # of what was looked at to find the main file
    data, name = files.contents[path], (called or path).lower()
    if reader := _reader_of_document(data):
        return reader(files, data)
    if formats.is_pdf(data):
        from manuscripts import pdf_text

        return pdf_text.read(files, data)
    text = decoded(data)
    markup = _markup_of(text, name)
    if markup == "typst":
        from manuscripts.typst import reading as typst

        return replace(typst.read(files, path), markup=markup)
    if markup == "latex":
        from manuscripts.latex import reading as latex

        return replace(latex.read(files, path), markup=markup)
    if markup == "markdown":
        return _of_markdown(files, path, text)
    if markup is None:
        raise _refused(data, called)
    from manuscripts import plain_text

    found = plain_text.manuscript(files.text(path))
    if found.entries or not (beside := list(files.paths(".bib", ".ris"))):
        return found
    return replace(found, entries=once(entry for one in beside for entry in entries_of_file(files, one)))


def _markup_of(text: str, name: str) -> Markup | None:
    """What a text is written in by its name in small letters and its content; "" is plain, None what is not read."""
    is_markdown, is_latex = name.endswith(formats.MARKDOWN), name.endswith(formats.TEX)
    is_named = is_markdown or is_latex
    if formats.is_notebook(text):
        return "markdown"
    if name.endswith(formats.TYPST) or (not is_named and formats.is_typst(text)):
        return "typst"
    if _FORMATTED.match(text) or (not is_named and _XML.match(text)) or "\0" in text[:4096]:
        return None
    is_latex |= formats.is_latex_document(text) and not text.lstrip().startswith("---")
    if is_markdown or (not is_latex and formats.is_markdown(text)):
        return "markdown"
    is_plain = name.endswith(".txt")  # which may tell of other formats: only of a whole document it is believed
    return "latex" if is_latex or (not is_plain and formats.is_latex(text)) else ""


def _of_markdown(files: Files, path: str, text: str) -> Manuscript:
    from manuscripts import markdown_source, plain_text
    from manuscripts.markdown_project import book_of

    found = replace(markdown_source.read(files, path), markup="markdown")
    # Without metadata title and abstract may stand there as in a text that is pasted.
    described = formats.is_notebook(text) or text.lstrip().startswith("---")
    if described or (found.title and found.abstract) or book_of(files, path):
        return found
    draft = plain_text.read(_plain(found))
    return replace(found, title=found.title or draft.title, abstract=found.abstract or draft.abstract)


def _plain(manuscript: Manuscript) -> str:
    """What was read, as plain text."""
    parts = [(section.heading, *(one.text for one in section.paragraphs)) for section in manuscript.sections]
    text = "\n\n".join(filter(None, (line for part in parts for line in part)))
    return text if text.startswith(manuscript.title) else f"{manuscript.title}\n\n{text}"
