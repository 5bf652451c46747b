"""Diagrams as SVG: the same findings give the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common.errors import CitescoutError
from common.files import write_atomically
from eval.experiments.findings import Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, which colour-blind readers distinguish as well.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKS = ("o", "s", "D", "^", "v", "P", "X")


def check_plots() -> None:
    """Raise CitescoutError where diagrams cannot be drawn, better before the measurements than after them."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise CitescoutError(f"drawing needs matplotlib: pip install 'citescout[eval]' ({error})") from None


def write_plot(panels: Sequence[Panel], title: str, path: Path) -> None:
    """Draw the panels side by side."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    most = max(len(panel.places) * len(panel.series) for panel in panels)
    height = 1.6 + 0.16 * most if panels[0].kind == "points" else 3.6
    # Ids in an SVG are random unless salted.
    with rc_context({"svg.hashsalt": "citescout", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(max(7.5, 4.6 * len(panels)), max(2.9, height)), layout="constrained")
        for panel, axes in zip(panels, figure.subplots(1, len(panels), squeeze=False)[0], strict=True):
            _draw(panel, axes)
        if len(panels[0].series) > 1:  # the panels of one experiment show the same series
            handles, labels = figure.axes[0].get_legend_handles_labels()
            figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
        figure.suptitle(title)
        target = BytesIO()
        figure.savefig(target, format="svg", metadata={"Date": None})
    write_atomically(path, target.getvalue())


def _draw(panel: Panel, axes: Axes) -> None:
    styles = cycle(zip(_COLOURS, _MARKS, strict=True))
    step = 0.7 / max(len(panel.series), 1)
    for number, ((name, found), (colour, mark)) in enumerate(zip(panel.series.items(), styles, strict=False)):
        known = [(place, one) for place, one in enumerate(found) if one is not None]
        # Points of several series would hide each other; lines are distinct anyway.
        shift = (number - (len(panel.series) - 1) / 2) * step if panel.kind == "points" else 0.0
        places = [place + shift for place, _ in known]
        values = [one.value for _, one in known]
        reach = [[one.value - one.low for _, one in known], [one.high - one.value for _, one in known]]
        style: dict[str, Any] = {
            "color": colour,
            "marker": mark,
            "markersize": 4,
            "label": name,
            "elinewidth": 1,
            "capsize": 2,
        }
        if panel.kind == "points":
            axes.errorbar(values, places, xerr=reach, linestyle="", **style)
        else:
            axes.errorbar(places, values, yerr=reach, linewidth=1.2, **style)
    _label(panel, axes)


def _label(panel: Panel, axes: Axes) -> None:
    numbers = range(len(panel.places))
    if panel.kind == "points":
        axes.set_yticks(numbers, panel.places)
        axes.invert_yaxis()
        axes.set_xlabel(panel.quantity)
        axes.set_ylabel(panel.axis)
    else:
        axes.set_xticks(numbers, panel.places)
        axes.set_xlabel(panel.axis)
        axes.set_ylabel(panel.quantity)
    axes.grid(visible=True, alpha=0.3, linewidth=0.5)
    if any(one.low < 0 for found in panel.series.values() for one in found if one):  # differences
        (axes.axvline if panel.kind == "points" else axes.axhline)(0, color="black", linewidth=0.8)
