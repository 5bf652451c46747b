r"""A manuscript's files as one text: \input followed, its own macros expanded, comments and verbatim left out.

What TeX would do with a macro that is made of others' parts (\expandafter, delimited parameters, packages) is not
played: such a command stays as it is written.
"""

import posixpath
import re
from collections.abc import Callable

from common.errors import SourceError
from common.text import composed
from indexer.identity.keys import identifier_in
from manuscripts.files import MOST_CHARACTERS, Files, leads_outside
from manuscripts.latex import macros, verbatim
from manuscripts.latex.acronyms import Acronyms, concerns
from manuscripts.latex.commands import REFERENCE_LISTS
from manuscripts.latex.conditions import Conditions
from manuscripts.latex.frames import Frame, argument, going_on, stop_and_space
from manuscripts.latex.groups import after_space, environment_end, group, optional
from manuscripts.latex.macros import Macro
from manuscripts.latex.packages import CHANGES, of_package
from manuscripts.latex.sweave import source

MOST_EXPANSIONS = 200_000
_DEEPEST = 100  # macros and files within each other

_INCLUDING = frozenset(("input", "include", "subfile", "subfileinclude", "loadglsentries", "SweaveInput"))
_INCLUDING_FROM = frozenset(("import", "subimport", "includefrom", "subincludefrom", "inputfrom", "subinputfrom"))
_ENDINGS = (".tex", ".Rnw")  # the latter for \SweaveInput, and where what is made of it is left out
_ENDS_IN_WORD = re.compile(r"\\[A-Za-z@]+$")


class Expansion:
    """Puts one manuscript together."""

    def __init__(self, files: Files, root: str) -> None:
        self._files = files
        self._root = root
        self._top = posixpath.dirname(root)
        self._macros = {
            "jobname": Macro(posixpath.splitext(posixpath.basename(root))[0]),
            "subfix": Macro("#1", (None,)),  # of subfiles: a path as the main file has it
            **CHANGES,
        }
        self._environments: dict[str, tuple[Macro, Macro]] = {}
        self._code = verbatim.Code()
        self._conditions = Conditions(lambda text: macros.replaced(text, self._macros))
        self._acronyms = Acronyms(files.latex())
        self._frames: list[Frame] = []
        self._out: list[str] = []
        self._expansions = self._characters = self._in_list = 0
        self._handlers: dict[str, Callable[[Frame, str], None]] = {
            **dict.fromkeys((*macros.NEW, *macros.NEW_DOCUMENT, *macros.PRIMITIVE), self._define),
            **dict.fromkeys(("newenvironment", "renewenvironment"), self._define_environment),
            **dict.fromkeys(_INCLUDING, self._include),
            **dict.fromkeys(_INCLUDING_FROM, self._include_from),
            **dict.fromkeys(("InputIfFileExists", "IfFileExists"), self._if_there),
            **dict.fromkeys(("usepackage", "RequirePackage"), self._use_package),
            **dict.fromkeys(("url", "path", "nolinkurl", "href"), self._address),
            "let": self._alias,
            **dict.fromkeys(verbatim.INLINE, self._verb),
            **dict.fromkeys(verbatim.DEFINING, self._define_code),
            "lstinputlisting": self._listing,
            "begin": self._begin,
            "end": self._end,
            **dict.fromkeys(("xspace", "onedot", "bmvaOneDot"), self._space),
            "endinput": self._end_file,
            "documentclass": self._class,
        }

    def text(self) -> str:
        """The whole text.

        Raises:
            SourceError: files include each other in a circle, or macros expand without end.
        """
        self._open(self._root)
        while self._frames:
            frame = self._frames[-1]
            found = self._code.special.search(frame.text, frame.place)
            if found is None:
                self._put(frame.text[frame.place :])
                if self._frames.pop().file and self._frames:
                    self._put("\n")
                continue
            self._put(frame.text[frame.place : found.start()])
            frame.place = found.end()
            if found[1]:
                self._command(frame, found[1])
            elif found[0] in self._code.marks:
                frame.place = max(found.end(), verbatim.code_end("verb", frame.text, found.start()))
            elif found[0][0] == "\\":
                self._put(found[0])
            elif frame.text[frame.place : frame.place + 1] == "\n":  # a blank line behind a comment ends a paragraph
                self._put("\n")
        return "".join(self._out)

    def _put(self, text: str) -> None:
        if text:
            if text[0].isalpha() and self._out and _ENDS_IN_WORD.search(self._out[-1][-80:]):
                self._out.append(" ")
            self._out.append(text)

    def _push(self, frame: Frame) -> None:
        self._expansions += 1
        self._characters += len(frame.text)
        if self._expansions > MOST_EXPANSIONS or self._characters > MOST_CHARACTERS or len(self._frames) > _DEEPEST:
            raise SourceError("the manuscript's macros expand without end")
        self._frames.append(frame)

    def _command(self, frame: Frame, name: str) -> None:
        handler = self._handlers.get(name)
        if handler is not None:
            handler(frame, name)
        elif name in self._code.inline:
            self._verb(frame, name)
        elif self._conditions.read(frame, name):
            pass
        elif name in self._macros and all(one.macro != name for one in self._frames):
            self._expand(name, self._macros[name])
        elif not concerns(name) or not self._acronym(name):
            self._put(f"\\{name}")

    def _acronym(self, name: str) -> bool:
        frame = going_on(self._frames)  # \gls may end a macro, and its argument follow
        read = self._acronyms.read(name, frame.text, frame.place)
        if read is not None:
            shown, frame.place = read
            self._push(Frame(shown))
        return read is not None

    def _expand(self, name: str, macro: Macro) -> None:
        arguments = [argument(self._frames, default) for default in macro.parameters]
        frame = self._frames[-1]
        if not macro.parameters:
            frame.place = after_space(frame.text, frame.place)
        self._push(Frame(macro.expanded(arguments), macro=name))

    # Definitions

    def _define(self, frame: Frame, command: str) -> None:
        name, macro, frame.place = macros.definition(command, frame.text, frame.place)
        provided = command.startswith(("provide", "Provide"))
        of_style = self._in_list and (provided or command in macros.PRIMITIVE)  # how BibTeX's sets parts of entries
        if macro is not None and not of_style and not (provided and name in self._macros):
            self._macros[name] = macro

    def _define_environment(self, frame: Frame, command: str) -> None:
        name, parts, frame.place = macros.environment(frame.text, frame.place)
        if parts is not None and verbatim.holds_code(parts[1].body):
            self._code.environments.add(name)
        elif parts is not None:
            self._environments[name] = parts

    def _alias(self, frame: Frame, command: str) -> None:
        name, macro, frame.place = macros.alias(frame.text, frame.place)
        if macro is not None:
            self._macros[name] = self._macros.get(macro.body[1:], macro)

    def _use_package(self, frame: Frame, command: str) -> None:
        """The macros of a style file that comes with the manuscript; what it does to the page is not looked at."""
        _, frame.place = optional(frame.text, frame.place)
        names, frame.place = group(frame.text, frame.place)
        for name in (names or "").split(","):
            self._macros |= of_package(name.strip())
            path = self._files.find(name, (self._top,), (".sty",)) if name.strip() else None
            text = self._files.text(path) if path and path.endswith(".sty") else ""
            for defined, macro in macros.of_style(text):
                self._macros.setdefault(defined, macro)

    # Files

    def _open(self, path: str, folder: str = "") -> None:
        chain = [frame.file for frame in self._frames if frame.file]
        if path in chain:
            circle = " → ".join([*chain[chain.index(path) :], path])
            raise SourceError(f"files of the manuscript include each other in a circle: {circle}")
        self._push(Frame(source(self._files, path), file=path, folder=folder))

    def _include(self, frame: Frame, command: str) -> None:
        _, start = optional(frame.text, frame.place)  # the type of glossary entries
        name, place = group(frame.text, start)
        if name is None:  # \input name, as plain TeX has it
            found = re.compile(r"[ \t]*([^\s\\{}%]+)").match(frame.text, frame.place)
            if not found:
                return
            name, place = found[1], found.end()
        frame.place = place
        self._find_and_open(command, name)

    def _include_from(self, frame: Frame, command: str) -> None:
        folder, frame.place = group(frame.text, frame.place)
        name, frame.place = group(frame.text, frame.place)
        start = self._folders()[0] if command.startswith("sub") else self._top
        self._find_and_open(command, name or "", folder or "", start)

    def _if_there(self, frame: Frame, command: str) -> None:
        """The branch for a file that is there, and the file where it is to be read; else that for one that is not.

        Both for a file that need not lie beside the manuscript, such as a package or a picture.
        """
        name, there, missing = (argument(self._frames, None) for _ in range(3))
        name = macros.replaced(name, self._macros)
        path = self._files.find(name, self._folders(), (".tex",)) if name.strip() else None
        inputs = command == "InputIfFileExists"
        if path and inputs:
            self._open(path, self._folders()[0])
        known = inputs or posixpath.splitext(name.strip())[1].lower() in ("", ".tex", ".bib", ".bbl")
        self._push(Frame(there if path else missing if known else f"{there} {missing}"))

    def _folders(self) -> tuple[str, ...]:
        """Where LaTeX and its packages look for a file, the likeliest first."""
        file = next(frame for frame in reversed(self._frames) if frame.file)
        return (file.folder or self._top, self._top, posixpath.dirname(file.file))

    def _find_and_open(self, command: str, name: str, folder: str = "", start: str = "") -> None:
        name, folder = (macros.replaced(part, self._macros).strip() for part in (name, folder))
        folders = (posixpath.join(start, folder), *self._folders()) if folder else self._folders()
        asked = f"\\{command}{{{posixpath.join(folder, name)[:200]}}}"
        if name and (path := self._files.named(asked, name, folders, _ENDINGS)):
            self._open(path, folders[0] if folder else self._folders()[0])

    def _class(self, frame: Frame, command: str) -> None:
        """An included file that is a document of its own, as those of subfiles and standalone: only what it shows."""
        if frame.file and frame.file != self._root:
            shown = frame.text.find(r"\begin{document}", frame.place)
            frame.place = shown + len(r"\begin{document}") if shown >= 0 else frame.place
        else:
            self._put(f"\\{command}")
            options, place = optional(frame.text, frame.place)
            self._conditions.options |= {option.strip() for option in (options or "").split(",")}
            name, _ = group(frame.text, place)
            self._macros |= of_package((name or "").strip())

    def _end_file(self, frame: Frame, command: str) -> None:
        while not self._frames[-1].file:  # macros within it
            self._frames.pop()
        self._frames[-1].place = len(self._frames[-1].text)

    # Environments and verbatim text

    def _begin(self, frame: Frame, command: str) -> None:
        name, frame.place = group(frame.text, frame.place)
        plain = (name or "").strip()
        if plain and plain.rstrip("*") in self._code.environments:
            self._listing(frame, plain)
            _, frame.place = environment_end(frame.text, plain, frame.place)
        elif plain.rstrip("*") == "filecontents":
            self._file_contents(frame, plain)
        elif plain in self._environments and all(one.macro != plain for one in self._frames):
            self._expand(plain, self._environments[plain][0])
        else:
            self._in_list += plain in REFERENCE_LISTS
            self._put(f"\\begin{{{plain}}}")

    def _file_contents(self, frame: Frame, environment: str) -> None:
        _, frame.place = optional(frame.text, frame.place)
        path, frame.place = group(frame.text, frame.place)
        end, behind = environment_end(frame.text, environment, frame.place)
        if path and not leads_outside(path, (self._top,)):
            name = composed(posixpath.normpath(posixpath.join(self._top, path)))
            self._files.added.setdefault(name, frame.text[frame.place : end].lstrip("\n"))
        frame.place = behind

    def _end(self, frame: Frame, command: str) -> None:
        name, frame.place = group(frame.text, frame.place)
        plain = (name or "").strip()
        if plain == "document":
            self._end_file(frame, command)
            if self._frames[-1].file == self._root:
                self._frames.clear()
                self._put("\\end{document}")
        elif plain in self._environments and all(one.macro != plain for one in self._frames):
            self._push(Frame(self._environments[plain][1].body, macro=plain))
        else:
            self._in_list -= plain in REFERENCE_LISTS
            self._put(f"\\end{{{plain}}}")

    def _verb(self, frame: Frame, command: str) -> None:
        frame.place = verbatim.options_end(command, frame.text, frame.place)
        frame = going_on(self._frames)  # the code may stand behind a macro that ends here
        frame.place = verbatim.code_end(command, frame.text, frame.place)

    def _listing(self, frame: Frame, name: str) -> None:
        caption, frame.place = verbatim.caption(name, frame.text, frame.place)
        self._push(Frame(caption))

    def _define_code(self, frame: Frame, command: str) -> None:
        frame.place = self._code.define(command, frame.text, frame.place)

    def _address(self, frame: Frame, command: str) -> None:
        address, frame.place = verbatim.address(frame.text, frame.place)
        if self._in_list and (name := identifier_in(address)):  # of a work, which the text of a link does not name
            self._put(rf"\href{{{name}}}")

    def _space(self, frame: Frame, command: str) -> None:
        self._put(stop_and_space(self._frames, "" if command == "xspace" else "."))
