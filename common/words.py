"""Numbers in sentences."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Such as "1 paper" or "1,203 papers"; `plural` where it is not made by an s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
