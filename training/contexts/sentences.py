"""A file of sentences that cite, beside the corpus of the papers that they stand in and cite.

One JSON object a line: `{"id", "citing", "text", "cited"}`, the id of the paper that the sentence stands in and of
those that it cites where a mark such as [CITATION] stands. Papers that cite are parted by their ids, so that no two
parts share one.
"""

import hashlib
import logging
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self, get_args

import orjson

from common.errors import QueryError, SourceError
from common.words import counted, shortened
from indexer.identity.title_overlap import copies_by_title
from indexer.paper import Paper
from indexer.readers import read_papers
from indexer.readers.fields import identifier
from indexer.readers.source import file_named
from retrieval.query import Query

Part = Literal["train", "validation", "test"]
PARTS: tuple[Part, ...] = get_args(Part)
_SHARES = (0.6, 0.9)  # of the papers that cite: up to the first for training, up to the second for validation
_FOLDS = 6  # of the papers that cite, whatever their part

_log = logging.getLogger(__name__)

ContextForm = Literal["sentence", "title", "abstract", "citations", "title, no year", "citations, no year"]
# What is given beside the sentence: nothing; the title of the citing paper; that and its abstract; its title and all
# that it cites but what is to be found. Two are asked without the year, so that nothing newer is hidden.


@dataclass(frozen=True, slots=True)
class CitingSentence:
    """One sentence, and what it cites."""

    id: str
    citing: str  # the paper that it stands in
    text: str
    cited: frozenset[str]  # papers of the corpus

    @property
    def part(self) -> Part:
        """To which part its paper belongs, by a hash of the paper's id."""
        return part_of(self.citing)


def part_of(paper_id: str) -> Part:
    """The part of a citing paper."""
    share = _number_of(paper_id) / 2**32
    return PARTS[sum(share >= bound for bound in _SHARES)]


def _number_of(text: str) -> int:
    """The same on every machine, of 32 bits."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


class CitingSentences:
    """A corpus and the sentences of some of its papers."""

    def __init__(self, corpus: Path, contexts: Path) -> None:
        """Read both.

        Raises:
            SourceError: a file cannot be read, a line is no citing sentence, two have one id, or
                none of the corpus' papers is cited.
        """
        self.corpus = corpus
        self._papers = {paper.id: paper for paper in read_papers([str(corpus)])}
        read = tuple(_read(contexts))
        self.sentences = tuple(_usable(read, self._papers))
        times = Counter(one.id for one in self.sentences)
        if twice := [id_ for id_, count in times.items() if count > 1]:
            raise SourceError(f"{contexts} holds two sentences with the id {twice[0]!r}: give each one of its own")
        if not self.sentences:
            raise SourceError(f"{contexts} holds no sentence whose papers are in {corpus}")
        if left_out := {one.id for one in read} - times.keys():
            what = counted(len(left_out), "sentence is", "sentences are")
            _log.warning(
                "%s: %s left out, such as %s: %s lacks the paper that cites, or all that is cited",
                contexts, what, shortened(min(left_out)), corpus,
            )  # fmt: skip

    def of(self, part: Part | None) -> list[CitingSentence]:
        """The sentences of a part; all without."""
        return [one for one in self.sentences if part is None or one.part == part]

    def papers(self, held_out: Sequence[Part]) -> Iterator[Paper]:
        """The corpus without what the papers of these parts cite."""
        hidden = {one.citing for one in self.sentences if one.part in held_out}
        for paper in self._papers.values():
            yield replace(paper, citations=()) if paper.id in hidden else paper

    @property
    def ids(self) -> Collection[str]:
        """Of the papers of the corpus."""
        return self._papers.keys()

    def cited_by(self, paper: str) -> tuple[str, ...]:
        """What a paper of the corpus cites."""
        return self._papers[paper].citations

    def query(self, sentence: CitingSentence, form: ContextForm) -> Query | None:
        """The sentence asked for in a form; None where its paper lacks what the form gives."""
        paper = self._papers[sentence.citing]
        others = tuple(cited for cited in paper.citations if cited not in sentence.cited)
        if (form == "abstract" and not paper.abstract) or (form.startswith("citations") and not others):
            return None
        return Query(
            title="" if form == "sentence" else paper.title,
            abstract=paper.abstract if form == "abstract" else "",
            id=paper.id,
            year=None if form.endswith("no year") else paper.year,
            already_cited=others if form.startswith("citations") else (),
            copies=self._copies[paper.id],
            context=sentence.text,
        )

    @cached_property
    def _copies(self) -> Mapping[str, tuple[str, ...]]:
        """Other records of each citing paper, by its title."""
        citing = list(dict.fromkeys(one.citing for one in self.sentences))
        ids = list(self._papers)
        titles = enumerate(paper.title for paper in self._papers.values())
        found = copies_by_title([self._papers[one].title for one in citing], titles)
        return {
            one: tuple(ids[number] for number in docids if ids[number] != one)
            for one, docids in zip(citing, found, strict=True)
        }


@dataclass(frozen=True, slots=True)
class Fold:
    """Every so many'th sentence of a part, of these those of some citing papers: what one process asks an index."""

    corpus: Path
    contexts: Path
    part: Part
    every: int
    number: int

    @classmethod
    def of(cls, corpus: Path, contexts: Path, part: Part, every: int = 1) -> list[Self]:
        """Folds that share no citing paper and hold all that are asked."""
        return [cls(corpus, contexts, part, every, number) for number in range(_FOLDS)]

    def read(self) -> tuple[CitingSentences, list[CitingSentence]]:
        """The corpus, and the sentences of this fold.

        Raises:
            SourceError: see `CitingSentences`.
        """
        known = CitingSentences(self.corpus, self.contexts)
        asked = known.of(self.part)[:: self.every]
        return known, [one for one in asked if _number_of(f"fold {one.citing}") % _FOLDS == self.number]


def _read(path: Path) -> Iterator[CitingSentence]:
    for number, line in file_named(path).lines():
        try:
            yield _sentence(orjson.loads(line))
        except (ValueError, KeyError, TypeError, QueryError) as error:
            raise SourceError(
                f"{path}, line {number}: no citing sentence ({error}); each line is a JSON object with id, citing, "
                "text and cited"
            ) from None


def _sentence(record: Any) -> CitingSentence:
    id_, citing, text, cited = (record[name] for name in ("id", "citing", "text", "cited"))
    id_, citing = identifier(id_), identifier(citing)
    if not id_ or not citing or not isinstance(text, str) or not text.strip():
        raise TypeError("id and citing must be ids, and text must be text")
    if not isinstance(cited, list) or not cited or not all(map(identifier, cited)):
        raise TypeError("cited must be a list of ids")
    Query(context=text)  # what cannot be asked is found out before an index is built
    return CitingSentence(id_, citing, text, frozenset(map(identifier, cited)))


def _usable(sentences: Iterable[CitingSentence], papers: Mapping[str, Paper]) -> Iterator[CitingSentence]:
    """Those whose paper is in the corpus, with what they cite of it."""
    for one in sentences:
        cited = frozenset(paper for paper in one.cited if paper in papers) - {one.citing}
        if one.citing in papers and cited:
            yield replace(one, cited=cited)
