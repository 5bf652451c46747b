"""Sections, paragraphs and sentences as they come out of a text whose citations are private-use characters."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile

from common.sentences import sentence_ends
from manuscripts.headings import BEHIND, ENGLISH, OTHERS
from manuscripts.manuscript import Form, Mark, Paragraph, Section, Sentence

_FIRST, _MOST = 0xE000, 6_000  # of the private-use characters, each of which stands for one citation of its paragraph
_MARK = re.compile(r"[\ue000-\uf8ff]")
_ENDED = re.compile(r"[.!?][\"'”’»)\]]*[\ue000-\uf8ff]*\s*$")
_ENDS_PROSE = re.compile(r"[.!?。！？][\"'”’»)\]]*$")
_DIGITS, _SUPERSCRIPTS = "0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"
RAISED = str.maketrans(_DIGITS, _SUPERSCRIPTS)
LOWERED = str.maketrans(_SUPERSCRIPTS, _DIGITS)
NOTED = "\ufffb"  # stands for a note that cites, and before one, which is a paragraph of its own
PARAGRAPH = "\u2029"  # stands on a line of its own where a paragraph of a PDF begins, as far as can be seen
_LETTER = re.compile(r"\w")
_SPACE_AT_MARKS = re.compile(r"\s*((?:[\ue000-\uf8ff]\s*)+)")
_BETWEEN_MARKS = re.compile(
    r"(?<=[\ue000-\uf8ff])\s*(?:[,;/–—-]+\s*)?(?:(?:and|und|et|y|e|&)\s*)?(?=[\ue000-\uf8ff])", re.IGNORECASE
)
# Words beside the citations of a note that says nothing else: "See also … , p. 3, and …".
_REFERS = re.compile(
    r"(?:[\W\d_]|\b(?:see|also|cf|compare|e|g|i|for|instance|example|and|or|but|in|particular|especially|esp|pp?|ch|chaps?"
    r"|chapters?|secs?|sections?|vols?|n|fn|ff?|ibid|vgl|siehe|auch|bzw|s|voir|aussi|véase|también|cfr|[ivxlcdm]+)\b)*",
    re.IGNORECASE,
)
_ABSTRACTS = tuple(re.compile(names, re.IGNORECASE) for names in (ENGLISH, OTHERS))  # the preferred ones first
_FIRST_NUMBER = re.compile(r"^[1I][.):]?\s+(?=\w)")  # with another one it is a summary of what stands above
_BEHIND_ABSTRACT = re.compile(rf"[\d.\s]*(?:introduction|{BEHIND})|key[ -]?words?|index terms", re.IGNORECASE)
# Beside marks: empty brackets, and space before a stop or the sentence.
_LEFT_BY_MARKS = re.compile(r"\A\s+|\(\s*[;,]?\s*\)|\[\s*[;,]?\s*\]|\s+(?!\.\d)(?=[.,;:!?)\]’”。，；：！？）」』》])")


class TextBuilder:
    """Takes a text in pieces and gives its sections."""

    def __init__(self, readable: Callable[[str], str] = str) -> None:
        """`readable` makes plain text of a paragraph's source, where it is none; it keeps characters of private use."""
        self._readable = readable
        self._sections: list[Section] = []
        self._heading, self._level = "", 1
        self._paragraphs: list[Paragraph] = []
        self._parts: list[str] = []
        self._marks: list[Mark] = []

    def text(self, source: str) -> None:
        """The paragraph goes on."""
        self._parts.append(source)

    def text_with_notes(self, source: str) -> None:
        """The same, where NOTED in it stands for notes that cite."""
        first, *others = source.split(NOTED)
        self.text(first)
        for part in others:
            self.note()
            self.text(part)

    def mark(self, keys: Sequence[str], form: Form = "") -> None:
        """Something is cited here."""
        if keys:
            self._add(Mark(0, tuple(keys), form))

    def note(self) -> None:
        """Here stands a note that cites something, and is a paragraph of its own."""
        self._add(Mark(0, ()))

    def end_paragraph(self, noted: bool = False, behind: Sequence[Paragraph] = ()) -> None:
        """What follows is another paragraph, `behind` this; a note that names works is `noted` as a whole."""
        source = "".join(self._parts)
        if self._marks or _LETTER.search(source):
            found = sentences_of(self._readable(source), self._marks)
            if noted:
                found = tuple(replace(one, noted=True) for one in found)
            if found:
                self._paragraphs.append(Paragraph(found))
        self._paragraphs += behind
        self._parts, self._marks = [], []

    @property
    def sentence_ended(self) -> bool:
        """Whether the paragraph so far ends with a sentence."""
        return _ENDED.search("".join(self._parts[-3:])) is not None

    def section(self, heading: str, level: int) -> None:
        """A section begins; its heading is plain text."""
        self._end_section()
        self._heading, self._level = heading, level

    def sections(self) -> tuple[Section, ...]:
        """All of the text."""
        self._end_section()
        self._heading = ""
        return tuple(self._sections)

    def _add(self, mark: Mark) -> None:
        if len(self._marks) == _MOST:
            self.end_paragraph()
        self._parts.append(chr(_FIRST + len(self._marks)))
        self._marks.append(mark)

    def _end_section(self) -> None:
        self.end_paragraph()
        if self._paragraphs or self._heading:
            self._sections.append(Section(self._heading, self._level, tuple(self._paragraphs)))
        self._paragraphs = []


def abstract_among(*texts: tuple[Section, ...]) -> str:
    """The abstract in the first of the texts that has one, by its heading, if possible an English one."""
    return next(filter(None, (_abstract(text, heading) for heading in _ABSTRACTS for text in texts)), "")


def _abstract(sections: tuple[Section, ...], heading: re.Pattern[str]) -> str:
    """What stands below such a heading, and below headings of a lower level that follow it."""
    behind = iter(sections)
    first = next((one for one in behind if heading.fullmatch(_FIRST_NUMBER.sub("", one.heading))), None)
    if not first:
        return ""
    depth = first.level or 99  # that of the metadata has no headings
    parts = takewhile(lambda part: part.level > depth and not _BEHIND_ABSTRACT.match(part.heading), behind)
    return "\n\n".join(paragraph.text for part in (first, *parts) for paragraph in part.paragraphs)


def first_prose(sections: tuple[Section, ...]) -> str:
    """The paragraphs of sentences in the first section that has any: no cells of tables, and no names of figures."""
    texts = ([one.text for one in section.paragraphs if _ENDS_PROSE.search(one.text)] for section in sections)
    return "\n\n".join(next(filter(None, texts), ()))


def only_refers(text: str) -> bool:
    """Whether a note, without its citations, has no words of its own."""
    return _REFERS.fullmatch(_MARK.sub("", text)) is not None


def sentences_of(text: str, marks: Sequence[Mark]) -> tuple[Sentence, ...]:
    """The sentences of a paragraph in which the n-th private-use character stands for the n-th of `marks`.

    Marks that the text has lost on the way (in an unknown command) are put at its end.
    """
    lost = [chr(_FIRST + number) for number in range(len(marks)) if chr(_FIRST + number) not in text]
    text = " ".join((text + "".join(lost)).split())
    found: list[Sentence] = []
    start = 0
    for end in sentence_ends(text):
        sentence = _sentence(text[start:end].strip(), marks)
        start = end
        cites = sentence.marks or sentence.noted
        if found and cites and not _LETTER.search(sentence.text):  # behind the full stop, as superscripts
            last = found.pop()
            behind = tuple(replace(mark, place=len(last.text)) for mark in sentence.marks)
            sentence = Sentence(last.text, (*last.marks, *behind), noted=last.noted or sentence.noted)
        if sentence.text or sentence.marks:
            found.append(sentence)
    return tuple(found)


def _sentence(text: str, marks: Sequence[Mark]) -> Sentence:
    """Text and marks apart, without the space, the commas between them and the empty brackets that marks leave."""

    def gap(found: re.Match[str]) -> str:
        return "" if all(_in_brackets(text[place], marks) for place in (found.start() - 1, found.end())) else found[0]

    text = _BETWEEN_MARKS.sub(gap, text)
    text = _SPACE_AT_MARKS.sub(lambda run: " " + "".join(run[1].split()) + " ", text)
    plain, places = "", []
    for piece in re.split(r"([\ue000-\uf8ff])", text):
        if _MARK.fullmatch(piece):
            number = ord(piece) - _FIRST
            if number < len(marks):
                places.append((len(plain), marks[number]))
        elif places and plain.endswith(" ") and piece.startswith(" "):
            plain += piece.lstrip()
        else:
            plain += piece
    return _tidied(plain, places)


def _in_brackets(character: str, marks: Sequence[Mark]) -> bool:
    """Whether a private-use character stands for a citation that is no part of the sentence, as "Doe (2020)" is."""
    number = ord(character) - _FIRST
    return number < len(marks) and bool(marks[number].keys) and not marks[number].form


def _tidied(plain: str, places: list[tuple[int, Mark]]) -> Sentence:
    kept = [True] * len(plain)
    for found in _LEFT_BY_MARKS.finditer(plain):
        kept[found.start() : found.end()] = [False] * len(found[0])
    text = "".join(mark for mark, stays in zip(plain, kept, strict=True) if stays).rstrip()
    moved = (replace(mark, place=min(sum(kept[:place]), len(text))) for place, mark in places if mark.keys)
    return Sentence(text, tuple(moved), noted=any(not mark.keys for _, mark in places))
