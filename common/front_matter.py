"""What publishers print around titles and abstracts, and comes with these where they are copied."""

import re

_DAY = r"(?:\d{1,2}\s[A-Z][a-z]{2,8}\.?,?\s(?:19|20)\d\d|[A-Z][a-z]{2,8}\.?\s\d{1,2},?\s(?:19|20)\d\d)"
_STEP = r"(?:received(?:\sin\srevised\sform)?|revised|accepted|(?:available|published)(?:\sonline)?)"
_ADDRESS = r"[^\s@,;]{1,80}@[^\s@,;]{1,80}(?:\s\([^()\n]{1,60}\))?"
_LABEL = re.compile(r"\A\s*abstract\s*(?:[.:—–]|\n)", re.IGNORECASE)
_FRONT_MATTER = re.compile(
    rf"""^[^\n]{{3,80}}\s\d{{1,4}}\ ?\((?:19|20)\d\d\)\ \d+[-–]\d+[ ]*$
    | \bContents\ lists?\ available\ at\ (?:SciVerse\ )?ScienceDirect\b\.? | \b[Jj]ournal\ homepage:\s*\S+
    | ^(?i:a\ ?r\ ?t\ ?i\ ?c\ ?l\ ?e\ +i\ ?n\ ?f\ ?o|article\ history:?)$
    | \bE-?mail(?:\ address(?:es)?)?:\s*{_ADDRESS}(?:[,;]\s*{_ADDRESS})*\.?
    | \b(?=[A-Z])(?i:{_STEP}):?\s{_DAY}(?:[;,.]?\s(?i:{_STEP}):?\s{_DAY})*\.?
    # Rights: at the end of the text, or of a line.
    | (?:^|(?<=[.!?])\s*)(?:\d{{4}}-\d{{3}}[\dX]\s?/\s?)?(?:Crown\s)?(?:Copyright\s?)?(?:©|\([Cc]\)|&\s?COPY;)\s?
      (?:19|20)\d\d\b(?![ ]*[a-z])[^\n]{{0,250}}$
    | (?:^|(?<=[.!?])\s*)All\ rights\ reserved\.?[ ]*$
    """,
    re.VERBOSE | re.MULTILINE,
)


def is_front_matter(line: str) -> bool:
    """Whether a line is nothing else."""
    return _FRONT_MATTER.fullmatch(line) is not None


def without_front_matter(text: str) -> str:
    """The text of a title or an abstract, without its label, too; one of nothing else stays."""
    words = _FRONT_MATTER.sub(" ", _LABEL.sub(" ", text))
    return words if words.strip() else text
