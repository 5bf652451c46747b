"""What an entry of another format says of its work, as an item of CSL-JSON: kind, publisher, editors and such."""

from collections.abc import Sequence
from dataclasses import replace

import orjson

from common.names import Name, parse_names
from common.text import one_line
from indexer.original import Original
from indexer.readers.base import RawPaper
from indexer.readers.fields import year


def with_item(
    paper: RawPaper, type: str, container: str, publisher: str, issue: str, editors: Sequence[str]
) -> RawPaper:
    """The paper with an item of that CSL type; as it is where the type is "".

    `container` is the book, journal or series, "" where the venue is none. `editors` are names as `common.names` stores
    them; where they stand in place of the authors, the item has no authors.
    """
    if not type:
        return paper
    authors = paper.authors if isinstance(paper.authors, list) and paper.authors != editors else []
    published = year(paper.year)
    texts = {
        "title": paper.title,
        "container-title": container,
        "publisher": publisher,
        "volume": paper.volume,
        "issue": issue,
        "page": paper.page,
        "abstract": paper.abstract,
        "DOI": paper.doi,
        "URL": paper.url,
    }
    item = {
        "type": type,
        **{name: one_line(text) for name, text in texts.items() if isinstance(text, str)},
        "author": people(authors),
        "editor": people(editors),
        "issued": {"date-parts": [[published]]} if published else None,
    }
    text = orjson.dumps({name: value for name, value in item.items() if value}).decode()
    return replace(paper, original=Original("csl-json", text))


def date_of(text: str) -> dict[str, list[list[int]]]:
    """A date such as 2019-07-21, or two of them with a slash between, as CSL has it."""
    return {"date-parts": [[int(part) for part in day.split("-")] for day in text.split("/")]}


def people(names: Sequence[str]) -> list[dict[str, str]]:
    """Names as CSL has them: those that are named, for it has no mark for further ones, which would count as a name."""
    return [_person(name) for name in parse_names(names)]


def _person(name: Name) -> dict[str, str]:
    parts = {
        "literal": name.whole,
        "family": name.family,
        "given": name.given,
        "non-dropping-particle": name.particle,
        "suffix": name.suffix,
    }
    return {part: text for part, text in parts.items() if text}
