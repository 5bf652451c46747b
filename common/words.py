"""Numbers in sentences."""


def counted(number: int, noun: str) -> str:
    """Such as "1 paper" or "1,203 papers"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
