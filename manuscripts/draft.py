"""Title and abstract of a draft, and how they are found in running text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile

from common.line_numbers import without_line_numbers
from common.text import whole_words
from manuscripts.headings import BEHIND, ENGLISH, OTHERS
from manuscripts.manuscript import Section
from manuscripts.text_building import NOTED, PARAGRAPH
from manuscripts.title_lines import GOES_ON, LONGEST, parted_by_names, title_above, title_as_subject, without_stamps

MAX_TITLE = 500  # characters
MAX_ABSTRACT = 10_000  # characters; a long abstract has 3,000
_LONGEST_ABOVE = 3_000  # characters above an abstract: the title, who wrote it, and where they work

_OTHER = rf"^[ \t]*(?:[\[【〔](?:{OTHERS})[\]】〕]|(?:{OTHERS})[ \t]*(?=[.:：—–-]|$))[ \t.:：—–-]*"  # alone, or marked
_HEADINGS = (  # the preferred one first
    re.compile(
        rf"^[ \t]*(?!(?-i:[a-z])\w+[ \t]+\w)(?:{ENGLISH})\b(?!,)[ \t]*[.:—–-]*[ \t]*", re.IGNORECASE | re.MULTILINE
    ),
    re.compile(_OTHER, re.IGNORECASE | re.MULTILINE),
)
_END = re.compile(
    rf"^[ \t]*(?:(?:\d+|[IVX]+)?[.:]?[ \t]*(?:(?-i:I)ntroduction\b|{BEHIND})|key[ -]?words?\b|index terms\b|"
    r"(?-i:(?:Table of |TABLE OF )?(?:Contents|CONTENTS))[ \t]*$|"
    r"ccs concepts\b|categories and subject|general terms\b|acm reference format|pacs\b|1\.?[ \t]+(?-i:[A-Z][a-z]+))"
    rf"|{_OTHER}",
    re.IGNORECASE | re.MULTILINE,
)
_NOTICE = re.compile(r"(?:©|(?i:copyright)[ \t]*(?:©|\(c\)|(?:19|20)\d\d))")  # of rights, a paragraph of its own
# Footnotes that stand between the two, as in ACM's columns, and such notices.
_NOTES = re.compile(
    rf"^[ \t]*(?:{NOTED}|[∗†‡§¶]+[ \t]*[^\W\d_a-z]|Permission to make digital\b|(?<={PARAGRAPH}\n){_NOTICE.pattern})",
    re.MULTILINE,
)
# What a part of a structured abstract begins with, and how a paragraph of sentences ends.
PART = re.compile(
    r"\s*(?:background|contexts?|rationale|motivation|importance|hypothes[ei]s|objectives?|aims?|purpose|approach|"
    r"(?:materials? and )?methods?|methodology|(?:study )?design|setting|participants|patients|data sources|"
    r"interventions?|(?:(?:main|key) )?(?:outcomes?|measure\w*|results?|findings)|discussion|conclusions?|"
    r"interpretation|(?:(?:research|practical|social|managerial) )?(?:implications|limitations)|significance|"
    r"originality|availability|(?:trial )?registration)(?:[ \t]*(?:[.:—–-]|$)|(?: and|,| &) |/ ?(?=\w))",
    re.IGNORECASE | re.MULTILINE,
)
_SENTENCE_END = re.compile(r"[.!?][)\]”\"’»⁰¹²³⁴-⁹]*\s*\Z")
_ENDS_SENTENCE = re.compile(r"(?:[^\W\d_]{2}|\d%)[)\]”]?[.!?](?=\s|$)|[。！？]")
_FEWEST_SENTENCES, _MOST_DIGITS = 2, 0.03
_FEWEST_LETTERS = 150  # of an abstract that nothing but its place tells
_BLANK = re.compile(r"\n\s*\n")
_QUOTED = re.compile(r"(?:>[ \t]?)+")
# A line that ends within "García-López", "X-ray" or "COVID-19", and not in "short- and long-term".
_AT_HYPHEN = re.compile(r"(?<=\w)-[ \t\r]*\n[ \t]*(?=\w)(?!(?:and|or|to|und|oder)\b)")
_TITLE_LABEL = re.compile(
    r"^\s*(?:(?:full|manuscript|article|paper) )?title(?: of (?:the )?(?:manuscript|article|paper))?[ \t]*[:：]\s*",
    re.IGNORECASE,
)
# What begins a sentence rather than with a name.
_SENTENCE = re.compile(
    r"(?:We|Our|I|An?|The|This|These|It|There|In|On|For|To|By|With|From|At|As|While|When|Although|Despite|Recent(?:ly)?"
    r"|Many|Most|Modern|Current|Existing|Here|How|What)\b"
)
_LEADERS = re.compile(r"(?:\. ?){6}")  # of a list of contents; of four dots are ellipses
_PROSE = re.compile(r"(?:We|I|In this|This paper|Our)\b")
# With a mark, or alone on its line: "Abstract art" is a title. A hyphen may also be one of "Summary-Based".
_ABSTRACT_LABEL = re.compile(
    rf"^[ \t]*(?:{ENGLISH})[ \t]*(?:[.:：—–]+|-+(?=\s|(?-i:{_SENTENCE.pattern}))|$)[ \t]*"
    rf"|{_OTHER}",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Draft:
    """What is asked about; one of the two may be ""."""

    title: str
    abstract: str

    def shortened(self) -> Draft:
        """Each within its limit, cut at a word; the title on one line."""
        return Draft(_cut(" ".join(self.title.split()), MAX_TITLE), _cut(self.abstract.strip(), MAX_ABSTRACT))


def split_title(text: str) -> tuple[str, str]:
    """A "title, line break, abstract" → its two parts; ("", text) where it does not begin with a title.

    Who wrote it, between the two, and what is printed above a title are left out. The title is what stands above the
    heading of the abstract, or above the names; lines that are no sentence above a blank line; or the first line: if a
    label says so; if it is all there is, short, and does not end as a sentence does; if a blank line follows it, or a
    paragraph that is clearly longer than a line; or, where it does not end as a sentence does, a single line that is
    clearly longer than itself, or lines that do not go on with its sentence. Of a mail it may be the subject.
    """
    whole = whole_words(without_line_numbers(_unquoted(text))).strip()
    text = without_stamps(whole)
    title, abstract = _split(text)
    return title or title_as_subject(whole[: len(whole) - len(text)]), abstract


def _split(text: str) -> tuple[str, str]:
    """`split_title` of a text above which nothing else stands."""
    title = without_label(text)
    if (found := _ABSTRACT_LABEL.search(title)) and (abstract := title[found.end() :].strip()):
        above = title[: found.start()].strip()
        if len(above) <= LONGEST or (len(above) <= _LONGEST_ABOVE and parted_by_names(f"{above}\n{abstract}")):
            return title_above(above, abstract) if above else "", abstract
    named = parted_by_names(title)
    if named and (title != text or not (named[0].endswith(".") or _PROSE.match(named[0]))):
        return named
    above, *below = map(str.strip, _BLANK.split(title, maxsplit=1))
    if below and "\n" in above and (title != text or _is_title_in_lines(above, below[0])):
        return " ".join(above.split()), below[0]
    first, _, rest = title.partition("\n")
    is_title = title != text or (len(first) <= LONGEST and _is_title_above(first.strip(), rest.splitlines()))
    return (first.strip(), rest.strip()) if is_title else ("", text)


def _unquoted(text: str) -> str:
    """A text of a mail without the marks of a quotation, if it is one as a whole, and without what signs it."""
    lines = text.strip().split("\n")
    if all(line.startswith(">") for line in lines if line.strip()):
        lines = [_QUOTED.sub("", line, count=1) for line in lines]
    above, dashes, below = "\n".join(lines).rpartition("\n-- \n")
    return above if dashes and 2 * len(below) < len(above) else "\n".join(lines)


def without_label(title: str) -> str:
    """A title without "Title:" before it."""
    return _TITLE_LABEL.sub("", title, count=1)


def _is_title_in_lines(above: str, below: str) -> bool:
    """Whether several lines above a blank line are a title: short, no sentence, and no first line above one."""
    first, *others = map(str.strip, above.splitlines())
    sentence = above.endswith((".", ",", ";")) or _PROSE.match(first) or any(map(_PROSE.match, others))
    return not sentence and len(above) <= LONGEST and 1.5 * len(above) < len(below)


def _is_title_above(first: str, lines: Sequence[str]) -> bool:
    if not any(map(str.strip, lines)):
        return not first.endswith(".")
    ends = first.endswith((".", ",", ";"))
    wrapped = len(lines) > 1 or ends  # perhaps, by hand
    if not lines[0].strip() or len(lines[0]) > max(160 if wrapped else 0, 1.5 * len(first)):
        return True
    following = lines[0].strip()
    if len(lines) == 1 or ends or not following[:1].isupper() or _PROSE.match(first) or GOES_ON.search(first):
        return False
    has_room = len(first) + len(following.split()[0]) < max(map(len, lines))  # for the next word
    return has_room or bool(_SENTENCE.match(following))


def abstract_of(*pages: str) -> str:
    """What stands between the heading "Abstract" and the introduction or the keywords; "" without the heading.

    An English one is taken before one of another language.
    """
    found = ((page, one) for heading in _HEADINGS for page in pages if (one := heading.search(page)))
    below = (running_text(page[one.end() : _end_of_abstract(page, one)]) for page, one in found)
    return next(filter(None, below), "")


def _end_of_abstract(page: str, heading: re.Match[str]) -> int:
    """Where something known begins; else where its paragraph ends, or its parts, as far as paragraphs are marked."""
    start = heading.end()
    if end := _END.search(page, start, start + MAX_ABSTRACT):
        return (_NOTES.search(page, start, end.start()) or end).start()
    in_parts = PART.match(page, start)
    paragraphs = (found.start() for found in re.compile(PARAGRAPH).finditer(page, start))
    ended = (place for place in paragraphs if _SENTENCE_END.search(page[max(start, place - 20) : place]))
    return next((place for place in ended if not (in_parts and PART.match(page, place))), len(page))


def is_prose(text: str) -> bool:
    """Whether it has sentences, unlike a list of authors and institutions, and does not stand apart."""
    digits = sum(map(str.isdigit, text))
    many = len(_ENDS_SENTENCE.findall(text)) >= _FEWEST_SENTENCES and digits < _MOST_DIGITS * len(text)
    return many and not stands_apart(text)


def stands_apart(text: str) -> bool:
    """Whether it is of a list of contents, or a footnote or notice of rights."""
    return any((_LEADERS.search(text), _NOTES.match(text.lstrip()), _NOTICE.match(text.lstrip())))


def with_unnamed_abstract(sections: tuple[Section, ...], title: str) -> tuple[Section, ...]:
    """The sections with one for an abstract without a heading, as far as there is one.

    That is what stands in parts above the first heading, or in the first long paragraph of sentences.
    """
    front = list(takewhile(lambda section: section.heading in ("", title), sections))
    above = [paragraph for section in front for paragraph in section.paragraphs]
    texts = [paragraph.text for paragraph in above]
    behind = dropwhile(lambda place: not PART.match(texts[place]), range(len(texts)))
    places = list(takewhile(lambda place: PART.match(texts[place]), behind))
    if len(places) < _FEWEST_SENTENCES:
        places = [place for place, text in enumerate(texts) if len(text) >= _FEWEST_LETTERS and is_prose(text)][:1]
    if not places:
        return sections
    parts = above[: places[0]], above[places[0] : places[-1] + 1], above[places[-1] + 1 :]
    parted = (
        Section(heading, 1, tuple(part))
        for heading, part in zip((front[0].heading, "Abstract", ""), parts, strict=True)
    )
    return (*(section for section in parted if section.heading or section.paragraphs), *sections[len(front) :])


def above_body(text: str) -> str:
    """What stands above the introduction, the keywords or the like; the whole text where nothing does."""
    end = _END.search(text)
    return (text[: end.start()].strip() if end else "") or text


def behind_abstract(text: str) -> str:
    """What follows the abstract below the first such heading; "" without it, or where it has no end."""
    found = next((one for heading in _HEADINGS if (one := heading.search(text))), None)
    return text[_end_of_abstract(text, found) :] if found else ""


def before_abstract(text: str) -> str:
    """What stands above the first such heading; the whole text without it."""
    return text[: min((found.start() for heading in _HEADINGS if (found := heading.search(text))), default=None)]


def running_text(text: str) -> str:
    """Lines joined to paragraphs, words that were parted at a line's end in one piece."""
    paragraphs = re.split(r"\n\s*\n", _AT_HYPHEN.sub("-", whole_words(text)))
    return "\n\n".join(filter(None, (" ".join(paragraph.split()) for paragraph in paragraphs)))


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[:length].rpartition(" ")[0] or text[:length]
