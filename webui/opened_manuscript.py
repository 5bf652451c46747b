"""A manuscript of a session with what the index has of it: what it cites, its queries, and its bibliography."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from string import ascii_lowercase

from citescout.manuscript_citations import Surroundings, surroundings_of
from common.text import one_line
from exports.bibliography import ADDED_FILE
from exports.reason_sentences import short_authors
from indexer.paper import Paper
from manuscripts.manuscript import Entry, Form, Manuscript, Sentence
from retrieval.citation_marks import without_marks
from retrieval.query import LONGEST, Query
from webui.kept_baskets import MAX_NOTE
from webui.kept_manuscripts import KeptManuscript
from webui.places import place
from webui.sessions import Sessions
from webui.site import NotThereError, Site, its_session, site

UNDATED = "n.d."
ADDRESS = "/manuscript/<int(max=2147483647):number>"
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,80}\.bib", re.ASCII)


@dataclass(frozen=True, slots=True)
class Cited:
    """One work that the manuscript cites."""

    key: str
    authors: str  # "Devlin et al."; its key where they are not known
    year: str
    entry: Entry | None  # None where the bibliography lacks it
    paper: Paper | None  # of the index; None where it is not in it

    @property
    def label(self) -> str:
        """Such as "Devlin et al. 2019"."""
        return f"{self.authors} {self.year}".strip()

    def printed(self, form: Form) -> str:
        """How the text refers to it."""
        if form == "author" or not self.year:
            return self.authors
        return {"text": f"{self.authors} ({self.year})", "year": self.year}.get(form, self.label)

    @property
    def about(self) -> Paper | None:
        """What is known of it: the paper of the index, or what its entry says."""
        return self.paper or next(iter(self.entry.readings if self.entry else ()), None)

    @property
    def title(self) -> str:
        """How it is called at length."""
        return (one_line(self.about.title) if self.about else "") or self.label

    @property
    def state(self) -> str:
        """Whether it is in-index, absent from it, or missing from the bibliography."""
        return "in-index" if self.paper else "absent" if self.entry else "missing"


@dataclass(frozen=True)
class OpenedManuscript:
    """One manuscript, with what the index knows of it."""

    kept: KeptManuscript
    manuscript: Manuscript
    surroundings: Surroundings  # of its sentences
    cited: dict[str, Cited]  # by key; of every key in the text

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """Every sentence; the first has the number 1 on the page."""
        return tuple(self.manuscript.sentences())

    def own_notes(self) -> dict[str, str]:
        """What people wrote on papers that are in the basket no more, by their ids; not sentences that were offered."""
        sessions, session = manuscript_session()
        offered = {offered_note(shown_text(one)) for one in self.sentences}
        notes = sessions.baskets.removed_notes(session, site().index).items()
        return {paper: note for paper, note in notes if note not in offered}

    def asked_for(self, sentence: Sentence) -> Query:
        """What to cite in a sentence."""
        return self.surroundings.query(context=sentence.with_marks()[: LONGEST["context"]])

    def labels(self) -> list[str]:
        """How papers that it cites already are cited where its text has no keys."""
        return [f"({work.authors}, {work.year or UNDATED})" for work in self.cited.values()]


def possible_labels(paper: Paper) -> Iterator[str]:
    """What cites a paper in a text without keys, such as "(Roe, 2019)"; that of another paper "(Roe, 2019b)"."""
    work, year = short_authors(paper.authors) or one_line(paper.title), paper.year or UNDATED
    yield f"({work}, {year})"
    for suffix in chain(ascii_lowercase[1:], map(str, count(27))):
        yield f"({work}, {year}{suffix if paper.year and suffix.isalpha() else f'-{suffix}'})"


def shown_text(sentence: Sentence) -> str:
    """A sentence as the page quotes it."""
    return sentence.with_marks("[…]")


def offered_note(text: str) -> str:
    """The note that text and review offer on a paper to cite in a sentence, by its `shown_text`."""
    return text[:MAX_NOTE].strip()


def has_words(sentence: Sentence) -> bool:
    """Whether there are words to ask for."""
    return bool(re.search(r"[^\W\d_]", sentence.text)) and bool(without_marks(sentence.text))


def opened(number: int) -> OpenedManuscript:
    """The manuscript of that number in the session of the request.

    Raises:
        NotThereError: there is none.
    """
    served, (sessions, session) = site(), manuscript_session()
    found = sessions.manuscripts.find(session, number)
    if found is None:
        raise NotThereError("there is no manuscript at this address, or it was deleted")
    kept, manuscript = found
    return OpenedManuscript(kept, manuscript, *_citations(served, kept, manuscript))


def manuscript_session() -> tuple[Sessions, str]:
    """The store and the session of the current request.

    Raises:
        NotThereError: the server keeps none, or the address is of none.
    """
    if site().sessions is None:
        raise NotThereError("the text of a manuscript is shown only where a server keeps sessions; this one does not")
    return its_session("there is no manuscript at this address")


def notes_of_basket() -> dict[str, str]:
    """The notes of the papers of the basket that are of this index, by id."""
    sessions, session = manuscript_session()
    return {one.paper.id: one.note for one in sessions.baskets.picks(session) if one.index == site().index}


def number_in(values: Mapping[str, str], name: str) -> int:
    """The number of a sentence or a part in an address or a form; 0 for what is none."""
    text = values.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _citations(served: Site, kept: KeptManuscript, manuscript: Manuscript) -> tuple[Surroundings, dict[str, Cited]]:
    """What the sentences of a manuscript stand in and what it cites, looked up once in each generation of an index."""
    recommender = served.answers.recommender
    key = (served.index, recommender.info, kept.digest)
    known = served.citations.get(key)
    if known is None:
        with place():
            surroundings, matches = surroundings_of(recommender.resolve, manuscript)
        entries = {entry.key: entry for entry in manuscript.entries}
        papers = {entry.key: match for entry, match in zip(manuscript.cited, matches, strict=True)}
        cited = {}
        for name in dict.fromkeys((*manuscript.keys, *papers)):
            match = papers.get(name)
            named = (paper for paper in (match.paper, match.reference) if paper and paper.authors) if match else ()
            authors, year = next(((short_authors(paper.authors), paper.year) for paper in named), (name, None))
            cited[name] = Cited(name, authors, str(year or ""), entries.get(name), match.paper if match else None)
        known = (surroundings, cited)
        served.citations.put(key, known)
    return known


def file_name(path: str) -> str:
    """What a download of a file is called: as the manuscript's own, where that is harmless."""
    name = path.rpartition("/")[2]
    return name if _FILE_NAME.fullmatch(name) else ADDED_FILE
