"""What an export format is: one declaration, registered by one module of `exports.formats`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TextIO

from citescout.recommendation import Answer, Needs
from indexer.paper import Paper


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


def papers_once(answers: Iterable[Answer]) -> Iterator[Paper]:
    """Every recommended paper once, in the order of the answers: what a bibliography holds."""
    return (paper for paper, _ in noted_papers_once(answers))


def noted_papers_once(answers: Iterable[Answer]) -> Iterator[tuple[Paper, str]]:
    """The same, each with the user's note."""
    seen: set[str] = set()
    for answer in answers:
        for recommendation in answer.recommendations:
            if recommendation.paper.id not in seen:
                seen.add(recommendation.paper.id)
                yield recommendation.paper, recommendation.note


def noted_with_stubs(answers: Iterable[Answer]) -> Iterator[tuple[Paper, str]]:
    """The same, and after the papers of each answer the works outside the index that have a DOI or arXiv id."""
    seen: set[tuple[str, str]] = set()
    for answer in answers:
        inside = ((("", entry.paper.id), entry.paper, entry.note) for entry in answer.recommendations)
        outside = (
            (("outside", name), work.paper, "")
            for work in answer.beyond
            if (name := work.paper.doi or work.paper.arxiv)
        )
        for key, paper, note in (*inside, *outside):
            if key not in seen:
                seen.add(key)
                yield paper, note


registered: dict[str, Format] = {}


def register(export: Format) -> None:
    """Make a format known to `--format`, the downloads of the page and the documentation."""
    registered[export.name] = export
