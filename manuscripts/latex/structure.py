r"""The text of a manuscript whose files are put together → sections, paragraphs, citations."""

import re
from collections.abc import Callable, Sequence

from manuscripts.latex import commands
from manuscripts.latex.citations import COMMAND, citation, cites, split_keys
from manuscripts.latex.groups import environment_end, group, optional
from manuscripts.latex.texts import arguments_end, last_option, readable
from manuscripts.manuscript import Section
from manuscripts.text_building import TextBuilder, only_refers

_SPECIAL = re.compile(r"\\([A-Za-z@]+)(\*?)|\\\\(?:\[[^\]]*\])?|\\.|\n[ \t]*\n\s*|&", re.DOTALL)
# Where what a class is told of authors, dates and the like ends, before the first heading.
_FRONT_END = re.compile(
    r"\\(?:maketitle(?![A-Za-z])|end\s*\{frontmatter\})|(?P<heading>\\(?:part|chapter|(?:sub)*section)(?![A-Za-z]))"
)
_LONGEST_FRONT, _MOST_ARGUMENTS = 30_000, 9  # characters; of one command
_ENDS_IN_COMMA = re.compile(r",\s{0,9}(?:\\label\s{0,9}\{[^{}]*\}\s{0,9})?\Z")
_FILLED = re.compile(r"\S")
_GAP = 200  # characters around the end of a formula
_DEEPEST = 21  # footnotes in captions in footnotes


class _Body:
    """Walks through a source and calls a builder with what it finds."""

    def __init__(self, meant: Callable[[str], Sequence[str]], depth: int = 0) -> None:
        self._meant = meant
        self.builder = TextBuilder(readable)
        self.listed: list[str] = []  # \nocite
        self._asides: list[str] = []
        self._depth = depth

    def walk(self, text: str, ends: bool = True) -> None:
        """Read a text, with whose end its last paragraph `ends`; none within too many others."""
        if self._depth < _DEEPEST:
            self._depth += 1
            self._go_on(text)
            if ends:
                self._end_paragraph()
            self._depth -= 1

    def front(self, text: str) -> int:
        """Read what stands above the title, of which environments alone are text; gives the place behind it."""
        end = _FRONT_END.search(text, 0, _LONGEST_FRONT)
        if not end or end["heading"]:
            return 0
        place = 0
        while found := COMMAND.search(text, place, end.start()):
            name, _ = group(text, found.end())
            if found[1] != "begin" or name == "frontmatter":
                place = arguments_end(text, found.end(), _MOST_ARGUMENTS)
                self._mark_all(text[found.start() : place])
            else:
                _, place = environment_end(text[: end.start()], name or "", found.end())
                self.walk(text[found.start() : place])
        return end.end()

    def _go_on(self, text: str) -> None:
        place = 0
        while found := _SPECIAL.search(text, place):
            self.builder.text(text[place : found.start()])
            place = found.end()
            if name := found[1]:
                place = self._command(text, name, found, place)
            elif found[0].startswith("\n"):
                self._end_paragraph()
            elif found[0] == "&" or found[0].startswith("\\\\"):
                self.builder.text(" ")
            else:
                self._sign(found, text)
        self.builder.text(text[place:])

    def _sign(self, found: re.Match[str], text: str) -> None:
        """A sign with a backslash, such as that of a formula on a line of its own."""
        if found[0] == r"\[":
            self._before_display()
        self.builder.text(found[0])
        if found[0] == r"\]":
            self._behind_display(text, found.start(), found.end())

    def _before_display(self) -> None:
        """A formula is no part of a sentence that ended."""
        if self.builder.sentence_ended:
            self._end_paragraph()

    def _behind_display(self, text: str, end: int, place: int) -> None:
        """A sentence begins behind a formula that ends at `end`, where the text goes on with a capital."""
        if text[place : place + _GAP].lstrip()[:1].isupper() and not _ENDS_IN_COMMA.search(
            text, max(end - _GAP, 0), end
        ):
            self._end_paragraph()

    def _end_paragraph(self) -> None:
        self.builder.end_paragraph()
        asides, self._asides = self._asides, []
        for aside in asides:
            self.walk(aside)

    def _command(self, text: str, name: str, found: re.Match[str], place: int) -> int:
        """Read one command, whose arguments begin at `place`; gives the place where the text goes on."""
        if cites(name) and (name.startswith("nocite") or text.startswith("{*}", place)):  # or \nociteown of multibib
            keys, place = group(text, place)
            self.listed += self._own(split_keys(keys or ""))
        elif cites(name):
            place = self._citation(text, name, found[0], place)
        elif name in ("begin", "end"):
            place = self._environment(text, name, place)
        elif name in commands.LEVELS:
            place = self._heading(text, name, place)
        elif name in commands.ASIDES:
            _, place = last_option(text, place)
            content, place = group(text, place)
            self._aside(content or "")
        elif name in commands.SETTINGS:
            place = arguments_end(text, place, commands.SETTINGS[name], last_option)
        elif name in commands.NAMING_REFERENCES:
            labels, place = group(text, place)
            self.builder.text(commands.NOUNS.get(re.split(r"\W|_", (labels or "").strip())[0].lower(), ""))
        elif name in commands.DROPPED or "bibliography" in name:  # such as \bibliographyown of multibib
            start, place = place, arguments_end(text, place, commands.DROPPED.get(name, 1))
            self._mark_all(text[start:place])
        else:
            place = self._parting(text, name, found[0], place)
        return place

    def _parting(self, text: str, name: str, command: str, place: int) -> int:
        """Read a command that parts words or paragraphs; any other is text."""
        if name in commands.FLOATS:
            caption, place = last_option(text, place)
            self._aside(caption or "")
        elif name in commands.TITLES:
            place = self._titles(text, place, 1)
        elif name == "item":
            self._end_paragraph()
            place = self._label(text, place)
        elif name in commands.BREAKS:
            _, place = optional(text, place)
            self.builder.text(" ")
        elif name in ("par", "newpage", "clearpage", "twocolumn", "and", "midrule", "bottomrule"):
            self._end_paragraph()
        else:
            self.builder.text(f"\\{name}" if text[place : place + 1] == "{" else command)  # with a star or without
        return place

    def _label(self, text: str, place: int) -> int:
        """The label of an item, which is text."""
        label, place = optional(text, place)
        if label:
            self.walk(label, ends=False)
            self.builder.text(" ")
        return place

    def _titles(self, text: str, place: int, count: int) -> int:
        """So many arguments that are paragraphs of their own."""
        for _ in range(count):
            self._end_paragraph()
            title, place = group(text, place)
            if title:
                self.walk(title)
        return place

    def _aside(self, text: str) -> None:
        """A paragraph of its own, but a note that only cites is a citation in its place."""
        cited = any(cites(found[1]) for found in COMMAND.finditer(text))
        if cited and only_refers(plain_text(text, self._depth)):
            self._mark_all(text)
            return
        if cited:
            self.builder.note()
        self._asides.append(text)

    def _mark_all(self, text: str) -> None:
        """What is cited in a part of the source that is no text."""
        end = 0
        for found in COMMAND.finditer(text):
            if found.start() >= end and cites(found[1]) and not found[1].startswith("nocite"):
                end = self._citation(text, found[1], found[0], found.end())

    def _citation(self, text: str, name: str, command: str, place: int) -> int:
        """Mark what one command cites, and what its notes do; one without keys is text."""
        keys, notes, end = citation(text, name, place)
        if not keys:
            self.builder.text(command)
            return place
        self.builder.mark(self._own(keys), commands.FORMS.get(name.lower(), ""))
        for note in notes:
            self._mark_all(note)
        return end

    def _own(self, keys: list[str]) -> list[str]:
        """The keys of the entries that these mean."""
        return [*dict.fromkeys(own for key in keys for own in self._meant(key))]

    def _heading(self, text: str, name: str, place: int) -> int:
        _, place = optional(text, place)
        heading, place = group(text, place)
        if heading is None:
            return place
        self._end_paragraph()
        self.builder.section(" ".join(plain_text(heading, self._depth).split()), commands.LEVELS[name])
        self._mark_all(heading)
        return place

    def _environment(self, text: str, command: str, place: int) -> int:
        name, place = group(text, place)
        name = name or ""
        if name in commands.MATHEMATICS:
            if name in commands.DISPLAYS and command == "begin":
                self._before_display()
            self.builder.text(f"\\{command}{{{name}}}")
            if name in commands.DISPLAYS and command == "end":
                self._behind_display(text, text.rfind("\\end", 0, place), place)
            return place
        if command == "end":
            self._end_paragraph()
            if name in commands.ABSTRACTS:
                self.builder.section("", 1)
            return place
        self._end_paragraph()
        if name.endswith("displaycquote"):
            return self._citation(text, name, "", place)
        if name in commands.PICTURES or name in commands.REFERENCE_LISTS:
            end, _ = environment_end(text, name, place)
            if name not in commands.REFERENCE_LISTS:
                self._mark_all(text[place:end])
            return end
        note, place = optional(text, place)
        self._mark_all(note or "")
        place = arguments_end(text, place, commands.ENVIRONMENT_ARGUMENTS.get(name, 0))
        if name in commands.ABSTRACTS:
            self.builder.section("Abstract", 0)
        return self._titles(text, place, commands.TITLED.get(name, 0))


class _WithoutNotes(_Body):
    """The same of a title, a heading or an abstract, in which the headings of its parts are text."""

    def _aside(self, text: str) -> None:
        pass

    def _heading(self, text: str, name: str, place: int) -> int:
        heading, place = group(text, optional(text, place)[1])
        self._end_paragraph()
        called = (heading or "").strip()
        if name.endswith("section") and called:
            called = f"{called.rstrip('.:')}:"
        self.walk(f"{called} ", ends=False)
        goes_on = _FILLED.search(text, place)
        return goes_on.start() if goes_on else place


def plain_text(source: str, depth: int = 0) -> str:
    """What is printed of a title, a heading or an abstract, without notes and citations; blank lines part paragraphs.

    `depth` says in how many others, such as footnotes, it stands.
    """
    body = _WithoutNotes(lambda key: (key,), depth)
    body.walk(source)
    paragraphs = (paragraph.text for section in body.builder.sections() for paragraph in section.paragraphs)
    return "\n\n".join(paragraphs)


def read_body(text: str, meant: Callable[[str], Sequence[str]]) -> tuple[tuple[Section, ...], tuple[str, ...]]:
    r"""The sections of a document's body, and the keys that \nocite puts into its reference list.

    `meant` gives the keys of the entries that a key cites.
    """
    body = _Body(meant)
    body.walk(text[body.front(text) :])
    return body.builder.sections(), tuple(dict.fromkeys(body.listed))
