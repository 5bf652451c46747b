"""Reference lists that are printed below the text, as in a PDF → entries."""

import re
from collections.abc import Callable, Container, Iterator, Sequence
from itertools import takewhile

from common.names import PARTICLE
from indexer.identity.cited_names import YEAR
from indexer.identity.identifiers import OF_ARTICLE
from manuscripts.headings import BEHIND_LIST, is_reference_list
from manuscripts.manuscript import Entry
from manuscripts.printed_entries import (
    BETWEEN,
    CAPITAL,
    ENDED,
    FEWEST_ENTRIES,
    NAMED_IN_NOTE,
    NO_NAME,
    is_entry,
    listed_entries,
    parted_entries,
)
from manuscripts.reference_lines import is_marked, is_named_again
from manuscripts.text_building import PARAGRAPH
from manuscripts.typed_marks import with_higher_numbers
from manuscripts.typed_names import behind_lead, cites_by_names

_NUMBERED = re.compile(r"^[ \t]*\[(\d{1,3})\][ \t]+(?=\S)", re.MULTILINE)
# As medicine prints it, of whomever: "Centers for Disease. Deaths. Acta 2016;64:1-19.", "…. London: NICE; 2019."
_OF_MEDICINE = re.compile(
    rf"{NO_NAME.replace('The|', '')}[A-Z][^.;]*\. .*(?:\b{YEAR}(?: [A-Z][a-z]{{2}}(?: \d\d?)?)?;\d|; {YEAR}\.)"
)
_ONE = rf"(?:(?:{PARTICLE.pattern}) )*(?:[A-Z]\.[ -]?)*{CAPITAL}[\w’'-]+"
# A work that was named before: "Doe and Roe, Ice Sheets, 12", "Doe et al., “Ice Sheets.”", "Doe, 12.".
_NAMED_AGAIN = re.compile(
    rf"{NO_NAME}{_ONE}(?:,? (?:and |& )?{_ONE}){{0,3}}(?: et al\.)?,"
    r" (?:[“\"‘«]?[A-Z][^.;]{2,120}?[,”\"’»] ?(?:pp?\. ?)?\d+(?:[–-]\d+)?(?:[.;]|$)"
    r"|[“\"«][A-Z\d][^“”\"«»]{8,200}[”\"»]\.?(?:;|$)|(?:pp?\. ?)?\d+(?:[–-]\d+)?\.?$)"
)
# The title of one whose author the sentence names: "“Of Ice Sheets.”", "“Of Ice Sheets,” 12."
_TITLE_ALONE = re.compile(r"[“\"«][A-Z\d][^“”\"«»]{8,200}[”\"»]\.?(?: \d+(?:[–-]\d+)?\.?)?")
QUOTED = r"[“\"«]([^”\"»]{8,})[”\"»]"
_TITLE = re.compile(QUOTED + r"|(?<![\w*])[*_]{1,2}([^*_]{8,})[*_]")
_IMPRINT = re.compile(r"\s*\([^()]*\d{4}[^()]*\)")  # "(Bern: Acta, 1999)"
_BETWEEN_WORKS = re.compile(r"; (?![^()]*\))")  # but "(1972; repr., London: Acta, 1999)"
_LONGEST_NOTE = 600  # characters
_FIRST = re.compile(r"\s*[\[(]?1[\].)]")  # the mark of the first entry of a list
_MARKDOWN_HEADING = re.compile(
    r"^(?:(?P<level>#{1,6})[ \t]+[*_]*|\*\*(?=[^*\n]+\*\*[ \t]*$))(?P<text>.*?)[ \t#*:]*(?:\{#[^{}\n]*\}[ \t]*)?$",
    re.MULTILINE,
)
_LINE, _LINES = re.compile(r"^.*$", re.MULTILINE), 3  # so many of them may say that an entry begins
_NEXT_CHAPTER = "# \uf8ff"  # ends a list; no text of a file has this character
_ESCAPE = re.compile(r"\\(?=[^\w\s]|_)")
_MARKDOWN = re.compile(  # part of a DOI, tags of HTML, emphasis, brackets around an address, links
    rf"(?i)({OF_ARTICLE})|</?[a-z]+(?:\s[^<>]*)?>|\*+|(?<!\w)_+(?=[^\W_])|(?<=[^\W_]|[.,])_+(?!\w)|[<>]|\[(?=(?:[^\[\]]|\[[^\[\]]*\])*\]\()|\]\(([^()\s]*)\)"
)
# Texts of footnotes in Markdown, and pictures as Google Docs writes them.
_NO_ENTRY = re.compile(
    r"^\[(?:\^[^\[\]\s]+\]:.*(?:\n(?!\[\^)[ \t]*\S.*)*(?:\n(?:[ \t]*\n)+(?: {4}|\t).*(?:\n[ \t]*\S.*)*)*"
    r"|[^\[\]\n]+\]:[ \t]*<data:.*)$",
    re.MULTILINE,
)

_List = tuple[int, str, int]  # where its heading begins, what is below that, and where this ends


def parted_list(text: str, headings: Container[str] = ()) -> tuple[str, tuple[Entry, ...]]:
    """The text around the reference lists that have a heading, and their entries; the whole text without any.

    Several lists count as in `parted_markdown`; one ends where something known follows, or else behind its last entry,
    at a line that is one of `headings`, or, before the last, at a gap. A list of numbers in square brackets with which
    the text ends needs no heading.
    """
    lists: list[_List] = []
    found = [line for line in _LINE.finditer(text) if is_reference_list(line[0])]
    for heading, end in zip(found, [*(one.start() for one in found[1:]), len(text)], strict=False):
        is_part = lists and not lists[-1][1].strip()  # "Bibliography", and then "Primary sources"
        start = lists.pop()[0] if is_part else heading.start()
        if behind := BEHIND_LIST.search(text, heading.end(), end):
            end = behind.start()
        else:
            end = _end_behind_entries(text, heading.end(), end, headings, is_last=heading is found[-1])
        lists.append((start, text[heading.end() : end], end))
    if not found:
        start = _start_of_last_list(text)
        lists.append((start, text[start:], len(text)))
    around, entries = _parted(text, lists, str)
    return "\n\n".join(filter(None, (*map(str.rstrip, around[:-1]), around[-1]))), entries


def _end_behind_entries(text: str, start: int, end: int, headings: Container[str], *, is_last: bool) -> int:
    """Where what follows the last entry of a part of a text begins: at a heading, or else a gap; `end` without it.

    Behind the last list, where mostly nothing follows, a gap may be within an entry that is printed otherwise.
    """
    lines = list(_LINE.finditer(text, start, end))
    shown = [line[0].strip() for line in lines]
    gaps = [line in ("", PARAGRAPH) for line in shown]
    last = 0
    for place in range(len(lines)):
        following = takewhile(lambda number: not gaps[number], range(place, min(place + _LINES, len(lines))))
        if shown[place] not in headings and is_entry(" ".join(shown[number] for number in following)):
            last = place
    behind = range(last + 1, len(lines))
    ends = [place for place in behind if shown[place] in headings and (last or not is_last)] or [
        place for place in behind if gaps[place] and ENDED.search(shown[place - 1]) and not is_last
    ]
    return lines[ends[0]].start() if ends else end


def _start_of_last_list(text: str) -> int:
    """Where the list [1], [2], … with which a text ends begins; the end of the text without any."""
    numbered = list(_NUMBERED.finditer(text))
    first = next((place for place, line in reversed(list(enumerate(numbered))) if line[1] == "1"), len(numbered))
    numbers = [int(line[1]) for line in numbered[first:]]
    is_list = len(numbers) >= FEWEST_ENTRIES and numbers == [*range(1, len(numbers) + 1)]
    return numbered[first].start() if is_list else len(text)


def parted_markdown(*chapters: str) -> tuple[tuple[str, ...], tuple[Entry, ...]]:
    """The same of Markdown, whose text goes on below a heading that is not of a lower level, as a bold line is.

    It also goes on below one of a lower level where no entry follows, though some stand above, and in the next chapter.
    Of several lists, such as one a chapter, all count, but those before the last only where they begin with an entry.
    Where one of them is numbered from 1 again, the numbers that cite it, above it or behind the last, go on from the
    lists before.
    """
    text = f"\n{_NEXT_CHAPTER}\n".join(chapters)
    parts: list[_List] = []
    for start, below, end in _markdown_lists(text):
        end = behind.start() if (behind := BEHIND_LIST.search(text, below, end)) else end
        listing = _MARKDOWN_HEADING.sub(lambda line: line[0] if _is_entry_in_bold(line) else "", text[below:end])
        parts.append((start, listing, end))
    around, entries = _parted(text, parts, without_markdown)
    return (tuple("".join(around).split(_NEXT_CHAPTER)), entries) if entries else (chapters, ())


def _markdown_lists(text: str) -> Iterator[tuple[int, int, int]]:
    """Where each list, the text below its heading, and what is behind it begin."""
    start = below = opened = 0
    outer, listed = 0, False  # the level of the list's heading, while the list goes on; whether entries have begun
    headings = [line for line in _MARKDOWN_HEADING.finditer(text) if not _is_entry_in_bold(line)]
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    for heading, part_end in zip(headings, ends, strict=False):
        level = len(heading["level"] or "#######")
        if outer and (level <= outer or BEHIND_LIST.match(_ESCAPE.sub("", heading["text"]))):
            yield start, below, heading.start()
            outer = 0
        if not outer and is_reference_list(_ESCAPE.sub("", heading["text"])):
            start, below, outer, opened, listed = *heading.span(), level, len(text), False
        opened = min(opened, heading.start())  # the first of the headings between which nothing stands
        part = text[heading.end() : part_end]
        if outer and part.strip():
            if listed and not _begins_with_entry(part):
                yield start, below, opened
                outer = 0
            opened, listed = len(text), True
    if outer:
        yield start, below, len(text)


def _parted(text: str, lists: Sequence[_List], plain: Callable[[str], str]) -> tuple[list[str], tuple[Entry, ...]]:
    """The text above, between and behind lists, with the numbers of their entries, and the entries."""
    found: list[str] = []
    around, at, before = [], 0, 0  # before: entries of the lists before the one that the numbers of a part cite
    for start, shown, end in lists:
        listing, notes = _parted_asides(shown)
        if start == lists[-1][0] or _begins_with_entry(listing):
            parted = parted_entries(plain(listing))
            before = len(found) if parted and _FIRST.match(parted[0]) else before
            found += [entry for entry in parted if is_marked(entry) or entry not in found]
            around.append(with_higher_numbers(f"{text[at:start]}{notes}", before))
            at = end
    return [*around, with_higher_numbers(text[at:], before)], listed_entries(found)


def _parted_asides(text: str) -> tuple[str, str]:
    """A list without the texts of footnotes and the pictures of Markdown, which stand behind all else; and these."""
    return _NO_ENTRY.sub("", text), "\n\n".join(found[0] for found in _NO_ENTRY.finditer(text))


def _is_entry_in_bold(line: re.Match[str]) -> bool:
    return not line["level"] and is_entry(without_markdown(line["text"]))


def _begins_with_entry(part: str) -> bool:
    return is_entry(without_markdown(next(filter(str.strip, BETWEEN.split(part)), "")))


def without_markdown(text: str) -> str:
    """A text without its marks, and without the addresses of links that are no DOIs."""
    return _MARKDOWN.sub(
        lambda mark: mark[1] or (f" {mark[2]}" if mark[2] and "/10." in mark[2] else ""), _ESCAPE.sub("", text)
    )


def works_of_note(text: str) -> list[tuple[str, str]]:
    """The works that a footnote names, each by names, a title and a year, and their titles; none where it says more."""
    if len(text) > _LONGEST_NOTE:
        return []
    for parts in (_BETWEEN_WORKS.split(text), [text]):
        plain = (" ".join(without_markdown(part).split()) for part in parts)
        named = [one[behind_lead(one) :] for one in plain]
        works = [(one, part) for one, part in zip(named, parts, strict=True) if not cites_by_names(one)]
        if all(NAMED_IN_NOTE.match(one) for one, _ in works):
            return [(one, _title_in(part)) for one, part in works]
    return [(" ".join(text.split()), "")] if _OF_MEDICINE.match(text) else []


def is_citation(note: str) -> bool:
    """Whether a footnote names works, or begins with one that was named before, or is the title of one."""
    plain = note[behind_lead(note) :]
    named = _NAMED_AGAIN.match(plain) or _TITLE_ALONE.fullmatch(plain.strip()) or works_of_note(note)
    return bool(named) or is_named_again(note) or cites_by_names(note)


def _title_in(text: str) -> str:
    """What is in quotation marks or emphasized, else the longest part between commas, but "" where that is more."""
    marked = _TITLE.search(text)
    longest = max(_IMPRINT.sub("", text).split(","), key=len)
    title = without_markdown((marked[1] or marked[2]) if marked else longest).strip(" .,")
    return title if marked or ". " not in title else ""  # "J. J. (1999). Cushion treemaps. Acta", "Doe J. Of trees"
