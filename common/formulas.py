r"""LaTeX in titles and abstracts, as databases have them → names and words as they print: $\mathrm{CO}_2$ is CO2.

This is fast enough for millions of records, and takes no notice of what searches do without: `indexer.readers.latex`
reads whole bibliographies.
"""

import re
import unicodedata

_NAMES = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega"
GREEK = {name: unicodedata.lookup(f"GREEK SMALL LETTER {name.replace('lambda', 'lamda')}") for name in _NAMES.split()}
_LETTERS = GREEK | {name.title(): letter.upper() for name, letter in GREEK.items()}
_LETTERS |= {f"{form}{name}": letter for name, letter in _LETTERS.items() for form in ("var", "up")} | {"ell": "l"}
# Names that are written with formulas: CO$_2$, CO$_{\textrm{2}}$ (Zotero), Ca$^{2+}$, $\alpha$; but 10$^5$ is not 105.
_SCRIPT_ITSELF = r"(?:\{(?:\\(?:text|math)rm)?\{?([\w+-]+)\}?\}|(\w))\$"
_SCRIPT = re.compile(rf"\$(?:_|(?<!\d\$)\^){_SCRIPT_ITSELF}")
_SCRIPT_OF_NAME = re.compile(rf"\$(?:_|(?<!\d\$)(?<![A-Za-z]{{3}}\$)\^){_SCRIPT_ITSELF}")  # not that of learning$^1$
# Prices are none: a formula begins with a command, or is one letter, or has scripts or commands, but then no space at
# its ends and no digit behind it. Nor are variables of programs, as in df$a_b, and dollar signs in quotation marks. In
# $$ $$, as Springer has them, in \( \) and \ce{ } stands nothing else.
FORMULA = r"""(?:
    (?<![\\$])\$(?!\^(?:\w|\{[^{}$]*\})\$)(?:
        (?=\s?\\[A-Za-z])([^$\n]{1,300})(?<!\\)\$
        | ([A-Za-z])\$(?:(?<![A-Za-z]\$\w\$)|(?![A-Za-z]))
        | (?:(?<![A-Za-z]\$)|(?![A-Za-z]))(?=[^\s$"'),.;:%&*!?/@\#])(?=[^$\n]{0,300}?[\\_^{])
            ([^$\n]{1,300})(?<=[^\s\\_^])\$(?![\d{])
    )
    | (?<!\\)\$\$([^$\n]{1,300})\$\$
    | \\\(([^\n]{1,300}?)\\\)
    | \\ce\s?\{((?:[^{}\n]|\{[^{}\n]{0,100}\}){1,300})\}
)"""
_FORMULA = re.compile(FORMULA, re.VERBOSE)
WORD = re.compile(rf"(?:[^\W_]|{_SCRIPT_OF_NAME.pattern}|{FORMULA})+", re.VERBOSE)  # with formulas: MoS$_2$ is one
_STYLED = re.compile(
    r"\\(?:emph|[hm]box|operatorname|(?:text|math)(?:[a-z]{2}|cal|frak|scr|normal|(?:sub|super)script)?)\s*\{([^{}]*)\}"
    r"|\\(?:rm|it|bf|em|sf|tt|sc|cal)(?![A-Za-z])\s*"
)
_COMMAND = re.compile(r"\\([A-Za-z]+)( ?)")
_BRACES = str.maketrans("", "", "{}")
_SCRIPTS = re.compile(r"(?<!\\)_|(?<!\d)\^")


def printed(text: str) -> str:
    r"""The text with names as they print, for texts with "$" or a backslash; signs such as \times stay commands."""
    text = _FORMULA.sub(of_formula, _SCRIPT_OF_NAME.sub(r"\1\2", text))
    return _STYLED.sub(r"\1", _COMMAND.sub(_in_words, text)) if "\\" in text else text


def with_plain_scripts(text: str) -> str:
    """The text with what stands above or below the line in LaTeX as it is read in names: CO2 for CO$_2$."""
    return _SCRIPT.sub(r"\1\2", text)


def of_formula(found: re.Match[str]) -> str:
    """What a match of FORMULA prints; "" where it stands beside it once more, as in $k$k-means."""
    formula = _STYLED.sub(r"\1", _COMMAND.sub(_among_signs, found[found.lastindex or 0].strip()))
    line = _SCRIPTS.sub("", formula.replace("}{", " ")).translate(_BRACES)
    text, start, end = found.string, *found.span()
    return "" if text.startswith(line, end) or text.endswith(line, 0, start) else line


def _in_words(command: re.Match[str]) -> str:
    letter = _LETTERS.get(command[1])
    return letter + command[2] if letter else command[0]


def _among_signs(command: re.Match[str]) -> str:
    return _LETTERS.get(command[1]) or f"\\{command[1]} "  # what follows, as in \to\mu, is a word of its own
