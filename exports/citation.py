"""A paper as one line of a reference list, in the order of the APA style (7th edition, chapter 9)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from common.names import (
    MOST_INITIALS,
    Name,
    family_first,
    goes_on,
    joined,
    parse_name,
    parse_names,
    stored_name,
    with_stops,
)
from common.text import one_line
from exports.links import doi_link, safe_link
from indexer.paper import Paper
from retrieval.plain_text import without_latex

_MOST_AUTHORS = 20  # of more, the first 19 and the last are named


@dataclass(frozen=True, slots=True)
class Citation:
    """The parts of the line; each may be empty."""

    authors: str  # "Lovelace, A., & Hopper, G."
    year: str  # "2019" or "n.d."
    title: str
    venue: str
    link: str  # http or https; of a DOI where there is one, which lasts longer than other addresses


def citation(paper: Paper) -> Citation:
    """The parts, in plain text on one line each."""
    return Citation(
        authors=_author_list(paper.authors),
        year=str(paper.year) if paper.year else "n.d.",
        title=shown_title(paper),
        venue=one_line(paper.venue),
        link=doi_link(paper) or safe_link(paper),
    )


def title_line(paper: Paper) -> str:
    """The title on one line, without what is LaTeX in it."""
    return one_line(without_latex(paper.title))


def shown_title(paper: Paper) -> str:
    """The same; "Untitled" without one."""
    return title_line(paper) or "Untitled"


def citation_line(paper: Paper) -> str:
    """Such as "Lovelace, A., & Hopper, G. (2019). Neural ranking. SIGIR. https://doi.org/10.1000/neural"."""
    parts = citation(paper)
    lead = f"{parts.authors} ({parts.year})." if parts.authors else ""
    title = parts.title if lead else f"{parts.title} ({parts.year})"
    return joined(lead, ended(title), ended(parts.venue), parts.link)


def initials_apart(authors: Sequence[str]) -> list[str]:
    """Stored names, those with initials in one word, as medicine has them, as references print them: "J. A. Smith".

    Other words of capitals are family names or shouted: "LI Na" beside "WANG Wei", "ANN ROE".
    """
    names = [*map(parse_name, authors)]
    if any(name.given.isalpha() and name.given.isupper() and len(name.given) > MOST_INITIALS for name in names):
        return [*authors]
    return [_initials_apart(author, name) for author, name in zip(authors, names, strict=True)]


def _initials_apart(author: str, name: Name) -> str:
    first, _, others = name.given.partition(" ")
    letters = first.removesuffix(".")
    most = MOST_INITIALS - (name.family.isupper() or bool(others))
    is_short = 1 < len(letters) <= most and letters.isalpha() and letters.isupper()
    if not is_short or (letters == "MD" and others):  # Mohammad, in Bangladesh
        return author
    given = joined(with_stops(letters), others)
    if "," not in author:
        return stored_name(name.surname, given, name.suffix)
    return ", ".join(filter(None, (name.surname, name.suffix, given)))


def ended(sentence: str) -> str:
    """The sentence with a full stop, unless it ends in a mark of its own or is empty."""
    return sentence if not sentence or sentence[-1] in ".?!。？！" else f"{sentence}."


def _author_list(authors: Sequence[str]) -> str:
    written = [_name(name) for name in parse_names(initials_apart(authors))]
    if goes_on(authors):
        return ", ".join([*written[: _MOST_AUTHORS - 1], "et al."])
    if len(written) > _MOST_AUTHORS:
        return f"{', '.join(written[: _MOST_AUTHORS - 1])}, … {written[-1]}"
    return f"{', '.join(written[:-1])}, & {written[-1]}" if len(written) > 1 else "".join(written)


def _name(name: Name) -> str:
    if family_first(name.surname):
        return f"{name.surname}{name.given}"
    initials = joined(*(_initial(word) for word in re.sub(r"\.(?!-)", ". ", name.given).split()))
    return ", ".join(filter(None, (name.surname, initials, name.suffix)))


def _initial(word: str) -> str:
    """Jean-Pierre → J.-P., Wen-tau → W.-t.; what begins without a capital stays whole, as in scripts without any."""
    parts = [part for part in word.split("-") if part]
    if parts and not parts[0][0].isupper():
        return word
    return "-".join(f"{part[0]}." for part in parts)
