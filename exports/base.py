"""What an export format is: one declaration, registered by one module of `exports.formats`."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TextIO

from citescout.recommendation import Answer, Needs, Recommendation


@dataclass(frozen=True, slots=True)
class Format:
    """One format."""

    name: str  # for `--format`
    description: str  # one line for the documentation
    ending: str  # of a file, without the dot
    media_type: str  # for downloads
    write: Callable[[Iterable[Answer], TextIO], None]  # takes the answers one by one and keeps none
    outside: bool = False  # it names works outside the index
    needs: Needs = "reasons"  # what it writes of a recommendation; of "papers", each once, whatever answers it is in


def papers_once(answers: Iterable[Answer], outside: bool = False) -> Iterator[Recommendation]:
    """Every recommended paper once, with the user's note, in the order of the answers: what a bibliography holds.

    With `outside` also, after the papers of each answer, the works outside the index that have a DOI or arXiv id.
    """
    seen: set[tuple[str, str]] = set()
    for answer in answers:
        entries = [(("", entry.paper.id), entry) for entry in answer.recommendations]
        if outside:
            named = ((work.paper.doi or work.paper.arxiv, work.paper) for work in answer.beyond)
            entries += [(("outside", name), Recommendation(0, 0.0, paper)) for name, paper in named if name]
        for name, entry in entries:
            if name not in seen:
                seen.add(name)
                yield entry


registered: dict[str, Format] = {}


def register(export: Format) -> None:
    """Make a format known to `--format`, the downloads of the page and the documentation."""
    registered[export.name] = export
