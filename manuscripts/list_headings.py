"""Where a printed reference list begins and what ends it, by headings."""

from __future__ import annotations

import re

# A line that is such a heading.
REFERENCE_LIST = re.compile(
    r"^[ \t]*(?:(?:\d+|[IVX]+)[.)]?[ \t]+)?(?:references(?: (?:and|&) notes| cited)?|(?:notes (?:and|&) )?references|"
    r"reference list|bibliograph(?:y|ie)|literature cited|works cited|literatur(?:verzeichnis)?)[ \t]*:?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
# The beginning of a line behind the list.
BEHIND_LIST = re.compile(
    r"^[ \t]*(?:appendix\b|appendices\b|[A-Z][ \t]+(?:appendix|additional|proof|supplement)|supplementa\w+ material|"
    r"acknowledge?ments?\b|author contributions|checklist\b|(?:figure|table)s?(?: and tables?)? (?:legend|caption)s?\b|"
    r"(?:supporting information|funding|(?:competing|conflicts? of) interests?|data availability(?: statement)?|"
    r"figures|tables)[ \t]*:?[ \t]*$)",
    re.IGNORECASE | re.MULTILINE,
)
