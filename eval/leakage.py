"""Papers to train on whose titles overlap with those of papers to test on.

A model that has read a test paper, perhaps as a preprint or in another corpus, is tested on what it knows. Nogueira et
al. (BIR 2020) leave such papers out by the Jaccard coefficient of the titles' words; `indexer.identity.title_overlap`
finds them, exactly.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from common.errors import SourceError
from eval.corpora import TEST_IDS, papers_named_by
from indexer.identity.title_overlap import LEAKING, TitleOverlaps, unigrams
from indexer.paper import Paper
from indexer.readers import ReadReport, read_papers
from training.queries import HeldOut


@dataclass(frozen=True, slots=True)
class Leak:
    """A training paper and an evaluation paper with nearly the same title."""

    training: Paper
    evaluation: Paper
    jaccard: float  # of the titles' words, from the threshold to 1


@dataclass(slots=True)
class LeakCounts:
    """Totals, filled while leaks are consumed."""

    training: int = 0  # papers read
    evaluation: int = 0
    without_words: int = 0  # of both, papers without a title or with a title of symbols, which cannot be checked
    leaking: int = 0  # training papers in at least one pair
    leaked: int = 0  # evaluation papers in at least one pair
    pairs: int = 0

    def __str__(self) -> str:
        unchecked = f"; {self.without_words:,} papers without words in their titles" if self.without_words else ""
        return (
            f"{self.leaking:,} of {self.training:,} training papers leak: {self.pairs:,} pairs with "
            f"{self.leaked:,} of {self.evaluation:,} evaluation papers{unchecked}"
        )


def evaluation_papers(sources: Sequence[str], report: ReadReport | None = None) -> Iterator[Paper]:
    """The papers of all sources; of a NAME.test.ids those that it names, read from the corpus beside it.

    Raises:
        SourceError: a list of ids of another name, or see `read_papers` and `papers_named_by`.
    """
    for source in sources:
        if source.endswith(".ids") and not source.endswith(TEST_IDS) and Path(source).is_file():
            raise SourceError(f"{source} has ids alone: name the papers by a NAME{TEST_IDS} beside their NAME.jsonl")
    files = [source for source in sources if not source.endswith(TEST_IDS)]
    if files:
        yield from read_papers(files, report=report)
    for source in sources:
        if source.endswith(TEST_IDS):
            yield from papers_named_by(Path(source), report)


def held_out_titles(sources: Sequence[str]) -> HeldOut:
    """What training must not see of the papers of all sources; see `evaluation_papers` for the errors."""
    return HeldOut(paper.title for paper in evaluation_papers(sources))


def find_leaks(
    training: Iterable[Paper],
    evaluation: Iterable[Paper],
    threshold: float = LEAKING,
    counts: LeakCounts | None = None,
    skip_same_id: bool = False,
) -> Iterator[Leak]:
    """Every pair whose titles reach the threshold, in the order of the training papers.

    Titles of the evaluation papers are held in memory, the training papers stream. With `skip_same_id` a training paper
    that has the id of an evaluation paper is not there: it is the test paper itself, in a corpus that is not split.

    Raises:
        SourceError: there is no evaluation paper with a title.
    """
    counts = LeakCounts() if counts is None else counts
    tested = [Paper(paper.id, paper.title, year=paper.year) for paper in evaluation]
    overlaps = TitleOverlaps((paper.title for paper in tested), threshold)
    counts.evaluation = len(tested)
    counts.without_words = sum(not unigrams(paper.title) for paper in tested)
    if counts.without_words == len(tested):
        raise SourceError("no paper with a title to check against: leaks are found by titles")
    ids = {paper.id for paper in tested} if skip_same_id else set()
    leaked: set[int] = set()
    for paper in training:
        if paper.id in ids:
            continue
        counts.training += 1
        counts.without_words += not unigrams(paper.title)
        found = overlaps.of(paper.title)
        leaked.update(one.number for one in found)
        counts.leaking += bool(found)
        counts.leaked = len(leaked)
        counts.pairs += len(found)
        for one in found:
            yield Leak(paper, tested[one.number], one.jaccard)
