"""Files that people have and that no format reads: what to do instead."""

from __future__ import annotations

import re

from indexer.readers.head import Head

_BIBLIOGRAPHY = "BibTeX, RIS or CSL-JSON"
_SEPARATORS = re.compile(r"[,;\t]")
_TITLE_COLUMNS = {"title", "article title", "document title", "titles", "ti"}


def advice(head: Head) -> str:
    """What a file is that no format knows, and how its papers get in; "" where there is nothing to say of it."""
    if not head.data.strip():
        return "empty"
    if head.data[257:262] == b"ustar":
        return "a tar archive; unpack it first"
    if head.data.startswith(b"%PDF-"):
        return f"a PDF, of which no paper is read; export {_BIBLIOGRAPHY} from a reference manager"
    if head.data.startswith(b"PMID- "):
        return (
            f"MEDLINE text (.nbib), which is not read; take PubMed's XML, or {_BIBLIOGRAPHY} from a reference manager"
        )
    if _is_table(head):
        return f"a table, which is not read; export {_BIBLIOGRAPHY} instead"
    return ""


def _is_table(head: Head) -> bool:
    """Whether the first line names columns, a title among them."""
    columns = _SEPARATORS.split(head.lines[0].lstrip("\ufeff")) if head.lines else []
    return len(columns) > 1 and any(column.strip(' "').casefold() in _TITLE_COLUMNS for column in columns)
