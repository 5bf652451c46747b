"""The lines of a reference list that is printed below a text → its entries."""

import re
from collections.abc import Iterable, Sequence
from statistics import mean

from common.names import PARTICLE
from indexer.identity.cited_names import NO_YEAR, YEAR
from manuscripts.bibliographies import entry_of_text
from manuscripts.manuscript import Entry
from manuscripts.reference_lines import (
    ADDRESS,
    SAME_AUTHORS,
    is_marked,
    label_of,
    marked_entries,
    unmarked,
    year_of,
)
from manuscripts.text_building import LOWERED, PARAGRAPH

_FEWEST_MARKED = 0.1  # of the lines of a list whose entries are marked; a line may begin with pages by chance
FEWEST_ENTRIES = 3
_LIKELY = 1.5  # of two signs that a line begins an entry, the mean where it does
# Before a name or a title, and no "3 years" or "3D models" with which a line goes on.
_BARE_NUMBER = re.compile(
    rf"\s*(\d{{1,3}}(?!D[\s-])|[¹²³⁴-⁹][⁰¹²³⁴-⁹]{{0,2}})\s?(?:\.\s|(?=(?:(?:{PARTICLE.pattern}) )*[^\W\d_a-z]))\s*"
)
_NUMBER = re.compile(r"\s*[\[(]?(\d{1,3})[.)\]]\s")
# A reference by names: surname and initials, a full name or an institution at the beginning of a line, and a year soon,
# which behind a line that ends with pages or an address is that of the next reference. A dash stands for the authors
# above.
CAPITAL = "[A-ZÀ-ÖØ-ÞĆČĎĐĞİŁŃŇŐŘŚŠŤŰŹŻŽІЇЄА-ЯЁ]"
_NAMES = (
    r"(?:(?:[vV][ao]n|[dD](?:e[lnr]?|[aiu])|[lL][ae]|[tT]e[nr]?) )*[^\W\d_][\w’'.-]+"
    rf"(?:,| and | [ey] [^\W\d_]\w+, [^\W\d_]| et al| {CAPITAL}[\w.’'-]*(?:,| {CAPITAL}|\.| and | et al\b))"
    r"|[A-Z][\w&’' -]{2,80}\. \("
    rf"|(?!Proc|Adv|Journal|Trans)[A-Z][\w&’' -]{{2,80}} \({YEAR}[a-z]?\)\.|{SAME_AUTHORS.pattern}"
)
# Of Chinese, Japanese and Korean, before a year in brackets, a title in quotation marks or the stop behind names:
# "山田太郎・佐藤花子（1975）", "王小明，李四．", "김철수 (2012)"; without Hiragana, which sentences have.
_WORD = r"[ァ-ヺー-ヿ\u3400-\u9fff\uac00-\ud7af々]{1,12}"
_UNSPACED_NAMES = rf"(?=..){_WORD}(?: {_WORD})?(?:[・･·ㆍ,，、;；] ?{_WORD}(?: {_WORD})?){{0,9}} ?"
_UNSPACED = rf"{_UNSPACED_NAMES}(?:[(（]{YEAR}|[:：]?[「『《“]|[.．] ?[^\d\s])"
_LAST = r"(?:\d\.|(?:https?://|10\.\d{4,9}/)\S{1,200}(?<!,))[ \t]*\n"
_YEAR_SOON = rf"(?=(?:(?!{_LAST}).){{0,300}}?(?:\b{YEAR}[a-z]?\b|(?<!\d){YEAR}[年년]|\b{NO_YEAR}))"
# In a list names may also stand before a colon, or a comma behind which the title begins.
_BEGINS = re.compile(rf"^(?!In\b)(?={_NAMES}|{_UNSPACED}|{_UNSPACED_NAMES}[:：,，]){_YEAR_SOON}", re.DOTALL)
# The same in a footnote, and no sentence: "In Rome, Doe, 2001", "Note, however, that in 2001", "Doe et al. said 2001".
NO_NAME = r"(?!(?:In|On|At|By|For|From|As|Of|The|This|These|That|We|An?|But|All)\b)"
# Also "Karl von der Heyde, Title", "B. de La Rue et A. d’Arc, Title"; in a list "Archiv der Biologie, 3" begins a line.
_WITH_PARTICLE = (
    r"(?!(?:D(?:er|ie|as|e[mns]|ans)|Eine?r?|Im|Am|Nach|Vor|Bei|Von|Auch|L[ae]s?|Une?|Aux?|En|El|Los|Il|N?[AOao]s?|Por)\b)"
    r"[^\W\d_a-z][\w’'.-]*(?: [A-Z][\w’'-]*\.?){0,2} "
    r"(?:(?:v[ao]n|zu[mr]?)(?: de[nmr])? |(?:d[aeiou]|d[eao]s|del|della|le|la|te[nr]?)(?: la| los)? |d[’'])"
    rf"{CAPITAL}[\w’'-]+(?: {CAPITAL}[\w’'-]+)?(?:,|/| (?:and|et|und|y|e) {CAPITAL})"
)
# "Ann Roe & Bo Poe, Title" of law reviews; in a list "John Wiley & Sons" may begin a line.
_WITH_AMPERSAND = rf"[^\W\d_a-z][\w’'.-]* {CAPITAL}[\w’'-]+ & {CAPITAL}[\w’'.-]*(?: {CAPITAL}[\w’'.-]*)*,"
NAMED_IN_NOTE = re.compile(
    rf"{NO_NAME}(?![^,]*, (?!eds?\b|(?!d(?:as|e[mnrs])\b|zu)(?:(?:{PARTICLE.pattern}) )+[^\W\d_a-z])[a-z])"
    rf"(?!.*?\bet al\.?,? [a-z])(?={_NAMES}|{_WITH_AMPERSAND}|{_WITH_PARTICLE}|{_UNSPACED}(?!.*[ぁ-ゖ]。)){_YEAR_SOON}"
)
# The authors and the year of an entry, whose title begins the next line.
_ONLY_AUTHORS = re.compile(
    rf"(?:(?:[^\W\d_a-z][\w’'.-]*|and|et|al\.|{PARTICLE.pattern})[\s,]+|&\s+)+"
    rf"\({YEAR}[a-z]?\)[.,:]?"
)
ENDED = re.compile(r"(?:[.\])。．）]|\d|https?://\S+|\.)\s*$")
# Lines that go on no address: a page, mark or year, an id; and where it seems whole, a date, pages, a label or a DOI.
_NO_PART = r"(?:\(?\d{1,4}[.)]{0,2}|PMC\d+)[ \t]*$"
_ON_ITS_OWN = (
    r"(?:\d{1,4}(?P<sign>[-/.])\d{1,2}(?P=sign)\d{1,4}|\d{1,4}-\d{1,4}|[A-Z][A-Za-z+]*\d{2,4}[a-z]?)\.?[ \t]*$"
    r"|10\.\d{4,9}/"
)
# An address, and what a PDF has of it on the next line: "https://doi.org/10.1000/j", "acta.2003.12".
_CUT_ADDRESS = re.compile(
    rf"((?:https?://|\b10\.\d{{4,9}}/)\S{{0,300}}+)(?P<cut>(?<=[-/(_]))?[ \t]*\n(?:{PARAGRAPH}\n)?[ \t]*"
    rf"(?=(?!{_NO_PART})(?(cut)|(?!{_ON_ITS_OWN}))(?=\S*\d)[\w.()/-]+[ \t]*$)",
    re.MULTILINE,
)
BETWEEN = re.compile(r"\n\s*\n|^[ \t]*[-+*•][ \t]+", re.MULTILINE)  # blank lines, or items of a list


def parted_entries(text: str) -> list[str]:
    """The entries of a printed reference list: marked, set apart, or beginning with names on a line of their own."""
    parts = map(str.splitlines, _CUT_ADDRESS.sub(r"\1", text).split(f"{PARAGRAPH}\n"))
    every = [(line, number > place == 0) for number, part in enumerate(parts) for place, line in enumerate(part)]
    kept = _with_days([(line, apart) for line, apart in every if not line.strip().isdecimal()])  # without page numbers
    lines = with_marks(line for line, _ in kept if line.strip())
    marked = [number for number, line in enumerate(lines) if is_marked(line)]
    if len(marked) > max(1, _FEWEST_MARKED * len(lines)):
        return marked_entries("\n".join(lines[marked[0] :]))
    blocks = [block for block in BETWEEN.split("\n".join(line for line, _ in kept)) if block.strip()]
    if len(blocks) == 1 or sum(map(bool, map(_BEGINS.match, blocks))) <= len(blocks) / 2:
        blocks = _by_names(lines, [apart for line, apart in kept if line.strip()])
    return marked_entries("\n\n".join(blocks))


def _with_days(lines: Sequence[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """The lines, each that begins with the day of a date, "Epub 2017 Mar" and "9. PMID: 1", joined to that above.

    That one has not ended, and the number that follows its own is that of one of the next two marks.
    """
    joined: list[tuple[str, bool]] = []
    numbers = [int(found[1]) for line, _ in lines if (found := _NUMBER.match(line))]
    last = passed = 0
    for line, apart in lines:
        number = numbers[passed] if _NUMBER.match(line) else 0
        passed += number > 0
        above = joined[-1][0].strip() if joined else ""
        if above and not ENDED.search(above) and 0 < number != last + 1 in numbers[passed : passed + 2]:
            joined[-1] = f"{above} {line}", joined[-1][1]
        else:
            joined.append((line, apart))
            last = number or last
    return joined


def with_marks(lines: Iterable[str]) -> list[str]:
    """The lines of a list, numbers that begin some and count, alone or raised, with a full stop, as marks have."""
    kept, number = list(lines), 1
    found = kept.copy()
    for place, line in enumerate(kept):
        begin = _BARE_NUMBER.match(line)
        if begin and int(begin[1].translate(LOWERED)) == number:
            found[place] = f"{number}. {line[begin.end() :]}"
            number += 1
    return found if number > FEWEST_ENTRIES and found[0] != kept[0] and not is_marked(kept[0]) else kept


def whole_entries(paragraphs: Iterable[str]) -> list[str]:
    """The paragraphs of a list, joined where only the first of an entry has a mark, as lines of a PDF are pasted."""
    found = with_marks(paragraphs)
    if not found or not is_marked(found[0]) or sum(map(is_marked, found)) == 1:
        return found
    joined: list[str] = []
    for above, line in zip(["", *found], found, strict=False):
        if joined and not is_marked(line) and (line[0].islower() or not (ENDED.search(above) and is_entry(line))):
            joined[-1] += f" {line}"
        else:
            joined.append(line)
    return joined


def is_entry(text: str) -> bool:
    """Whether a paragraph of a list begins as an entry does: with names, or with a mark, and no sentence."""
    return bool(NAMED_IN_NOTE.match(unmarked(text))) or (
        is_marked(text) and (year_of(text) is not None or bool(ADDRESS.search(text)))
    )


def listed_entries(found: Iterable[str]) -> tuple[Entry, ...]:
    """The entries of a list, without their marks; called by their labels where each has its own, else by number."""
    every = ((label_of(entry), unmarked(entry)) for entry in found)
    parted = [(label, text) for label, text in every if any(map(str.isalpha, text))]  # no mark in a cell of its own
    labels = {label for label, _ in parted} - {""}
    own = len(labels) == len(parted)
    return tuple(
        entry_of_text(label if own else str(number), text) for number, (label, text) in enumerate(parted, start=1)
    )


def _by_names(lines: Sequence[str], apart: Sequence[bool]) -> list[str]:
    """Lines joined to entries: one begins where the last has ended, not at its year, and names come before a year.

    Where both are so of nearly all lines that are not set in, and seldom of others, all these begin entries, and else
    all that are `apart` where that is so of them.
    """
    named = [bool(_BEGINS.match("\n".join(lines[number : number + 4]).lstrip())) for number in range(len(lines))]
    likely = [names + bool(ENDED.search(above)) for names, above in zip(named, [".", *lines], strict=False)]
    flush = [not line[:1].isspace() or line.lstrip().startswith(". ") for line in lines]  # behind a dash that is drawn
    most, fewest = _means(likely, flush)
    hang = fewest < most
    tells = _told(most, fewest)
    shown = flush if tells else apart if not hang and _told(*_means(likely, apart)) else named
    found: list[list[str]] = []
    for line, names, is_flush, begins in zip(lines, named, flush, shown, strict=True):
        ended = not found or (ENDED.search(found[-1][-1]) and not _ONLY_AUTHORS.fullmatch(" ".join(found[-1]).strip()))
        if not found or ((is_flush or not hang) and ((ended and (names or begins)) or (tells and names))):
            found.append([line])
        else:
            found[-1].append(line)
    return ["\n".join(entry) for entry in found]


def _means(likely: Sequence[int], shown: Sequence[bool]) -> tuple[float, float]:
    """The means of the lines that are shown, and of the others; 0 where there are none of either."""
    kinds = [[one for one, is_shown in zip(likely, shown, strict=True) if is_shown is kind] for kind in (True, False)]
    return (mean(kinds[0]), mean(kinds[1])) if all(kinds) else (0.0, 0.0)


def _told(most: float, fewest: float) -> bool:
    return most >= _LIKELY and 2 * fewest <= most
