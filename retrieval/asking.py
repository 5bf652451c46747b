"""Questions as people type them into a search box → what these are about.

Words of asking, as in "Find me recent papers on peer review, please", are no words of papers, and signs of a search in
a database, as in TITLE-ABS-KEY("peer review" AND quality*), are none at all; both lead away from what is meant.
"""

import re

from common.sentences import COUNTED

_KINDS = r"(?:papers?|articles?|literature|publications?|references|citations|studies|research|sources|reviews?)"
_SUCH = r"""(?:(?:some|any|all|more|the|recent|new|newest|latest|current|relevant|related|important|good|key|seminal
    |classic|influential|highly[ -]cited|scientific|scholarly|academic|research|peer-reviewed)\s+){0,5}"""
_ABOUT = r"""\s+(?:(?:to\s+cite\s+)?(?:on|about|regarding|concerning|for|in\s+the\s+(?:field|area)\s+of)
    |related\s+to|dealing\s+with|that\s+(?:deals?\s+with|discuss(?:es)?|stud(?:y|ies)|covers?|use[sd]?))"""
_I_AM = r"(?:i\s+am|i['’]m|we\s+are|we['’]re)"
_WORDS_OF_ASKING = re.compile(
    rf"""\A\s*(?:(?:hello|hi|dear\s+all|please)[,!.]?\s+)?
    (?: (?:(?:can|could|would)\s+you\s+)?(?:please\s+)?
        (?:find|show|give|get|recommend|suggest|list|search\s+for|look\s+for)\s+(?:(?:me|us)\s+)?{_SUCH}{_KINDS}{_ABOUT}
    | (?:{_I_AM}\s+(?:looking|searching)\s+for|(?:i|we)\s+(?:need|want|would\s+like))\s+{_SUCH}{_KINDS}{_ABOUT}
    | {_I_AM}\s+(?:currently\s+)?(?:writing|working\s+on|preparing)\s+(?:an?|my|our|the)\s+(?:[\w'’-]+\s+){{0,3}}
        (?:paper|article|thesis|dissertation|review|survey|manuscript|report|proposal|chapter|essay)\s+(?:on|about)
    | (?:what|which)\s+{_SUCH}{_KINDS}\s+(?:should\s+(?:i|we)\s+(?:cite|read)|are\s+there|exist)\s+(?:on|about|for)
    | what\s+(?:is|do\s+we)\s+known?\s+(?:about|of|on)
    | (?:(?:some|recent|new|relevant)\s+)?(?:papers|articles|literature)\s+(?:on|about|concerning|related\s+to)
    )\s+(?=\w|["“„«(])""",
    re.IGNORECASE | re.VERBOSE,
)
_ENDS = ".?!, \n"
_SENTENCES = re.compile(r"[.?!]\s+\S")
# What stands around a line in a list or at the end of a sentence, but not an ordinal: "19. Jahrhundert", "20. století".
_CENTURY = r"(?:stolet|století|stoljeć|storoč|světov|svetov|svjetsk|århund|yüzyıl|század|sajand|vuosisa)"
_BEFORE = re.compile(rf"\A\s*(?:(?:[-–—•*·▪●]|\(?\d{{1,2}}[.)])\s+(?!{COUNTED}|{_CENTURY}))?(?=\S)")
_TO_THE_END = re.compile(r".*[^\s.?!,;:…/|·•—–―\-†☆。？！，；：、।؟؛،\U0001f000-\U0001ffff]", re.DOTALL)
_OPERATOR = r"\b(?:AND|OR|NOT|ADJ\d*|(?:NEAR|PRE|W|N)/\d+)\b"
_NAME = (
    r"(?:tiab|ti|ab|kw|tw|mp|sh|mh|ot|majr|title|abstract|text\s?words?|mesh(?:\s(?:terms|major\stopic))?|all\sfields)"
)
# Fields as Scopus, the Web of Science, PubMed, Embase and Ovid write them.
_FIELD = rf"""\b(?:TITLE|ABS|KEY|ALL)(?:-(?:TITLE|ABS|KEY|AUTH)){{0,3}}\s*(?=\() | \b(?:TS|TI|AB|AK|KW|SU|ALL)\s*=
    | (?i: \[{_NAME}(?:/{_NAME})?(?::noexp)?\] | :{_NAME}(?:,{_NAME}){{0,3}}\b | \.{_NAME}(?:,{_NAME}){{0,3}}\.
    | /exp\b )"""
_SEARCH = re.compile(rf"""{_FIELD} | [a-z)"”*]\s+{_OPERATOR}\s+(?:["“(]|\w*[a-z])""", re.VERBOSE)
_MOST_WORDS = 20  # to each sign of a search: abstracts quote one, or have the odds ratio OR
_QUOTED = re.compile(r"""\s*["“„«]([^"“”„«»]+)["”“»]\s*""")
_EXCLUDED = r"""\bNOT\s+(?: \([^()]{0,300}\) | ["“][^"“”]{0,300}["”] | [^\s()]+ )"""
_SIGNS = re.compile(rf"""{_EXCLUDED} | {_FIELD} | {_OPERATOR} | [()\[\]{{}}"“”*$]""", re.VERBOSE)


def question(text: str) -> str:
    """What a text is about that is the whole question, however it is put, listed or ended."""
    line = _TO_THE_END.match(_BEFORE.sub("", text))
    return what_is_asked(line[0] if line and not _SENTENCES.search(line[0]) else text)


def what_is_asked(text: str) -> str:
    """What a question is about; a text that asks in no such way is as it was, and so is one of nothing else."""
    if found := _WORDS_OF_ASKING.match(text):
        text = text[found.end() :].rstrip(_ENDS)
        text = text.removesuffix(" please").rstrip(_ENDS)
    if found := _QUOTED.fullmatch(text):
        text = found[1]
    if 0 < len(text.split()) <= _MOST_WORDS * len(_SEARCH.findall(text)):
        return " ".join(_SIGNS.sub(" ", text).split()) or text
    return text
