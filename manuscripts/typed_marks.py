"""Citations that are typed as marks: "[3, 5–7]", "³,⁵" and "[Doe20, Sec. 3]", by what stands before the entries."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from indexer.identity.cited_names import NUMBERED
from manuscripts.manuscript import Form
from manuscripts.text_building import LOWERED, RAISED

_TO = "‐-―−⁻-"  # hyphens and dashes, as a part of a character class
# What is said of a work before its number: "see 12", "5, e.g., 39".
_LED = (
    r"(?:(?i:see|also|but|e\.\s?g\.|cf\.|refs?\.?|references?|(?:reviewed|discussed)\s+(?:in|by)|"
    r"for\s+(?:an?\s+)?(?:review|overview|example)s?|vgl\.|siehe|z\.\s?B\.),?\s+){0,3}"
)
_NUMBER = rf"{_LED}[1-9]\d{{0,2}}"
_NEXT = rf"\s*[,;{_TO}]\s*{_NUMBER}"
_COUNTED = rf"{_NUMBER}(?:{_NEXT})*"
# Where in a work: ", p. 3", ", Sec. 2", ", Theorem 4".
_PLACE = (
    r",\s*(?:§+|(?:pp?|s|secs?|sections?|chs?|chaps?|chapters?|th(?:eore)?ms?|lem(?:ma)?s?|prop(?:osition)?s?|cor(?:ollary)?"
    r"|defs?|definitions?|eqs?|equations?|figs?|figures?|tabs?|tables?|app(?:endix)?|algs?|algorithms?|ex|examples?"
    r"|rems?|remarks?)\b)"
)
_WITHIN = rf"{_PLACE}[^\[\]\\;]{{1,40}}"
# Perhaps escaped; behind a place in a work stands another work, or nothing: "[1, p. 2; 3]".
_BRACKETED = rf"\\?\[\s*{_NUMBER}(?:{_NEXT}|\s*(?i:{_WITHIN})(?=;|\\?\]))*\s*\\?\]"
_NUMBERS = re.compile(rf"({_BRACKETED}(?:\s*[,;{_TO}]\s*{_BRACKETED})*)")  # "[1], [3]–[5]", as IEEE has it, is one
# Not those of the values that R prints, "[17]  0.3 -1.2", in a paragraph that begins with them or has a command; but
# those of a row of a table, "BERT [17] 0.3 0.2".
_OF_R = re.compile(r"\A\s*\[|(?:\A|\s)(?:>\s+[^\W\d]|##\s+\[)")
_CITING_NUMBERS = re.compile(rf"{_NUMBERS.pattern}(?!\s+[+-]?(?:\d*\.\d|\d+\s+[+-]?\d))")
_NUMBERS_AND_LINK = re.compile(rf"{_NUMBERS.pattern}(\()?")
_WITHIN_OR_NUMBER = re.compile(rf"((?i:{_WITHIN}))|\d+")
_UNSPACED = r"\u3000-\u9fff\uac00-\ud7af"
# Superscripts, in brackets or without, behind a word, one such as "COVID-19" or a full stop, and not of a unit, such as
# "m²"; a word goes on behind them only where there are no spaces.
_RAISED_NUMBERS = rf"[¹²³⁴-⁹][⁰¹²³⁴-⁹]{{0,2}}(?:\s?[,;{_TO}]\s?[¹²³⁴-⁹][⁰¹²³⁴-⁹]{{0,2}})*"
_RAISED = re.compile(
    r"(?:(?<=[^\W\d_]{2})(?<!(?<![^\W\d_])[cdkmnµμ]m)(?<!(?<![^\W\d_])(?:ft|mi))|(?<=[^\W\d_]{2}-\d)|(?<=[^\W\d_]{2}-\d\d)|(?<=[.,;:)\]”’\"。，；：）」』》]))"
    rf"(\[{_RAISED_NUMBERS}\]|\({_RAISED_NUMBERS}\)|{_RAISED_NUMBERS}(?:\)(?=[{_UNSPACED}]))?)(?!(?![{_UNSPACED}])\w)"
)
# Behind a word, brackets, quotation marks or "et al.", but no count as in "12 (5) died".
_ROUND = re.compile(
    r"(?:(?<=[^\W\d_] )|(?<=[)\]”’\"%] )|(?<=[^\W\d_]{2},)|(?<=[^\W\d_]{2}-\d )|(?<=[^\W\d_]{2}-\d\d )|(?<=\bal\. ))"
    # A PDF has gaps beside numbers in italics. In "(12, p < .05)" no place follows.
    rf"\(\s?({_COUNTED}(?:(?i:{_PLACE})[.\s]*[\dIVX][^()\[\]\\;]{{0,30}})?)\s?\)"
)
_NO_NUMBERS = re.compile(rf"[\[\]()\\]|{_WITHIN}|{_LED}", re.IGNORECASE)
_NUMBERED = re.compile(rf"\b(?:{'|'.join(NUMBERED)})\W*\Z", re.IGNORECASE)
# What such numbers may stand behind, too: the plural of these words, a letter, signs.
_UNSURE = re.compile(
    rf"(?:\b(?:{'|'.join(NUMBERED)})s|(?<![^\W\d_]|[’'])[^\W\d_]|(?<![^\W\d_]{{2}})\)|[\]”’\"%]) \Z",
    re.IGNORECASE,
)
# In "few trees (e.g., 10)" and "(for example, 5–10)".
_VALUE = re.compile(rf"(?:e\.\s?g\.|z\.\s?B\.|for\s+example),?\s+\d+(?:\s*[{_TO}]\s*\d+)?\Z", re.IGNORECASE)
_LONGEST_NUMBERED = 15  # characters
NARROW = str.maketrans("（）［］，；", "()[],;")  # signs of Chinese and Japanese prints, each as long
_ENDS = re.compile(
    r"[!?…。！？]|(?<!\b[^\W\d_¹²³⁴-⁹])(?<!\b[A-Z][a-z])\.(?![A-Za-z])"
)  # of sentences: no initials, no "Jr."
_MOST_OF_RANGE = 30
_LABEL = r"[^\W\d_][^\W_]{0,11}\+?\d\d[a-z]?"  # such as "Doe20", "vdBR99a", "DRP+05"


@dataclass(frozen=True, slots=True)
class Work:
    """A work as it is typed."""

    name: str  # as it is shown, such as "Doe et al. 2020"
    entry: str | None  # the key of its entry, if the list has one


@dataclass(frozen=True, slots=True)
class Typed:
    """A stretch of a text that cites."""

    start: int
    end: int
    works: tuple[Work, ...]
    form: Form = ""
    kept: str = ""  # of its words


class ByNumber:
    """Numbers in square brackets, those of the entries."""

    def __init__(self, numbers: Collection[str]) -> None:
        self._numbers = frozenset(numbers)

    def find(self, text: str) -> Iterator[Typed]:
        """What looks like a citation."""
        for found in self._matches(text.translate(NARROW)):
            works = (Work(number, number if number in self._numbers else None) for number in _counted(found[1]))
            yield Typed(found.start(), found.end(), tuple(works))

    def _matches(self, text: str) -> Iterator[re.Match[str]]:
        return (_CITING_NUMBERS if _OF_R.search(text) else _NUMBERS).finditer(text)


class ByRoundNumber(ByNumber):
    """The same in round brackets, in which equations, steps and much else are numbered, too.

    What may be such numbers is a citation where at least half are of `left`, which nothing else cites.
    """

    def __init__(self, numbers: Collection[str], left: Collection[str | None] = ()) -> None:
        super().__init__(numbers)
        self._left = frozenset(left)

    def _matches(self, text: str) -> Iterator[re.Match[str]]:
        for found in _ROUND.finditer(text):
            before = max(0, found.start() - _LONGEST_NUMBERED), found.start()
            sure = not (_UNSURE.search(text, *before) or _VALUE.match(found[1]))
            if not _NUMBERED.search(text, *before) and (sure or self._are_left(*_counted(found[1]))):
                yield found

    def _are_left(self, *numbers: str) -> bool:
        return 2 * sum(number in self._left for number in numbers) >= len(numbers)


class ByRaisedNumber(ByNumber):
    """The same as superscripts; a line of authors, whose superscripts are those of their institutions, has no end."""

    def _matches(self, text: str) -> Iterator[re.Match[str]]:
        return _RAISED.finditer(text) if _ENDS.search(text) else iter(())


def with_notes(lines: Sequence[str], notes: Mapping[str, str]) -> list[str]:
    """The lines with what stands for notes instead of their raised numbers; what is there twice may be a citation."""
    seen = Counter(number for line in lines for one in _RAISED.finditer(line) for number in _counted(one[1]))

    def replaced(raised: re.Match[str]) -> str:
        numbers = list(_counted(raised[1]))
        are_notes = all(number in notes and seen[number] == 1 for number in numbers)
        return "".join(notes[number] for number in numbers) if are_notes else raised[0]

    return [_RAISED.sub(replaced, line) for line in lines]


def with_higher_numbers(text: str, more: int) -> str:
    """Each number that cites, raised or in square brackets, higher by so much; no text of a link or place in a work."""

    def higher(cited: re.Match[str]) -> str:
        summed = _WITHIN_OR_NUMBER.sub(lambda one: one[1] or str(int(one[0]) + more), cited[0])
        return cited[0] if cited[2] else summed

    def raised(cited: re.Match[str]) -> str:
        return re.sub(r"\d+", lambda one: str(int(one[0]) + more), cited[0].translate(LOWERED)).translate(RAISED)

    return _RAISED.sub(raised, _NUMBERS_AND_LINK.sub(higher, text)) if more else text


def _counted(numbers: str) -> Iterator[str]:
    """Of "3, 5–7" 3, 5, 6 and 7."""
    for part in re.split(r"\s*[,;]\s*", _NO_NUMBERS.sub("", numbers.translate(LOWERED))):
        first, last = (int(number) for number in (re.split(rf"\s*[{_TO}]\s*", part) * 2)[:2])
        yield from map(str, range(first, last + 1) if first <= last < first + _MOST_OF_RANGE else (first, last))


class ByLabel:
    """Labels in square brackets, those of the entries, as BibTeX's style alpha makes them."""

    def __init__(self, labels: Collection[str]) -> None:
        self._labels = frozenset(labels)
        label = f"(?:{'|'.join([*map(re.escape, sorted(labels, key=len, reverse=True)), _LABEL])})"
        self._label = re.compile(label)
        self._cited = re.compile(
            rf"\[\s*({label}(?:\s*[,;]\s*{label}|,\s+[^\[\];]{{1,60}}(?=;\s*{label}))*)(?:,\s+[^\[\]]{{1,60}})?\s*\]"
            r"(?!\()"  # no link's text
        )

    def find(self, text: str) -> Iterator[Typed]:
        """What looks like a citation."""
        for found in self._cited.finditer(text):
            labels = filter(self._label.fullmatch, re.split(r"\s*[,;]\s*", found[1]))
            yield Typed(*found.span(), tuple(Work(label, label if label in self._labels else None) for label in labels))
