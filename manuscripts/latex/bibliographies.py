r"""What a LaTeX manuscript cites: the entries of its .bib files, else of a .bbl or a `thebibliography`."""

import posixpath
import re
from dataclasses import replace
from itertools import chain

from common.words import listed
from manuscripts.bibliographies import entries_of_file, once
from manuscripts.files import Files
from manuscripts.formats import is_latex_document
from manuscripts.latex.printed import printed_entries
from manuscripts.manuscript import Entry

_NAMED = re.compile(
    r"\\((?:no|default)?bibliography(?!style|unit(?![A-Za-z]))[A-Za-z]*|addbibresource|addglobalbib|addsectionbib)\*?\s*(?:\[[^\[\]]*\])?\s*\{([^{}]*)\}"
    r"|\\(begin\{ref(?:section|segment)\}|newref(?:section|segment)|putbib)\s*\[([^\[\]]*)\]"
)
_CITES = re.compile(r"\\[A-Za-z@]*cite", re.IGNORECASE)
_OF_TEX = frozenset(("IEEEabrv", "IEEEfull", "IEEEexample", "mrabbrev", "xampl"))  # files that come with TeX
_REVTEX = "@CONTROL{REVTEX"  # in a .bib that this class leaves beside each manuscript
_SHOWN = 3  # paths in a message


def entries_of(files: Files, root: str, text: str) -> tuple[Entry, ...]:
    """The entries of a manuscript whose files, put together, are `text`; what is missing is noted in `files`."""
    found: list[Entry] = []
    folders = (posixpath.dirname(root),)
    named = False
    for command, argument, part, of_part in _NAMED.findall(text):
        for name in filter(None, (one.strip() for one in (argument or of_part).split(","))):
            if part not in ("", "putbib") and not name.endswith(".bib"):  # the label of a file that is named elsewhere
                continue
            named = True
            found += _named(files, command or part, name, folders)
    printed = list(printed_entries(text))
    if not named and _CITES.search(text):  # a class or a style names it; where nothing is cited, other texts do
        found += printed  # what the manuscript lists itself is no other work that lies in its folder
        for path in files.paths(".bib"):
            if _REVTEX not in files.text(path):  # which holds its footnotes
                found += entries_of_file(files, path)
    found += printed
    lists, own = list(files.paths(".bbl")), posixpath.splitext(root)[0] + ".bbl"
    lists = [path for path in lists if path == own or own not in lists or _is_of_chapter(files, path)]
    made = {path: list(printed_entries(files.text(path))) for path in lists}
    if read := [path for path in lists if made[path]]:  # as arXiv has it, beside which the .bib is not needed
        said = f"; {listed(read, _SHOWN)} was read"
        files.notes[:] = [replace(one, text=one.text + said * (one.kind == "bibliography")) for one in files.notes]
    return once(chain(found, *made.values()))


def _is_of_chapter(files: Files, path: str) -> bool:
    """Whether a .bbl lies beside a file of LaTeX that is no document of its own, as chapterbib has it."""
    chapter = posixpath.splitext(path)[0] + ".tex"
    return chapter in files.contents and not is_latex_document(files.text(chapter))


def _named(files: Files, command: str, name: str, folders: tuple[str, ...]) -> list[Entry]:
    asked = f"\\{command}{{{name[:200]}}}"
    if name.removesuffix(".bib") in _OF_TEX and files.find(name, folders, (".bib",)) is None:
        return []
    if re.match(r"https?://", name):
        files.note(f"not read: {asked} is an address")
    elif path := files.named(asked, name, folders, (".bib",)):
        return entries_of_file(files, path)
    return []
