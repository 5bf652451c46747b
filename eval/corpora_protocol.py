"""Index, ask, score: each corpus in a process of its own, results kept as JSON beside the runs and shown as Markdown.

F1@20 is also taken over novel citations: those of papers that none of the query's authors wrote or cited before; see
`citescout.known_papers`.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import orjson

from citescout.recommender import Recommender
from citescout.systems import System
from common.errors import SourceError, os_errors
from common.files import write_atomically
from common.processes import in_processes
from common.stored import parsed
from eval.answered import delete_answers
from eval.corpora import Corpus, TestSet, find_corpora
from eval.indexes import index_of_corpus
from eval.metrics import NovelScores, Qrels, Run, Scores, score
from eval.systems import Asked, kept_answers, rows_of, run_systems
from eval.tables import markdown_table
from eval.trec import run_path, write_qrels, write_run
from rerank import load_reranker
from rerank.blend import check_orders
from retrieval.query import Query
from training.blend.pools import family_of

# Query id → papers that its authors wrote or cited before; only queries whose authors are known.
KnownByQuery = Mapping[str, frozenset[str]]

SCORES = "scores.json"  # in the work folder
_SHOWN = 20
_log = logging.getLogger(__name__)


def score_novel(qrels: Qrels, run: Run, known: KnownByQuery) -> NovelScores | None:
    """F1@20 of a run against novel citations only, as it is and without what is known; None if there is no such query.

    Asked are the queries whose authors are known and of which a citation is novel.
    """
    novel = {query: cited for query in known if (cited := qrels.get(query, frozenset()) - known[query])}
    if not novel:
        return None
    lists = {query: list(run.get(query, ())) for query in novel}
    hidden = {query: [paper for paper in papers if paper not in known[query]] for query, papers in lists.items()}
    shown = [(paper in known[query]) for query, papers in lists.items() for paper in papers[:_SHOWN]]
    return NovelScores(
        queries=len(novel),
        known_at_20=sum(shown) / max(len(shown), 1),
        f1_at_20=score(novel, lists).f1_at_20,
        f1_at_20_hidden=score(novel, hidden).f1_at_20,
    )


def known_by_query(directory: Path, queries: Iterable[Query]) -> KnownByQuery:
    """What the authors of each query knew, by the index in `directory`; empty where the index has no authors."""
    named = [query for query in queries if query.authors]
    if not named:
        return {}
    with Recommender.open(directory) as recommender:
        catalog = recommender.generation.catalog
        if not any(paper.authors for paper in catalog.all_papers()):
            _log.warning("%s was built without authors: no novel F1@20 (name another work folder)", directory)
            return {}
        return {query.id: frozenset(catalog.ids(sorted(recommender.known_papers(query)))) for query in named}


def evaluate(
    folder: Path,
    work: Path,
    names: Sequence[str] = (),
    queries: int | None = None,
    reranker: str = "none",
    depth: int | None = None,
    jobs: int = 1,
    seed: int = 0,
    encoder: str = "minilm",
    blend: Path | None = None,
    systems: Sequence[str] = (),
    lacking: Mapping[str, float] | None = None,
) -> dict[str, dict[str, Scores]]:
    """Scores by corpus and system; runs, qrels (TREC format) and scores are written below `work`.

    What is there of other systems, corpora and samples of queries stays: a system is called after the blend, the
    reranker and the depth that it is given, see `named`, and a sample after its size and seed. An evaluation that was
    killed goes on with the queries that it had not answered.

    Of `lacking` see `eval.corpora.Corpus`. `systems` are names as for `eval.systems.rows_of`, to which BM25 is added:
    the tables compare with it.

    Raises:
        SourceError: see `find_corpora` and `Corpus.test_set`; or an index that is there is not that of the corpus, see
            `eval.indexes`.
        QueryError: see `eval.systems.rows_of`.
        ModelError: the encoder, the reranker or the blend cannot be loaded; see `blend_of`.
    """
    rows = [
        named(row, blend, reranker, depth) for row in rows_of(systems and ("BM25", *systems), reranker != "none", depth)
    ]
    read_scores(work / SCORES)  # what is wrong with it should not be found out when all are answered
    corpora = [replace(corpus, lacking=lacking or {}) for corpus in find_corpora(folder, names)]
    blends = [blend_of(one.name, blend) for one in corpora]
    load_reranker(reranker)  # what is wrong with it should not be found out after hours of encoding
    tests = [one.test_set(queries, seed, for_runs=True) for one in corpora]
    work.mkdir(parents=True, exist_ok=True)
    one = partial(_evaluate_one, work=work, queries=queries, rows=rows, reranker=reranker, seed=seed, encoder=encoder)
    found = list(in_processes(one, zip(corpora, tests, blends, strict=True), jobs))
    results = {corpus.name: scores for corpus, (scores, _) in zip(corpora, found, strict=True)}
    write_scores(work / SCORES, {kept_as(name, queries, seed): scores for name, scores in results.items()})
    delete_answers(answered for _, answered in found)
    return results


def named(row: System, blend: Path | None, reranker: str, depth: int | None) -> System:
    """The system by a name that tells it from the same one with another blend, reranker or depth."""
    given = []
    if blend and row.settings.blend:
        place = blend.resolve()  # "." has a name, too
        given.append(place.name if place.is_dir() else place.stem)
    if row.reads and reranker != "none":
        if reranker != "default":
            given.append(Path(reranker).resolve().name)
        elif not row.cross_encoder:  # then there is another list without it
            given.append("cross-encoder")
        given += [f"depth {depth}"] if depth else []
    return replace(row, name=f"{row.name} ({', '.join(given)})") if given else row


def kept_as(corpus: str, queries: int | None, seed: int) -> str:
    """The name of a corpus's runs and scores; those of a sample of its queries cannot be compared with others."""
    return corpus if queries is None else f"{corpus}-{queries}-queries-seed-{seed}"


def read_scores(path: Path) -> dict[str, dict[str, Scores]]:
    """What `write_scores` wrote; nothing where there is no file.

    Raises:
        SourceError: the file cannot be read, or holds something else.
    """
    if not path.is_file():
        return {}
    with os_errors(SourceError, f"read {path}"):
        found: dict[str, dict[str, Scores]] = parsed(path.read_bytes(), dict[str, dict[str, Scores]], str(path))
    return found


def write_scores(path: Path, results: Mapping[str, Mapping[str, Scores]]) -> None:
    """Add scores by corpus and system to those in a file of JSON, which replace its own of the same names.

    Raises:
        SourceError: see `read_scores`.
    """
    there = read_scores(path)
    both = {corpus: {**there.get(corpus, {}), **results.get(corpus, {})} for corpus in {**there, **results}}
    record = {corpus: {name: asdict(one) for name, one in scores.items()} for corpus, scores in both.items()}
    write_atomically(path, orjson.dumps(record, option=orjson.OPT_INDENT_2))


def _evaluate_one(
    planned: tuple[Corpus, TestSet, Path | None], work: Path, queries: int | None, rows: Sequence[System],
    reranker: str, seed: int, encoder: str,
) -> tuple[dict[str, Scores], Path]:  # fmt: skip
    """Scores by system, and the file of the answers, which is needed until the scores are written."""
    corpus, tests, blend = planned
    directory = index_of_corpus(corpus, work, encoder)
    runs = work / "runs" / kept_as(corpus.name, queries, seed)
    asked = Asked(tests.queries, rows, load_reranker(reranker), tests.candidates, blend)
    answered = kept_answers(runs, directory, asked)
    answers = run_systems(directory, asked, answered)
    write_runs(runs, tests.qrels, {name: one.run for name, one in answers.items()})
    known = known_by_query(directory, tests.queries)
    scores = {}
    for row in rows:
        run, used = answers[row.name].run, encoder if row.settings.uses_vectors else None
        scores[row.name] = replace(score(tests.qrels, run), novel=score_novel(tests.qrels, run, known), encoder=used)
    return scores, answered.path


def write_runs(folder: Path, qrels: Qrels, runs: Mapping[str, Run]) -> None:
    """The runs of a corpus by system, and beside their folder its .qrels, by which `eval score` gives intervals."""
    for name, run in runs.items():
        write_run(run_path(folder, name), run)
    write_qrels(folder.with_name(f"{folder.name}.qrels"), qrels)


def blend_of(corpus: str, blend: Path | None) -> Path | None:
    """The blend that orders a corpus: `blend` itself, or out of that folder the one which never saw the corpus.

    Raises:
        SourceError: the folder has none for it.
        ModelError: see `rerank.blend.check_orders`.
    """
    if blend is not None and blend.is_dir():
        own = blend / f"{family_of(corpus)}.json"
        if not own.is_file():
            raise SourceError(
                f"{blend} has no {own.name}, a blend that never saw {corpus}: see `train blend --left-out`"
            )
        blend = own
    check_orders(blend, {False})
    return blend


# Corpus → system → scores.
Results = Mapping[str, Mapping[str, Scores]]


def summary(results: Results) -> str:
    """One row a system: means over the corpora, and F1@20 relative to BM25's."""
    rows = []
    bm25 = [scores["BM25"] for scores in results.values()]
    for name in next(iter(results.values())):
        found = [scores[name] for scores in results.values()]
        ratios = (one.f1_at_20 / base.f1_at_20 for one, base in zip(found, bm25, strict=True) if base.f1_at_20)
        worst = min(ratios, default=None)
        rows.append([name, *_f1(found, bm25), "–" if worst is None else f"{worst:.2f}", *_ranks(found)])
    return markdown_table(["system", *_F1, "worst corpus", *_RANKS], rows)


def by_corpus(results: Results) -> str:
    """One row a corpus and system."""
    rows = [
        [corpus, one.queries, name, *_f1([one], [scores["BM25"]]), *_ranks([one])]
        for corpus, scores in results.items()
        for name, one in scores.items()
    ]
    return markdown_table(["corpus", "queries", "system", *_F1, *_RANKS], rows)


def novel(results: Results) -> str:
    """One row a corpus and system, of the corpora whose authors are known; "" where those of none are."""
    rows = [
        [corpus, one.novel.queries, name]
        + [f"{value:.3f}" for value in (one.novel.known_at_20, one.novel.f1_at_20, one.novel.f1_at_20_hidden)]
        for corpus, scores in results.items()
        for name, one in scores.items()
        if one.novel
    ]
    heads = ("corpus", "queries", "system", "known of 20", "novel F1@20", "known hidden")
    return markdown_table(heads, rows) if rows else ""


_F1, _RANKS = ("F1@20", "× BM25"), ("MRR", "R@100", "R@1000")


def _f1(found: Sequence[Scores], bm25: Sequence[Scores]) -> tuple[str, str]:
    """Mean F1@20, and its ratio to BM25's; a dash where BM25 finds nothing, as with a handful of queries."""
    f1, base = (sum(one.f1_at_20 for one in some) / len(some) for some in (found, bm25))
    return f"{f1:.3f}", f"{f1 / base:.2f}" if base else "–"


def _ranks(found: Sequence[Scores]) -> list[str]:
    figures = ([one.mrr, one.recall_at_100, one.recall_at_1000] for one in found)
    return [f"{sum(values) / len(values):.3f}" for values in zip(*figures, strict=True)]
