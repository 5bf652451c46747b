"""A review as Markdown (CommonMark) that is read in a terminal, too."""

import re
from collections.abc import Iterator, Sequence

from citescout.review.review_parts import Claim, Finding, Kind, Review, Suggestion
from common.text import one_line
from exports.citation import citation_line
from exports.markdown_text import escaped
from exports.reason_sentences import in_percent
from exports.reviews import review_sentences

_FILE_AND_LINE = re.compile(r"[^`]*:\d+")
_MOST = 100  # entries of a list; JSON and HTML have all
_MOST_UNUSED = 20  # of a library of hundreds, of which a paper cites a few


def markdown(review: Review, file: str) -> str:
    """The whole review; `file` as for `review_sentences.place`."""
    return "\n".join(_lines(review, file)) + "\n"


def more_claims(review: Review, file: str) -> str:
    """The sentences alone, where the rest of the review was shown before; arguments as of `markdown`."""
    lines = [review_sentences.claims_left(review)] if review.claims_left else []
    lines += _claims(review, file)
    return "\n".join(lines or ["There are no further sentences that could cite something."]) + "\n"


def _lines(review: Review, file: str) -> Iterator[str]:
    title = one_line(review.title)
    yield f"# Review of “{escaped(title)}”" if title else "# Review"
    for line in review_sentences.summary(review):
        yield f"\n{escaped(line)}"
    if review_sentences.nothing_found(review):
        yield "\nNothing to mend was found."
    by_kind = dict(review_sentences.findings_by_kind(review))
    unused = by_kind.pop("unused", [])
    for kind, findings in by_kind.items():
        yield from _findings(kind, findings, file, _MOST)
    yield from _claims(review, file)
    if review.missing:
        yield f"\n## {review_sentences.HEADINGS['missing']} ({len(review.missing):,})\n"
        yield from (f"{number}. {_suggestion(one)}" for number, one in enumerate(review.missing, 1))
    for heading, references in review_sentences.references_by_state(review):
        yield f"\n## {heading} ({len(references):,})\n"
        yield from _listed([f"- {escaped(review_sentences.reference_words(reference))}" for reference in references])
    yield from _findings("unused", unused, file, _MOST_UNUSED)
    if review.unread:
        yield "\n## Not read\n"
        yield from (f"- {escaped(one_line(line))}" for line in review.unread)


def _claims(review: Review, file: str) -> Iterator[str]:
    if review.claims:
        yield f"\n## {review_sentences.HEADINGS['claim']} ({len(review.claims):,})"
    for heading, claims in review_sentences.claims_by_section(review):
        yield f"\n### {escaped(heading)}\n" if heading else ""
        for claim in claims:
            yield from _claim(claim, file)


def _findings(kind: Kind, findings: Sequence[Finding], file: str, most: int) -> Iterator[str]:
    if findings:
        yield f"\n## {review_sentences.HEADINGS[kind]} ({len(findings):,})\n"
    items = ((review_sentences.places(one, file), review_sentences.finding_words(one)) for one in findings)
    yield from _listed([_item(*item) for item in items], most)


def _listed(lines: list[str], most: int = _MOST) -> Iterator[str]:
    yield from lines[:most]
    if len(lines) > most:
        yield f"- and {len(lines) - most:,} more"


def _item(places: Sequence[str], text: str) -> str:
    where = f"{', '.join(map(_verbatim, places))}: " if places else ""
    return f"- {where}{escaped(text)}"


def _verbatim(place: str) -> str:
    """A file and its line as code, so that they can be copied."""
    return f"`{place}`" if _FILE_AND_LINE.fullmatch(place) else escaped(place)


def _claim(claim: Claim, file: str) -> Iterator[str]:
    yield _item(list(filter(None, [review_sentences.place(claim.location, file)])), one_line(claim.sentence))
    yield f"  *{review_sentences.CUES[claim.cue]}*"
    yield from (f"    - {_suggestion(one)}" for one in claim.suggestions)


def _suggestion(one: Suggestion) -> str:
    support = f" Its abstract: “{escaped(one_line(one.support))}”" if one.support else ""
    entry = escaped(f" Its entry is “{one.key}”.") if one.key else ""
    return f"{in_percent(one.chance)}: {escaped(citation_line(one.paper))}{entry}{support}"
