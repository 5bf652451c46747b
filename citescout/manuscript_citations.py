"""A manuscript and an index: what of its bibliography the index holds, and the query that it makes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from common.text import unligated
from indexer.identity.agreement import MOST_YEARS_APART_OF_ONE_AUTHOR
from indexer.identity.authors import is_named
from indexer.identity.titles import is_distinctive, title_key, title_words
from indexer.paper import Paper
from manuscripts.manuscript import Entry, Manuscript
from manuscripts.reference_lines import SAME_AUTHORS, year_of
from retrieval.query import Query
from retrieval.resolver import Match

_FEWEST_WORDS = 4  # of a title that a year is enough for
Resolve = Callable[[Iterable[Paper]], Iterable[Match]]  # such as `Recommender.resolve`


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What sentences of a manuscript stand in; a chapter may have neither title nor abstract."""

    title: str
    abstract: str
    already_cited: tuple[str, ...]  # ids of the index
    authors: tuple[str, ...] = ()
    year: int | None = None

    @property
    def is_query(self) -> bool:
        """Whether it may be asked what the whole manuscript should cite."""
        return bool(self.title.strip() or self.abstract.strip())

    def query(self, query_id: str = "", context: str = "") -> Query:
        """The query for the whole manuscript, or for the sentence `context` of it.

        Raises:
            QueryError: there is neither title nor abstract nor context.
        """
        return Query(
            *(self.title, self.abstract, query_id, self.year),
            already_cited=self.already_cited,
            authors=self.authors,
            context=context,
        )


def resolved(resolve: Resolve, entries: Sequence[Entry], by_id: bool = False) -> list[Match]:
    """The match of each entry, in their order; of an entry that may name several works the first that is found.

    What a part of a printed entry finds as a title holds by what is printed around it: see `_meant`. Without `by_id`,
    as of a manuscript's bibliography, ids of the index count with their titles alone: it may be what was indexed.
    """
    matches = [Match(_shown(entry)) for entry in entries]
    # The likeliest reading of all first, so that few entries have all of theirs searched for.
    for turn in range(max((len(entry.readings) for entry in entries), default=0)):
        left = [
            number
            for number, entry in enumerate(entries)
            if matches[number].paper is None and turn < len(entry.readings)
        ]
        readings = [entries[number].readings[turn] for number in left]
        asked = [
            one if len(entries[number].readings) == 1 else replace(one, id="")
            for number, one in zip(left, readings, strict=True)
        ]
        for number, match in zip(left, resolve(asked), strict=True):
            if match.paper and match.how == "id" and not by_id and not _have_one_title(match.reference, match.paper):
                (match,) = resolve([replace(match.reference, id="")])
            if match.paper and (paper := _meant(resolve, entries[number], match, match.paper)):
                matches[number] = replace(match, reference=matches[number].reference, paper=paper)
    return matches


def _have_one_title(reference: Paper, paper: Paper) -> bool:
    return title_key(reference.title) == title_key(paper.title) != ""


def _shown(entry: Entry) -> Paper:
    """What an entry is called where it is not found: an identifier in print is read without what stands around it."""
    first = entry.readings[0] if entry.readings else Paper(entry.key, "")
    return replace(first, title=entry.title)


def _meant(resolve: Resolve, entry: Entry, match: Match, paper: Paper) -> Paper | None:
    """The paper that a printed entry means by a title that was found; None where it describes another work.

    Of papers of one title it is that of the printed year. The paper's first author stands in the entry, or else the
    year is the paper's: authors of a printed entry may be anything, and editions of one work have many years. Beside
    the year a title of a few words needs another author of the paper.
    """
    if match.how not in ("title", "fuzzy") or len(entry.readings) < 2:
        return paper
    source = entry.source or entry.key
    around = source.replace(match.reference.title, " ")
    year = year_of(around)
    if year and year != paper.year:
        (dated,) = resolve([replace(match.reference, year=year)])
        if dated.paper and title_key(dated.paper.title) == title_key(paper.title):
            paper = dated.paper
    if not any(map(str.isalpha, around)):  # somebody typed a title
        return paper
    apart = abs(year - paper.year) if year and paper.year else None
    if not paper.authors or SAME_AUTHORS.match(source):
        fits = apart is None or apart <= MOST_YEARS_APART_OF_ONE_AUTHOR
        return paper if fits and (apart == 0 or is_distinctive(title_key(paper.title))) else None
    if is_named(paper.authors[0], around):
        return paper
    said = not _is_of_few_words(paper.title) or any(is_named(author, around) for author in paper.authors)
    return paper if apart == 0 and said and is_distinctive(title_key(paper.title)) else None


def _is_of_few_words(title: str) -> bool:
    """Whether a title, of a script whose words are set apart, names a subject, as those of others may, too."""
    return len(title_words(title)) < _FEWEST_WORDS and title.upper() != title.lower()


def own_keys(matches: Iterable[Match]) -> dict[str, str]:
    """Under which keys a manuscript cites papers of the index, by their ids, of the matches of what it cites."""
    return {match.paper.id: match.reference.id for match in matches if match.paper}


def surroundings_of(resolve: Resolve, manuscript: Manuscript) -> tuple[Surroundings, list[Match]]:
    """What the sentences of a manuscript stand in, and the match of each work that it cites."""
    matches = resolved(resolve, manuscript.cited)
    cited = dict.fromkeys(match.paper.id for match in matches if match.paper)
    return Surroundings(unligated(manuscript.title), unligated(manuscript.abstract), tuple(cited)), matches
