"""Other records of a paper, by their titles: a preprint, a meeting abstract, the same paper under another id.

A system that is asked for a paper's citations must not read them in another record of it. The rule is the one that
keeps test papers out of training (`title_overlap`): a Jaccard coefficient of the titles' words of 0.7 or more. It also
takes parts of a series for copies, which costs less than to overlook one. Titles that say nothing, such as
"Editorial", have no copies.
"""

from collections.abc import Iterable, Sequence

from indexer.identity.title_overlap import LEAKING, TitleOverlaps, jaccard
from indexer.identity.titles import is_generic, title_key


def is_copy(title: str, other: str) -> bool:
    """Whether a record of the title `other` may be another record of the paper of this title."""
    return jaccard(title, other) >= LEAKING and not is_generic(title_key(title))


def copies_by_title(titles: Sequence[str], others: Iterable[tuple[int, str]]) -> list[list[int]]:
    """For each of `titles`, the docids of all `others`, (docid, title), that `is_copy`, in their order."""
    overlaps = TitleOverlaps("" if is_generic(title_key(title)) else title for title in titles)
    copies: list[list[int]] = [[] for _ in titles]
    for docid, other in others:
        for overlap in overlaps.of(other):
            copies[overlap.number].append(docid)
    return copies
