"""What people note in their bibliographies for themselves, which is left out where others may ask an index."""

import re
from dataclasses import replace

from citescout.recommendation import Answer
from exports.links import safe_url
from exports.original_fields import without_fields
from indexer.original import Original
from indexer.paper import Paper

# Notes, files on the owner's disk, and what reference managers say of the owner: JabRef, BibDesk, Mendeley.
_PRIVATE = {
    "bibtex": re.compile(
        r"annote|annotation|comments?|review|file|localfile|pdf|local-url|bdsk-file-\d+|owner|timestamp|groups|username"
        r"|mendeley-(?:groups|tags)|readstatus|ranking|priority|printed|relevance|qualityassured|comment-.*"
    ),
    "ris": re.compile("N1|RN|L[1-4]"),
    "csl-json": re.compile("note|annote|custom"),
}


def for_others(answer: Answer) -> Answer:
    """The answer as whoever may ask the index can have it."""
    entries = [replace(entry, paper=without_private(entry.paper)) for entry in answer.recommendations]
    return replace(answer, recommendations=entries)


def without_private(paper: Paper) -> Paper:
    """The paper with its entries, but without the private fields of these."""
    if not paper.original:
        return paper
    others = tuple(map(_public, paper.original.others))
    return replace(paper, original=replace(_public(paper.original), others=others))


def _public(original: Original) -> Original:
    names = _PRIVATE[original.format]

    def is_private(name: str, value: str) -> bool:
        # RIS has files and addresses under the same tags.
        return bool(names.fullmatch(name)) and not (name[0] == "L" and safe_url(value))

    # One that is not whole is written anew, and so without them.
    return without_fields(original, is_private) or original
