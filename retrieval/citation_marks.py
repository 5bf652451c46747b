"""Where in a sentence the citation goes: the marks that writers and their tools leave there."""

import re

from indexer.identity.cited_names import AND, AUTHORS, NAME, NO_NAME, NUMBERED, OTHERS, POSSESSIVE, WORD, YEARS

NEAR = 5  # words

# [CITATION], [cite], (citation needed), (TODO: add ref), [?], (?); but "impact (citations)" and "Research Excellence
# Framework (REF)".
_ASKED = r"(?:todo:?\s+)?(?:(?:add|insert|find)\s+)?(?:an?\s+)?(?:citations?|cite|refs?)(?:\s+(?:needed|here|missing))?"
_WANTED = rf"\[\s*(?:{_ASKED}|\?+)\s*\] | (?<!Excellence\sFramework\s)\((?!citations\))\s*(?:{_ASKED}|\?+)\s*\)"
# [see @key, p. 3; @other] of Markdown, [cite/t:@key] of Org and [[@key]] of Obsidian; EndNote's {Doe, 2001 #12; Roe,
# 2003 #4}, Zotero's {Doe, 2001} and { | Doe, 2001 | p. 3 | |zu:1:A}; {cite:p}`key` of MyST, #cite(<key>) of Typst, and
# \citep[see][p. 3]{key}.
_BY_KEY = r"""\[\[?(?:\s*-?@|[^\[\]@]{0,200}(?<![\w.\\@])-?@(?=\{|[^\W\d]))[^\[\]]*\]\]?
    | \{[^{}]{0,300}\s\#\d[^{}]*\}
    | (?<![\w}\]*])\{(?!\\)[^{}"]{0,300}[^\W\d_]\.?,\s+\(?(?:1[5-9]|20)\d\d[a-z]?\b[^{}]*\}
    | [{:](?:foot)?cite(?::\w{1,20})?[}:]`[^`\n]+`
    | \#cite\((?:[^()\[\]]|\[[^\[\]]*\])*\)
    | ~?\\[a-zA-Z]{0,20}cite[a-zA-Z]{0,20}\*?(?:\s*\[[^\[\]]*\]){0,2}\s*\{[^{}]*\}"""
# @doe2020 in a sentence, @doe [p. 3] and @doe [see @roe]; but handles such as @nasa and @covid19, Ag @SiO2 and a team
# that is called NAME @ACL2022 are words.
_KEY = r"-?@(?:\{[^{}\s]+\}|\w(?:[\w:.\#$%&+?<>~/-]*\w)?)"
_LOCATED = r"\s?\[(?=\s*[a-z§]{1,8}\.?\s*\d|[^\[\]]*@)[^\[\]]*\]"
_OF_YEAR = r"(?=[^\W\d])[\w:.-]*(?-i:[^\W\d_A-Z])[_:.-]?(?:1[5-9]|20)\d\d(?!\d)"
_IN_SENTENCE = rf"(?<![\w.\\@/])(?:{_KEY}{_LOCATED} | (?=-?@(?:\{{|{_OF_YEAR})){_KEY})"
# Several numbers behind a word, as in (3, 5–7), but "the point (2, 3)" and "a dose (1, 2, 4) mg"; a range, as in
# "children (6–12)", behind "et al." alone.
_NO_MARK_BEHIND = "".join(rf"(?<!\b{word}\s)(?<!\b{word}s\s)" for word in NUMBERED)
_IN_ROUND = (
    rf"(?=\([1-9])(?:(?<=[^\W\d_]{{3}}\s)(?=[^)]*,)|(?<=\bal\.\s)){_NO_MARK_BEHIND}"
    r"\([1-9]\d{0,2}(?:\s*[,–-]\s*[1-9]\d{0,2})+\)(?!\s*(?:[=<>≤≥≈∈×%]|[mkµ]?[gml]\b))"
)
# Numbers as in [3, 5–7], (cf. refs. 3 and 5), and behind a word ^12, ^{3,5}, ¹² or what is left of it behind a full
# stop, as in "patients.12,13 We"; but "sigma^2", "kilometres²", "Table.3", "alpha.05" and "Nature.2019 May".
_NUMBERS = r"\d+(?:\s*(?:[,;–-]|and)\s*\d+)*"
_PARTS = ("Sect", "Section", "Figs", "Figure", "Table", "Chap", "Chapter", "Theorem", "Suppl", "approx")
_AT_STOP = r"(?<=[^\W\d_]{4}[.,])" + "".join(rf"(?<!\b{part}\.)" for part in _PARTS) + r"(?!0|\d{4})"
_POWER = r"(?:\^\{[23]\}|<sup>[23]</sup>|(?:\^[23]|[²³])(?![,;–-]?[\d¹²³⁰⁴-⁹]))"
_RAISED = rf"(?:\^\{{?{_NUMBERS}\}}?|[¹²³⁰⁴-⁹]+|<sup>\s*{_NUMBERS}\s*</sup>)"
_BY_NUMBER = rf"""\[\s*{_NUMBERS}\s*\] | \((?:[a-z.]+\s+){{0,2}}refs?\b\.?\s*{_NUMBERS}\)
    | {_IN_ROUND} | (?:(?<=[^\W\d_]{{4}})(?!{_POWER})|(?<=[^\W\d_]{{4}}[.,;])){_RAISED}
    | {_AT_STOP}{_NUMBERS}(?=\s+(?-i:[A-Z])|\s*\Z)"""
_GIVEN = f"{_BY_KEY} | {_BY_NUMBER} | {_IN_SENTENCE}"
_RULES = re.IGNORECASE | re.VERBOSE
_MARK = re.compile(f"{_WANTED} | {_GIVEN}", _RULES)
_UNNUMBERED = re.compile(f"{_WANTED} | {_BY_KEY}", _RULES)
_ONLY_WANTED, _ONLY_GIVEN = re.compile(_WANTED, _RULES), re.compile(_GIVEN, _RULES)
# (Lovelace, 1843), (see Lovelace et al., 1843a, p. 5; Hopper 1952), of (SDT; Lovelace 1843) the end, and Lovelace and
# Hopper (1952); neither (n = 1500) nor (1543 m). Names before a bracket may be those of what a year is said of.
_REST = r"(?=\s*[),;:\]]|\s+(?:pp?|for)\b)[^()\[\]]{0,400}[)\]]"
_BY_NAMES = re.compile(
    rf"(?:[(\[]|;\s)(?:[a-zß-öø-ÿ.]+,?\s+){{0,6}}(?!{NO_NAME}){AUTHORS}(?:,\s*|\s+){YEARS}{_REST}"
    rf"|(?!{NO_NAME})(?:{NAME}(?:{AND}{NAME})?{OTHERS}|(?P<kept>(?:{NAME}{AND})?{WORD})){POSSESSIVE},?\s*[(\[]{YEARS}{_REST}"
)


def without_marks(text: str) -> str:
    """The words alone, one space between them."""
    return " ".join(_MARK.sub(" ", text).split())


def without_unnumbered_marks(text: str) -> str:
    """A title or an abstract, where numbers in brackets may be ranges or parts of names, without other marks.

    A text of nothing else stays.
    """
    words = _UNNUMBERED.sub(" ", text)
    return words if words.strip() else text


def marked_alike(text: str) -> str:
    """The text with one mark for every one that stands there, and for names and a year; a text of nothing else stays.

    Names before a bracket stay words, unless "et al." says that they are authors: "Germany and France (2010)".
    """
    marked = _BY_NAMES.sub(r"\g<kept> [CITATION]", text)
    return " ".join(_MARK.sub(" [CITATION] ", marked if without_marks(marked) else text).split())


def parts_between_marks(text: str) -> list[str]:
    """What stands before the first mark, between each two, and after the last; one part where there is no mark."""
    return _MARK.split(text)


def wants_citation(text: str) -> bool:
    """Whether the writer left a mark that something is to be cited, such as [citation needed] or [?]."""
    return bool(_ONLY_WANTED.search(text))


def has_typed_citation(text: str) -> bool:
    """Whether a citation was typed into the text: [12], [@key], a command of LaTeX, names with a year in brackets."""
    return bool(_ONLY_GIVEN.search(text) or _BY_NAMES.search(text))


def near_marks(text: str) -> list[str]:
    """The words on either side of each mark, `NEAR` of them; nothing where there is no mark."""
    parts = [part.split() for part in parts_between_marks(text)]
    if len(parts) == 1:
        return []
    before = [words[-NEAR:] for words in parts[:-1]]
    after = [words[:NEAR] for words in parts[1:]]
    return [" ".join(words) for words in (*before, *after)]
