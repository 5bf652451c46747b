"""What a review says, whatever it is written as."""

from dataclasses import dataclass
from typing import Literal, get_args

from indexer.paper import Paper
from retrieval.resolver import How

# What may be found, the gravest first, and at the end what is least worth reading.
Kind = Literal["retracted", "no-entry", "repeated", "duplicate", "published", "differs", "claim", "missing", "unused"]
KINDS: tuple[Kind, ...] = get_args(Kind)

State = Literal["in the index", "not in this index", "not checked"]
# Why a sentence is taken for one that could cite: the writer left a mark; it mentions other work, or of what is usual;
# it names something that was not cited before; it says what is known, where the work of others is described.
Cue = Literal["marked", "other work", "usual", "named", "background"]
Field = Literal["year", "doi", "venue", "title"]


@dataclass(frozen=True, slots=True)
class Location:
    """Where in the manuscript something is; what its format does not show is "" or None."""

    file: str = ""  # below the manuscript's folder
    line: int | None = None  # from 1
    section: str = ""  # heading
    paragraph: int | None = None  # of the section, from 1
    beginning: str = ""  # of the sentence, or of the entry


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A paper of the index that could be cited."""

    paper: Paper
    chance: float  # 0 to 100 per cent, that it is cited
    support: str = ""  # for one sentence: the sentence of the paper's abstract that is nearest to it
    key: str = ""  # of the entry of the bibliography that is this paper, though the text does not cite it


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence that could cite something and cites nothing."""

    location: Location
    sentence: str
    cue: Cue
    suggestions: tuple[Suggestion, ...] = ()  # likeliest first; none where no paper is likely enough


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about entries of the bibliography."""

    kind: Kind
    keys: tuple[str, ...]  # of the entries; one, but for duplicates and, where each is the same, for "repeated"
    locations: tuple[Location, ...]  # one a key
    paper: Paper | None = None  # of the index, where that knows it
    field: Field | None = None  # of "differs"
    here: str = ""  # what the entry says: of a retraction its title; of duplicates what they share
    index: str = ""  # what the index says


@dataclass(frozen=True, slots=True)
class Reference:
    """What the index has of one work that the manuscript cites."""

    key: str
    title: str  # of the entry
    state: State
    how: How | None = None  # it was found
    paper_id: str = ""  # of the index


@dataclass(frozen=True, slots=True)
class SelfCitations:
    """How much of what is cited the manuscript's authors wrote."""

    authors: tuple[str, ...]  # who that is
    keys: tuple[str, ...]  # of these works
    known: int  # cited works whose authors are known
    unknown: int  # whose authors are not

    @property
    def share(self) -> float | None:
        """Of the works whose authors are known, 0 to 1; None without any."""
        return len(self.keys) / self.known if self.known else None


@dataclass(frozen=True, slots=True)
class Ages:
    """How old the cited works are, in years before `year`."""

    year: int
    known: int  # cited works with a year
    unknown: int
    median: float
    quartiles: tuple[float, float]  # the first and the third
    recent: float  # share that is at most five years old, 0 to 1 (Price's index)


@dataclass(frozen=True, slots=True)
class Review:
    """Everything that was found, and how much was looked at."""

    title: str
    sentences: int  # of the text
    citations: int  # marks in it
    entries: int  # of the bibliography
    claims: tuple[Claim, ...]  # in the order of the text
    missing: tuple[Suggestion, ...]  # of the list for the whole paper, likeliest first
    findings: tuple[Finding, ...]  # by kind, as in KINDS, then in the order of the bibliography
    references: tuple[Reference, ...]  # every cited work
    self_citations: SelfCitations | None  # None where the authors are unknown
    ages: Ages | None  # None without any year
    unread: tuple[str, ...] = ()  # what of the manuscript could not be read, a line each
    entries_left: int = 0  # of the bibliography, which were not looked at: there were too many
    claims_left: int = 0  # sentences that could cite something and were not asked for: there were too many

    def counts(self) -> dict[Kind, int]:
        """How many there are of each kind, in the order of KINDS."""
        of_findings = {kind: sum(finding.kind == kind for finding in self.findings) for kind in KINDS}
        return {**of_findings, "claim": len(self.claims), "missing": len(self.missing)}

    def references_in(self, state: State) -> list[Reference]:
        """The cited works of one state."""
        return [reference for reference in self.references if reference.state == state]
