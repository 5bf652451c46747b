"""Items as Zotero describes them in JSON: in its API, and in Better BibTeX's export."""

import re
from collections.abc import Iterable
from functools import partial

from common.names import stored_whole
from indexer.identity.identifiers import arxiv_key, clean_doi
from indexer.identity.keys import address_with_pmid
from indexer.readers.base import RawPaper
from indexer.readers.csl_items import fields_of
from indexer.readers.imprints import csl_type
from indexer.readers.json_records import Fields, objects
from indexer.readers.markup import parted_person, person

NO_WORKS = ("attachment", "note", "annotation")
_CONTAINERS = (
    *("publicationTitle", "proceedingsTitle", "bookTitle", "encyclopediaTitle", "dictionaryTitle", "blogTitle"),
    *("websiteTitle", "conferenceName"),
)
_DATES = ("date", "issueDate", "dateDecided", "dateEnacted")  # the last ones of patents, cases and statutes
_PUBLISHERS = ("repository", "university", "institution", "publisher")
_APART = ("volume", "issue", "page", "publisher")  # fields of every paper
# Fields that an item type lacks.
_EXTRA = re.compile(r"^(DOI|PMID|arXiv|Citation Key)\s*:\s*(.+)$", re.IGNORECASE | re.MULTILINE)


def zotero_paper(where: str, fields: Fields, id: object) -> RawPaper | None:
    """The paper that an item describes; None for attachments, notes and annotations."""
    if fields.get("itemType") in NO_WORKS:
        return None

    def first(names: Iterable[str]) -> str:
        return next((str(value) for name in names if (value := fields.get(name))), "")

    extra_fields = fields_in_extra(fields.get("extra"))
    doi = fields.get("DOI") or clean_doi(extra_fields.get("doi", ""))
    container = first(_CONTAINERS)
    number = fields.get("archiveID") or fields.get("number") or extra_fields.get("arxiv")
    type = csl_type(str(fields.get("itemType")))
    known = fields_of(type, "zotero", lambda name: first([name]), partial(_creators, fields))
    # Of Zotero 8 itself; before, Better BibTeX writes those that its user chose into "Extra".
    key = fields.get("citationKey") or extra_fields.get("citation key")
    if key and key != id:
        known["citation-key"] = str(key)
    return RawPaper(
        where,
        id=id,
        title=fields.get("title") or fields.get("caseName") or fields.get("nameOfAct"),
        abstract=fields.get("abstractNote"),
        year=first(_DATES),
        authors=_authors(fields),
        venue=container or first(_PUBLISHERS),
        doi=doi,
        arxiv=arxiv_key(number) if isinstance(number, str) else None,
        url=address_with_pmid(fields.get("url"), extra_fields.get("pmid", ""), doi),
        volume=fields.get("volume"),
        page=fields.get("pages"),
        type=type,
        issue=fields.get("issue"),
        publisher=fields.get("publisher"),
        more={name: value for name, value in known.items() if name not in _APART},
    )


def fields_in_extra(extra: object) -> dict[str, str]:
    """What stands in Zotero's field "Extra" as `DOI: …`, by its name in lower case."""
    return {name.lower(): value for name, value in _EXTRA.findall(extra)} if isinstance(extra, str) else {}


def _authors(fields: Fields) -> list[str]:
    """The authors; of a work without any, its editors or whoever else made it."""
    creators = objects(fields.get("creators"))
    kind = next((k for k in ("author", "editor") if any(c.get("creatorType") == k for c in creators)), "")
    return _creators(fields, kind)


def _creators(fields: Fields, kind: str) -> list[str]:
    """Those of a kind; all of them for ""."""
    return [
        stored_whole(person(creator.get("name"))) or parted_person(creator.get("lastName"), creator.get("firstName"))
        for creator in objects(fields.get("creators"))
        if kind in ("", creator.get("creatorType"))
    ]
