"""`citescout train blend`: what is learnt orders papers that were not learnt from, and can be read again."""

from __future__ import annotations

import numpy as np
import pytest

from citescout import Recommender
from citescout.cli.main import main
from citescout.training.blend import pool_lists
from citescout.training.held_out import HeldOut
from common.errors import ModelError
from indexer.builds import build_index
from indexer.paper import Paper
from rerank.blend import Blend

LEARNT, ASKED = 30, 45  # queries of the demo, the newest first


def area(scores: np.ndarray, cited: np.ndarray) -> float:
    """How often a cited paper stands above one that is not (the area under the ROC curve), pair by pair."""
    return float(np.mean(scores[cited][:, None] > scores[~cited][None, :]))


@pytest.mark.parametrize("options", [(), ("--reranker", "default", "--depth", "12", "--queries", "8")])
def test_what_was_learnt_orders_queries_that_were_not_learnt_from(demo_index, tmp_path, capsys, options):
    out = tmp_path / "blend.json"
    main(["train", "blend", "--index", str(demo_index), "--queries", str(LEARNT), "--out", str(out), *options])
    assert capsys.readouterr().out == f"Wrote the blend to {out}\n"
    blend = Blend.load(out)
    recommender = Recommender.open(demo_index)
    others = list(pool_lists(recommender, demo_index, ASKED, 0, HeldOut()))[LEARNT:]
    recommender.close()
    areas = [
        area(blend.first_stage(one.labelled.features), one.labelled.cited)
        for one in others
        if one.labelled.cited.any() and not one.labelled.cited.all()
    ]
    assert len(areas) > 8
    assert np.mean(areas) > 0.75  # half by chance
    assert blend.reranker_weight >= 0
    assert (blend.reranker_weight == Blend.load().reranker_weight) == (not options)


def test_an_index_without_citations_teaches_nothing(tmp_path, capsys):
    build_index([Paper("a", "Neural ranking"), Paper("b", "Citation graphs")], tmp_path / "ix", None)
    with pytest.raises(SystemExit) as end:
        main(["train", "blend", "--index", str(tmp_path / "ix"), "--out", str(tmp_path / "blend.json")])
    assert end.value.code == 1
    assert f"{tmp_path / 'ix'} has no paper with enough citations within the index" in capsys.readouterr().err
    assert not (tmp_path / "blend.json").exists()
    with pytest.raises(ModelError):
        Blend.load(tmp_path / "blend.json")
