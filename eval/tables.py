"""Tables in Markdown."""

from collections.abc import Iterable, Sequence


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A line for the heads, one below them, and one for each row of cells."""
    escaped = ([str(cell).replace("|", r"\|") for cell in cells] for cells in (heads, *rows))
    head, *lines = (f"| {' | '.join(cells)} |" for cells in escaped)
    return "\n".join([head, "|---" * len(heads) + "|", *lines])
