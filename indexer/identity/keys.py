"""The keys of a record: two records that share one are, with some exceptions, one paper."""

import re
from dataclasses import replace
from typing import Literal, NamedTuple

from indexer.identity.identifiers import (
    DOI_ADDRESS,
    arxiv_key,
    bare_doi,
    doi_key,
    openalex_id,
    pmid_key,
    pubmed_address,
)
from indexer.identity.titles import is_generic, title_key
from indexer.paper import Paper

KeyKind = Literal["doi", "arxiv", "pmid", "id", "title"]  # the surest first
# A key of more papers than this is no key: a column of a journal, or the DOI of a whole issue.
MOST_PAPERS_OF_A_KEY = 50

_ADDRESS = re.compile(r"https?://\S", re.IGNORECASE)
# "doi: 10.1000/a" and "arXiv:1706.03762v5 [cs.CL]" are one, too.
_ONE_WORD = re.compile(r"(?:(?:doi|arxiv|pmid)\s*:?\s*)?\S+(?:\s+\[[\w.-]+\])?", re.IGNORECASE)

_PREFIXES: dict[KeyKind, str] = {"doi": "", "arxiv": "arXiv:", "pmid": "PMID:"}


class Key(NamedTuple):
    """One key."""

    kind: KeyKind
    value: str  # normalised

    def __str__(self) -> str:
        """As the catalog stores it, such as `doi:10.1000/abc`."""
        return f"{self.kind}:{self.value}"


def keys_of(paper: Paper) -> tuple[Key, ...]:
    """All keys of a record, the surest first; generic titles are none.

    Identifiers are also taken from the address, from an id that is a DOI or names its kind (`arXiv:…`, `PMID:…`),
    and an arXiv id from a venue such as "arXiv preprint arXiv:1412.6980".
    """
    title = title_key(paper.title)
    found: tuple[tuple[KeyKind, str], ...] = (
        ("doi", _doi(paper)),
        ("arxiv", _arxiv(paper)),
        ("pmid", (paper.url and pmid_key(paper.url)) or pmid_key(paper.id)),
        ("title", "" if is_generic(title) else title),
    )
    return tuple(Key(kind, value) for kind, value in found if value)


def keys_but_of_id(paper: Paper) -> tuple[Key, ...]:
    """The same without those in its id, where that is a citation key, which anybody may give."""
    return keys_of(replace(paper, id=""))


def id_key(id_: str) -> Key:
    """The key of the paper into which a record of this id was merged; no paper has its own id among its keys."""
    return Key("id", id_)


def address_with_pmid(url: object, pmid: str, doi: object) -> object:
    """The address of a record with a PMID, which it keeps there: PubMed's, unless its own says what `doi` does not."""
    of_pubmed = pubmed_address(pmid)
    own = keys_of(Paper("", "", url=url)) if of_pubmed and isinstance(url, str) else ()
    return url if not of_pubmed or any(key.kind != "doi" or not doi for key in own) else of_pubmed


def paper_from_text(text: str) -> Paper:
    """A record for one line that names a paper: an id (of OpenAlex also its address), DOI, arXiv id, PMID or title."""
    text = " ".join(text.split())
    title = text if " " in text or not text.isascii() else ""
    id_, url = openalex_id(text) or text, pubmed_address(pmid_key(text))
    return Paper(id_, title, doi=doi_key(text), arxiv=arxiv_key(text), url=url)


def is_only_identifier(text: str) -> bool:
    """Whether a text is the DOI, arXiv id, PMID or address of one paper, and nothing else."""
    if not _ONE_WORD.fullmatch(text.strip()):
        return False
    named = paper_from_text(text)
    return bool(named.doi or named.arxiv or named.url or _ADDRESS.match(text.strip()))


def identifier_in(address: str) -> str:
    """The DOI, arXiv id or PMID in an address, as `paper_from_text` reads it again; "" where there is none."""
    named = paper_from_text(address)
    return text_naming(named) if named.doi or named.arxiv or named.url else ""


def text_naming(paper: Paper) -> str:
    """One line from which `paper_from_text` makes a record of the same keys: its DOI, arXiv id, PMID or title."""
    named = {key.kind: key.value for key in keys_of(paper)}
    prefixed = (f"{prefix}{named[kind]}" for kind, prefix in _PREFIXES.items() if kind in named)
    return next(prefixed, " ".join(paper.title.split()))


def _doi(paper: Paper) -> str:
    if paper.doi:
        return doi_key(paper.doi)
    if DOI_ADDRESS.match(paper.url):
        return doi_key(paper.url)
    return doi_key(bare_doi(paper.id))


def _arxiv(paper: Paper) -> str:
    for value in (paper.arxiv, paper.doi):
        if value and (found := arxiv_key(value)):
            return found
    named = (value for value in (paper.url, paper.id, paper.venue) if "arxiv" in value.lower())
    return next(filter(None, map(arxiv_key, named)), "")
