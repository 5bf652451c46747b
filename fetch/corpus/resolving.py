"""The entries of a bibliography → works of a source: by DOI, PMID or arXiv id, else by title, first author and year."""

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from requests import codes

from common.words import counted, shortened
from fetch.client import RefusedError
from fetch.corpus.agreement import SEVERAL, chosen
from fetch.corpus.answers import CachedClient
from fetch.corpus.interface import BudgetSpent, Source, Work
from fetch.corpus.sources.arxiv import preprints
from indexer.identity.agreement import identifier_holds, unlike
from indexer.identity.authors import key_of, plain_word
from indexer.identity.identifiers import arxiv_key, doi_key
from indexer.identity.keys import keys_of
from indexer.identity.titles import title_key, written_words
from indexer.paper import Paper

_logger = logging.getLogger(__name__)

Identifier = Literal["doi", "pmid", "arxiv"]
How = Literal[Identifier, "title", "preprint"]
LookUp = Callable[[Sequence[str]], Mapping[str, Work]]  # of identifiers at a source
_WAYS: dict[How, str] = {
    "doi": "DOI",
    "pmid": "PMID",
    "arxiv": "arXiv id",
    "title": "title",
    "preprint": "arXiv id at arXiv alone",
}


# Of a title that is no title, such as a whole abstract.
_ODD_TITLE = (codes.bad_request, codes.request_uri_too_large, codes.header_fields_too_large)
NOT_ASKED = "not looked up further, since no request is left"
_SHARE_LEFT = 10  # one request in so many is kept from searches by title for what is around the works


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a bibliography."""

    key: str  # as its owner calls it
    readings: tuple[Paper, ...]  # what it may name, the likeliest first; one where its fields are known
    shares: bool = False  # its DOI, PMID or arXiv id with an entry before it that has quite another title

    @property
    def paper(self) -> Paper:
        """The likeliest reading."""
        return self.readings[0]

    @property
    def identity(self) -> str:
        """What stays the same as long as it names the same work, whatever it is called."""
        keys = {key.kind: key.value for key in keys_of(self.paper)}
        if named := keys.get("doi") or keys.get("arxiv") or (f"pmid:{keys['pmid']}" if "pmid" in keys else ""):
            return f"{named} {title_key(self.paper.title)}" if self.shares else named
        author = key_of(self.paper.authors[0]) if self.paper.authors else ""
        title = title_key(self.paper.title)
        return f"{title} {self.paper.year or ''} {author}" if title else self.key


@dataclass(frozen=True, slots=True)
class Found:
    """What became of an entry."""

    entry: Entry
    how: How | None  # None where it was not found
    work: Work | None = None  # None where it was not, and for a preprint that the source lacks
    paper: Paper | None = None  # what goes into the index for it; None for an entry without a title
    why: str = ""  # it was not found, or is in doubt


def resolved(entries: Sequence[Entry], source: Source, arxiv: CachedClient, left: Callable[[], int]) -> list[Found]:
    """What each entry is, in their order. Where no request is left, the rest is said to be not looked up.

    `left` tells how many requests may still be made, of which searches by title use up nine tenths at most.

    Raises:
        FetchError: an API fails.
    """
    run = _Run(entries, source, arxiv, left)
    try:
        run.look_up()
    except BudgetSpent:
        run.spent = True
    return [run.result(entry) for entry in entries]


def summary(found: Sequence[Found], title: str) -> str:
    """One line such as "Found 35 of 40 entries at OpenAlex: 25 by DOI, 10 by title"."""
    counts = Counter(one.how for one in found if one.how)
    ways = ", ".join(f"{counts[how]:,} by {name}" for how, name in _WAYS.items() if counts[how])
    entries = counted(len(found), "entry", "entries")
    return f"Found {counts.total():,} of {entries} at {title}" + (f": {ways}" if ways else "")


def reason_line(found: Found) -> str:
    """Such as "smith2001: Of things: no work has the DOI 10.1000/x, none with this title fits"."""
    title = found.entry.paper.title
    return f"{found.entry.key}: {shortened(title, 70) or 'no title'}: {found.why}"


def found_among(works: Iterable[Work], found: Sequence[Found]) -> list[Found]:
    """The same, with entries that no search found and that are among these works, by their titles.

    Searches want each word as it is; here slips are allowed for.
    """
    near: dict[str, list[Work]] = defaultdict(list)
    for work in works:
        for name in _names(work.paper):
            near[name].append(work)
    result = []
    for one in found:
        names = set() if one.how else _names(one.entry.paper)
        same = chosen(one.entry.paper, [work for name in names for work in near.get(name, ())])
        result.append(_found(one.entry, "title", same) if isinstance(same, Work) else one)
    return result


def works_of(found: Sequence[Found]) -> list[Work]:
    """The works of the entries, each once."""
    return list({one.work.paper.id: one.work for one in found if one.work}.values())


def papers_for(found: Sequence[Found]) -> list[Paper]:
    """What goes into the index for the entries: a work with the nearest of its entries, of one key the last."""
    papers: dict[str, Paper] = {}
    nearest: dict[str, tuple[bool, ...]] = {}
    for one in found:
        if one.paper:
            before = papers.setdefault(one.paper.id, one.paper)
            if unlike(before, one.paper):
                _logger.warning("two entries have the key %s: the last one counts; give each its own", before.id)
            nearness = _nearness(one.entry, one.paper)
            if not one.how or nearness > nearest.get(one.paper.id, ()):
                papers[one.paper.id], nearest[one.paper.id] = one.paper, nearness
    return list(papers.values())


class _Run:
    def __init__(self, entries: Sequence[Entry], source: Source, arxiv: CachedClient, left: Callable[[], int]) -> None:
        self._entries = entries
        self._source = source
        self._arxiv = arxiv
        self._left = left
        self._kept = left() // _SHARE_LEFT
        self._found: dict[str, tuple[How, Work]] = {}  # by the entry's identity
        self._doubted: dict[str, tuple[How, Work]] = {}  # the same of works of its identifiers that have other titles
        self._preprints: Mapping[str, Paper] = {}
        self._why: dict[str, list[str]] = {}
        self._done: set[str] = set()
        self.spent = False

    def look_up(self) -> None:
        """Identifiers first: they are sure, and many go into one request."""
        self._identified("doi", self._ids("doi"), self._source.by_doi)
        self._identified("pmid", self._ids("pmid"), self._source.by_pmid)
        arxiv = self._ids("arxiv")
        self._identified("arxiv", arxiv, self._source.by_arxiv)
        missing = [id_ for entry, id_ in arxiv.items() if entry not in self._found and entry not in self._doubted]
        if missing:
            self._look_at_arxiv(arxiv, missing)
        for entry in self._entries:
            if entry.identity not in self._found:
                self._by_title(entry, entry.readings)
            self._done.add(entry.identity)

    def result(self, entry: Entry) -> Found:
        """What became of one entry."""
        identity, own = entry.identity, entry.paper
        if identity in self._found:
            return _found(entry, *self._found[identity])
        if identity in self._doubted:  # a translation, or the identifier of another work of the same author
            how, work = self._doubted[identity]
            return Found(entry, how, work, work.paper, _doubt(how, work.paper))
        preprint = self._preprints.get(_id_of(entry, "arxiv"))
        if preprint and identifier_holds(own, preprint):
            if unlike(own, preprint):
                return Found(entry, "preprint", None, preprint, _doubt("arxiv", preprint))
            return Found(entry, "preprint", None, replace(preprint, original=own.original).keyed_as([own]))
        why = self._why.get(identity, [])
        if identity not in self._done and self.spent:
            why = [*why, NOT_ASKED]
        return Found(entry, None, None, own if own.title else None, ", ".join(why))

    def _ids(self, kind: Identifier) -> dict[str, str]:
        """Those of the entries that are not found yet, by their identities."""
        return {e.identity: id_ for e in self._entries if e.identity not in self._found and (id_ := _id_of(e, kind))}

    def _identified(self, how: Identifier, ids: Mapping[str, str], works_by: LookUp) -> None:
        works = works_by(list(dict.fromkeys(ids.values())))
        for entry in self._entries:
            id_ = ids.get(entry.identity)
            if id_ is None or entry.identity in self._found:
                continue
            work = works.get(id_)
            if work and identifier_holds(entry.paper, work.paper):
                taken = self._doubted if unlike(entry.paper, work.paper) else self._found
                taken.setdefault(entry.identity, (how, work))
            elif work:
                self._note(
                    entry, f"{'the PMID ' if how == 'pmid' else ''}{id_} is another work ({work.paper.title[:60]})"
                )
            elif how != "arxiv":
                self._note(entry, f"{self._source.title} has no work of the {_WAYS[how]} {id_}")

    def _look_at_arxiv(self, arxiv: Mapping[str, str], ids: Sequence[str]) -> None:
        """What arXiv calls the preprints, and under which DOI they were published, may be known to the source."""
        self._preprints = preprints(self._arxiv, ids)
        published = {
            identity: doi
            for identity, id_ in arxiv.items()
            if id_ in self._preprints and (doi := doi_key(self._preprints[id_].doi))
        }
        self._identified("arxiv", published, self._source.by_doi)
        for entry in self._entries:
            id_ = arxiv.get(entry.identity, "")
            if entry.identity in self._found or not id_:
                continue
            if id_ not in self._preprints:
                self._note(entry, f"arXiv has no {id_}")
            elif not unlike(entry.paper, self._preprints[id_]):
                self._by_title(entry, (self._preprints[id_],), "arxiv")

    def _by_title(self, entry: Entry, readings: Sequence[Paper], how: How = "title") -> None:
        titled = [reading for reading in readings if reading.title]
        if not titled:
            self._note(entry, "it has no title")
        for reading in titled:
            if self._left() <= self._kept:
                raise BudgetSpent
            try:
                work = chosen(reading, self._source.by_title(reading))
            except RefusedError as error:  # one title that the search does not take is not to end the rest
                if error.status not in _ODD_TITLE:
                    raise
                self._note(entry, f"{self._source.title} refuses to search for its title (HTTP {error.status})")
                return
            if isinstance(work, Work):
                self._found[entry.identity] = (how, work)
                return
            if work == SEVERAL:
                self._note(entry, "several works there fit its title, first author and year")
                return
        if titled and how == "title":
            self._note(entry, "a search for its title finds no work that agrees with it, first author and year")

    def _note(self, entry: Entry, why: str) -> None:
        self._why.setdefault(entry.identity, []).append(why)


def _id_of(entry: Entry, kind: Identifier) -> str:
    found = next((key.value for key in keys_of(entry.paper) if key.kind == kind), "")
    return found or (arxiv_key(entry.paper.arxiv) if kind == "arxiv" else "")


def _found(entry: Entry, how: How, work: Work) -> Found:
    paper, own = work.paper, entry.paper
    taken = replace(
        paper, title=paper.title or own.title, abstract=paper.abstract or own.abstract, original=own.original
    )
    return Found(entry, how, work, taken.keyed_as([own]))


def _nearness(entry: Entry, paper: Paper) -> tuple[bool, ...]:
    """How well an entry describes its work: a preprint has another DOI, and often another year."""
    return paper.original is not None, _id_of(entry, "doi") == doi_key(paper.doi) != "", entry.paper.year == paper.year


def _names(paper: Paper) -> set[str]:
    """Words of which papers with one first author share one, in either order of names."""
    return set(map(plain_word, written_words(paper.authors[0]))) if paper.authors else set()


def _doubt(how: How, paper: Paper) -> str:
    return f"its {_WAYS[how]} is that of {shortened(paper.title, 70)}: please check"
