"""Pyserini's own searcher and trec_eval, against our BM25 run and `eval score`, on one index."""

from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

from citescout.systems import find_system
from eval.comparison import score_files
from eval.systems import Asked, run_systems
from eval.trec import write_qrels, write_run
from indexer.bm25_parameters import PYSERINI
from indexer.citations import load_array
from indexer.generations import open_generation
from indexer.layout import LAYOUT
from retrieval.query import Query


@pytest.mark.long
def test_a_run_of_pyserinis_own_tools_gets_the_same_figures(demo_index: Path, tmp_path: Path) -> None:
    generation = open_generation(demo_index)
    papers = {paper.id: paper for paper in generation.catalog.all_papers()}
    asked = [paper for paper in papers.values() if len(paper.citations) >= 4][:60]
    qrels = {paper.id: frozenset(c for c in paper.citations if c in papers) for paper in asked}
    system = find_system("BM25")
    queries = [Query(paper.title, paper.abstract, paper.id) for paper in asked]
    write_run(tmp_path / "ours.trec", run_systems(demo_index, Asked(queries, [system]))["BM25"].run)

    from pyserini.search.lucene import LuceneSearcher  # after our own start of Java

    searcher = LuceneSearcher(str(generation.folder / LAYOUT.bm25))
    searcher.set_bm25(*PYSERINI)
    docids = load_array(generation.folder / LAYOUT.bm25_labels)
    lines = []
    for paper in asked:
        hits = searcher.search(f"{paper.title} {paper.abstract}", k=1000)
        ids = generation.catalog.ids([docids[int(hit.docid)] for hit in hits])
        found = [(id_, hit.score) for id_, hit in zip(ids, hits, strict=True) if id_ != paper.id]
        lines += [f"{paper.id} Q0 {id_} {rank} {score} pyserini" for rank, (id_, score) in enumerate(found, start=1)]
    (tmp_path / "theirs.trec").write_text("\n".join(lines))
    write_qrels(tmp_path / "qrels", qrels)

    scored = score_files(qrels, [tmp_path / "ours.trec", tmp_path / "theirs.trec"])
    with (tmp_path / "qrels").open() as gold, (tmp_path / "theirs.trec").open() as run:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(gold), {"P_20", "recall_20", "recall_1000"})
        trec = evaluator.evaluate(pytrec_eval.parse_run(run))
    for name, ours in (("P_20", "P@20"), ("recall_20", "R@20"), ("recall_1000", "R@1000")):
        expected = np.mean([trec[query][name] for query in qrels])
        for system_name in ("ours", "theirs"):
            # Equal scores may be ordered differently at the cut.
            assert scored[system_name].values[ours].mean() == pytest.approx(expected, abs=1e-3), (system_name, name)
        assert scored["theirs"].values[ours].mean() == pytest.approx(expected, abs=1e-6)
