"""An author's name as one string → its parts, as bibliographies need them, and back.

The parts are those of CSL 1.0.2 and of BibTeX: given name, particle ("van der"), family name, suffix ("Jr."); what is
no person's name stays whole. A name is stored as people read it, "Jan van der Berg", wherever that is parted as its
source parts it; else as "García López, María", or in braces where it is no person's: "{World Bank}". "others" at the
end of a list stands for authors that the source does not name.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from common.text import one_line

OTHERS = "others"  # the last of a list that goes on
_BETWEEN_WORDS = re.compile(r"[\s.,{}-]+")
_OTHERS = re.compile(r"others|et\.? al\.?", re.IGNORECASE)
_MARKED_WHOLE = re.compile(r"\{([^{}]+)\}?")  # without its end where it was cut
# A firm, or what is called by words of which one may be a family name, too.
_WHOLE = re.compile(r"\band\b|&|^(?:european|house of|supreme court|united nations)\b", re.IGNORECASE)
# Also without a comma before it, for they are no initials and no names; behind one in any case, and further ones.
SUFFIXES = ("Jr", "Sr", "Esq", "II", "III", "IV", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th")
SUFFIX = rf"(?:{'|'.join(SUFFIXES)})\.?"
_PLAIN_SUFFIX = re.compile(SUFFIX)
# Rulers and popes have no family name: "Friedrich II", "Johannes Paul II.", with the full stop that ordinals have in
# German. Without it "John Paul II" is like "John Smith II".
_ROMAN = r"(?=[IVX]{2})X{0,3}(?:IX|IV|V?I{0,3})"
_RULER = re.compile(rf"[^\W\d_]\w+ (?:[^\W\d_]\w+ {_ROMAN}\.|{_ROMAN}\.?)")
_NO_INITIALS = re.compile(rf"{SUFFIX}|(?=[IVX]{{3}}){_ROMAN}")  # "Paul VI" may be V. I. Paul
_SUFFIX = re.compile(rf"{SUFFIX}|(?:ph\.?\s?d|m\.?d)\.?", re.IGNORECASE)
_LIKE_INITIALS = re.compile("[A-Z]{2}")  # without other given names, or beside another suffix, such as JR or SR
# As ProQuest has behind names: "Roe, Ann, R.N., M.S.N". A doctor's stays, as a suffix.
_DEGREE = re.compile(
    r"BA|BScN?|BSN?|D[DM]S|DNP|DO|DPhil|DPT|DVM|EdD|FAC[PS]|JD|MA|MB[AB]S?|MEd|MHA|MPH|MS[NWc]?|[FN]?NP|RN|ScD"
)
_MARKED_OFF = re.compile(r"[,;&]|^\w\.")  # "Y. LI" has its initial in front
MOST_INITIALS = 3  # written as one word, such as JRR
_PARTED_INITIALS = re.compile(r"[^\W\d_]\.(?:-?[^\W\d_]\.){3,5}")  # of somebody who has more, such as P.A.H.W.
# Capitalised given names before a family name of one word, which are parted so whoever parts them.
_EASY = re.compile(rf"(?!The )(?:(?!{SUFFIX} )[A-Z][^\s,{{}}]* )+(?!{SUFFIX}$)[A-Z][^\s,{{}}A-Z][^\s,{{}}]*")
_NO_BRACES = str.maketrans("", "", "{}")
_ORGANISATION = re.compile(
    r"(academy|administration|agency|association|authors|bureau|cent(er|re)|collaboration|commission|committee|"
    r"consortium|corporation|council|clinic|department|federation|foundation|gmbh|government|group|hospital|inc|initiative|"
    r"in?stitut(et?|ion|o)?|investigators|laborator(y|ies)|llc|ltd|minist(ry|ère|erio)|museum|network|"
    r"organi[sz]ation|parliament|project|senate|society|team|trialists|universidad|university|université|"
    r"[\w-]*(bundesamt|gemeinschaft|gesellschaft|ministerium|stiftung|universität|verband))\W*",
    re.IGNORECASE,
)
# The article, for The is a Vietnamese name, too, as in "Nguyen Van The" and "Han, The Anh", and THE may be initials.
_ARTICLE = re.compile(r"^The |^THE [A-Z]{2}|, The$|(?<!\S)(?:the(?!\S)|[a-z]+ The )")
# With these a name may begin: "van Gogh". Within a name any word in lower case is a particle.
PARTICLE = re.compile(
    r"al|af|av|ben|bin|d[aeiou]|dal|das|del|della|dem|den|der|des|dos|el|het|ibn|la|le|op|'t|te|ten|ter|til|van|vom|von|y|"
    r"zu|zum|zur"
)
# What catalogues and printed lists say behind the name of an editor: "Schulze, Winfried (Hrsg.)", "Roe, Ann [Ed.]".
_ROLE = re.compile(r"\s?[(\[](?:Hrsg|Hgg?|eds?|dirs?|orgs?|coords?|red|comp|Übers|transl?|Verf)\.?[)\]]", re.IGNORECASE)
_SON = re.compile("[اإ]?بن|[أا]ب[وي]|בן")  # the name behind one of these is none without it
# Han, Kana, Hangul: there the family name comes first.
_FAMILY_FIRST = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff々・\s]+")


@dataclass(frozen=True, slots=True)
class Name:
    """One author. Either `whole` or `family` is not empty."""

    family: str = ""
    given: str = ""
    particle: str = ""
    suffix: str = ""
    whole: str = ""  # of an organisation, or of what cannot be parted; then nothing else is given

    @property
    def surname(self) -> str:
        """What one calls the author by: the family name with its particle, or the whole."""
        return self.whole or joined(self.particle, self.family)


def parse_names(authors: Sequence[str]) -> list[Name]:
    """The names that hold any text, in their order; see `goes_on` for what "others" says."""
    return [parse_name(author) for author in authors if one_line(author) and not is_others(author)]


def goes_on(authors: Sequence[str]) -> bool:
    """Whether there are more authors than the list names."""
    return bool(authors) and is_others(authors[-1])


def is_others(author: str) -> bool:
    """Whether it stands for authors that are not named."""
    return bool(_OTHERS.fullmatch(one_line(author)))


def told_by(authors: Sequence[str]) -> tuple[int, int, int]:
    """How much a list says, to be compared: how many it names, how many with their parts or as whole, its words."""
    words = (word for author in authors for word in _BETWEEN_WORDS.split(author))
    spelled = sum(len(word) > 1 and not word.isupper() for word in words)  # no initials
    return len(authors) - goes_on(authors), sum(map(is_marked, authors)), spelled


def is_marked(author: str) -> bool:
    """Whether a stored name has a mark of its parts, or of being whole, that people do not read."""
    return "," in author or "{" in author


def without_role(name: str) -> str:
    """A name without what it says of the part that somebody had in the work: "Schulze, Winfried"."""
    return _ROLE.sub("", name).strip() if "(" in name or "[" in name else name


def with_stops(initials: str) -> str:
    """Initials of one word as "J. A."."""
    return f"{'. '.join(initials)}."


def shown_name(author: str) -> str:
    """A stored name as people read it: "María García López", "World Bank", "et al."."""
    line = one_line(author)
    return _as_read(parse_name(line)) if is_marked(line) or is_others(line) else line


def shown_names(authors: Sequence[str]) -> list[str]:
    """The names that hold any text, as people read them."""
    return [shown_name(author) for author in authors if one_line(author)]


def stored_name(family: str, given: str = "", suffix: str = "") -> str:
    """The name of a person whose parts the source tells apart; particles belong to the family name."""
    if suffix and _SUFFIX.fullmatch(given) and not (_LIKE_INITIALS.fullmatch(given) and _SUFFIX.fullmatch(suffix)):
        # "King, Jr., Martin Luther"
        given, suffix = suffix, given
    if not suffix and " " not in family and _EASY.fullmatch(f"{given} {family}"):
        return f"{given} {family}"  # as nearly all are
    if not (family and given):
        return stored_whole(family) if family and not suffix else joined(family, given, suffix)
    if not suffix:
        family, suffix = _without_suffix(family)
    if not suffix:
        given, suffix = _without_suffix(given)
    family, given, suffix = (one_line(part.replace(",", " ")) for part in (family, given, suffix))
    name = _last_first(family, given, suffix)
    read = _as_read(name)
    parted = parse_name(read)
    last_first = ", ".join(filter(None, (name.surname, suffix, name.given)))
    if not suffix and _SUFFIX.fullmatch(given) and _LIKE_INITIALS.fullmatch(given):  # of "García López, MD"
        last_first = f"{name.surname}, {with_stops(given)}"
    is_whole = parted.whole and not suffix and (read[:4].lower() != "the " or parse_name(last_first).whole)
    if is_whole and parse_name(family).whole and parse_name(given).whole:
        return last_first  # "Ministry of Health, Government of India"
    return read if parted == name or is_whole or (suffix and not _SUFFIX.fullmatch(suffix)) else last_first


def stored_whole(name: str) -> str:
    """A name that the source does not part, such as an organisation's."""
    line = one_line(name)
    as_it_is = parse_name(line) if line else Name()
    # A single word, or particles before one, mean the same either way.
    return line if as_it_is.whole or not as_it_is.given else f"{{{line.translate(_NO_BRACES)}}}"


def parse_name(author: str) -> Name:
    """The parts of "First von Last", "von Last, First", "Last, Jr., First" or "First Last, Jr."; "{Name}" is whole."""
    line = one_line(author)
    if is_others(line):
        return Name(whole="et al.")
    if marked := _MARKED_WHOLE.fullmatch(line):
        return Name(whole=marked[1].strip())
    parts = _without_degrees([part.strip() for part in line.split(",")])
    words = line.split()
    if _RULER.fullmatch(line) or _WHOLE.search(line) or len(parts) > 3 or not all(parts) or _is_body(line, words):
        return Name(whole=line)
    if len(parts) == 3:
        return _with_suffix(line, *parts)
    if len(parts) == 2:
        suffixed = _first_last(parts[0].split(), parts[1])
        # "Ivanov, IV" has no given name but these initials.
        is_suffix = _SUFFIX.fullmatch(parts[1]) and (suffixed.given or not _LIKE_INITIALS.fullmatch(parts[1]))
        return suffixed if is_suffix else _last_first(parts[0], parts[1])
    if len(words) > 2 and _PLAIN_SUFFIX.fullmatch(words[-1]):
        return _first_last(words[:-1], words[-1])
    return _first_last(words)


def initials_last(name: str, always: bool = False) -> tuple[str, str, str] | None:
    """Family name, initials and suffix of a name such as "van den Berg J.-A." or "King ML Jr"; None of any other.

    Where names `always` have initials, those of "Ivanov IV" are no number.
    """
    before, suffix = _without_suffix(name.strip())
    family, _, initials = before.rpartition(" ")
    letters = initials.replace(".", "").replace("-", "")
    few = len(letters) <= MOST_INITIALS or _PARTED_INITIALS.fullmatch(initials)
    short = few and letters.isalpha() and letters.isupper()
    if not short or not family or _MARKED_OFF.search(family) or _NO_INITIALS.fullmatch(initials.rstrip(".")):
        always = always and bool(_LIKE_INITIALS.fullmatch(suffix)) and not parse_name(before).whole
        return (before, suffix, "") if always else None
    of_list = len(letters) > 1 and initials == f"{letters}."  # its full stop, as in "Smith J, King ML."
    return family, letters if of_list else initials, suffix


def _as_read(name: Name) -> str:
    if family_first(f"{name.family}{name.given}"):
        return joined(name.family, name.given, name.suffix)
    return name.whole or joined(name.given, name.particle, name.family, name.suffix)


def _without_suffix(part: str) -> tuple[str, str]:
    """A family or given name, and the suffix that stands behind it, as MEDLINE has it."""
    before, _, last = part.strip().rpartition(" ")
    return (before, last) if before and _PLAIN_SUFFIX.fullmatch(last) else (part, "")


def joined(*parts: str) -> str:
    """The parts that are not empty, with spaces between them."""
    return " ".join(filter(None, parts))


def begins_lower(word: str) -> bool:
    """Whether BibTeX takes the word for a particle: its first letter is in lower case."""
    return next((mark.islower() for mark in word if mark.isalpha()), False)


def family_first(text: str) -> bool:
    """Whether the text is in a script whose names begin with the family name."""
    return bool(_FAMILY_FIRST.fullmatch(text))


def _without_degrees(parts: list[str]) -> list[str]:
    """The parts of a name between commas, but for degrees at its end."""
    first = 2 if len(parts) > 2 and not _SUFFIX.fullmatch(parts[1]) else len(parts)
    for end in range(first, len(parts)):
        is_degree = _DEGREE.fullmatch(parts[end].replace(".", "").replace(" ", ""))
        if is_degree or (end > 2 and _SUFFIX.fullmatch(parts[end])):
            return parts[:end]
    return parts


def _is_body(line: str, words: Sequence[str]) -> bool:
    return len(words) > 1 and bool(_ARTICLE.search(line) or any(map(_ORGANISATION.fullmatch, words)))


def _with_suffix(line: str, last: str, second: str, third: str) -> Name:
    parted = _LIKE_INITIALS.fullmatch(second) and not _LIKE_INITIALS.fullmatch(third)
    if _SUFFIX.fullmatch(second) and not (parted and _SUFFIX.fullmatch(third)):
        return _last_first(last, third, second)
    if _SUFFIX.fullmatch(third):
        return _last_first(last, second, third)
    # A middle initial that was taken for a number: "Ho, Joyce, V".
    if len(third.rstrip(".")) == 1 and third[0].isupper():
        return _last_first(last, joined(second, third))
    return Name(whole=line)


def _last_first(last: str, given: str, suffix: str = "") -> Name:
    words, first = last.split(), given.split()
    if first and _SON.fullmatch(first[-1]):
        words.insert(0, first.pop())
    start = _leading(PARTICLE.fullmatch, words[:-1])
    # Library catalogues move the particle behind the given name: "Beethoven, Ludwig van".
    end = len(first) - _leading(PARTICLE.fullmatch, first[:0:-1])
    particle = joined(*first[end:], *words[:start])
    return Name(joined(*words[start:]), joined(*first[:end]), particle, suffix)


def _first_last(words: Sequence[str], suffix: str = "") -> Name:
    if len(words) == 1:
        return Name(words[0], suffix=suffix)
    if family_first("".join(words)):
        return Name(words[0], joined(*words[1:]), suffix=suffix)
    if start := _leading(PARTICLE.fullmatch, words[:-1]):  # the last word never is one
        return Name(joined(*words[start:]), "", joined(*words[:start]), suffix)
    if _SON.fullmatch(words[-2]):
        return Name(joined(*words[-2:]), joined(*words[:-2]), suffix=suffix)
    start = next((place for place in range(1, len(words) - 1) if begins_lower(words[place])), len(words) - 1)
    end = start + _leading(begins_lower, words[start:-1])
    return Name(joined(*words[end:]), joined(*words[:start]), joined(*words[start:end]), suffix)


def _leading(test: Callable[[str], object], words: Sequence[str]) -> int:
    """How many words at the beginning pass a test."""
    return next((count for count, word in enumerate(words) if not test(word)), len(words))
