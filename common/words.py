"""Numbers and lists in sentences."""

from collections.abc import Sequence


def counted(number: int, noun: str, plural: str = "") -> str:
    """Such as "1 paper" or "1,203 papers"; `plural` where it is not made by an s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(names: Sequence[str], most: int) -> str:
    """Such as "a, b" or, of more than `most`, "a, b, …"."""
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def shortened(text: str, most: int = 100) -> str:
    """The text or, of more than `most` characters, its beginning and "…"."""
    return text if len(text) <= most else text[:most].rstrip() + "…"
