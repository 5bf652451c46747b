"""The collections on which CTPE (2022) is measured, drawn as in its section 4.1 and table 1.

20,000 candidates and 1,000 newer test papers. On DBLP a test paper should find what it cites, 15 or 16 candidates; on
arXiv the candidates of its own subjects, 22 to 95 of them. The authors published neither a list of ids nor how they
drew them: here candidates are what the test papers cite and then any others, test papers any that fit the table.
Words are counted as everywhere here (`encoders.words`).

The result is a folder of one corpus, NAME.jsonl beside NAME.test.ids and NAME.candidates.ids, in which a test paper
"cites" what it should find.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import orjson

from common.errors import SourceError
from common.files import replaced, write_atomically
from encoders.words import all_words
from eval.corpora import CANDIDATES, TEST_IDS
from indexer.paper import Paper
from indexer.readers import read_papers
from indexer.readers.base import Malformed
from indexer.readers.json_records import line_records
from indexer.readers.source import named_files

TESTS_A_CANDIDATE = 1 / 20  # 1,000 of 20,000


@dataclass(frozen=True, slots=True)
class Rule:
    """A column of table 1; ranges hold their ends."""

    years: tuple[int, int]  # of candidates
    test_year: int
    words: tuple[int, int]  # of a candidate
    test_words: tuple[int, int]
    labels: tuple[int, int]  # candidates that a test paper should find


RULES: Mapping[str, Rule] = {
    "arxiv": Rule((1991, 2015), 2016, (205, 425), (205, 418), (22, 95)),
    "dblp": Rule((1967, 2016), 2017, (155, 421), (156, 412), (15, 16)),
}


def write_collection(name: str, sources: Sequence[str], folder: Path, candidates: int, seed: int = 0) -> None:
    """Draw the collection `name` ("arxiv" or "dblp") from the papers of `sources` and write its corpus into `folder`.

    Raises:
        SourceError: a source cannot be read, or no paper of it can be a test paper.
    """
    rule = RULES[name]
    rng = np.random.default_rng(seed)
    gold, others = _by_subject(sources, rule, candidates, rng) if name == "arxiv" else _by_citations(sources, rule)
    if not gold:
        raise SourceError(
            f"no paper of {rule.test_year} in {', '.join(sources)} has {rule.test_words[0]} to {rule.test_words[1]} "
            f"words and {rule.labels[0]} to {rule.labels[1]} candidates of {rule.years[0]} to {rule.years[1]} to find"
        )
    drawn = _first(gold, rng, max(1, round(candidates * TESTS_A_CANDIDATE)), candidates)
    wanted = {found for test in drawn for found in gold[test]}
    rest = [paper for paper in others if paper not in wanted]
    order = rng.permutation(len(rest))[: max(0, candidates - len(wanted))]
    chosen = wanted | {rest[place] for place in order}
    folder.mkdir(parents=True, exist_ok=True)
    with replaced(folder / f"{name}.jsonl") as file:
        for paper in read_papers(sources):
            if paper.id in chosen or paper.id in drawn:
                record = asdict(replace(paper, citations=gold[paper.id] if paper.id in drawn else ()))
                file.write(orjson.dumps({key: value for key, value in record.items() if value}) + b"\n")
    for suffix, ids in ((TEST_IDS, drawn), (CANDIDATES, chosen)):
        write_atomically(folder / f"{name}{suffix}", "".join(f"{paper}\n" for paper in sorted(ids)))


def _by_citations(sources: Sequence[str], rule: Rule) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """What every possible test paper should find, and all possible candidates."""
    eligible = dict.fromkeys(paper.id for paper in read_papers(sources) if _may_be_found(paper, rule))
    gold = _gold(sources, rule, lambda paper: dict.fromkeys(one for one in paper.citations if one in eligible))
    return gold, list(eligible)


def _by_subject(
    sources: Sequence[str], rule: Rule, candidates: int, rng: np.random.Generator
) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    subjects = dict(_subjects(sources))
    eligible = [paper.id for paper in read_papers(sources) if _may_be_found(paper, rule) and paper.id in subjects]
    drawn = [eligible[place] for place in sorted(rng.permutation(len(eligible))[:candidates])]
    of_subject: defaultdict[str, list[str]] = defaultdict(list)
    for paper in drawn:
        of_subject[subjects[paper]].append(paper)
    return _gold(sources, rule, lambda paper: of_subject.get(subjects.get(paper.id, ""), ())), drawn


def _gold(
    sources: Sequence[str], rule: Rule, found_for: Callable[[Paper], Iterable[str]]
) -> dict[str, tuple[str, ...]]:
    """Of every paper that may be asked, what it should find."""
    asked = (paper for paper in read_papers(sources) if paper.year == rule.test_year)
    gold = {one.id: tuple(found_for(one)) for one in asked if _within(_words(one), rule.test_words)}
    return {paper: found for paper, found in gold.items() if _within(len(found), rule.labels)}


def _first(
    gold: Mapping[str, tuple[str, ...]], rng: np.random.Generator, tests: int, candidates: int
) -> set[str]:  # fmt: skip
    """Test papers in random order, as long as all that they should find fits among the candidates."""
    papers = sorted(gold)
    drawn: set[str] = set()
    found: set[str] = set()
    for place in rng.permutation(len(papers)):
        together = found | set(gold[papers[place]])
        if len(drawn) < tests and len(together) <= candidates:
            drawn.add(papers[place])
            found = together
    return drawn


def _may_be_found(paper: Paper, rule: Rule) -> bool:
    return paper.year is not None and _within(paper.year, rule.years) and _within(_words(paper), rule.words)


def _words(paper: Paper) -> int:
    return len(all_words(paper.text))


def _within(value: int, ends: tuple[int, int]) -> bool:
    return ends[0] <= value <= ends[1]


def _subjects(sources: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(arXiv id, all its subjects) of the snapshot's lines; readers leave the subjects out.

    Raises:
        SourceError: a source is no file of such lines.
    """
    for file in named_files(sources):
        with file.open() as text:
            for where, fields in line_records(text):
                if isinstance(fields, Malformed) or not fields.keys() >= {"id", "categories"}:
                    raise SourceError(f"{file.name} is not a snapshot of arXiv with categories ({where})")
                yield str(fields["id"]), str(fields["categories"])
