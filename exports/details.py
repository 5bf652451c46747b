"""What an entry says of a publication beyond the fields of a paper: pages, publisher, editors and such.

It is known where the paper came from a bibliography, in whatever format that was, or from a database that says it.
"""

from dataclasses import dataclass, replace
from typing import Any

import orjson

from common.names import is_marked, told_by
from exports.kinds import Kind, kind, kind_called
from indexer.identity.identifiers import clean_doi
from indexer.imprint import Imprint
from indexer.original import Original
from indexer.paper import Paper
from indexer.readers.fields import arxiv
from indexer.readers.formats.csl_json import name_of
from indexer.readers.json_records import objects
from indexer.readers.markup import without_markup


@dataclass(frozen=True, slots=True)
class Details:
    """Plain text; "" where nothing is known."""

    kind: Kind
    doi: str = ""
    arxiv: str = ""
    volume: str = ""
    number: str = ""  # the issue
    pages: str = ""  # with a hyphen
    publisher: str = ""
    editors: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()  # as `Paper.authors`, but in the parts that the entry says


def details(paper: Paper) -> Details:
    """What is known of a paper: from its entry, and a DOI or arXiv id where its id is one."""
    known = _read(paper.original, kind(paper)) if paper.original else _of_imprint(paper)
    return replace(
        known,
        authors=_authors(known, paper.authors),
        doi=paper.doi or _doi_in_id(paper.id),
        arxiv=paper.arxiv or (arxiv(paper.id) if paper.id.lower().startswith("arxiv:") else ""),
        pages=known.pages.replace("–", "-").replace("--", "-"),
    )


def _authors(known: Details, authors: tuple[str, ...]) -> tuple[str, ...]:
    """The names as the entry parts them; none where the paper has those of the editors for want of authors.

    An index that was built with names as people read them has family names of several words only in its entries, and
    "others", too.
    """
    named, as_authors, as_editors = (told_by(names)[0] for names in (authors, known.authors, known.editors))
    if not known.authors and as_editors == named:
        return ()
    parted = known.authors if as_authors == named else authors
    written = (one if is_marked(one) else name for one, name in zip(parted, authors, strict=False))
    return (*written, *parted[len(authors) :])


def _doi_in_id(paper_id: str) -> str:
    found = clean_doi(paper_id)
    alone = paper_id.strip().lower().removeprefix("https://doi.org/").removeprefix("doi:").strip()
    return found if found and found == alone else ""


def _read(original: Original, guess: Kind) -> Details:
    """What an entry says; the `guess` is for one that does not say its kind."""
    if original.format == "csl-json":
        return _of_csl(orjson.loads(original.text), guess)
    return _of_ris(original.text, guess) if original.format == "ris" else _of_bibtex(original, guess)


def _of_imprint(paper: Paper) -> Details:
    imprint = paper.imprint or Imprint()
    return Details(
        kind=kind_called(imprint.type, "csl") or kind(paper),
        volume=imprint.volume,
        number=imprint.issue,
        pages=imprint.page,
        publisher=imprint.publisher,
    )


def _of_csl(item: dict[str, Any], guess: Kind) -> Details:
    def text(name: str) -> str:
        value = item.get(name)
        return str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""

    return Details(
        kind=kind_called(text("type"), "csl") or guess,
        volume=text("volume"),
        number=text("issue"),
        pages=text("page"),
        publisher=text("publisher"),
        editors=tuple(map(name_of, objects(item.get("editor")))),
        authors=tuple(map(name_of, objects(item.get("author")))),
    )


def _of_ris(text: str, guess: Kind) -> Details:
    values: dict[str, list[str]] = {}
    for line in text.splitlines():
        tag, _, value = line.partition("-")
        values.setdefault(tag.strip(), []).append(value.strip())

    def people(*tags: str) -> tuple[str, ...]:
        return tuple(str(without_markup(value)).rstrip(", ") for tag in tags for value in values.get(tag, ()) if value)

    def first(*tags: str) -> str:
        return next((value for tag in tags for value in values.get(tag, []) if value), "")

    return Details(
        kind=kind_called(first("TY"), "ris") or guess,
        volume=first("VL"),
        number=first("IS"),
        pages="-".join(filter(None, (first("SP"), first("EP")))) or first("C7"),
        publisher=first("PB"),
        editors=people("ED", "A2"),
        authors=people("AU", "A1"),
    )


def _of_bibtex(original: Original, guess: Kind) -> Details:
    from bibtexparser.entrypoint import parse_string  # a third of a second, which no other format needs

    from indexer.readers.bibtex_people import names
    from indexer.readers.latex import plain

    entries = parse_string("\n".join((*original.before, original.text, *original.after))).entries
    if not entries:
        return Details(guess)
    written: dict[str, str] = {}
    for entry in entries:  # itself, then those from which it takes what it does not say
        for field in entry.fields:
            written.setdefault(field.key.lower(), str(field.value))
    values = {name: plain(value) for name, value in written.items()}
    return Details(
        kind=kind_called(entries[0].entry_type.lower(), "bibtex") or guess,
        volume=values.get("volume", ""),
        number=values.get("number") or values.get("issue", ""),
        pages=values.get("pages") or values.get("eid", ""),
        publisher=values.get("publisher") or values.get("school") or values.get("institution", ""),
        editors=tuple(names(written.get("editor", ""))),
        authors=tuple(names(written.get("author", ""))),
    )
