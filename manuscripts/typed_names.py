"""Citations that are typed by names, "(see Doe, 2020; Roe et al., 2019a, p. 3)" and "Doe (2020)"."""

import re
from collections.abc import Iterator, Sequence

from common.names import PARTICLE, family_first
from indexer.identity.cited_names import (
    AND,
    AUTHORS,
    NAME,
    NO_NAME,
    NO_YEAR,
    OTHERS,
    POSSESSIVE,
    WORD,
    YEAR,
    YEARS,
    each_year,
    surnames_in,
)
from indexer.identity.titles import title_words
from manuscripts.entry_heads import EntryHead, year_key
from manuscripts.manuscript import Entry
from manuscripts.reference_lines import ADDRESS, SAME_AUTHORS
from manuscripts.typed_marks import NARROW, Typed, Work

_YEARS = rf"(?:{YEARS}|{NO_YEAR})"
_INSTITUTION = rf"{WORD}(?:\s+(?:(?:of|for|the|on|and|AND|&|de|für|du|des)\s+){{0,3}}{WORD}(?:[’']s)?){{1,9}}"
_LEAD = re.compile(
    r"(?:(?:but|and|see|also|accord|e\.\s?g\.|i\.\s?e\.|cf\.?|for\s+(?:an?\s+)?[a-z ]{3,30}|compare|notamment|"
    r"(?:as\s+)?(?:cited|quoted)\s+(?:in|by)|vgl\.|siehe|so\s+auch|ebenso|ähnlich|dazu|hierzu|(?-i:auch|so|anders|s\.(?:\s?a\.)?)|z\.\s?B\.|"
    r"zit(?:\.|iert)\s?n(?:\.|ach)|voir|aussi|véase|apud)[,:]?\s+)+",
    re.IGNORECASE,
)
_KIND = (
    r"(?:(?:pp?|ch|chap|chapters?|sec|sections?|paras?|figs?|figures?|tables?|vol|nn?|cap|cols?|fols?|t|"
    r"S|Kap|Bd|Rn|Rdnr|Rz|Fn|Anm|Sp|Abs|Art|Abb|Tab|Nr)\b\.?|§§?)\s*"
)
_COUNTED = (
    r"(?:\d+|[ivxlc]+\b)(?:(?:\s*[,–-]\s*|\s+(?:and|und|et|y|&)\s+)\d+){0,20}"
    r"(?:\s?(?:ff?|sqq?|seqq?)\b\.?)?"
)
_LOCATOR = (
    rf"(?:\s*[,:]\s*(?:{_KIND})?{_COUNTED}(?:\s*,\s*{_KIND}{_COUNTED}){{0,3}})?"
    r"(?:,\s+for\s+[a-z ]{3,30}|,?\s+among\s+others)?"
)
# What else is said of a work of the list, such as ", emphasis added": no further year, which may be of another work.
_REMARK = rf"(?P<remark>\s*[,:](?:(?!(?<!\d){YEAR}(?!\d))[^;()\[\]]){{1,60}})?"
_FIRST_YEAR = (
    rf"(?:\s*\[{YEAR}(?:/\d\d)?\]\s*)?"  # of a work that is cited in a later edition, before or behind its year
)
_DATED = rf"{_FIRST_YEAR}(?P<years>{_YEARS})(?:\s?ff\.)?{_FIRST_YEAR}{_LOCATOR}{_REMARK}"
# What an institution is called from then on, as in APA style.
_SHORT = r"(?:\s+\[(?P<short>[A-Z](?=[\w-]*[A-Z])[\w-]{1,12})\](?=,))?"
_PART = re.compile(rf"(?:(?P<names>{AUTHORS}|{_INSTITUTION}){_SHORT}(?:,\s*|\s+))?{_DATED}")
_NAMES_ALONE = re.compile(rf"(?:(?:{PARTICLE.pattern})\s)*{NAME}(?:\s(?:e\s)?{NAME}){{0,3}}")
# Also "[Doe et al., 2001, Roe, 2002]", as natbib joins them in many a template.
_SECOND_HAND = re.compile(r"(?:as\s+)?(?:cited|quoted)\s+in\b|zit(?:\.|iert)\s?n(?:\.|ach\b)")
_BETWEEN_WORKS = re.compile(
    rf"\s*;\s*|(?<!\bas),?\s+(?={_SECOND_HAND.pattern})|"
    r"(?:(?<=\d{4})|(?<=\d{4}[a-z])),\s+"
    rf"(?=(?:(?:{PARTICLE.pattern})\s)*[^\W\d_a-z][^;]*(?<!\d){YEAR})"
)
_BRACKETS = re.compile(r"\(([^()]{6,400})\)|\[([^\[\]]{6,400})\]")
_YEARS_IN_BRACKETS = re.compile(rf"[(\[]{_DATED}[)\]]")
_NAMES_BEFORE = re.compile(rf"(?<!\w)(?P<names>{AUTHORS}){POSSESSIVE},?\s*\Z")
_LONGEST_NAMES = 150  # characters
_LONGEST_UNSPACED = 8  # characters of a full name in Chinese, Japanese or Korean, and of what says "and others"
_LONGEST_LED = 20  # characters of what leads to one name
# What a sentence begins with before the names: "However, Doe and Roe (2019)", "Recently, Doe et al. (2005)".
_BEGINNING = re.compile(
    r"(?:(?:After|Also|Although|And|As|Before|Between|Both|But|By|Comme|Following|For|From|Furthermore|Here|However|If|In|"
    r"Indeed|Instead|Laut|Like|Likewise|Moreover|Nach|Nevertheless|On|See|Selon|Since|Though|Thus|The|To|Unlike|Using|"
    r"When|Whereas|While|Wie|With),?\s+|\w{2,}(?:al|[^\Waioul])ly,\s+|\w{4,}ing\s+)+"
)
_SAYS = re.compile(
    r",?\s+(?:(?:ha[sd]|have|also|further|\w+ly)\s+)*(?:argue[sd]?|claim(?:s|ed)?|conclude[sd]?|define[sd]?|"
    r"demonstrate[sd]?|describe[sd]?|found|finds?|identifie[sd]|introduce[sd]?|note[sd]?|observe[sd]?|"
    r"point(?:s|ed) out|propose[sd]?|report(?:s|ed)?|show(?:s|ed|n)?|state[sd]?|suggest(?:s|ed)?|writes?|wrote)\b"
)
_SAID_BY = re.compile(r"\b[Aa]ccording to\s+\Z")
_ITS = re.compile(r"(?:[’']s|s[’'])\s*\Z")
# In a note also "Roe (2019), p. 12" and "Roe, A. & Doe, B., 2019".
_YEARS_APART = re.compile(rf"\s*[(\[](?P<inside>{_DATED})[)\]]")
_INITIALS_BEHIND = re.compile(rf",\s+[A-Z]\.(?:[ -]?[A-Z]\.){{0,3}}(?=,|{AND}|\s+{YEAR}\b)")
_UNNAMED = re.compile(r"[\W\d_]*\w?[\W\d_]*|.*\d.*")  # in "B&H (1995)" and "TC2014 and C (2014)"
_INITIALS = re.compile(r"\b[A-Z]\.[ -]?")
# What stands before the first year, title or bracket of an entry: its authors, who may stand for the dash of the next.
AUTHORS_FIRST = re.compile(r"(?:(?!(?<=[^\W\d_]{2})\.\s)[^\d“”\"«‘(])*")


class ByName:
    """Authors and years."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._of_year: dict[str, list[EntryHead]] = {}
        self._called: dict[str, str] = {}  # short for an institution → what it is short for
        authors = ""
        for entry in entries:
            text = ADDRESS.sub(" ", entry.source)
            if same := SAME_AUTHORS.match(text):
                text = f"{authors} {text[same.end() :]}"
            elif found := AUTHORS_FIRST.match(text):
                authors = found[0]
            one = EntryHead.of(entry.key, text)
            for year in {year[:4] for year in one.years}:
                self._of_year.setdefault(year, []).append(one)

    def find(self, text: str) -> Iterator[Typed]:
        """What looks like a citation."""
        text = text.translate(NARROW)
        yield from self._in_brackets(text)
        yield from self._in_text(text)

    def in_note(self, text: str) -> Iterator[Typed]:
        """What a note that says nothing else cites, "See Roe 2019, p. 12; Doe and Poe (2020), 3", at its end."""
        works, _ = self._parted([part for part in _parts_of_note(text) if _is_short(part) or part[:1].isdigit()])
        if works:
            yield Typed(0, len(text), tuple(works), kept=text)

    def _in_brackets(self, text: str) -> Iterator[Typed]:
        """(see Doe, 2020; Roe et al., 2019a, p. 3)."""
        for brackets in _BRACKETS.finditer(text):
            works, kept = self._parted(_BETWEEN_WORKS.split((brackets[1] or brackets[2]).strip()))
            if works:
                yield Typed(*brackets.span(), tuple(works), kept=f"({'; '.join(kept)}) " if kept else "")

    def _parted(self, parts: Sequence[str]) -> tuple[list[Work], list[str]]:
        """The works that the parts of brackets cite; and the parts that cite none."""
        works: list[Work] = []
        kept: list[str] = []
        names = ""  # of the last part: "(Doe, 2001; 2003)"
        last = 0  # where the works of the last part begin
        waiting: list[str] = []  # parts that are names alone, as in "(DOE; ROE, 2001)" of Brazil
        for part in parts:
            start = behind_lead(part)
            cited = _PART.fullmatch(part, start)
            if not cited and _NAMES_ALONE.fullmatch(part, start):
                waiting.append(part)
                continue
            names = cited["names"] or names if cited else ""
            named = self._works(names, cited) if cited and names else []
            if waiting and cited and cited["names"]:
                together = self._works(", ".join([*(one[behind_lead(one) :] for one in waiting), names]), cited)
                if _has_listed(together):
                    named, waiting = together, []
            kept += waiting
            waiting = []
            if _SECOND_HAND.match(part):  # the list need not have what others cite
                kept += [work.name for work in works[last:] if work.entry is None]
                works[last:] = [work for work in works[last:] if work.entry]
            last = len(works)
            if cited and cited["short"] and _has_listed(named):
                self._called[cited["short"]] = names
            if named and (_has_listed(named) or not re.match(NO_NAME, names)):
                works += named
            else:
                kept.append(part)
        return works, kept + waiting

    def _in_text(self, text: str) -> Iterator[Typed]:
        """Doe and Roe (2019); where no entry is of these authors, of the last of them: "Trees, Doe (2020)"."""
        for years in _YEARS_IN_BRACKETS.finditer(text):
            first = max(0, years.start() - _LONGEST_NAMES)
            before = _NAMES_BEFORE.search(text, first, years.start())
            if not before:
                continue
            names = before["names"]
            for place in _beginnings(names):
                start = before.start() + place
                works = self._works(names[place:], years)
                if _has_listed(works):
                    yield Typed(start, years.end(), tuple(works), "text")
                    break
            else:
                authors = _authors_from(text, before.start(), before.end("names"), years)
                if authors is not None and (works := self._works(text[authors : before.end("names")], years)):
                    yield Typed(authors, years.end(), tuple(works), "text")

    def _works(self, names: str, cited: re.Match[str]) -> list[Work]:
        """The works by these authors; none where something is said behind their years and the list has none of them."""
        shown = " ".join(names.split())
        authors, others = authors_in(self._called.get(shown, shown))
        short = shown if shown.isupper() and shown.isalpha() else ""
        found: list[Work] = []
        for year in each_year(cited["years"]):
            key = year_key(year)
            possible = self._of_year.get(key[:4], ())
            ranks = ((one.rank(authors, others, key, short), one.key) for one in possible)
            fitting = [(rank, key) for rank, key in ranks if rank is not None]
            found.append(Work(f"{shown} {year}", min(fitting)[1] if fitting else None))
        if cited["remark"] and (re.match(NO_NAME, names) or not _has_listed(found)):
            return []
        return found


def behind_lead(part: str) -> int:
    """Where the names begin in a part of brackets or of a note, behind "see also" and the like."""
    lead = _LEAD.match(part)
    return lead.end() if lead else 0


def cites_by_names(note: str) -> bool:
    """Whether all that a note names are authors and years, and no title: "Vgl. Roe (2019), S. 12; Doe/Poe 2020"."""
    return all(map(_is_short, _parts_of_note(note)))


def _parts_of_note(text: str) -> list[str]:
    plain = _YEARS_APART.sub(r" \g<inside>", text.translate(NARROW).strip().rstrip("."))
    return _BETWEEN_WORKS.split(_INITIALS_BEHIND.sub(" ", plain))


def _is_short(part: str) -> bool:
    """Whether it is a citation as in brackets: commas stand before the last of several names, not before titles."""
    cited = _PART.fullmatch(part, behind_lead(part))
    names = cited["names"] if cited and not cited["remark"] else None
    if not names or re.match(NO_NAME, names):
        return False
    return "," not in names or re.search(rf"{OTHERS}$|{AND}", names) is not None


def _has_listed(works: Sequence[Work]) -> bool:
    return any(work.entry for work in works)


def _beginnings(names: str) -> Iterator[int]:
    """Where the first author may begin: at each name, and within words of scripts that set no spaces between them."""
    for name in re.finditer(NAME, names):
        word = name[0]
        yield name.start()
        if family_first(word[0]):
            yield from range(max(name.start() + 1, name.end() - _LONGEST_UNSPACED), name.end() - 1)


def _authors_from(text: str, start: int, end: int, years: re.Match[str]) -> int | None:
    """Where, of names of which the list has no work, those of authors begin; None where they are none.

    Several are authors, joined so; one may be that of anything, unless it says something or something is its own. Of
    138 single names so found in abstracts of eight fields two were of towns.
    """
    beginning = _BEGINNING.match(text, start, end)
    start = beginning.end() if beginning else start
    names = text[start:end]
    parts = re.split(rf"{AND}|,\s+", names)
    if any(re.match(NO_NAME, part) for part in parts) or any(map(_UNNAMED.fullmatch, parts)):
        return None
    if re.search(rf"{OTHERS}|{AND}", names):
        return start
    start = end - len(parts[-1])
    said = _SAID_BY.search(text, max(0, start - _LONGEST_LED), start) or _SAYS.match(text, years.end())
    return start if said or _ITS.search(text, start, years.start()) else None


def authors_in(names: str) -> tuple[list[list[str]], bool]:
    """The words of each author that is named, or of an institution, and whether there are others."""
    if re.search(r"\b(?:of|for|the|on)\b", names):
        return [title_words(names)], False
    surnames, others = surnames_in(names)
    return [title_words(_INITIALS.sub("", surname)) for surname in surnames], others
