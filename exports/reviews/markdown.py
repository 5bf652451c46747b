"""A review as Markdown (CommonMark) that is read in a terminal, too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from citescout.review.records import Claim, Review, Suggestion
from exports.citation import citation_line
from exports.markdown_text import escaped
from exports.reviews import words
from exports.text import one_line

_FILE_AND_LINE = re.compile(r"[^`]*:\d+")
_MOST = 100  # entries of a list; JSON and HTML have all


def markdown(review: Review, file: str) -> str:
    """The whole review; `file` as for `words.place`."""
    return "\n".join(_lines(review, file)) + "\n"


def _lines(review: Review, file: str) -> Iterator[str]:
    title = one_line(review.title)
    yield f"# Review of “{escaped(title)}”" if title else "# Review"
    for line in words.summary(review):
        yield f"\n{escaped(line)}"
    if words.nothing_found(review):
        yield "\nNothing to mend was found."
    for kind, findings in words.findings_by_kind(review):
        yield f"\n## {words.HEADINGS[kind]} ({len(findings):,})\n"
        yield from _listed([_item(words.places(finding, file), words.finding_words(finding)) for finding in findings])
    if review.claims:
        yield f"\n## {words.HEADINGS['claim']} ({len(review.claims):,})"
    for heading, claims in words.claims_by_section(review):
        yield f"\n### {escaped(heading)}\n" if heading else ""
        for claim in claims:
            yield from _claim(claim, file)
    if review.missing:
        yield f"\n## {words.HEADINGS['missing']} ({len(review.missing):,})\n"
        yield from (f"{number}. {_suggestion(one)}" for number, one in enumerate(review.missing, 1))
    for heading, references in words.references_by_state(review):
        yield f"\n## {heading} ({len(references):,})\n"
        yield from _listed([f"- {escaped(words.reference_words(reference))}" for reference in references])
    if review.unread:
        yield "\n## Not read\n"
        yield from (f"- {escaped(one_line(line))}" for line in review.unread)


def _listed(lines: list[str]) -> Iterator[str]:
    yield from lines[:_MOST]
    if len(lines) > _MOST:
        yield f"- and {len(lines) - _MOST:,} more"


def _item(places: Sequence[str], text: str) -> str:
    where = f"{', '.join(map(_verbatim, places))}: " if places else ""
    return f"- {where}{escaped(text)}"


def _verbatim(place: str) -> str:
    """A file and its line as code, so that they can be copied."""
    return f"`{place}`" if _FILE_AND_LINE.fullmatch(place) else escaped(place)


def _claim(claim: Claim, file: str) -> Iterator[str]:
    yield _item(list(filter(None, [words.place(claim.location, file)])), one_line(claim.sentence))
    yield f"  *{words.CUES[claim.cue]}*"
    yield from (f"    - {_suggestion(one)}" for one in claim.suggestions)


def _suggestion(one: Suggestion) -> str:
    support = f" Its abstract: “{escaped(one_line(one.support))}”" if one.support else ""
    return f"{one.chance:.0f} %: {escaped(citation_line(one.paper))}{support}"
