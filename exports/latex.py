"""Plain text → the values of BibTeX fields."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from urllib.parse import quote

from common.names import OTHERS, begins_lower, family_first, is_others, joined, parse_name
from common.text import one_line

# BibTeX counts braces even behind a backslash, so a brace of the text becomes a command. Letters stay Unicode.
_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"$\lbrace$",
        "}": r"$\rbrace$",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": "$<$",
        ">": "$>$",
        "|": "$|$",
        **{mark: f"\\{mark}" for mark in "%&_#$"},
    }
)
_NOT_IN_VERBATIM = re.compile(r"[\s{}\\]")


# Mathematics, by Pandoc's rule: no space within the dollars, no digit behind them, so that prices are none.
_MATHEMATICS = re.compile(r"(?<!\\)\$(?=\S)([^$\\]|\\[A-Za-z]++|\\[,;!{}|]){1,200}?(?<=\S)\$(?!\d)")
_COMMANDS = re.compile(r"\\([A-Za-z]+)")
_ARGUMENTS = re.compile(
    r"\\frac(?!\{[^{}]*\}\{)|\\(?:frac|sqrt|bar|hat|tilde|vec|overline|underline|math[a-z]+)(?!\s*\{|[A-Za-z])"
)
_TWICE = re.compile(r"\^(?:\{[^{}]*\}|\\[A-Za-z]+|.)\s*\^|_(?:\{[^{}]*\}|\\[A-Za-z]+|.)\s*_|'\^")
_OF_LATEX = """
alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho varrho sigma
varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega times cdot
cdots ldots dots pm mp leq le geq ge neq ne approx sim simeq equiv propto infty partial nabla sum prod int to
rightarrow leftarrow Rightarrow Leftarrow leftrightarrow mapsto in notin subset subseteq supset cup cap emptyset forall
exists neg land lor oplus otimes circ bullet star ast dagger ell hbar Re Im aleph prime log ln exp sin cos tan min max
inf sup lim arg det dim ker gcd Pr deg frac sqrt bar hat tilde vec overline underline mathrm mathbf mathit mathsf
mathtt mathcal langle rangle lfloor rfloor lceil rceil mid parallel perp angle triangle wedge vee quad
"""
_SAFE_COMMANDS = frozenset(_OF_LATEX.split())  # of LaTeX itself, so that no package is needed
# Greek and signs, which pdfLaTeX does not know as they are and which have commands; other scripts stay as they are.
_OTHER_SIGNS = (
    "\u2016\u2032\u2033\u2070-\u209c\u2102-\u2115\u2119-\u211d\u2124-\u2128\u2130-\u2138"
    "\u2190-\u21ff\u2200-\u22ff\u27e8\u27e9\u2a7d\u2a7e"
)
_SIGNS = re.compile(f"[\u0391-\u03c9\u03d1\u03d5\u03d6\u03f1\u03f5{_OTHER_SIGNS}]+")
_NOT_GREEK = re.compile(f"[{_OTHER_SIGNS}]+")
# Words, no symbols in a row as in "ηππ": long ones, and those with a letter that is no symbol of mathematics.
_GREEK = "[\u0386\u0388-\u03ce\u1f00-\u1fff]"
_NO_SYMBOL = "[\u0386\u0388-\u0390ΑΒΕΖΗΙΚΜΝΟΡΤΧ\u03aa-\u03b0ος\u03ca-\u03ce\u1f00-\u1fff]"
_GREEK_WORD = re.compile(f"(?={_GREEK}*{_NO_SYMBOL}){_GREEK}{{3}}|{_GREEK}{{5}}")


def escaped(text: str) -> str:
    """The text as LaTeX shows it, on one line, with balanced braces; mathematics stays mathematics."""
    return _encoded(_harmless(text))


def _harmless(text: str) -> str:
    return "".join(piece.translate(_ESCAPES) if plain else piece for piece, plain in _pieces(one_line(text)))


def _pieces(line: str) -> Iterator[tuple[str, bool]]:
    """The line in pieces, and whether each is plain text rather than mathematics."""
    place = 0
    for found in _MATHEMATICS.finditer(line):
        if not _is_safe(found[0][1:-1]):
            continue
        yield line[place : found.start()], True
        yield found[0], False
        place = found.end()
    yield line[place:], True


def _is_safe(formula: str) -> bool:
    """Whether a formula compiles by itself: known commands, balanced braces, nothing that acts outside of it."""
    known = all(command in _SAFE_COMMANDS for command in _COMMANDS.findall(formula))
    if not known or not formula.isascii() or re.search(r"[%#&~\"`]|[_^]\s*(?:[_^}']|$)|\\[{}]|\\$", formula):
        return False  # BibTeX counts escaped braces, too
    depths = [*accumulate(((mark == "{") - (mark == "}") for mark in formula), initial=0)]
    # Several exponents of one base are an error.
    return min(depths) == depths[-1] == 0 and not _ARGUMENTS.search(formula) and not _TWICE.search(formula)


def _encoded(value: str) -> str:
    """An escaped value with commands for signs, and for Greek letters unless it has Greek words."""
    signs = _NOT_GREEK if _GREEK_WORD.search(value) else _SIGNS
    return signs.sub(lambda found: _commands(found[0]), value)


@cache
def _commands(marks: str) -> str:
    """Letters such as α as commands, as far as there are any."""
    from pylatexenc.latexencode import RULE_DICT, UnicodeToLatexConversionRule, UnicodeToLatexEncoder  # 0.1 s

    root = UnicodeToLatexConversionRule(RULE_DICT, {ord("√"): r"\ensuremath{\surd}"})  # \sqrt{} has nothing below it
    encoder = UnicodeToLatexEncoder(
        conversion_rules=[root, "defaults"],
        non_ascii_only=True,
        replacement_latex_protection="braces-all",
        unknown_char_policy="keep",
        unknown_char_warning=False,
    )
    return str(encoder.unicode_to_latex(marks))


def title_value(title: str) -> str:
    """An escaped title whose acronyms and names like "LaTeX" are braced, since many styles lower its case."""
    line = one_line(title)
    if line.isupper():
        return escaped(line)
    words = (" ".join(map(_protected, piece.split(" "))) if plain else f"{{{piece}}}" for piece, plain in _pieces(line))
    return _encoded("".join(words))


def _protected(word: str) -> str:
    """Braces for a capital that is not merely the first letter: BERT, mRNA, U-Net, IPv6."""
    start = next((place for place, mark in enumerate(word) if mark.isalnum()), len(word))
    end = next((place for place in range(len(word), start, -1) if word[place - 1].isalnum()), start)
    core = word[start:end]
    if not any(mark.isupper() for mark in core[1:]):
        return word.translate(_ESCAPES)
    before, braced, after = (part.translate(_ESCAPES) for part in (word[:start], core, word[end:]))
    return f"{before}{{{braced}}}{after}"


def name_list(authors: tuple[str, ...]) -> str:
    """Author names joined by "and", each so that BibTeX takes it for one name with the right parts."""
    names = [author for author in map(one_line, authors) if author]
    return " and ".join(OTHERS if is_others(name) else _encoded(_name(name)) for name in names)


def _name(author: str) -> str:
    """One name: as it is where BibTeX parts it as we do, else "von Last, Jr., First"; organisations are braced."""
    name = parse_name(author)
    # A parser may take the backslash of an escape behind "and" for an escaped space.
    if name.whole:
        return f"{{{_harmless(name.whole)}}}"
    if (name.suffix and not name.given) or _harmless(author).startswith("\\"):
        return f"{{{_harmless(author)}}}"
    several = " " in name.family and not name.particle  # BibTeX takes the last word alone
    if several and not name.given:
        return f"{{{_harmless(name.family)}}}"
    as_bibtex = not any(map(begins_lower, name.family.split()[:-1])) and not begins_lower(name.given)
    if "," not in author and not name.suffix and as_bibtex and not several and not family_first(author):
        return _harmless(author)
    family = _harmless(name.family) if as_bibtex else f"{{{_harmless(name.family)}}}"
    last = joined(_harmless(name.particle), family)
    return ", ".join(filter(None, (last, _harmless(name.suffix), _harmless(name.given))))


def verbatim(text: str) -> str:
    """An address or identifier: not escaped, since DOI and URL fields are read verbatim; braces percent-encoded."""
    return _NOT_IN_VERBATIM.sub(lambda mark: quote(mark[0]), one_line(text))
