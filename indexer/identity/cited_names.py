"""Authors and years as texts cite them: "van der Roe and O'Doe's (2019)", "Roe, Doe, & Poe, 2003a, b", "Roe et al."."""

import re
from collections.abc import Iterator

YEAR = r"(?:1[5-9]|20)\d\d"
_DATED = rf"{YEAR}(?:[a-z]|/\d\d(?![\d/]))?"  # "1848/49" is of one work
YEARS = rf"(?:{_DATED}(?:(?:\s*[,/]\s*|\s+and\s+)(?:{_DATED}|[b-z]\b)){{0,20}})"
# Of a work without a year; as capitals, "S. D." are an author's initials.
NO_YEAR = (
    r"(?:[nN]\.\s?d\.|o\.\s?J\.|s\.\s?[adf]\.|(?i:in press|forthcoming|im Druck|im Erscheinen|à paraître|en prensa)\b)"
)
# What stands before a year and is no author.
NO_NAME = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|"
    r"Nov(?:ember)?|Dec(?:ember)?|Spring|Summer|Autumn|Fall|Winter|Version|Since|Until|In|From|By|Early|Late|Mid|Around|"
    r"Between|Before|After|During|Year|Study|Experiment|Figure|Table)\b"
)
_PARTICLE = r"(?:[vV][ao]n|[dD](?:e[lnrs]?|[aiou]s?)|[lL][ae]|[tT]e[nr]?|[aAeE]l|[zZ]u[rm]?|bin|ibn)"
WORD = r"(?<!\w)(?![¹²³⁰-₟]|(?:ET|AND)\b)[^\W\d_a-zß-öø-ÿά-ώа-џ]\w*(?:[’'‐‑-](?!s\b)\w+){0,8}"
NAME = rf"(?:{_PARTICLE}[\s-]){{0,4}}(?:[A-Z]\.[ -]?){{0,6}}{WORD}"
_SURNAME = rf"{NAME}(?:\s{NAME}){{0,2}}"
OTHERS = (
    r",?\s+(?:et\.?\s+al\b\.?|ET\s+AL\b\.?|and\s+(?:colleagues|others)\b|u\.\s?a\.|et\s+coll\b\.?|y\s+cols?\b\.?|e\s+colleghi\b|"
    r"e\s+cols?\b\.?|m\.\s?fl\.|и\s+др\.)"
)
_DOT = r"(?:[・･]|(?<=[\uac00-\ud7af])[·ㆍ](?=[\uac00-\ud7af]))"  # between names in Japanese and Korean
AND = rf"(?:,?\s+(?:and|AND|und|et|y|e|en|och|og|ja|i|ve|és|și|и|і|та|και)\s+|,?\s*&\s*|/|{_DOT})"
# The last may have two surnames, "Roe & Ortega y Gasset": the second is then taken for another author.
AUTHORS = rf"{_SURNAME}(?:(?:,\s+|/|{_DOT}){_SURNAME}){{0,6}}(?:{AND}{_SURNAME}(?:\s+y\s+{NAME})?)?(?:{OTHERS})?"
_OTHERS_UNSPACED = r"(?<=[\u3040-\ud7af]{2})(?:ら|ほか|他|等人?|\s?외)$"  # "山田ら", "王小明等", "김철수 외"
POSSESSIVE = r"(?:[’'](?:s\b)?)?"

# Words before numbers in brackets that are not those of works: parts of a text, points, measurements.
NUMBERED = (
    *("eq", "equation", "formula", "fig", "figure", "table", "section", "step", "case", "item", "condition", "lemma"),
    *("point", "pair", "vector", "interval", "coordinate", "position", "signature", "type", "tuple", "group", "code"),
    *("mean", "median", "range", "score", "value", "age", "aged", "year", "month", "week", "day", "hour", "minute"),
    *("and", "to", "or", "for", "from", "are", "with", "the", "let", "than", "between"),
)


def surnames_in(names: str) -> tuple[list[str], bool]:
    """Each author of what `AUTHORS` matches, with all words before it that begin with a capital; are there others?"""
    others = re.search(f"{OTHERS}$|{_OTHERS_UNSPACED}", names)
    return re.findall(_SURNAME, names[: others.start()] if others else names), bool(others)


def each_year(years: str) -> Iterator[str]:
    """Of "2001, 2003a, b" 2001, 2003a and 2003b."""
    last = ""
    for year in re.split(r"\s*(?:,|/(?!\d\d\b))\s*|\s+and\s+", " ".join(years.split())):
        last = last[:4] + year if len(year) == 1 else year
        yield last
