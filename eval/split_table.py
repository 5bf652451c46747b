"""The sizes of a split, as Table 1 of Nogueira et al. 2020 gives them, beside those that it publishes."""

from __future__ import annotations

from collections.abc import Mapping

from eval.protocols import PARTS, Part

Sizes = Mapping[str, float]  # by what is counted, in the order of the table

_PUBLISHED: Mapping[str, tuple[float, ...]] = {
    "open-research": (
        6_892_252,
        44_400_729,
        6.45,
        1_391,
        3_343_809,
        32_470_673,
        487_582,
        5_985_787,
        464_449,
        5_944_269,
    ),
    "dblp": (50_227, 156_807, 3.12, 1_193, 27_322, 106_011, 8_324, 38_628, 931, 12_168),
    "pubmed": (47_347, 825_371, 17.43, 1_504, 26_793, 558_674, 2_768, 66_655, 8_815, 200_042),
}


def sizes(papers: int, characters: int, parts: Mapping[Part, tuple[int, int]]) -> Sizes:
    """The rows of the table.

    Args:
        papers: That are indexed.
        characters: Of all their titles and abstracts.
        parts: Of each part the queries, before a sample is drawn, and the papers that they cite.
    """
    pairs = sum(count for _, count in parts.values())
    return _rows((papers, pairs, pairs / papers, characters / papers), parts)


def published(protocol: str) -> Sizes | None:
    """What the paper has of a protocol, by name; None if it is not one of its own."""
    if protocol not in _PUBLISHED:
        return None
    row = _PUBLISHED[protocol]
    counts = [int(value) for value in row[4:]]
    return _rows(row[:4], dict(zip(PARTS, zip(counts[::2], counts[1::2], strict=True), strict=True)))


def markdown(here: Sizes, there: Sizes | None) -> str:
    """The table, with a column of what is published where there is one."""
    rows = ["| | here |" + (" published |" if there else ""), "|---|---|" + ("---|" if there else "")]
    for name, value in here.items():
        cells = [value, *([there[name]] if there and name in there else [])]
        rows.append(f"| {name} | " + " | ".join(_number(cell) for cell in cells) + " |")
    return "\n".join(rows)


def _rows(whole: tuple[float, ...], parts: Mapping[Part, tuple[int, int]]) -> Sizes:
    names = ("papers", "citations of queries", "citations a paper", "characters a paper")
    rows = dict(zip(names, whole, strict=True))
    for part, (queries, pairs) in parts.items():
        rows |= {f"{part}: queries": queries, f"{part}: citations": pairs}
        rows[f"{part}: citations a query"] = pairs / max(queries, 1)
    return rows


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
