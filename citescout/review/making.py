"""How a manuscript is reviewed against an index."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Protocol

from citescout.manuscript_citations import Surroundings, surroundings_of
from citescout.recommendation import Answer
from citescout.review.claims import Uncited, located, uncited_claims
from citescout.review.entries import (
    Cited,
    against_index,
    duplicates,
    faults,
    location_of_entry,
    reference_of,
    repeated,
)
from citescout.review.measures import ages, self_citations
from citescout.review.review_parts import KINDS, Claim, Finding, Location, Review, Suggestion
from citescout.settings import Settings
from common.schema import Names, record
from indexer.identity.keys import Key, keys_but_of_id, keys_of
from indexer.paper import Paper
from indexer.readers.bibtex_keys import parents_in
from manuscripts.manuscript import Manuscript
from rerank.calibration import PERHAPS
from retrieval.query import Query
from retrieval.resolver import Match

_SPARE = 2  # papers beyond those that are shown for a sentence, in place of retracted ones


@record
class ReviewOptions:
    """What a review may suggest.

    Raises:
        QueryError: a field of the wrong type.
    """

    authors: Names = ()  # who writes it; without, whom the manuscript names
    year: int | None = None  # papers up to it, and ages in it; without, all papers, and ages today
    chance: float = 100 * PERHAPS  # per cent, from which on a paper is suggested
    per_claim: int = 3  # suggestions for a sentence
    most_claims: int = 300  # sentences that are asked for


class Asked(Protocol):
    """What a review asks of a `Recommender`, or of what stands before one."""

    @property
    def settings(self) -> Settings:
        """Of queries that come without."""

    def resolve(self, references: Iterable[Paper]) -> Iterable[Match]:
        """What the index has of each reference."""

    def answer(self, query: Query, settings: Settings) -> Answer:
        """The list for one query."""

    def answers(self, queries: Iterable[Query], settings: Settings) -> Iterable[Answer]:
        """The lists for several, in their order."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A review for whose sentences papers are still looked for."""

    review: Review  # with the first of the sentences
    options: ReviewOptions
    uncited: tuple[Uncited, ...]  # all of them
    surroundings: Surroundings  # of the sentences
    # Identity of a work in the bibliography that the text does not cite → what its entries say, with their keys as ids.
    entries_not_cited: Mapping[Key, Sequence[Paper]]


def review(recommender: Asked, manuscript: Manuscript, options: ReviewOptions | None = None) -> Review:
    """The review of one manuscript: the same whatever else is asked of the recommender meanwhile.

    Args:
        recommender: Of the index. By its settings lists are made, and so many papers of the whole manuscript's are
            looked at (`k`).
        manuscript: As `manuscripts.read_manuscript` gives it.
        options: What may be suggested.

    Raises:
        QueryError: see `Recommender.recommend`.
    """
    begun = begin(recommender, manuscript, options or ReviewOptions())
    return go_on(recommender, begun, begun.options.most_claims).review


def begin(recommender: Asked, manuscript: Manuscript, options: ReviewOptions) -> Unfinished:
    """The review without the sentences that could cite something; arguments and errors as of `review`."""
    surroundings, matches = surroundings_of(recommender.resolve, manuscript)
    authors = tuple(options.authors) or manuscript.authors
    surroundings = replace(surroundings, authors=authors, year=options.year)
    in_text = _first_citations(manuscript)
    cited = [
        Cited(entry, match, location_of_entry(entry, in_text))
        for entry, match in zip(manuscript.cited, matches, strict=True)
    ]
    uncited = tuple(uncited_claims(manuscript))
    entries_not_cited = _entries_not_cited(manuscript)
    missing: Iterable[Suggestion] = ()
    if surroundings.is_query:
        missing = _suggestions(
            recommender.answer(surroundings.query(), recommender.settings), options.chance, entries_not_cited
        )
    findings = _findings(manuscript, cited, in_text)
    year = options.year or datetime.now(UTC).year
    found = Review(
        title=manuscript.title,
        sentences=sum(1 for _ in manuscript.sentences()),
        citations=sum(1 for _ in manuscript.marks()),
        entries=len(manuscript.entries),
        claims=(),
        missing=tuple(missing),
        findings=tuple(sorted(findings, key=lambda finding: KINDS.index(finding.kind))),
        references=tuple(map(reference_of, cited)),
        self_citations=self_citations(cited, authors),
        ages=ages(cited, year),
        # Keys without an entry are among the findings, and nothing is added to a file here.
        unread=tuple(note.text for note in manuscript.notes if note.kind not in {"entry", "added to"}),
        entries_left=len(manuscript.left_out),
        claims_left=len(uncited),
    )
    return Unfinished(found, options, uncited, surroundings, entries_not_cited)


def go_on(recommender: Asked, begun: Unfinished, count: int) -> Unfinished:
    """The review with so many sentences more."""
    done, options = begun.review.claims, begun.options
    asked = begun.uncited[len(done) : len(done) + count]
    queries = [begun.surroundings.query(context=one.sentence.text) for one in asked]
    answers = recommender.answers(queries, replace(recommender.settings, k=options.per_claim + _SPARE))
    claims = [*done]
    for one, answer in zip(asked, answers, strict=True):
        found = islice(_suggestions(answer, options.chance, begun.entries_not_cited), options.per_claim)
        claims.append(Claim(one.location, one.sentence.text, one.cue, tuple(found)))
    left = len(begun.uncited) - len(claims)
    return replace(begun, review=replace(begun.review, claims=tuple(claims), claims_left=left))


def _suggestions(
    answer: Answer, least: float, entries_not_cited: Mapping[Key, Sequence[Paper]]
) -> Iterator[Suggestion]:
    """The papers of a list that are likely enough; none that was retracted, and none whose chance is unknown."""
    for entry in answer.recommendations:
        if entry.likelihood is not None and entry.score >= least and not entry.paper.retracted:
            its = [one for key in keys_of(entry.paper) for one in entries_not_cited.get(key, ())]
            key = min(its, key=partial(faults, paper=entry.paper)).id if its else ""
            yield Suggestion(entry.paper, entry.score, entry.reasons.support, key)


def _entries_not_cited(manuscript: Manuscript) -> dict[Key, list[Paper]]:
    cited = {entry.key for entry in manuscript.cited}
    found: dict[Key, list[Paper]] = {}
    for entry in manuscript.entries:
        for reading in entry.readings if entry.key not in cited else ():
            for key in keys_but_of_id(reading):
                found.setdefault(key, []).append(replace(reading, id=entry.key))
    return found


def _findings(manuscript: Manuscript, cited: Sequence[Cited], in_text: dict[str, Location]) -> Iterator[Finding]:
    for key in manuscript.keys_without_entry:
        yield Finding("no-entry", (key,), (in_text.get(key) or Location(beginning=key),))
    matches: dict[str, Match] = {one.entry.key: one.match for one in cited}
    yield from repeated(manuscript.entries, manuscript.bibtex)
    yield from duplicates(manuscript.entries, matches, in_text)
    for one in cited:
        yield from against_index(one)
    used = set(manuscript.keys)
    sources = {entry.key: entry.source for entry in manuscript.entries}
    asked = used
    while asked:  # @xdata may name @xdata
        asked = {key for one in asked for key in parents_in(sources.get(one, ""))} - used
        used = used | asked
    unused = [entry for entry in manuscript.entries if entry.key not in used]
    # Of a printed list that is hardly cited, the citations could not be read.
    printed = set(manuscript.printed)
    unread = printed if sum(entry.key in printed for entry in unused) > len(printed) / 2 else set()
    for entry in unused if used else ():
        if entry.key not in unread:
            yield Finding("unused", (entry.key,), (location_of_entry(entry, in_text),))


def _first_citations(manuscript: Manuscript) -> dict[str, Location]:
    """Key → the first sentence that cites it."""
    found: dict[str, Location] = {}
    for sentence, location in located(manuscript):
        for mark in sentence.marks:
            for key in mark.keys:
                found.setdefault(key, location)
    return found
