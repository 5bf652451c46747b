r"""What sets lengths, counters and lines, and is no text: `\setlength\parindent{0pt}`, `\vskip 1em plus .5em`."""

import re

_ARGUMENT = r"\s*(?:\{(?:[^{}]|\{[^{}]*\})*\}|\\[A-Za-z@]+)"
_ONE = "vspace|newlength|newcounter|stepcounter|refstepcounter|setstretch|linespread|enlargethispage|needspace"
_TWO = (
    "setlength|addtolength|setcounter|addtocounter|settowidth|settoheight|settodepth|numberwithin|counterwithin|"
    r"counterwithout|rule\s*(?:\[[^\[\]]*\])?"
)
_THREE = r"addcontentsline"
_UNIT = r"(?:true\s*)?(?:pt|pc|in|bp|cm|mm|dd|cc|sp|em|ex|mu|fil+)"
_SKIPPED = rf"(?:[+-]\s*)?\d*\.?\d+\s*{_UNIT}"  # a word may follow at once: latexdiff writes \hskip0pt and a comment
_LENGTH = rf"{_SKIPPED}(?![A-Za-z])"
_REGISTER = r"(?:[+-]\s*)?\d*\.?\d*\\[A-Za-z@]+"
_STRETCH = rf"(?:\s*(?:plus|minus)\s*(?:{_LENGTH}|{_REGISTER}))*"
_SETTING = re.compile(
    rf"\\(?:(?:{_ONE})\*?{_ARGUMENT}|(?:{_TWO})\*?(?:{_ARGUMENT}){{2}}|(?:{_THREE})(?:{_ARGUMENT}){{3}}"
    r"|cmidrule\s*(?:\[[^\[\]]*\]\s*)?(?:\([^()]*\)\s*)?\{[^{}]*\}|allowdisplaybreaks\s*\[\d\]"
    rf"|(?:[vhm]skip|m?kern)(?![A-Za-z@])\s*(?:{_SKIPPED}|{_REGISTER}){_STRETCH}"
    rf"|(?:[hv]box|vtop)\s*(?:to|spread)\s*(?:{_LENGTH}|{_REGISTER})"
    r"|(?!(?:small|med|big)skip)[A-Za-z@]+(?:skip|indent|sep|width|height|depth|fuzz|stretch)"
    rf"\s*(?:=?\s*{_LENGTH}|=\s*{_REGISTER}){_STRETCH}"
    r"|(?:[a-z]*(?:penalty|tolerance|demerits)|hangafter|looseness)\s*=?\s*[+-]?\d+)"
)


def without_settings(text: str) -> str:
    """The text of a manuscript without them."""
    return _SETTING.sub(lambda found: " " if "plus" in found[0] else "", text)  # a gap between words may stretch
