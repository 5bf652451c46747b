"""The text of a manuscript as the page shows it: its headings, sentences and citations, a part at a time."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

from manuscripts.manuscript import Form, Manuscript, Sentence
from webui.opened_manuscript import Cited, has_words

PART = 800  # sentences; a paper has some 300
_DEEPEST = 6  # of HTML's headings
_CLOSES = re.compile(r"[.,;:!?)\]”’]|'(?:s\b|\s)|-\w")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a sentence: words, or the works that are cited behind them."""

    text: str
    works: tuple[Cited, ...] = ()
    form: Form = ""  # in which they are shown
    gap: str = ""  # the space before it
    first: bool = False  # of the words of its sentence


@dataclass(frozen=True, slots=True)
class ShownSentence:
    """One sentence."""

    number: int  # from 1, in the whole manuscript
    stretches: tuple[Stretch, ...]
    searchable: bool  # there are words to ask for


@dataclass(frozen=True, slots=True)
class Block:
    """A heading or a paragraph."""

    level: int  # of the heading in HTML, 2 to 6; 0 for a paragraph
    text: str  # of the heading
    place: str  # its id in the page
    sentences: tuple[ShownSentence, ...] = ()
    part: int = 1  # of the text, from 1


def blocks(manuscript: Manuscript, cited: Mapping[str, Cited]) -> Iterator[Block]:
    """The whole text; no heading is more than one level below the last."""
    number, level = 0, 1
    for place, section in enumerate(manuscript.sections, start=1):
        if section.heading:
            level = min(max(section.level, 1) + 1, level + 1, _DEEPEST)
            yield Block(level, section.heading, f"h{place}")
        for paragraph in section.paragraphs:
            # A text without blank lines is one paragraph.
            for start in range(0, len(paragraph.sentences), PART):
                some = paragraph.sentences[start : start + PART]
                shown = tuple(_shown(number + after, one, cited) for after, one in enumerate(some, start=1))
                number += len(some)
                yield Block(0, "", f"p{number}", shown)


def parts(every: Iterator[Block]) -> list[list[Block]]:
    """The text cut before headings, or where a section is too long before paragraphs, into parts of `PART` sentences.

    There is at least one part.
    """
    found: list[list[Block]] = [[]]
    count = 0
    for section in _sections(every):
        size = sum(len(block.sentences) for block in section)
        for block in section:
            if count and count + (len(block.sentences) if block is not section[0] else size) > PART:
                found.append([])
                count = 0
            found[-1].append(replace(block, part=len(found)))
            count += len(block.sentences)
    return found


def contents(found: list[list[Block]]) -> list[Block]:
    """The headings."""
    return [block for part in found for block in part if block.level]


def block_of(found: list[list[Block]], sentence: int) -> Block | None:
    """The paragraph that holds a sentence; None where none does."""
    every = (block for part in found for block in part)
    return next((block for block in every if any(one.number == sentence for one in block.sentences)), None)


def _sections(every: Iterator[Block]) -> Iterator[list[Block]]:
    """Blocks together with the heading above them; headings that follow each other stay together."""
    current: list[Block] = []
    for is_heading, group in groupby(every, key=lambda block: bool(block.level)):
        if is_heading and current:
            yield current
            current = []
        current.extend(group)
    yield current


def _shown(number: int, sentence: Sentence, cited: Mapping[str, Cited]) -> ShownSentence:
    stretches: list[Stretch] = []
    start = 0
    for place, group in groupby(sentence.marks, key=lambda mark: mark.place):
        _add_words(stretches, sentence.text[start:place])
        for form, marks in groupby(group, key=lambda mark: mark.form):
            keys = dict.fromkeys(key for mark in marks for key in mark.keys)
            works = tuple(cited[key] for key in keys if key in cited)
            gap = " " if stretches and not stretches[-1].text.endswith(("(", "[", "“", "‘")) else ""
            stretches.append(Stretch("", works, form, gap))
        start = place
    _add_words(stretches, sentence.text[start:])
    return ShownSentence(number, tuple(stretches), has_words(sentence))


def _add_words(stretches: list[Stretch], text: str) -> None:
    words = text.strip()
    if words:
        gap = " " if stretches and not _CLOSES.match(words) else ""
        stretches.append(Stretch(words, (), "", gap, not any(one.text for one in stretches)))
