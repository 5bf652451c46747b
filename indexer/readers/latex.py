"""LaTeX of bibliographies → plain text."""

import logging
import re
from functools import lru_cache

from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db

from common.formulas import GREEK, with_plain_scripts
from indexer.readers.latex_units import with_quantities

_MARKS = re.compile(r"[\\$~{}]|--|``|''")
_NEEDS_A_PARSER = re.compile(r"[\\$]")
_DOLLAR = re.compile(r"(?<!\\)\$")
# "$5 million", no formula.
_PRICE = re.compile(r"(?<![^\s(])\$(?=\d[\d,.]{0,20}(?:\s{1,3}[a-z]{2}|[\s.,;)]{0,5}$))", re.IGNORECASE)
_ROOT = re.compile(r"√\((\w|\d+)\)")  # of one thing, as the converter writes it
_BARE = re.compile(r"(?<!\\)[%&]")
# Before a function TeX leaves room, which the converter does not: "n\log n".
_ROOM = re.compile(r"(?<=[A-Za-z0-9)}])(?=\\(?:arg|cos|det|dim|exp|inf|ker|lim|ln|log|max|min|sin|sup)(?![A-Za-z]))")
# {\noopsort{1973c}}1981; and ADS writes \raisebox{-0.5ex}\textasciitilde for a tilde.
# The others' first argument says where a link leads, and in which language or colour the second one stands.
_NOT_PRINTED = re.compile(
    r"\\(?:noopsort|sortnoop|raisebox|href|foreignlanguage|textcolor)\s*\{[^{}]*\}", re.IGNORECASE
)
_ESCAPED_TWICE = re.compile(r"(?<!\\)\\{2,}(?=[%&#_$])")
# Of addresses: x.org/a\_b, Mendeley's a{\_}b and 8{\textless}693, and 8$<$693, \ensuremath{<}, x.org/$\sim$doe.
_ESCAPES = str.maketrans("", "", "\\{}")
_SIGNS_OF_ADDRESSES = {
    **{r"\lt": "<", r"\textless": "<", r"\gt": ">", r"\textgreater": ">"},
    **{r"\sim": "~", r"\textasciitilde": "~", r"\textunderscore": "_"},
}
_NAMED_SIGN = r"\\(?:lt|gt|sim|text(?:less|greater|asciitilde|underscore))(?![A-Za-z])"
_IN_MATH = rf"\s*([<>_~]|{_NAMED_SIGN})\s*"
_SIGN = re.compile(rf"\${_IN_MATH}\$|\\\({_IN_MATH}\\\)|\\ensuremath\s*\{{{_IN_MATH}\}}|({_NAMED_SIGN}) ?")
# Not escaped quotation marks, as in \"best\", nor sizes of problems, as in \O(n).
_ACCENTED = re.compile(
    r"""(\{)?\\(?:(?:["`](?=[{\\AEIOUYaeiouy]|\s\{)|['^~=.](?!\s[A-Za-z])|[cvHuk](?![A-Za-z]))"""
    r"\s?(?:\{\\?[A-Za-z]\}|[A-Za-z]|\\[ij](?:\s|(?![A-Za-z])))"
    r"|(?:ss|a[ae]|A[AE]|oe|OE|[lLoO])(?:\{\}|\s|(?![A-Za-z_^(])))(?(1)\})"
)
# Å behind a number is the unit, behind which a word begins, as everybody means who writes 2 \AA resolution.
_UNIT = re.compile(r"(?:(?<=[\d$~,-]\\)|(?<=[\d$]\s\\))AA(?=\s)")
_LONGEST_CACHED = 100  # such as names, which recur
_LONGEST_PARSED = 50_000  # characters; the parser's time grows faster than its input

logging.getLogger("pylatexenc").setLevel(logging.CRITICAL)  # it warns of every command that it cannot make sense of
_SHOWN = ("mbox", "textmd", "textsf", "texttt", "textup")  # the converter would leave out their arguments with them
_NAMES = ("TeX", "LaTeX", "LaTeXe", "BibTeX", "XeTeX", "LuaTeX", "LuaLaTeX")  # each is set as its own name
# As ADS names journals in BibTeX, for AASTeX.
_JOURNALS = """
aap Astronomy and Astrophysics
aapr Astronomy and Astrophysics Reviews
aaps Astronomy and Astrophysics Supplement
actaa Acta Astronomica
aj The Astronomical Journal
ao Applied Optics
apj The Astrophysical Journal
apjl The Astrophysical Journal Letters
apjs The Astrophysical Journal Supplement Series
apss Astrophysics and Space Science
araa Annual Review of Astronomy and Astrophysics
baas Bulletin of the American Astronomical Society
gca Geochimica et Cosmochimica Acta
grl Geophysical Research Letters
icarus Icarus
jcap Journal of Cosmology and Astroparticle Physics
jcp Journal of Chemical Physics
jgr Journal of Geophysical Research
jqsrt Journal of Quantitative Spectroscopy and Radiative Transfer
memras Memoirs of the Royal Astronomical Society
memsai Memorie della Società Astronomica Italiana
mnras Monthly Notices of the Royal Astronomical Society
na New Astronomy
nar New Astronomy Reviews
nat Nature
nphysa Nuclear Physics A
pasa Publications of the Astronomical Society of Australia
pasj Publications of the Astronomical Society of Japan
pasp Publications of the Astronomical Society of the Pacific
physrep Physics Reports
physscr Physica Scripta
planss Planetary and Space Science
pra Physical Review A
prb Physical Review B
prc Physical Review C
prd Physical Review D
pre Physical Review E
prl Physical Review Letters
procspie Proceedings of the SPIE
psj The Planetary Science Journal
qjras Quarterly Journal of the Royal Astronomical Society
solphys Solar Physics
sovast Soviet Astronomy
ssr Space Science Reviews
"""
_SIGNS = {
    **dict(line.split(" ", 1) for line in _JOURNALS.strip().splitlines()),
    **{"glqq": "„", "grqq": "“", "glq": "‚", "grq": "‘", "flqq": "«", "frqq": "»", "flq": "‹", "frq": "›"},
    "-": "",  # where a word may be divided
    "|": "‖",
    # The converter leaves these out, which Zotero and Mendeley write: "p {\textless} 0.05".
    **{"textless": "<", "textgreater": ">", "textbar": "|", "textunderscore": "_", "textminus": "−"},
    **{"lt": "<", "gt": ">"},
    **{"textbraceleft": "{", "textbraceright": "}", "pounds": "£", "copyright": "©", "textasciicircum": "^"},
    **{"textquotedbl": '"', "textquotesingle": "'", "euro": "€", "S": "§"},
    **{f"{form}{name}": letter for name, letter in GREEK.items() for form in ("text", "up")},
}
_context = get_default_latex_context_db()
_context.add_context_category("shown", prepend=True, macros=[MacroTextSpec(name, discard=False) for name in _SHOWN])
_context.add_context_category("names", prepend=True, macros=[MacroTextSpec(name, name) for name in _NAMES])
_context.add_context_category(
    "signs", prepend=True, macros=[MacroTextSpec(name, mark) for name, mark in _SIGNS.items()]
)
_converter = LatexNodes2Text(_context, math_mode="text", keep_comments=True)


def plain(value: str) -> str:
    """Accents and symbols as Unicode, without commands and braces.

    A bare "%" or "&" is taken for the sign, which is what it means in a bibliography.
    """
    if not _MARKS.search(value):
        return value
    return _cached(value) if len(value) <= _LONGEST_CACHED else _decoded(value)


def with_accents(value: str) -> str:
    """The value with accents as Unicode; its other commands stay."""
    return _ACCENTED.sub(lambda found: plain(found[0]), _UNIT.sub("AA{}", value)) if "\\" in value else value


def plain_address(value: str) -> str:
    """A DOI or an address without what LaTeX needs around some of its signs; as it is otherwise, with "%" and "~"."""
    written = _SIGN.sub(lambda found: _SIGNS_OF_ADDRESSES.get(sign := found[found.lastindex or 0], sign), value)
    return written.translate(_ESCAPES)


def _decoded(value: str) -> str:
    value = _UNIT.sub("AA{}", with_quantities(_NOT_PRINTED.sub("", _ESCAPED_TWICE.sub(r"\\", value))))
    if _NEEDS_A_PARSER.search(value) and len(value) <= _LONGEST_PARSED:
        try:
            value = _PRICE.sub(r"\\$", value)
            if len(marks := list(_DOLLAR.finditer(value))) % 2:  # one alone begins no formula
                value = f"{value[: marks[-1].start()]}\\{value[marks[-1].start() :]}"
            signs = _BARE.sub(r"\\\g<0>", with_plain_scripts(_ROOM.sub(r"\\ ", value)))
            text = str(_converter.latex_to_text(signs, tolerant_parsing=True))
            return _ROOT.sub(r"√\1", text).replace("^∘", "°")
        except (RecursionError, ValueError, IndexError, AttributeError, TypeError):
            pass  # the parser gives up on some broken LaTeX; what can be done without it follows
    for mark, text in (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), ("~", " "), ("{", ""), ("}", "")):
        value = value.replace(mark, text)
    return value


_cached = lru_cache(maxsize=1 << 14)(_decoded)
