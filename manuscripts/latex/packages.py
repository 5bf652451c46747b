"""What classes and packages define that is text: headings of journals, and changes, which are read as accepted."""

import re
from collections.abc import Mapping

from manuscripts.latex.macros import Macro

_DROPPED, _FIRST, _SECOND = Macro("", ("", None)), Macro("#2", ("", None)), Macro("#3", ("", None, None))
# Of the package changes and of latexdiff, which manuscripts may define for themselves.
CHANGES = {
    "added": _FIRST,
    "deleted": _DROPPED,
    "replaced": Macro("#2", ("", None, None)),  # the new text, and the old
    "DIFdel": _DROPPED,
}
_PACKAGES = (  # names of classes and packages → what they define
    (
        re.compile(r"aastex\d*"),
        {"replaced": _SECOND, "explain": _DROPPED, "collaboration": Macro("", (None, None))},
    ),
    (
        re.compile("trackchanges"),
        {
            "add": _FIRST,
            "remove": _DROPPED,
            "note": _DROPPED,
            "change": _SECOND,
            "annote": Macro("#2", ("", None, None)),
        },
    ),
    (
        re.compile("copernicus"),
        {name: Macro(r"\section{#1}", (name.capitalize(),)) for name in ("introduction", "conclusions")},
    ),
    (re.compile("sn-jnl"), {"bmhead": Macro(r"\section*{#1}", (None,))}),
    (re.compile("llncs"), {"ackname": Macro("Acknowledgements"), "discintname": Macro("Disclosure of Interests")}),
)


def of_package(name: str) -> Mapping[str, Macro]:
    """The macros of a class or a package that are known."""
    return next((macros for named, macros in _PACKAGES if named.fullmatch(name)), {})
