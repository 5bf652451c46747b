"""CSL-JSON (the data of CSL 1.0.2), one item a paper, each paper once: for Zotero, Pandoc and citeproc."""

from collections.abc import Iterable
from itertools import takewhile
from typing import Any, TextIO

import orjson

from citescout.recommendation import Answer, Recommendation
from common.sequences import numbered
from common.text import clean_lines, one_line
from exports.base import Format, papers_once, register
from exports.citation_keys import Keys, with_own_keys
from exports.details import details, venue_of
from exports.harmless import harmless
from exports.links import safe_link
from exports.reason_sentences import retraction
from indexer.paper import Paper
from indexer.readers.csl_items import date_of, people
from indexer.readers.entry_fields import DATES

# Pandoc refuses a file for a null in a list or an empty list; Crossref has dates without a year.
_NOTHING: tuple[object, ...] = (None, "", [], {})


def _write(answers: Iterable[Answer], stream: TextIO) -> None:
    keys, ids = Keys(), set[str]()
    start = "["
    for entry in papers_once(with_own_keys(answers, keys.key)):
        paper, note = entry.paper, entry.note
        item = _item(entry, keys)
        own = str(item.get("id") or keys.key(paper, entry.key))
        if (key := next(one for one in numbered(own) if one not in ids)) != str(item.get("id")):
            item["id"] = key  # another item has its own, or it has none
        ids.add(key)
        keys.take(key)
        before = str(item.get("note") or "")
        added = [one for one in (retraction(paper), clean_lines(note)) if one not in ("", *before.splitlines())]
        if added:
            item["note"] = "\n".join(filter(None, (before, *added)))
        stream.write(f"{start}\n{orjson.dumps(item).decode()}")
        start = ","
    stream.write("[]\n" if start == "[" else "\n]\n")


def _item(entry: Recommendation, keys: Keys) -> dict[str, Any]:
    """The item as its owner wrote it; without one, or where the paper says more than it, one that is made."""
    paper, original = entry.paper, harmless(entry.paper.original)
    if original and original.format == "csl-json" and (own := orjson.loads(original.text)):
        # Without an id it was made of another format, where records that were merged with it may say more.
        more = original.others or paper.imprint or (paper.doi and not own.get("DOI"))
        if own.get("id") or not more:
            return _filled_parts(own)
    return _filled_parts(_made(paper, keys.key(paper, entry.key)))


def _filled_parts(item: dict[str, Any]) -> dict[str, Any]:
    """What of an item is not empty, at any depth, but all that is its owner's own."""
    filled = {name: value if name == "custom" else _filled(value) for name, value in item.items()}
    return {name: value for name, value in filled.items() if _is_filled(value)}


def _filled(value: object) -> object:
    if isinstance(value, dict):
        return _filled_parts(value)
    if not isinstance(value, list):
        return value
    # A list in a list is a date: behind what is missing, a day would be a month.
    parts = [list(takewhile(_is_filled, part)) if isinstance(part, list) else _filled(part) for part in value]
    return list(filter(_is_filled, parts))


def _is_filled(value: object) -> bool:
    return value not in _NOTHING


def _made(paper: Paper, key: str) -> dict[str, Any]:
    known = details(paper)
    texts = {name: one_line(text) for name, text in known.texts.items()}
    return {
        "id": key,
        "type": known.kind,
        "title": one_line(paper.title),
        "author": people(known.authors),
        "container-title": one_line(venue_of(paper, known)),
        **{role: people(names) for role, names in known.people.items()},
        **texts,
        **{name: date_of(texts[name]) for name in ("issued", *DATES) if name in texts},
        "abstract": one_line(paper.abstract),
        "DOI": one_line(known.doi),
        "number": f"arXiv:{one_line(known.arxiv)}" if known.arxiv else texts.get("number", ""),
        "URL": safe_link(paper),
    }


register(
    Format(
        "csl-json",
        "for Zotero, Pandoc and citeproc, with abstracts",
        "json",
        "application/vnd.citationstyles.csl+json",
        _write,
        needs="papers",
    )
)
