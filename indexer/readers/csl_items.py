"""What an entry of another format says of its work, as an item of CSL-JSON: kind, publisher, editors and such."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import orjson

from common.names import Name, parse_names
from common.text import one_line
from indexer.original import Original
from indexer.readers.base import RawPaper
from indexer.readers.entry_fields import DATES, PEOPLE, TEXTS, Column, read_fields
from indexer.readers.entry_types import NAMES
from indexer.readers.fields import year
from indexer.readers.languages import tag_of

_TYPES = {name.replace(" ", ""): type for type, names in NAMES.items() for name in names.others.split(", ") if name}


def csl_type(*names: str) -> str:
    """The type that the first of these names means to CSL; "" where none does. "Book Section" may be bookSection."""
    return next((type for name in names if (type := _TYPES.get(re.sub(r"[\s-]", "", name).lower()))), "")


def page_range(first: str, last: str) -> str:
    """Both pages where both are known; Web of Science's last one may be "+"."""
    return f"{first}-{last}" if first and last not in ("", "+", first) else first


_DATE = re.compile(r"\s*(\d{4})(?:[-/](0?[1-9]|1[0-2])(?:[-/](0?[1-9]|[12]\d|3[01]))?)?(?!\d)")  # 2001-00-00 is a year


def beside(type: str, language: str, editors: Sequence[str] = (), keyword: str = "", **of_book: str) -> dict[str, Any]:
    """What databases say of a work of that CSL type, as `RawPaper.more` has it.

    `editors` and what is `of_book`, such as ISBN and publisher_place, are left out of what appeared in no book. Nor is
    English said, the language of nearly all that they hold.
    """
    tag = tag_of(language.split(";")[0].strip())
    found: dict[str, Any] = {"language": "" if tag == "en" else tag, "keyword": keyword}
    if type and NAMES[type].venue in ("booktitle", "series"):
        found |= {name.replace("_", "-"): text for name, text in of_book.items()}
        found["editor"] = people(editors)
    return {name: value for name, value in found.items() if value}


def with_item(
    paper: RawPaper,
    type: str,
    container: str,
    column: Column,
    text_of: Callable[[str], str],
    people_of: Callable[[str], list[str]],
) -> RawPaper:
    """The paper with an item of that CSL type; as it is where the type is "".

    `container` is the book, journal or series, "" where the venue is none. The others say what the entry has under the
    names of a `column` of `entry_fields`: names of people as `common.names` stores them. Where editors stand in place
    of the authors, the item has no authors.
    """
    if not type:
        return paper
    known = fields_of(type, column, text_of, people_of)
    published = date_in(str(paper.year or ""))
    authors = people(paper.authors if isinstance(paper.authors, list) else [])
    texts = {
        "title": paper.title,
        "container-title": "" if container == known.get("collection-title") else container,
        "abstract": paper.abstract,
        "DOI": paper.doi,
        "URL": paper.url,
    }
    item = {
        "type": type,
        **{name: one_line(text) for name, text in texts.items() if isinstance(text, str)},
        "author": [] if authors == known.get("editor") else authors,
        "issued": date_of(published) if published else None,
        **known,
    }
    text = orjson.dumps({name: value for name, value in item.items() if value}).decode()
    return replace(paper, original=Original("csl-json", text))


def fields_of(
    type: str, column: Column, text_of: Callable[[str], str], people_of: Callable[[str], list[str]]
) -> dict[str, Any]:
    """What an entry has of the fields of `entry_fields`, as CSL has them; for the rest see `with_item`."""
    creators = read_fields(PEOPLE, column, type, people_of)
    texts = {name: one_line(text) for name, text in read_fields(TEXTS, column, type, text_of).items()}
    texts |= {"language": tag_of(texts["language"])} if "language" in texts else {}
    dates = {name: date_of(day) for name in DATES if (day := date_in(texts.pop(name, "")))}
    return {**{role: people(names) for role, names in creators.items()}, **texts, **dates}


def date_in(text: str) -> str:
    """A date of biblatex or RIS as 2019-07-21, as far as it is known, a range with a slash; of any other its year."""
    first = _DATE.match(text)
    last = _DATE.match(text, first.end() + 1) if first and text[first.end() : first.end() + 1] == "/" else None
    known = "/".join("-".join(part.zfill(2) for part in one.groups() if part) for one in (first, last) if one)
    return known or str(year(text) or "")


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
