"""A review in words: the same sentences in every format."""

from collections.abc import Sequence
from itertools import groupby

from citescout.review.review_parts import (
    KINDS,
    Ages,
    Claim,
    Cue,
    Finding,
    Kind,
    Location,
    Reference,
    Review,
    SelfCitations,
    State,
)
from common.text import one_line
from common.words import counted
from exports.citation import citation_line
from exports.reason_sentences import short_authors, short_reference

HEADINGS: dict[Kind, str] = {
    "retracted": "Retracted papers that are cited",
    "no-entry": "Keys without an entry",
    "repeated": "Keys of several entries",
    "duplicate": "Works with several entries",
    "published": "Preprints that have been published",
    "differs": "Entries that differ from the index",
    "unused": "Entries that are cited nowhere",
    "claim": "Sentences that may need a citation",
    "missing": "Papers that it does not cite",
}
CUES: dict[Cue, str] = {
    "marked": "A citation is asked for.",
    "other work": "Mentions other work.",
    "usual": "Says what is usual, known or recent.",
    "named": "Names something that was not cited before.",
    "background": "Says what is known.",
}


def place(location: Location, file: str = "") -> str:
    """Such as "main.tex:12" or "Introduction, paragraph 2"; "" where nothing is known.

    `file` is what the manuscript is called where it is a single file whose name is not known.
    """
    if location.line is not None:
        return f"{one_line(location.file or file)}:{location.line}"
    if location.paragraph is None:
        return ""
    section = one_line(location.section)
    return f"{section}, paragraph {location.paragraph}" if section else f"paragraph {location.paragraph}"


def finding_words(finding: Finding) -> str:
    """What is wrong, as one sentence."""
    keys = [f"“{one_line(key)}”" for key in finding.keys]
    name, here, index = keys[0], one_line(finding.here), one_line(finding.index)
    if finding.kind == "retracted":
        return f"{name} was retracted: {_line(finding)}"
    if finding.kind == "no-entry":
        return f"{name} is cited and has no entry."
    if finding.kind == "repeated":
        return f"{name} is the key of {len(keys)} entries, of which one alone can be cited."
    if finding.kind == "duplicate":
        return f"{', '.join(keys[:-1])} and {keys[-1]} have in common {here}."
    if finding.kind == "published":
        return f"{name} is cited as {here} and has been published: {_line(finding)}"
    if finding.kind == "differs":
        field = "DOI" if finding.field == "doi" else finding.field or "entry"
        paper = f" ({short_reference(finding.paper)})" if finding.paper else ""
        return f"{name}: the {field} is “{here}” here and “{index}” in the index{paper}."
    beginning = one_line(finding.locations[0].beginning) if finding.locations else ""
    return f"{name}: {beginning}" if beginning and beginning != finding.keys[0] else name


def findings_by_kind(review: Review) -> list[tuple[Kind, list[Finding]]]:
    """The findings about entries, the gravest kind first; kinds without any are left out."""
    found = [(kind, [finding for finding in review.findings if finding.kind == kind]) for kind in KINDS]
    return [(kind, some) for kind, some in found if some]


def claims_by_section(review: Review) -> list[tuple[str, list[Claim]]]:
    """The sentences below their headings, in the order of the text."""
    parts = groupby(review.claims, lambda claim: claim.location.section)
    return [(one_line(heading), list(claims)) for heading, claims in parts]


def references_by_state(review: Review) -> list[tuple[str, list[Reference]]]:
    """What of the cited works was not found, and what could not be looked for; left out where there is none."""
    states: tuple[State, ...] = ("not in this index", "not checked")
    found = [(state, review.references_in(state)) for state in states]
    return [(state[0].upper() + state[1:], some) for state, some in found if some]


def reference_words(reference: Reference) -> str:
    """Key and title."""
    title = one_line(reference.title)
    return f"“{one_line(reference.key)}”: {title}" if title else f"“{one_line(reference.key)}”"


def summary(review: Review) -> list[str]:
    """How much was looked at, in a few sentences."""
    states = [
        f"{len(review.references_in('in the index')):,} in the index",
        f"{len(review.references_in('not in this index')):,} not in this index",
        f"{len(review.references_in('not checked')):,} not checked",
    ]
    # Those of a PDF are plain text, and not counted.
    citations = f"{counted(review.citations, 'citation')}, " if review.citations or not review.references else ""
    lines = [
        f"{counted(review.sentences, 'sentence')}, {citations}"
        f"{counted(review.entries, 'entry', 'entries')} in the bibliography.",
        f"{counted(len(review.references), 'cited work')}: {', '.join(states)}.",
    ]
    if review.citations and not review.entries:
        lines[1] = (
            "Its bibliography was not found: papers that it cites may be among those that it is said not to cite."
        )
    if review.entries_left:
        left = counted(review.entries_left, "further entry was", "further entries were")
        lines.insert(1, f"{left} not looked at: no more than {review.entries:,} are, cited ones first.")
    if review.ages:
        lines.append(_ages(review.ages))
    if review.self_citations:
        lines.append(_self_citations(review.self_citations))
    if review.claims_left:
        lines.append(claims_left(review))
    return lines


def claims_left(review: Review) -> str:
    """How many sentences were not looked at."""
    some = ("further sentence that could cite something was", "further sentences that could cite something were")
    return f"{counted(review.claims_left, *some)} not looked at."


def nothing_found(review: Review) -> bool:
    """Whether there is nothing to report beyond the summary."""
    return not any(review.counts().values())


def _ages(ages: Ages) -> str:
    first, third = ages.quartiles
    unknown = f" {counted(ages.unknown, 'work has', 'works have')} no year." if ages.unknown else ""
    return (
        f"The works are {_number(ages.median)} years old in {ages.year} (median; quartiles {_number(first)} and "
        f"{_number(third)}), {_percent(ages.recent)} of them at most five years old.{unknown}"
    )


def _self_citations(own: SelfCitations) -> str:
    share = f" ({_percent(own.share)})" if own.share is not None else ""
    unknown = f" The authors of {own.unknown:,} more are not known." if own.unknown else ""
    named = short_authors(own.authors)
    works = counted(own.known, "work is", "works are")
    return f"{len(own.keys):,} of {works} by the authors themselves, {named}{share}.{unknown}"


def _line(finding: Finding) -> str:
    return citation_line(finding.paper) if finding.paper else one_line(finding.here)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def places(finding: Finding, file: str = "") -> Sequence[str]:
    """Where it is, each place once."""
    return list(dict.fromkeys(filter(None, (place(location, file) for location in finding.locations))))
