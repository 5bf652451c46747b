"""Splits against the rules, applied to every pair of papers one by one."""

import json
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from command_line import files_of_at_most, refused, run

from common.errors import ModelError, QueryError, SourceError
from demo import CORPUS
from eval.corpora import find_corpora
from eval.protocols import PROTOCOLS, Protocol
from eval.split import Counts, write_split
from eval.systems import run_split
from eval.trec import read_qrels
from indexer.paper import Paper


def corpus(seed: int, count: int = 120) -> list[Paper]:
    rng = np.random.default_rng(seed)
    ids = [f"p{number:03}" for number in rng.permutation(count)]
    return [
        Paper(
            id_,
            f"title {id_}",
            "abstract",
            None if rng.random() < 0.08 else int(rng.integers(1995, 2013)),
            citations=tuple(dict.fromkeys(rng.choice([*ids, "elsewhere", id_], rng.integers(0, 25)).tolist())),
        )
        for id_ in ids
    ]


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def counting(papers: list[Paper]) -> dict[str, set[str]]:
    """What each dated paper cites by the rules."""
    years = {p.id: p.year for p in papers if p.year is not None}
    return {
        p.id: {c for c in p.citations if c in years and c != p.id and years[c] <= years[p.id]}
        for p in papers
        if p.year is not None
    }


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.name[0] != "."}


def read(folder: Path, part: str) -> tuple[dict[str, dict], dict[str, frozenset[str]], dict[str, dict]]:
    queries = {query["id"]: query for query in lines(folder / f"{part}.queries.jsonl")}
    return (
        queries,
        dict(read_qrels(folder / f"{part}.qrels")[0]),
        {p["id"]: p for p in lines(folder / f"{part}.papers.jsonl")},
    )


@pytest.mark.parametrize("seed", range(3))
def test_what_is_left_out_is_counted(tmp_path: Path, seed: int) -> None:
    papers = [replace(p, abstract="" if place % 9 == 0 else "abstract") for place, p in enumerate(corpus(seed, 300))]
    rules = replace(PROTOCOLS["open-research"], sample=None, abstracts=True, span=(1996, 2011))
    counts = write_split(papers, rules, tmp_path).counts
    kept = [p for p in papers if p.year is not None and p.abstract and 1996 <= p.year <= 2011]
    cites, years = counting(kept), {p.id: p.year for p in kept}
    order = [p.id for p in sorted(kept, key=lambda p: p.year or 0)]
    train = int(0.8 * len(order))
    dev = train + (len(order) - train) // 2
    citing = {id_ for id_ in cites if cites[id_]}
    queries, qrels, _ = read(tmp_path, "test")
    assert set(queries) == set(qrels) == citing & set(order[dev:])
    assert all("year" not in query for query in queries.values())
    assert counts == Counts(
        papers=len(kept),
        citations=sum(map(len, cites.values())),
        train=len(citing & set(order[:train])),
        dev=len(citing & set(order[train:dev])),
        test=len(citing & set(order[dev:])),
        without_year=sum(p.year is None for p in papers),
        without_abstract=sum(p.year is not None and not p.abstract for p in papers),
        outside_span=sum(p.year in (1995, 2012) and bool(p.abstract) for p in papers),
        citing_nothing=len(kept) - len(citing),
        citations_outside=sum(c not in years for p in kept for c in p.citations),
        citations_later=sum(years[c] > years[p.id] for p in kept for c in p.citations if c in years),
        with_few_citations=0,
    )


@pytest.mark.parametrize("candidates", ["filtered", "indexed"])
def test_queries_may_find_only_papers_of_the_training_set(tmp_path: Path, candidates: str) -> None:
    papers = corpus(5, 400)
    cites, years = counting(papers), {p.id: p.year for p in papers}
    rules = Protocol(first_years=(2008, 2009), least_gold=4, candidates=candidates)  # type: ignore[arg-type]
    counts = write_split(papers, rules, tmp_path).counts
    training = {id_ for id_ in cites if years[id_] < 2008}
    few = 0
    for part, group in (
        ("dev", [i for i in cites if years[i] == 2008]),
        ("test", [i for i in cites if years[i] >= 2009]),
    ):
        queries, qrels, indexed = read(tmp_path, part)
        expected = {i: frozenset(cites[i] & training) for i in group if len(cites[i] & training) >= 4}
        few += sum(bool(cites[i]) for i in group) - len(expected)
        assert qrels == expected
        assert set(queries) == set(expected)
        if candidates == "filtered":
            assert set((tmp_path / f"{part}.candidates.ids").read_text().split()) == training
            assert set(indexed) == set(cites)
        else:
            assert not (tmp_path / f"{part}.candidates.ids").exists()
            assert set(indexed) == training
    assert counts.with_few_citations == few


def test_a_second_split_leaves_no_file_of_the_first(tmp_path: Path) -> None:
    papers = corpus(5, 400)
    write_split(papers, Protocol(first_years=(2008, 2009), candidates="filtered"), tmp_path / "again")
    write_split(papers, PROTOCOLS["corpus"], tmp_path / "again")
    write_split(papers, PROTOCOLS["corpus"], tmp_path / "once")
    assert contents(tmp_path / "again") == contents(tmp_path / "once")
    named = replace(PROTOCOLS["corpus"], test_ids=frozenset(read(tmp_path / "once", "test")[0]))
    for name in ("again", "named"):
        write_split(papers, named, tmp_path / name)
    assert contents(tmp_path / "again") == contents(tmp_path / "named")


def test_runs_of_another_split_go_and_those_of_the_same_stay(tmp_path: Path) -> None:
    papers = corpus(5, 400)
    named = replace(PROTOCOLS["corpus"], test_ids=frozenset(id_ for id_, cited in counting(papers).items() if cited))
    runs = {part: tmp_path / "runs" / part / "BM25.trec" for part in ("dev", "test")}

    def again(protocol: Protocol) -> set[str]:
        for path in runs.values():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        write_split(papers, protocol, tmp_path)
        return {part for part, path in runs.items() if path.parent.exists()}

    assert again(PROTOCOLS["corpus"]) == set(runs)  # whose they are, nobody can say: nothing was split here before
    assert again(PROTOCOLS["corpus"]) == set(runs)
    assert again(named) == set()  # which has no development set
    write_split(papers, PROTOCOLS["corpus"], tmp_path)
    assert again(Protocol(first_years=(2008, 2009))) == set()


def test_a_second_split_that_fails_leaves_the_first(tmp_path: Path) -> None:
    write_split(corpus(5, 400), PROTOCOLS["corpus"], tmp_path)
    before = contents(tmp_path)
    with pytest.raises(SourceError, match="leaves out every paper"):
        write_split([Paper("a", "without a year")], PROTOCOLS["corpus"], tmp_path)
    assert contents(tmp_path) == before


@pytest.mark.long
def test_a_second_split_that_is_killed_is_never_one_of_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    papers, folder, runs = corpus(5, 400), tmp_path / "killed", tmp_path / "killed" / "runs" / "test"
    first, second = PROTOCOLS["corpus"], Protocol(first_years=(2008, 2009), candidates="filtered")
    for name, protocol in (("first", first), ("second", second)):
        write_split(papers, protocol, tmp_path / name)
    left = 0

    def until_killed(change: Callable[..., object]) -> Callable[..., object]:
        def counted(*arguments: object, **options: object) -> object:
            nonlocal left
            left -= 1
            if left < 0:
                raise KeyboardInterrupt
            return change(*arguments, **options)

        return counted

    refused = 0
    for changes in range(100):  # that a run may make before it is killed
        shutil.rmtree(folder, ignore_errors=True)
        write_split(papers, first, folder)
        runs.mkdir(parents=True)
        (runs / "BM25.trec").touch()
        with monkeypatch.context() as patched, suppress(KeyboardInterrupt):
            left = changes
            for change in ((Path, "unlink"), (Path, "replace"), (shutil, "rmtree")):
                patched.setattr(*change, until_killed(getattr(*change)))
            write_split(papers, second, folder)
            break
        if (folder / "split.json").exists():
            assert contents(folder) == contents(tmp_path / ("first" if runs.exists() else "second"))
            continue
        with pytest.raises(SourceError, match="is not a split: make one"):
            run_split(folder, "test", encoder=None)
        refused += 1
        write_split(papers, second, folder)
        assert contents(folder) == contents(tmp_path / "second")
        assert not runs.exists()
    assert refused > 5


def test_what_a_killed_split_left_goes_with_the_next(tmp_path: Path) -> None:
    (tmp_path / ".split").mkdir()
    (tmp_path / ".split" / "papers.sqlite").write_text("half of one")
    (tmp_path / ".split.lock").touch()
    write_split(corpus(5), PROTOCOLS["corpus"], tmp_path)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_an_inductive_split_shows_nothing_that_is_not_older(tmp_path: Path) -> None:
    papers = corpus(6, 300)
    cites, years = counting(papers), {p.id: p.year for p in papers}
    write_split(papers, PROTOCOLS["corpus"], tmp_path)
    for part in ("dev", "test"):
        queries, qrels, indexed = read(tmp_path, part)
        assert queries
        oldest = min(query["year"] for query in queries.values())
        assert set(indexed) == {id_ for id_ in cites if years[id_] < oldest}
        assert qrels == {id_: frozenset(cites[id_] & set(indexed)) for id_ in queries}


def test_test_papers_by_name_stay_in_the_index_without_their_citations(tmp_path: Path) -> None:
    papers = corpus(7)
    cites, years = counting(papers), {p.id: p.year for p in papers}
    named = frozenset(sorted(id_ for id_ in cites if cites[id_])[::7])
    counts = write_split(papers, replace(PROTOCOLS["corpus"], test_ids=named), tmp_path).counts
    queries, qrels, indexed = read(tmp_path, "test")
    assert set(queries) == named
    assert {id_: query["year"] for id_, query in queries.items()} == {id_: years[id_] for id_ in named}
    assert qrels == {id_: frozenset(cites[id_]) for id_ in named}
    assert set(indexed) == set(cites)
    assert not any("citations" in indexed[id_] for id_ in named)
    assert (counts.dev, counts.test) == (0, len(named))
    assert not (tmp_path / "dev.qrels").exists()


def test_a_file_of_papers_in_place_of_their_ids_is_not_shown_whole(tmp_path: Path) -> None:
    named = frozenset(['{"id": "a", "title": "' + "word " * 1000 + '"}'])
    with pytest.raises(SourceError, match=r'^test id \{"id": "a", .{80,90}… is not in the corpus'):
        write_split(corpus(7), replace(PROTOCOLS["corpus"], test_ids=named), tmp_path)


def test_a_corpus_has_the_gold_of_its_split_and_that_of_papers_without_a_year(tmp_path: Path) -> None:
    papers = corpus(7)
    years = {p.id: p.year for p in papers}
    (tmp_path / "c.jsonl").write_text("".join(f"{json.dumps(asdict(p))}\n" for p in papers))
    (tmp_path / "c.test.ids").write_text("\n".join(years))
    qrels = find_corpora(tmp_path)[0].test_set().qrels
    dated = replace(PROTOCOLS["corpus"], test_ids=frozenset(id_ for id_, cited in counting(papers).items() if cited))
    write_split(papers, dated, tmp_path / "split")
    of_dated = {id_: frozenset(c for c in cited if years[c]) for id_, cited in qrels.items() if years[id_]}
    assert {id_: cited for id_, cited in of_dated.items() if cited} == read(tmp_path / "split", "test")[1]
    # Whatever has no year may be found for every query, and every paper for what has none.
    rest = {(p.id, c) for p in papers for c in p.citations if c in years and c != p.id and not (years[c] and p.year)}
    assert rest == {(id_, c) for id_, cited in qrels.items() for c in cited if not (years[c] and years[id_])}


def test_samples_are_drawn_by_the_seed(tmp_path: Path) -> None:
    papers = corpus(8, 400)
    drawn = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        write_split(papers, Protocol(sample=5, seed=seed), tmp_path / name)
        drawn.append((tmp_path / name / "test.qrels").read_text())
        # What was not drawn keeps its citations: they are no secret.
        queries, _, indexed = read(tmp_path / name, "test")
        assert len(queries) == 5
        assert sum("citations" not in paper for paper in indexed.values()) < 250
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.parametrize(
    ("protocol", "message"),
    [
        (Protocol(first_years=(2050, 2060)), "no paper of the dev set"),
        (Protocol(least_gold=500), r"enough citations that count \(500\)"),
        (Protocol(test_ids=frozenset({"nowhere"})), "test id nowhere"),
        (Protocol(span=(1800, 1850)), "leaves out every paper"),
    ],
)
def test_a_part_without_queries_is_an_error(tmp_path: Path, protocol: Protocol, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        write_split(corpus(9), protocol, tmp_path)


def test_of_papers_of_one_year_it_is_said_that_none_is_older(tmp_path: Path) -> None:
    papers = [
        Paper("old", "Old", year=2020),
        *(Paper(f"p{n}", f"T{n}", year=2020, citations=("old",)) for n in range(20)),
    ]
    with pytest.raises(SourceError, match=r"older than those of the dev set, which begin in 2020.*--mode transductive"):
        write_split(papers, PROTOCOLS["corpus"], tmp_path)
    assert write_split(papers, replace(PROTOCOLS["corpus"], mode="transductive"), tmp_path).counts.test == 2
    with pytest.raises(SourceError, match=r"of the test set has enough citations that count \(10\)"):
        write_split([replace(one, abstract="A.", year=2008) for one in papers], PROTOCOLS["dblp"], tmp_path / "dblp")


def test_an_id_that_no_run_could_hold_is_refused_also_of_a_paper_that_nothing_cites(tmp_path: Path) -> None:
    papers = [*corpus(9), Paper("no one", "A title that nobody cites", year=2000)]
    with pytest.raises(SourceError, match=r"the id 'no one' cannot stand in a TREC file.*: give the paper another"):
        write_split(papers, Protocol(), tmp_path)


def test_of_papers_without_citations_it_is_said_what_they_lack(tmp_path: Path) -> None:
    papers = [replace(paper, citations=()) for paper in corpus(9)]
    with pytest.raises(SourceError, match="no paper cites another one here"):
        write_split(papers, Protocol(), tmp_path)


def test_what_is_no_split_or_lacks_part_system_or_reranker_is_reported_before_anything_is_built(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=f"{tmp_path} is not a split: make one with `citescout eval split"):
        run_split(tmp_path, "test", encoder=None)
    named = frozenset([id_ for id_, cited in counting(corpus(6)).items() if cited][:5])
    write_split(corpus(6), replace(PROTOCOLS["corpus"], test_ids=named), tmp_path)
    with pytest.raises(SourceError, match="has no part 'dev': its test papers were named, ask --part test"):
        run_split(tmp_path, "dev", encoder=None)
    with pytest.raises(QueryError, match="no system 'sparse': there are BM25"):
        run_split(tmp_path, "test", ["sparse"], encoder=None)
    with pytest.raises(QueryError, match="the system dense needs vectors"):
        run_split(tmp_path, "test", ["dense"], encoder=None)
    with pytest.raises(ModelError, match=r"no model folder at '\./nowhere'"):
        run_split(tmp_path, "test", encoder=None, reranker="./nowhere")
    assert not (tmp_path / "index-test").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--protocol", "dblp", "--train-share", "0.5"), "--train-share is of no use: the parts go by"),
        (("--first-years", 2010, 2012, "--train-share", "0.5"), "--train-share is of no use"),
        (("--test-ids", "IDS", "--first-years", 2010, 2012), "--first-years is of no use: the test papers are named"),
        (("--test-ids", "IDS", "--train-share", "0.5"), "--train-share is of no use"),
        (("--first-years", 2012, 2010), "2012 is after 2010"),
        (("--span", 2011, 1966), "2011 is after 1966"),
    ],
)
def test_options_of_a_split_that_would_change_nothing_are_refused(
    tmp_path: Path, options: tuple[object, ...], said: str
) -> None:
    (tmp_path / "ids").write_text("a\n")
    given = [tmp_path / "ids" if option == "IDS" else option for option in options]
    ended = run("eval", "split", CORPUS, "--out", tmp_path / "split", *given)
    assert ended.code == 2
    assert said in ended.err
    assert not (tmp_path / "split").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
@pytest.mark.parametrize("room", [0, 10_000])
def test_a_full_disk_is_one_line_and_leaves_the_split_that_was_there(tmp_path: Path, room: int) -> None:
    command = ("eval", "split", CORPUS, "--out", tmp_path)
    assert run(*command, "--train-share", "0.6").code == 0
    before = contents(tmp_path)
    with files_of_at_most(room):
        said = refused(*command, "--train-share", "0.8")
    assert f"cannot write the split into {tmp_path}" in said
    assert contents(tmp_path) == before
