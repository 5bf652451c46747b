"""The lines above an abstract, as they are copied from a paper or its page → its title, without who wrote it."""

import re
from collections.abc import Sequence

from common.front_matter import is_front_matter
from common.names import PARTICLE, SUFFIX, family_first, parse_name
from manuscripts.authors import is_name

LONGEST = 300  # characters of a title above its abstract
_MOST_LINES = 4  # of a title
_LONGEST_LINE = 160  # characters; what is longer is a paragraph
_LONGEST_NAMES = 2_000
_LONGEST_NAME = 5  # words, besides particles
_MOST_NAMED = 60  # lines of names and places
_LOOKED_AT = 3_000  # characters of the abstract
_LONGEST_PLACE = 200  # characters of a line that says where somebody works
# What publishers and archives of manuscripts print above titles, and arXiv beside them.
_STAMP = re.compile(
    r"arxiv:\s?\S+.{0,60}|(?:doi:?\s*|https?://\S*?)?10\.\d{4,9}/\S+|https?://\S+|"
    r"(?:the )?(?:\w+(?:al|an) )?journal of [\w &-]{3,60}|"  # larger than the title, as in those of statistics
    r"(?:(?:original|research|review|regular|full[ -]length|short|brief|case) ){0,2}"
    r"(?:article|(?<=. )(?:research|paper|report|communication|study))|review|perspective|original investigation|"
    r"(?:title|cover) ?page|(?:full|manuscript|article|paper) title:?|title:|"
    r"(?:running (?:head|title)|short title|word count|(?:manuscript|article|paper) (?:id|no\.|number|type|category)|"
    r"type of (?:manuscript|article|paper)):.*|(?:anonymi[sz]ed |blinded |main )?(?:manuscript|document)|"
    r"(?:final |first )?draft(?:\W+(?:\d|version\b|(?:please )?do not|not for|of \d|for (?:review|comment)).{0,80})?|"
    r"manuscript (?:prepared |submitted |in preparation )?(?:for|to)\b.{0,80}|"
    r"\d{1,2}\.? [a-z]{3,9}\.? (?:19|20)\d\d|"
    r"[a-z]{3,9}\.? \d{1,2}, (?:19|20)\d\d|"
    r"(?:published as|under review|to appear (?:in|at)|accepted (?:at|for|by|to)|(?:for )?submi(?:tted|ssion) to|"
    r"preprint\b).{0,100}|"
    r"(?:(?:nih[ -]pa|hhs|cihr|(?:europe |uk ?)pmc funders|wellcome(?: trust)?) )?"
    r"(?:(?:authors?['’]s? )?accepted|author) manuscripts?|"
    r"(?:hhs|nih) public access|(?:europe |uk ?)pmc funders group|wellcome open access|"
    r".{0,100}\bavailable in pmc\b.{0,60}|published in final edited form as\b.{0,200}|"
    # As what it was published, on a line of its own: "J Doe Stud. 2015 January 7; 35(1): 12-20."
    r"\w[^;:]{0,80}\. (?:19|20)\d\d\b[\w ]{0,16};\s?\w{1,8}\s?[(:].{0,100}",
    re.IGNORECASE,
)
# What stands above a text that was sent by mail: its head, whom it is to, and "here is the abstract:". In capitals
# "DATE: Detecting Anomalies" is a title.
_SUBJECT = r"(?-i:Subject|Betreff)[ \t]*:[ \t]*(?:(?:re|fwd?|aw|wg)[ \t]*:[ \t]*)*"
_MAIL = re.compile(
    r"(?-i:From|To|C[cC]|B[cC]{2}|Reply-To|Sent|Date|Von|An|Gesendet|Datum)[ \t]*:.*|begin forwarded message:|"
    rf"{_SUBJECT}.*|"
    r"-{2,} ?(?:original|forwarded) message ?-{2,}|here(?:['’]s| is| are| comes)\b.{0,80}:|"
    r"(?:dear|hi|hello|hey|hallo|liebe[rs]?|sehr geehrte[rs]?)(?=[ ,!]).{0,60}[,!]",
    re.IGNORECASE,
)
_TITLE_AS_SUBJECT = re.compile(rf"^{_SUBJECT}(\S+(?:[ \t]+\S+){{3,}})", re.IGNORECASE | re.MULTILINE)  # not "our draft"
_LABELLED = re.compile(r"(?:authors?|affiliations?|date|by|e-?mails?|keywords?)[ \t]*[:：]", re.IGNORECASE)
_ADDRESS = re.compile(r"\S@\S+\.\w")
# A place of work, a date, or what a sign at a name stands for; in capitals, and only below names.
BELOW_NAMES = re.compile(
    r"\W*(?:\d{1,2}|[*∗†‡§¶])\s?[a-z]|.*\b(?:universi|institut|depart|laborator|college|school of|facult|academy|"
    r"research|google|inc\b|ltd\b|gmbh\b)|.*, \w+$|\W*(?:\d{1,2} )?[a-z]{3,9}\.? (?:\d{1,2}, )?(?:19|20)\d\d\W*$",
    re.IGNORECASE,
)
# Signs at names: "Doe1,2", "Roe*†", "Poe [3]".
_SIGNS = re.compile(
    r"[*∗†‡§¶♯⋆⁎¹²³⁰⁴-⁹]+(?:,(?=\d))?|(?<=[^\W\d_])\d{1,2}(?:\s?,\s?\d{1,2})*(?!\w)|\[\d+\]|(?<=\s)\d(?:,\d)*(?=,|\s|$)"
)
_BETWEEN = re.compile(
    r"\s*[,;|·•、，&]\s*(?:(?:and|und|et|y)\s+)?|\s+(?:and|und|et|y)\s+|^\s*(?:and|by)\s+", re.IGNORECASE
)
_BEHIND = re.compile(rf"{SUFFIX}|al\.|PhD|MD")
_INITIAL = re.compile(r"[^\W\d_]\.(?:-?[^\W\d_]\.)*")
GOES_ON = re.compile(  # a line that is no title, but the first of one, or of a sentence
    r"(?:[:,(–—-]|\b(?:an?|the|of|for|in|on|at|by|to|from|with|via|as|and|or|but|than|that|which|is|are|was|were|we|our"
    r"|its|their|this|these|both|such|called|named|using|like|between|not))$",
    re.IGNORECASE,
)
_SURE = 2  # people
_FEWEST_LETTERS = 4  # of a word by which a line is known to be about what the abstract is about
_STEM = 5  # letters
_FROM = re.compile(r"[^\W\d_]+")
_FILLED = re.compile(r"\S")


def is_stamp(line: str) -> bool:
    """Whether a line is one that stands above titles, such as "arXiv:1409.0473v7 [cs.CL] 19 May 2016"."""
    return _STAMP.fullmatch(line.strip()) is not None or is_front_matter(line.strip())


def without_stamps(text: str) -> str:
    """The text without the lines above its title that are none."""
    start = 0
    while (end := text.find("\n", start)) >= 0 and (below := _FILLED.search(text, end)):
        line = text[start:end]
        if not (is_stamp(line) or is_of_mail(line)):
            break
        start = below.start()
    return text[start:].strip() if start else text


def title_as_subject(head: str) -> str:
    """What the head of a mail says of a text without a title; "" where it is too short to be one."""
    found = _TITLE_AS_SUBJECT.search(head)
    return found[1].strip() if found else ""


def title_above(above: str, abstract: str) -> str:
    """The title in what stands above an abstract: the lines up to the names, if any, or the blank line below it."""
    lines = without_stamps(above.strip()).splitlines()
    ends = next((place for place, line in enumerate(lines) if not line.strip()), len(lines))
    named = next((place for place in range(1, ends) if _are_names(lines, place, abstract)), ends)
    title = " ".join(" ".join(lines[:named]).split())
    return title if len(title) <= LONGEST else " ".join(lines[0].split())


def parted_by_names(text: str) -> tuple[str, str] | None:
    """The title above the names of those who wrote it, and what stands below these; None without such names."""
    lines = text.splitlines()
    there = [place for place, line in enumerate(lines) if line.strip()][: _MOST_LINES + 2]
    for place in there[1:]:
        below = _below_names(lines, place)
        alone = below > place + 1 or len("".join(lines[below : below + 1])) > _LONGEST_LINE
        names = _are_names(lines, place, "\n".join(lines[below:]), alone)
        if names and below < len(lines):
            title = " ".join(" ".join(lines[:place]).split())
            return (title, "\n".join(lines[below:]).strip()) if len(title) <= LONGEST else None
    return None


def _below_names(lines: Sequence[str], names: int) -> int:
    """Where the text begins below the line of names: below further ones, addresses and places of work."""
    below = "\n".join(lines[names + 1 :])
    for place in range(names + 1, min(len(lines), names + _MOST_NAMED)):
        line = lines[place].strip()
        capital = all(word[0].isupper() for word in _FROM.findall(line) if len(word) >= _FEWEST_LETTERS)
        is_place = capital and len(line) <= _LONGEST_PLACE and not line.endswith(".") and BELOW_NAMES.match(line)
        if line and not is_place and not people_in(line, below):
            return place
    return len(lines)


def is_of_mail(line: str) -> bool:
    """Whether a line is of the head of a mail or a letter, such as "Dear editors,"."""
    return _MAIL.fullmatch(line.strip()) is not None


def _are_names(lines: Sequence[str], place: int, abstract: str, alone: bool = True) -> bool:
    """Whether the first names stand at this place: one who is `alone` not where the title may go on, above others."""
    if GOES_ON.search(lines[place - 1].strip()):
        return False
    people = people_in(lines[place], abstract)
    below = "".join(lines[place + 1 : place + 2])
    return people >= _SURE or (people == 1 and alone and people_in(below, abstract) < _SURE)


def people_in(line: str, abstract: str) -> int:
    """How many people a line names, rather than a subject, of which the abstract would speak; `_SURE` by a sign."""
    line = " ".join(line.split())
    if len(line) > _LONGEST_NAMES:
        return 0
    if _LABELLED.match(line) or _ADDRESS.search(line):
        return _SURE
    plain = _SIGNS.sub(" ", line)
    parts = [part.strip() for part in _BETWEEN.split(plain) if part.strip()]
    people = [part for part in parts if not _BEHIND.fullmatch(part) and not parse_name(part).whole]
    if not people or not all(map(_is_person, people)):
        return 0
    if plain != line or any(map(_INITIAL.fullmatch, " ".join(people).split())):
        return max(_SURE, len(people))
    if len(people) == 1 and family_first(people[0]):
        return 0  # any two characters may be
    words = [word.lower()[:_STEM] for part in people for word in _FROM.findall(part)]
    words = [word for word in words if len(word) >= _FEWEST_LETTERS] or words
    abstract = abstract[:_LOOKED_AT]
    # A name has a capital in the abstract, too; some scripts have neither capitals nor spaces.
    known = {word[:_STEM] for word in _FROM.findall(abstract)}
    shared = {word for word in words if word in known or (family_first(word) and word in abstract)}
    is_subject = 2 * len(shared) >= len({*words}) if len(people) > 1 else bool(shared)
    return 0 if is_subject else len(people)


def _is_person(text: str) -> bool:
    """Whether it is a name also where a title may go on: all its words have capitals, but for particles."""
    words = [word for word in text.split() if not PARTICLE.fullmatch(word)]
    may_be = family_first(text) or (2 <= len(words) <= _LONGEST_NAME and not any(map(str.islower, words)))
    return may_be and is_name(text)
