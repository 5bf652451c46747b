"""What classes and packages define that is text: headings of journals, and changes, which are read as accepted."""

from collections.abc import Mapping
from string import digits

from manuscripts.latex.macros import Macro

# Of a command with an option and one argument, or two: what is read of it.
_NOTHING, _ARGUMENT = Macro("", ("", None)), Macro("#2", ("", None))
_FIRST, _SECOND = (Macro(f"#{number}", ("", None, None)) for number in (2, 3))
# Of the package changes and of latexdiff, which manuscripts may define for themselves.
CHANGES = {"added": _ARGUMENT, "deleted": _NOTHING, "replaced": _FIRST, "DIFdel": _NOTHING}
# Of the styles of CVPR and its kin.
_ABBREVIATED = {"eg": "e.g", "Eg": "E.g", "ie": "i.e", "Ie": "I.e", "cf": "cf", "Cf": "Cf", "vs": "vs", "etc": "etc"}
_ABBREVIATED |= {"wrt": "w.r.t", "dof": "d.o.f", "iid": "i.i.d", "etal": "et al"}
_ABBREVIATIONS = {name: Macro(rf"{text}\onedot") for name, text in _ABBREVIATED.items()}
# Ends of ordinals in French: "XX\ieme{}".
_ORDINALS = {
    f"{name}{plural}": Macro(f"{end}{plural}")
    for name, end in (("ier", "er"), ("iere", "re"), ("ieme", "e"))
    for plural in ("", "s")
}
# Classes and packages, by their names without the number of a version → what they define.
_PACKAGES: Mapping[str, Mapping[str, Macro]] = {
    "aastex": {"replaced": _SECOND, "explain": _NOTHING, "collaboration": Macro("", (None, None))},
    "trackchanges": {"add": _ARGUMENT, "remove": _NOTHING, "note": _NOTHING, "change": _SECOND, "annote": _FIRST},
    "copernicus": {name: Macro(r"\section{#1}", (name.capitalize(),)) for name in ("introduction", "conclusions")},
    "ulem": {"sout": _NOTHING, "xout": _NOTHING},
    "soul": {"st": _NOTHING},
    "sn-jnl": {"bmhead": Macro(r"\section*{#1}", (None,))},
    **dict.fromkeys(("cvpr", "iccv", "wacv", "eccvabbrv"), _ABBREVIATIONS),
    **dict.fromkeys(("babel", "polyglossia"), _ORDINALS),
    "llncs": {"ackname": Macro("Acknowledgements"), "discintname": Macro("Disclosure of Interests")},
}


def of_package(name: str) -> Mapping[str, Macro]:
    """The macros of a class or a package that are known."""
    return _PACKAGES.get(name.rstrip(digits), {})
