"""Lists of people in one text, as people and databases write them, where no format says what parts the names.

Semicolons part people; so do commas, "and", "&", and "et", "und", "y" between names that are complete. One comma alone
stands between the parts of one name: "García López, María José" is one person. "and" and "&" part nothing where a side
is neither a person nor an organisation by itself: "Johnson & Johnson" and "Research and Development Group" are one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import zip_longest

from common.names import OTHERS, SUFFIX, begins_lower, family_first, initials_last, parse_name
from indexer.readers.bibtex_people import parted, stored, with_tildes

_STOPS = str.maketrans("，；、", ",;;")
# Within braces nothing parts names.
_BRACED = re.compile(r"\{(?:[^{}]|\{[^{}]*\})*\}")
_MARKS, _HIDDEN = ",;& ", "\ue000\ue001\ue002\ue003"
_HIDE, _SHOW = str.maketrans(_MARKS, _HIDDEN), str.maketrans(_HIDDEN, _MARKS)
_GOES_ON = re.compile(
    r"(?:^|[\s,])\s*(?:(?:and\s+|&\s*)?[\[(]?et\.? al\b\.?|(?:and|&)\s+others)[\])\s.,]{0,5}$|^others$", re.IGNORECASE
)
# At the end, or within a list, as APA has it.
_LEFT_OUT = re.compile(r"[\s,]{0,3}(?:…|\.\.\.|\. \. \.)[\s,]{0,3}(?:(?:and|&)\s+)?")
# Not the initial Y, nor the particle of "Agüera, B.; y Arcas, B."
_BETWEEN = re.compile(r"(,|(?<![^\s,])(?:(?i:and)|\\*&|und|et)(?!\S)|(?<=[^\s,&] )(?<!and )y(?!\S))")
_SUFFIX = re.compile(SUFFIX, re.IGNORECASE)
_PLAIN_SUFFIX = re.compile(rf" ({SUFFIX})$")
_DEGREE = re.compile(r"ph\.? ?d\.?|m\.? ?d\.?", re.IGNORECASE)
_NAMED = re.compile(r"\"?[a-z-]+\s*=")  # BibLaTeX's "given=Hans, family=Harman"
_NO_BIBTEX = re.compile(r";| \\*& |…|\.\.\.")  # in no braces
_PART = re.compile(rf"{SUFFIX}|(?:ph\.? ?d|m\.?d|i|vi{{0,3}}|1st)\.?", re.IGNORECASE)  # of "Ho, Joyce, V"
_MOST_INITIALS = 4
# "J. Smith", "Donald E. Knuth": no family name has an initial before its last word.
_INITIAL_FIRST = re.compile(r"[^\W\d_]\.[ -]?\S|\S.{0,100} [^\W\d_]\.[ -]?(?:[^\W\d_]\.[ -]?){0,3}[^\W\d_]{2}")
_INITIALS_FIRST = re.compile(r"[A-ZÀ-Þ]{1,3} [^\W\d_]{2}")  # Google Scholar has "JA Smith, B Doe"
_OF_A_BODY = {"of", "for", "on", "in", "für", "pour", "para"}
_LONGEST_BODY = 200  # characters
_OF_A_FIRM = {"sons", "co", "company", "partners", "associates", "söhne"}


@dataclass(slots=True)
class _Piece:
    """Text between two separators."""

    before: str  # the separator: "," or a word; "" at the beginning
    text: str
    behind_comma: bool = False  # where the separator is a word: "A, B, and C"
    suffix: str = ""

    @property
    def is_body(self) -> bool:
        return bool(parse_name(self.text).whole) or not _OF_A_BODY.isdisjoint(self.text.split())

    @property
    def is_complete(self) -> bool:
        """Whether it names somebody without what stands beside it."""
        words = self.text.split()
        while len(words) > 1 and begins_lower(words[0]):
            del words[0]
        if len(words) == 1:
            return self.text.startswith("{") or (len(self.text) > 1 and family_first(self.text))
        return not _are_initials(self.text)

    @property
    def has_initials(self) -> bool:
        return any(map(_are_initials, self.text.split()))

    def name(self) -> str:
        """As BibTeX has it."""
        if not self.suffix:
            return _whole(self.text) if self.is_body and not parse_name(self.text).whole else self.text
        if short := initials_last(self.text):
            return _with_suffix((short[0], short[1], self.suffix))
        parts = parse_name(self.text)
        return _with_suffix((parts.surname, parts.given, self.suffix))


def listed_names(value: str) -> list[str]:
    """The people of a list, each as `common.names` stores it; at the end "others" where the list says that it goes on.

    Names may have LaTeX's accents, and braces around what is no person's name.
    """
    line = with_tildes(unescape(" ".join(value.split()))).translate(_STOPS)
    line = _BRACED.sub(lambda braced: braced[0].translate(_HIDE), line)
    items, goes_on = [], False
    for item in line.split(";"):
        named = _GOES_ON.sub("", item.strip())
        kept = _LEFT_OUT.sub(",", named).strip(" ,")
        goes_on |= named != item.strip() or kept != named.strip(" ,")
        items.append(kept)
    found = [name.translate(_SHOW) for item in items if item for name in _people(item)]
    if _are_short(found):
        found = [_with_suffix(parts) if (parts := initials_last(name)) else name for name in found]
    return [*map(stored, found), *([OTHERS] if goes_on and found else [])]


def people_of_fields(fields: Sequence[str], single: Iterable[str]) -> list[str]:
    """The people of fields that should name one each, who is `single`, but some name several, as JabRef's for EndNote.

    All are as `common.names` stores them.
    """
    named = zip(fields, single, strict=True)
    return [one for field, alone in named for one in (listed_names(field) if _are_several(field) else [alone])]


def _are_several(field: str) -> bool:
    """As in "Smith, J., & Doe, A."."""
    return bool(re.search(r";|\s&\s", field[field.find(",") + 1 : max(field.rfind(","), 0)]))


def bibtex_names(value: str) -> list[str]:
    """The people of a field such as `author`, each as `common.names` stores it; at the end perhaps "others".

    BibTeX knows no other separator than "and". Many files have lists with commas or semicolons, of which it would make
    one name; where the commas of a name can mean nothing else, it is read as any other list.
    """
    line = with_tildes(unescape(" ".join(value.split())))
    names = parted(_GOES_ON.sub(f" and {OTHERS}", line))
    is_listed = _NO_BIBTEX.search(_BRACED.sub("", line)) or any(map(_is_list, names))
    if is_listed and not any(map(_NAMED.match, names)):
        return listed_names(value)
    found = [name for name in names if name.lower() != OTHERS]
    return [*map(stored, found), *([OTHERS] if found and names[-1].lower() == OTHERS else [])]


def _is_list(name: str) -> bool:
    """Whether BibTeX would make one name of several."""
    pieces = [piece.strip() for piece in _BRACED.sub("{}", name).split(",")]
    if len(pieces) == 1 or not all(pieces):
        return len(pieces) > 1
    if len(pieces) == 2:
        short = [initials_last(piece) for piece in pieces if piece != "{}" and not parse_name(piece).whole]
        return _begin_with_initials(pieces) or (pieces[0] != "{}" and bool(short) and all(short))
    return len(pieces) > 3 or not any(map(_PART.fullmatch, pieces[1:]))


def _people(item: str) -> list[str]:
    """The names between two semicolons, each as BibTeX has one."""
    pieces = _pieces(item)
    if not pieces:
        return []
    groups = [[pieces.pop(0)]]
    for piece, following in zip_longest(pieces, pieces[1:]):
        left = groups[-1][-1]
        if piece.before == ",":
            groups[-1].append(piece)
        elif len(left.text) > _LONGEST_BODY or _begins_a_name(groups[-1], piece, following, len(pieces) > 1):
            groups.append([piece])
        elif piece.behind_comma:
            return [_whole(item)]  # "National Heart, Lung, and Blood Institute"
        else:
            left.text, left.suffix = f"{left.text} {piece.before} {piece.text}", piece.suffix
    return [_whole(item)] if _is_one_body(groups) else _named(groups)


def _is_one_body(groups: list[list[_Piece]]) -> bool:
    """Whether single words go on the name of a body: "Academies of Sciences, Engineering, and Medicine"."""
    first, *others = [piece for group in groups for piece in group]
    in_pairs = len(groups) > 1 and len(groups[-1]) == 2
    words = bool(others) and not any(one.is_complete or one.has_initials for one in others)
    return first.is_body and words and not in_pairs


def _whole(item: str) -> str:
    return f"{{{item.translate(_HIDE)}}}"


def _pieces(item: str) -> list[_Piece]:
    parts = _BETWEEN.split(item)
    found: list[_Piece] = []
    between: list[str] = []
    for separator, text in zip(["", *parts[1::2]], map(str.strip, parts[::2]), strict=True):
        between.append(separator)
        if not text:
            continue
        if found and between == [","] and _is_suffix(text, found[-1]):
            found[-1].suffix = text
        else:
            word = next((one for one in between if one not in ("", ",")), "")
            text, suffix, _ = (*_PLAIN_SUFFIX.split(text), "", "")[:3]
            found.append(_Piece((word or ",") if found else "", text, bool(word) and "," in between, suffix))
        between.clear()
    # "Ivanov IV, Smith JA": beside initials it is no number.
    numbered = [piece for piece in found if piece.suffix in ("II", "IV") and " " not in piece.text]
    others = [piece for piece in found if piece not in numbered]
    if others and all(piece.is_complete and initials_last(piece.text) for piece in others):
        for piece in numbered:
            piece.text, piece.suffix = f"{piece.text} {'.'.join(piece.suffix)}.", ""
    if len(found) == 3 and not found[0].is_complete:
        if _DEGREE.fullmatch(found[2].text):
            found[1].suffix = found.pop().text  # "Smith, John A., MD"
        elif found[2].text in ("I", "V") and found[2].before == ",":
            found[1].text += f" {found.pop().text}"  # the Web of Science takes initials for numbers: "Smith, John, V"
    return found


def _is_suffix(text: str, name: _Piece) -> bool:
    if text in ("JR", "SR") and not name.text.isupper():
        return False  # initials
    return bool(_SUFFIX.fullmatch(text) or (_DEGREE.fullmatch(text) and name.is_complete and not name.has_initials))


def _begins_a_name(before: list[_Piece], right: _Piece, following: _Piece | None, many: bool) -> bool:
    """Whether the word behind the pieces before parts names; `many` says that there are other separators."""
    left, word = before[-1], right.before.casefold()
    if left.text.casefold() == right.text.casefold() or right.text.split()[0].casefold().rstrip(".") in _OF_A_FIRM:
        return False
    is_given, is_family = left.before == ",", following is not None and following.before == ","
    if left.is_body and right.is_body:
        return left.is_complete and right.is_complete
    if right.is_body:
        parted = is_given and not left.is_complete and not before[-2].is_complete
        return left.has_initials or parted or (right.behind_comma and left.is_complete)
    if left.is_body:
        return right.has_initials or (is_family and not right.is_complete) or right.behind_comma
    if word in ("et", "und", "y"):
        return (left.is_complete and right.is_complete) or (is_given and is_family)
    if left.is_complete or is_given:
        return many or right.is_complete or word == "and"
    return not right.is_complete or word == "and"


def _named(groups: list[list[_Piece]]) -> list[str]:
    """The names of groups of pieces, between which stands a word such as "and", and in which stand commas."""
    pieces = [piece for group in groups for piece in group]
    texts = [piece.text for piece in pieces]
    if all(map(initials_last, texts)):
        return [piece.name() for piece in pieces]
    if _are_pairs(groups, _begin_with_initials(texts)):
        return [_pair(*group) if len(group) == 2 else group[0].name() for group in groups]
    if any(map(_are_initials, texts[1:])):
        return [*_with_their_initials(pieces)]
    complete = [piece.is_complete for piece in pieces]
    if len(pieces) > 2 and len(groups[0]) > 1 and all(complete[2:]):
        is_family = not complete[0] or (not complete[1] and len(texts[0].split()) < 3)
        first_two = [_pair(*pieces[:2])] if is_family else [piece.name() for piece in pieces[:2]]
        return [*first_two, *(piece.name() for piece in pieces[2:])]  # "Smith, John, Jane Doe, and Bo Li"
    if len(groups) > 1 and len(groups[-1]) == 2 and not any(len(group) % 2 for group in groups):
        return [_pair(*pair) for group in groups for pair in zip(group[::2], group[1::2], strict=True)]
    return [piece.name() for piece in pieces]


def _are_pairs(groups: list[list[_Piece]], begin_with_initials: bool) -> bool:
    """Whether the one comma of a group stands between family and given name: "Smith, John and Doe, Jane"."""
    pairs, alone = ([group for group in groups if len(group) == count] for count in (2, 1))
    if not pairs or len(pairs) + len(alone) < len(groups):
        return False
    full = [pair for pair in pairs if all(piece.is_complete for piece in pair)]
    if not full and alone and all(piece.is_complete for (piece,) in alone):
        return True  # "Smith, John and Jane Doe"
    bodies = all(piece.is_body or piece.text.startswith("{") for (piece,) in alone)
    short = any(all(initials_last(piece.text) for piece in pair) for pair in full)  # "Li X, Wang Y"
    listed = begin_with_initials or short or any(piece.is_body or piece.suffix for pair in full for piece in pair)
    return bodies and not listed


def _with_their_initials(pieces: list[_Piece]) -> Iterator[str]:
    """The names of a list such as "Smith, J., World Bank, Doe, A."."""
    place = 0
    while place < len(pieces):
        has_given = place + 1 < len(pieces) and _are_initials(pieces[place + 1].text)
        yield _pair(*pieces[place : place + 2]) if has_given else pieces[place].name()
        place += 1 + has_given


def _pair(family: _Piece, given: _Piece) -> str:
    return _with_suffix((family.text, given.text, family.suffix or given.suffix))


def _are_short(names: list[str]) -> bool:
    """Whether all have their initials at the end, where that can be told."""
    plain = [name for name in names if " " in name and not re.search("[,{]", name) and not parse_name(name).whole]
    return bool(plain) and all(map(initials_last, plain))


def _with_suffix(parts: tuple[str, str, str]) -> str:
    """Family name, given name and suffix as BibTeX has them: "King, Jr., Martin"."""
    family, given, suffix = parts
    return ", ".join(filter(None, (family, suffix, given)))


def _begin_with_initials(pieces: list[str]) -> bool:
    """Whether the pieces between commas are names such as "J. Smith" and "JA Smith"."""
    return bool(_INITIAL_FIRST.match(pieces[0])) or all(map(_INITIALS_FIRST.match, pieces))


def _are_initials(piece: str) -> bool:
    """Whether there are no other letters than initials, as in "J.-A."."""
    first, *others = piece.split()
    letters = [character for character in piece if character.isalpha()]
    if others and len(first) > 1 and first.isalpha():
        return False  # "DOE J"
    return 0 < len(letters) <= _MOST_INITIALS and all(map(str.isupper, letters))
