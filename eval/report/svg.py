"""Drawings of matplotlib as SVG within a page: the same bytes each time."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_INK, _MUTED, _LINE = "#1f1e1b", "#55534e", "#d8d5ce"
_STYLE: Any = {
    "svg.fonttype": "none",  # text stays text, a quarter of the size
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


def picture(figure: Figure, alternative: str) -> str:
    """A figure, drawn within `style`, as an `<img>` that holds its SVG.

    As a picture of its own, its ids and its style sheet are its own, so matplotlib's output stays as it is.
    `alternative` says what it shows, for those who do not see it.
    """
    from markupsafe import escape

    file = BytesIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    data = b64encode(file.getvalue()).decode()
    return f'<img alt="{escape(alternative)}" src="data:image/svg+xml;base64,{data}">'
