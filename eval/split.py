"""A corpus by the rules of a protocol, written as files: what to index, whom to ask, and what is to be found.

DIR/split.json              the protocol and its counts
DIR/sizes.json              papers, queries and citations by part, beside those that are published of the protocol
DIR/train.ids               papers whose citations may be learned from
DIR/train.qrels             what they cite
DIR/test.queries.jsonl      the papers that are asked, as `citescout recommend` reads them; dev.* likewise
DIR/test.qrels              what they cite, for trec_eval
DIR/test.papers.jsonl       what the index for them holds
DIR/candidates.ids          what may be found, if answers are to be filtered
"""

import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import orjson

from common.errors import SourceError
from common.files import place_within, replaced, sha256, sync, write_atomically
from common.stored import parsed
from common.words import shortened
from eval.corpora import sampled
from eval.protocols import PARTS, PUBLISHED, CountingCitations, KeptPapers, Part, Protocol, Sizes, sizes
from eval.trec import qrels_lines, write_qrels
from indexer.catalog import Catalog
from indexer.catalog_writing import build_catalog
from indexer.identity.title_overlap import is_copy
from indexer.paper import Paper

RECORD = "split.json"
SIZES = "sizes.json"
RUNS = "runs"  # where `eval.systems` writes what it asked, by part

_FILES = ("queries.jsonl", "qrels", "papers.jsonl", "candidates.ids")

_Asked = Literal["dev", "test"]
# All that is written, the record last.
FILES = ("train.ids", "train.qrels", *(f"{part}.{file}" for part in get_args(_Asked) for file in _FILES), SIZES, RECORD)


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of the papers and their citations."""

    papers: int  # that are indexed
    citations: int  # that count
    train: int  # papers to learn from
    dev: int  # queries
    test: int
    without_year: int  # papers left out
    without_abstract: int  # left out for that alone
    outside_span: int  # of years that the protocol leaves out
    citing_nothing: int  # papers that are never asked
    citations_outside: int  # citations left out: not in the corpus
    citations_later: int  # of a later year
    with_few_citations: int  # papers of dev and test with fewer than the protocol asks for
    citations_of_copies: int = 0  # of papers of dev and test: of other records of themselves, which need not be found


@dataclass(frozen=True, slots=True)
class Split:
    """What was written."""

    counts: Counts
    sizes: Sizes
    published: Sizes | None  # the sizes that a paper has of the protocol


@dataclass(frozen=True, slots=True)
class _Set:
    """Development or test set."""

    asked: set[str]
    gold: Mapping[str, frozenset[str]]  # of every paper that might have been asked
    searched: Collection[str]
    sizes: tuple[int, int]  # queries before a sample is drawn, and their gold


def write_split(papers: Iterable[Paper], protocol: Protocol, folder: Path, source: str = "") -> Split:
    """Apply a protocol and write its files into `folder`, all or none; of several papers with one id the last counts.

    Memory holds ids, years and the citations of the papers that may be asked, not texts.

    Raises:
        SourceError: no paper is left, a part is left without queries, a test id is not in the corpus or cannot be
            asked, or an id holds white space.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kept = KeptPapers(protocol)
    with place_within(folder, ".split", SourceError(f"another process is writing a split into {folder}")) as made:
        build_catalog(kept.of(papers), made / "papers.sqlite")
        with closing(Catalog(made / "papers.sqlite")) as catalog:
            split = _write(catalog, kept, made)
        tables = {"here": split.sizes, "published": split.published}
        write_atomically(made / SIZES, orjson.dumps(tables, option=orjson.OPT_INDENT_2))
        named = None if protocol.test_ids is None else len(protocol.test_ids)
        record = {"source": source, "protocol": asdict(protocol) | {"test_ids": named}, "counts": asdict(split.counts)}
        write_atomically(made / RECORD, orjson.dumps(record, option=orjson.OPT_INDENT_2))
        _replace(made, folder)
    return split


def _replace(made: Path, folder: Path) -> None:
    """Put the files of a split in the place of an earlier one, whose runs go where their part has changed.

    The record goes first and comes last: what is killed in between leaves no split, and never one of two.
    """
    stale = [part for part in get_args(_Asked) if (old := _digests(folder, part)) and old != _digests(made, part)]
    (folder / RECORD).unlink(missing_ok=True)
    sync(folder)
    for part in stale:
        if (folder / RUNS / part).is_dir():
            shutil.rmtree(folder / RUNS / part)
    for name in FILES:
        (folder / name).unlink(missing_ok=True)
        if (made / name).exists():
            (made / name).replace(folder / name)
    sync(folder)


def _write(catalog: Catalog, kept: KeptPapers, folder: Path) -> Split:
    protocol, years = kept.protocol, kept.years
    if not years:
        raise SourceError("the protocol leaves out every paper: they have no year, no abstract or another year")
    citing = None
    if protocol.share_of == "citing":
        anyone = CountingCitations(years, dict.fromkeys(years, "train"), PARTS)
        citing = {paper.id for paper in catalog.all_papers() if anyone.of(paper)}
    parts = kept.parts(citing)
    rule = CountingCitations(years, parts, protocol.strict)
    references: dict[str, tuple[str, ...]] = {}  # of the papers that may be asked
    train = pairs = characters = copies = nothing = 0
    with replaced(folder / "train.ids") as ids, replaced(folder / "train.qrels") as qrels:
        for paper in catalog.all_papers():
            characters += len(paper.text.joined())
            cited = rule.of(paper)
            if not cited:
                nothing += 1
            elif parts[paper.id] == "train":
                ids.write(f"{paper.id}\n".encode())
                qrels.write(qrels_lines(paper.id, cited).encode())
                train += 1
                pairs += len(cited)
            else:
                references[paper.id] = cited if protocol.copies else _without_copies(paper, cited, catalog)
                copies += len(cited) - len(references[paper.id])
        if not rule.counting:
            raise SourceError(
                "no paper cites another one here, so that there is nothing to find again: bibliographies hold no "
                "reference lists"
            )
        sets = _sets(protocol, years, parts, references)
    _write_sets(catalog, kept, folder, sets, parts)
    counts = Counts(
        papers=len(years),
        citations=rule.counting,
        train=train,
        dev=len(sets["dev"].asked) if "dev" in sets else 0,
        test=len(sets["test"].asked),
        **kept.left_out,
        citing_nothing=nothing,
        citations_outside=rule.outside,
        citations_later=rule.later,
        citations_of_copies=copies,
        with_few_citations=sum(len(one.gold) - one.sizes[0] for name, one in sets.items() if name in protocol.strict),
    )
    by_part: dict[Part, tuple[int, int]] = {"train": (train, pairs), **{name: one.sizes for name, one in sets.items()}}
    return Split(counts, sizes(len(years), characters, by_part), PUBLISHED.get(protocol.name))


def _write_sets(
    catalog: Catalog, kept: KeptPapers, folder: Path, sets: Mapping[_Asked, _Set], parts: Mapping[str, Part]
) -> None:
    protocol, years = kept.protocol, kept.years
    hidden = {id_ for one in sets.values() for id_ in one.asked}
    for name, one in sets.items():
        write_qrels(folder / f"{name}.qrels", {id_: one.gold[id_] for id_ in one.asked})
        queries = (
            {"id": paper.id, "title": paper.title, "abstract": paper.abstract}
            # A query with a year gets nothing newer.
            | ({"year": paper.year} if protocol.mode == "inductive" else {})
            for paper in catalog.all_papers()
            if paper.id in one.asked
        )
        _write_lines(folder / f"{name}.queries.jsonl", queries)
        if protocol.candidates == "filtered":
            write_atomically(folder / f"{name}.candidates.ids", "".join(f"{id_}\n" for id_ in sorted(one.searched)))
        indexed = years if protocol.candidates == "filtered" and protocol.mode == "transductive" else one.searched
        again = CountingCitations(years, parts, protocol.strict)
        _write_lines(folder / f"{name}.papers.jsonl", _indexed(catalog, indexed, hidden, again))


def _digests(folder: Path, part: str) -> dict[str, str]:
    """Of the files of a part that are there."""
    return {file: sha256(path) for file in _FILES if (path := folder / f"{part}.{file}").is_file()}


def _without_copies(paper: Paper, cited: Sequence[str], catalog: Catalog) -> tuple[str, ...]:
    """What a paper cites, but other records of itself, which are no candidates when it is asked."""
    docids = catalog.docids(cited)
    texts = dict(zip(docids, catalog.texts(list(docids.values())), strict=True))
    return tuple(id_ for id_ in cited if not is_copy(paper.title, texts[id_].title))


def _sets(
    protocol: Protocol, years: Mapping[str, int], parts: Mapping[str, Part], references: Mapping[str, tuple[str, ...]]
) -> dict[_Asked, _Set]:
    """Development and test set, or the test set alone where its papers are named; papers by year and id."""
    names: tuple[_Asked, ...] = ("dev", "test")
    if protocol.test_ids is not None:
        names = ("test",)
        if missing := sorted(protocol.test_ids - references.keys()):
            raise SourceError(f"test id {shortened(missing[0])} is not in the corpus, or cites nothing that counts")
    sets: dict[_Asked, _Set] = {}
    for name in names:
        group = sorted((id_ for id_ in references if parts[id_] == name), key=lambda id_: (years[id_], id_))
        searched = _searched(protocol, years, parts, group)
        strict = name in protocol.strict
        gold = {id_: frozenset(c for c in references[id_] if not strict or c in searched) for id_ in group}
        least = protocol.least_gold if strict else 1
        usable = [id_ for id_, cited in gold.items() if len(cited) >= least]
        if group and not searched and protocol.candidates == "all":
            raise SourceError(
                f"no paper is older than those of the {name} set, which begin in {years[group[0]]}, so that there is "
                "nothing to find: with --mode transductive, papers of the same year may be found, too"
            )
        if not usable:
            raise SourceError(
                f"no paper of the {name} set has enough citations that count ({least}): too few papers, or other years"
            )
        size = len(usable), sum(len(gold[id_]) for id_ in usable)
        sets[name] = _Set(set(sampled(usable, protocol.sample, protocol.seed)), gold, searched, size)
    return sets


def _searched(
    protocol: Protocol, years: Mapping[str, int], parts: Mapping[str, Part], group: list[str]
) -> Collection[str]:
    """The papers that the queries of a group, sorted by year, may find."""
    searched: Collection[str] = years.keys()
    if protocol.candidates != "all":  # the training set, whether a paper cites or not
        searched = {id_ for id_ in searched if parts[id_] == "train"}
    if protocol.mode == "inductive" and protocol.test_ids is None:
        first = years[group[0]] if group else 0
        searched = {id_ for id_ in searched if years[id_] < first}
    return searched


def _indexed(
    catalog: Catalog, indexed: Collection[str], hidden: set[str], rule: CountingCitations
) -> Iterator[dict[str, object]]:
    for paper in catalog.all_papers():
        if paper.id in indexed:
            record = asdict(replace(paper, citations=() if paper.id in hidden else rule.of(paper)))
            yield {name: value for name, value in record.items() if value not in ("", (), None)}


def _write_lines(path: Path, records: Iterable[Mapping[str, object]]) -> None:
    with replaced(path) as file:
        file.writelines(orjson.dumps(record) + b"\n" for record in records)


@dataclass(frozen=True, slots=True)
class SplitRecord:
    """How a split was made, and what came of it."""

    protocol: Protocol  # without the names of the test papers
    named: int | None  # test papers, where they were given by name
    counts: Counts
    source: str = ""


def read_record(folder: Path) -> SplitRecord:
    """The record of a split folder.

    Raises:
        SourceError: there is none, or it is damaged.
    """
    path = folder / RECORD
    what = f"{path} is not the record of a split"
    try:
        record = orjson.loads(path.read_bytes())
        record["named"] = record["protocol"].pop("test_ids")
    except FileNotFoundError:
        raise SourceError(
            f"{folder} is not a split: make one with `citescout eval split SOURCE --out {folder}`"
        ) from None
    except OSError as error:
        raise SourceError(f"cannot read {path}: {error.strerror}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SourceError(f"{what}: {error}") from None
    found: SplitRecord = parsed(orjson.dumps(record), SplitRecord, what)
    return found
