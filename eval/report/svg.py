"""Drawings of matplotlib as SVG that can stand within a page: the same bytes each time, and no id twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter
from xml.etree import ElementTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_INK, _MUTED, _LINE = "#1f1e1b", "#55534e", "#d8d5ce"
_STYLE: Any = {
    "svg.fonttype": "none",  # text stays text, in the font of the page
    "svg.hashsalt": "citescout",  # else ids are drawn at random
    "text.parse_math": False,  # a system may be called "$x$"
    "font.size": 10,
    "font.sans-serif": ["DejaVu Sans"],  # what the layout is measured with: wider than others
    "text.color": _INK,
    "axes.edgecolor": _MUTED,
    "axes.labelcolor": _INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": _LINE,
    "grid.linewidth": 0.6,
    "xtick.color": _MUTED,
    "ytick.color": _MUTED,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.fontsize": 10,
    "legend.handlelength": 3.2,
    "savefig.transparent": True,
}
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


@contextmanager
def style() -> Iterator[None]:
    """How everything is drawn, whatever the user's own settings of matplotlib are."""
    import matplotlib

    # The page's font has letters that matplotlib's lacks.
    with matplotlib.rc_context(), catch_warnings():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        simplefilter("ignore")
        yield


def inline(figure: Figure, name: str, alternative: str) -> str:
    """A figure as an `<svg>` element.

    Args:
        figure: drawn within `style`.
        name: of the figure, which makes its ids differ from those of others on the page.
        alternative: what it shows, for those who do not see it.
    """
    from defusedxml.ElementTree import fromstring

    file = BytesIO()
    figure.savefig(file, format="svg")
    root = fromstring(file.getvalue())
    # The metadata has a date; and within a page, matplotlib's style sheet would style the page.
    for element in [*root.findall(f"{{{_SVG}}}metadata"), *root.findall(f"{{{_SVG}}}defs")]:
        if element.tag.endswith("metadata") or element.find(f"{{{_SVG}}}style") is not None:
            root.remove(element)
    _rename_ids(root, name)
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)
    root.set("role", "img")
    root.set("aria-label", alternative)
    for element in root.iter():
        # HTML knows no namespaces, only the names of SVG's elements.
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        element.tail = element.tail and element.tail.strip()
        if element.tag not in {"text", "tspan"}:
            element.text = element.text and element.text.strip()
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


def _rename_ids(root: ElementTree.Element, name: str) -> None:
    """Prefix the ids that something refers to, and drop the others."""
    used: set[str] = set()
    for element in root.iter():
        if target := element.attrib.pop(f"{{{_XLINK}}}href", None):
            used.add(target.removeprefix("#"))
            element.set("href", f"#{name}-{target.removeprefix('#')}")
        for attribute, value in element.attrib.items():
            if "url(#" in value and attribute != "id":
                used.update(_REFERENCE.findall(value))
                element.set(attribute, _REFERENCE.sub(rf"url(#{name}-\1)", value))
    for element in root.iter():
        own = element.attrib.pop("id", None)
        if own in used:
            element.set("id", f"{name}-{own}")
