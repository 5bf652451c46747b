"""The drawings of a report, as SVG within the page: the same bytes each time.

Systems differ by colour, dashes and markers at once, so that none needs to see colours.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import numpy as np

from eval.report.content import Report, SystemFigures
from eval.report.measured import CUTOFFS, DEPTHS, GROUPS, Floats, WinsAndLosses, group_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
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


# At least 3:1 on white, and far apart for those, too, who do not see red, green or blue.
COLOURS = ("#1f1e1b", "#0f93ec", "#c18400", "#256345", "#893984", "#9b3600", "#9c8b92")
_DASHES = ("-", "--", "-.", ":")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
_GAIN, _LOSS = "#0072b2", "#d55e00"
_WIDTH = 5.0  # inches: 360 units, so that letters are as large as the page's on a telephone
_LEGEND_LINE = 0.19  # inches
_MOST_BARS = 400  # that a picture of differences can show


def draw(report: Report) -> dict[str, Any]:
    """The pictures of the page by name, "against" the baseline by system; the same report gives the same bytes."""
    with style():
        return {
            "recall": _recall(report),
            "f1": _f1(report),
            "by_gold": _by_gold(report),
            "against": {one.name: _against(report, one.name, one.against) for one in report.systems if one.against},
            "times": _times(report) if any(system.seconds for system in report.systems) else None,
        }


def thinned(differences: Floats, most: int = _MOST_BARS) -> Floats:
    """At most `most` of the sorted values, evenly apart, first and last among them."""
    if len(differences) <= most:
        return differences
    kept: Floats = differences[np.linspace(0, len(differences) - 1, most).round().astype(int)]
    return kept


def log_ticks(low: float, high: float) -> list[float]:
    """Ticks of a logarithmic axis around a range: 1, 2, 5, 10, … or 1, 10, … if it is wider than 3 decades."""
    digits = (1, 2, 5) if high <= 1000 * low else (1,)
    decades = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    ticks = [digit * 10.0**decade for decade in decades for digit in digits]
    below, above = (tick for tick in ticks if tick <= low), (tick for tick in ticks if tick >= high)
    first, last = max(below), min(above)
    return [tick for tick in ticks if first <= tick <= last]


def _recall(report: Report) -> str:
    marked = [DEPTHS.index(depth) for depth in (1, 10, 20, 100, 1000)]
    figure, axes = _curves(report, DEPTHS, lambda system: system.recall, marked)
    axes.set_xscale("log")
    _label_ticks(axes, (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000))
    axes.set(xlabel="depth of the list", ylabel="recall", xlim=(0.93, 1075), ylim=(0, None))
    at = [DEPTHS.index(depth) for depth in (20, 100, 1000)]
    description = _described(report.systems, lambda system: ", ".join(f"{system.recall[place]:.3f}" for place in at))
    return _finished(figure, f"Recall by depth of the list. At 20, 100 and 1000: {description}.")


def _f1(report: Report) -> str:
    ticks = (1, 10, 20, 30, 40, 50)
    marked = [CUTOFFS.index(cutoff) for cutoff in ticks]
    figure, axes = _curves(report, CUTOFFS, lambda system: system.f1, marked)
    axes.set(xlabel="k, papers shown", ylabel="F1@k", xlim=(0, 51), ylim=(0, None), xticks=ticks)
    description = _described(
        report.systems, lambda system: f"{system.f1.max():.3f} at {CUTOFFS[int(system.f1.argmax())]}"
    )
    return _finished(figure, f"F1 by the number of papers shown. Highest: {description}.")


def _by_gold(report: Report) -> str:
    shown = [group for group, size in enumerate(report.group_sizes) if size]
    places = range(len(shown))
    figure, axes = _curves(report, places, lambda system: [system.f1_by_group[group] for group in shown])
    names = [f"{group_name(GROUPS[group])}\n({report.group_sizes[group]:,})" for group in shown]
    axes.set_xticks(places, names)
    axes.set(xlabel="gold citations of a query (how many queries)", ylabel="F1@20", ylim=(0, None))
    axes.set_xlim(-0.4, len(shown) - 0.6)
    description = _described(
        report.systems, lambda system: ", ".join(f"{system.f1_by_group[group]:.3f}" for group in shown)
    )
    groups = ", ".join(group_name(GROUPS[group]) for group in shown)
    return _finished(figure, f"F1@20 of queries with {groups} gold citations: {description}.")


def _against(report: Report, name: str, found: WinsAndLosses) -> str:
    figure, axes = _canvas(0, (3.3, 1.9))
    bars = thinned(found.differences)
    edges = np.linspace(0, 100, len(bars) + 1)
    axes.stairs(np.maximum(bars, 0), edges, fill=True, color=_GAIN)
    axes.stairs(np.minimum(bars, 0), edges, fill=True, color=_LOSS)
    axes.axhline(0, color=COLOURS[0], linewidth=0.8)
    # The same scale for every system.
    reach = max(float(np.abs(system.against.differences).max()) for system in report.systems if system.against)
    reach = max(0.1, reach * 1.05)
    axes.set(xlabel="queries, %", ylabel="gain in F1@20", xlim=(0, 100), ylim=(-reach, reach))
    first, last = found.differences[[0, -1]]
    return _finished(
        figure,
        f"{name} against {report.baseline}, query by query: better on {found.better:,}, equal on {found.equal:,}, "
        f"worse on {found.worse:,}. The differences in F1@20 go from {first:+.3f} to {last:+.3f}.",
    )


def _times(report: Report) -> str:
    figure, axes = _canvas(sum(system.seconds is not None for system in report.systems))
    description = []
    for number, system in enumerate(report.systems):
        if system.seconds:
            median, slow = system.seconds.median * 1000, system.seconds.p95 * 1000
            f1 = system.row.figures["F1@20"].value
            line = _line(number)
            axes.plot((median, slow), (f1, f1), color=line["color"], linewidth=1)
            axes.plot(median, f1, label=system.name, **line | {"linestyle": "none", "markersize": 7})
            description.append(f"{system.name} {f1:.3f} in {median:.3g} ms")
    axes.set_xscale("log")
    axes.margins(0.1, 0.2)
    ticks = log_ticks(*axes.get_xlim())
    _label_ticks(axes, ticks)
    axes.set(
        xlabel="milliseconds a query: median, line to the 95th percentile",
        ylabel="F1@20",
        xlim=ticks[:: len(ticks) - 1],
    )
    return _finished(figure, f"F1@20 against the median time of a query: {'; '.join(description)}.")


def _canvas(systems: int, size: tuple[float, float] = (_WIDTH, 3.1)) -> tuple[Figure, Axes]:
    """A figure with room for a legend of so many systems below."""
    from matplotlib.figure import Figure

    width, height = size
    figure = Figure(figsize=(width, height + _LEGEND_LINE * -(-systems // 2)), layout="constrained")
    return figure, figure.add_subplot()


def _curves(
    report: Report, places: Sequence[int], values: Callable[[SystemFigures], Any], marked: Sequence[int] | None = None
) -> tuple[Figure, Axes]:
    """A line for each system, with markers at the `marked` of its points, or at all."""
    figure, axes = _canvas(len(report.systems))
    for number, system in enumerate(report.systems):
        axes.plot(places, values(system), label=system.name, markevery=marked, **_line(number))
    return figure, axes


def _finished(figure: Figure, alternative: str) -> str:
    if figure.axes[0].get_legend_handles_labels()[0]:
        figure.legend(loc="outside lower center", ncols=2)
    return picture(figure, alternative)


def _line(number: int) -> dict[str, Any]:
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": _DASHES[number % len(_DASHES)],
        "marker": _MARKERS[number % len(_MARKERS)],
    }


def _label_ticks(axes: Axes, ticks: Sequence[float]) -> None:
    """Ticks of a logarithmic axis as plain numbers."""
    axes.set_xticks(ticks, [f"{tick:,g}" for tick in ticks])
    axes.minorticks_off()


def _described(systems: Sequence[SystemFigures], describe: Callable[[SystemFigures], str]) -> str:
    return "; ".join(f"{system.name} {describe(system)}" for system in systems)
