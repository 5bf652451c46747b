"""Reasons in words: the same sentences for the page, the table and the files."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from citescout.contributions import strengths
from citescout.recommendation import (
    CITED_BY,
    CITED_WITH,
    CITES,
    HowLinked,
    Known,
    OwnLink,
    Reasons,
    Recommendation,
    SourceRank,
)
from common.names import goes_on, joined, parse_names
from common.text import one_line
from exports.citation import ended, title_line
from exports.column_width import shortened
from indexer.paper import Paper
from rerank.calibration import Likelihood
from rerank.features import LINKS, MEANING, WORDS

# What a reader of the list calls each source of candidates.
_SOURCE_NAMES = {"bm25": "words", "dense": "meaning", "graph": "citations", "fused": "combined rank"}
_OWN_LINKS: dict[HowLinked, str] = {
    CITES: "Cited by your",
    CITED_BY: "Cites your",
    CITED_WITH: "Cited together with your",
}
# Above the papers of one likelihood.
GROUP_NAMES: dict[Likelihood, str] = {"likely": "Likely", "perhaps": "Perhaps", "unlikely": "Unlikely"}
_LIKELIHOODS = tuple(GROUP_NAMES)

_SHORT_TITLE = 60  # columns
_SHOWN_WORDS = 6
_SHOWN_PAPERS = 2


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a sentence."""

    text: str
    is_word: bool = False  # of the query, and shared
    paper: Paper | None = None  # that it names


@dataclass(frozen=True, slots=True)
class Sentence:
    """One reason, without a full stop."""

    group: str  # of features whose evidence it describes: WORDS, MEANING or LINKS of `rerank.features`
    pieces: tuple[Piece, ...]
    own: bool = False  # it is about a paper that the user cites already, or likes

    def __str__(self) -> str:
        return "".join(piece.text for piece in self.pieces)


def why(reasons: Reasons) -> str:
    """One line such as "Shared terms: graph. Close in meaning. Cites Kipf and Welling (2017)."; may be empty."""
    return " ".join(f"{sentence}." for sentence in sentences(reasons))


def sentences(reasons: Reasons) -> list[Sentence]:
    """The reasons, what moved the paper most first, and at the end what its abstract says to a context."""
    strength = strengths(reasons)
    found = list(_of_evidence(reasons))
    if not found and not (reasons.named or reasons.quoted):
        found = list(_of_last_resort(reasons))
    ordered = sorted(found, key=lambda sentence: -strength[sentence.group])
    if reasons.named:
        ordered.insert(0, Sentence(WORDS, (Piece("Named in the text"),)))
    if reasons.quoted:
        ordered.insert(0, Sentence(WORDS, (Piece("Has a passage of the text word for word"),)))
    quoted = support(reasons)
    return [*ordered, Sentence(MEANING, (Piece(quoted),))] if quoted else ordered


def support(reasons: Reasons) -> str:
    """The sentence of the abstract that supports a context, such as "Its abstract: “We parse text”"; may be empty."""
    sentence = one_line(reasons.support).removesuffix(".")
    return f"Its abstract: “{sentence}”" if sentence else ""


def remarks(entry: Recommendation) -> str:
    """Whether it is retracted, what the query's authors know of it, and why it is there, on one line; may be empty."""
    return joined(ended(retraction(entry.paper)), ended(known_mark(entry.known)), why(entry.reasons))


def retraction(paper: Paper) -> str:
    """What to say of a retracted paper; "" for another one."""
    return "Retracted" if paper.retracted else ""


def known_words(known: Known | None) -> str:
    """Such as "yours" or "you cited it in Semi-supervised classification (2017)"; "" for a paper that is not known."""
    if known is None or known.by is None:
        return known.how if known else ""
    title = shortened(title_line(known.by), _SHORT_TITLE) or one_line(known.by.id)
    return f"you cited it in {title} ({known.by.year})" if known.by.year else f"you cited it in {title}"


def known_mark(known: Known | None) -> str:
    """The same with a capital letter."""
    words = known_words(known)
    return words[:1].upper() + words[1:]


def shared_words(reasons: Reasons) -> list[str]:
    """The heaviest matched words; each once, though several terms of the index may come from one word."""
    return list(dict.fromkeys(one_line(match.term) for match in reasons.matched_terms))[:_SHOWN_WORDS]


def found_by(sources: Sequence[SourceRank]) -> list[str]:
    """Each source that found the paper, with its rank there: "words (3rd)"."""
    return [f"{_SOURCE_NAMES.get(found.source, found.source)} ({ordinal(found.rank)})" for found in sources]


def ordinal(number: int) -> str:
    """Such as "1st", "22nd", "113th"."""
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def percent(recommendation: Recommendation) -> str:
    """The chance that the query cites the paper, such as "62 %"; "" where it is unknown."""
    return "" if recommendation.likelihood is None else in_percent(recommendation.score)


def in_percent(chance: float) -> str:
    """A chance from 0 to 100, such as "62 %"; certain is nothing that a model says."""
    whole = int(chance)  # rounded up, one below the 10 % from which on papers are "Perhaps" would read 10 %
    return "<1 %" if whole < 1 else ">99 %" if chance > 99 else f"{whole} %"


def groups(recommendations: Sequence[Recommendation]) -> list[tuple[str, list[Recommendation]]]:
    """The list cut where papers become less likely: the name of each part and what is in it.

    One part without a name where no chance is known, or where the list is in another order than theirs.
    """
    known = [_LIKELIHOODS.index(entry.likelihood) for entry in recommendations if entry.likelihood]
    if len(known) < len(recommendations) or known != sorted(known):
        return [("", list(recommendations))]
    parts = {name: [entry for entry in recommendations if entry.likelihood == name] for name in _LIKELIHOODS}
    return [(GROUP_NAMES[name], part) for name, part in parts.items() if part]


def short_reference(paper: Paper) -> str:
    """The way one refers to a paper in passing: "Kipf and Welling 2017", or its title where no author is known."""
    name = _short_name(paper)
    return f"{name} {paper.year}" if paper.year else name


def short_authors(authors: Sequence[str]) -> str:
    """Surnames of one or two authors, else the first "et al."; "" for none."""
    surnames = [name.surname for name in parse_names(authors)]
    if len(surnames) > 2 or (surnames and goes_on(authors)):
        return f"{surnames[0]} et al."
    return " and ".join(surnames)


def byline(paper: Paper) -> str:
    """Authors, venue and year in short, and if it is retracted: "Kipf and Welling · ICLR · 2017"; may be empty."""
    parts = (short_authors(paper.authors), one_line(paper.venue), str(paper.year or ""), retraction(paper))
    return " · ".join(filter(None, parts))


def _short_name(paper: Paper) -> str:
    title = shortened(one_line(paper.title), _SHORT_TITLE)
    return short_authors(paper.authors) or (f"“{title}”" if title else one_line(paper.id))


def _of_evidence(reasons: Reasons) -> Iterator[Sentence]:
    if shared := shared_words(reasons):
        yield Sentence(WORDS, (Piece("Shared terms: "), *_listed(Piece(word, is_word=True) for word in shared)))
    if reasons.close_in_meaning:
        yield Sentence(MEANING, (Piece("Close in meaning"),))
    for link in reasons.own:
        yield Sentence(LINKS, _own(link), own=True)
    if reasons.cited_by:
        yield Sentence(LINKS, _cited_by(reasons))
    links = []
    if reasons.cites:
        links.append((Piece("Cites "), *_references(reasons.cites)))
    cited_with = reasons.cited_with
    # What is named in the same breath as cited need not be named again.
    if cited_with and cited_with.paper.id not in {paper.id for paper in reasons.cites[:_SHOWN_PAPERS]}:
        links.append((Piece("Often cited together with "), _reference(cited_with.paper)))
    if links:
        yield Sentence(LINKS, _joined(links))


def _of_last_resort(reasons: Reasons) -> Iterator[Sentence]:
    """For a paper of which nothing better can be said than where it was found."""
    if reasons.related_in_meaning:
        yield Sentence(MEANING, (Piece("Related in meaning"),))
    if any(found.source == "graph" for found in reasons.sources):
        yield Sentence(LINKS, (Piece("Linked with the best matches by citations"),))


def _own(link: OwnLink) -> tuple[Piece, ...]:
    papers = "papers" if link.together > 1 else "paper"
    times = (Piece(f", by {link.together} {papers}"),) if link.how == CITED_WITH else ()
    return (Piece(f"{_OWN_LINKS[link.how]} "), _reference(link.paper), *times)


def _cited_by(reasons: Reasons) -> tuple[Piece, ...]:
    count = max(reasons.cited_by_count, len(reasons.cited_by))
    if count <= _SHOWN_PAPERS:
        return (Piece("Cited by "), *_references(reasons.cited_by))
    return (Piece(f"Cited by {count} of the best matches, such as "), _reference(reasons.cited_by[0]))


def _references(papers: Sequence[Paper]) -> Iterator[Piece]:
    return _listed(map(_reference, papers[:_SHOWN_PAPERS]), last=" and ")


def _reference(paper: Paper) -> Piece:
    name = _short_name(paper)
    return Piece(f"{name} ({paper.year})" if paper.year else name, paper=paper)


def _joined(parts: Sequence[tuple[Piece, ...]]) -> tuple[Piece, ...]:
    """Parts of one sentence, with semicolons between them."""
    first, *others = parts
    tails = ((Piece(f"; {lead.text[0].lower()}{lead.text[1:]}"), *rest) for lead, *rest in others)
    return (*first, *chain.from_iterable(tails))


def _listed(pieces: Iterable[Piece], last: str = ", ") -> Iterator[Piece]:
    """The pieces with commas between them, and `last` before the last."""
    found = list(pieces)
    for place, piece in enumerate(found):
        if place:
            yield Piece(last if place == len(found) - 1 else ", ")
        yield piece
