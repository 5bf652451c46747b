"""reranking.json: what is written comes back, and a file that is not whole is refused."""

import json

import pytest

from common.errors import ModelError
from rerank.reranking import FILE, Reranking
from rerank.token_split import TokenSplit

WHOLE = {"weight": 0.5, "depth": 100, "tokens": "256+200", "queries": 5, "f1_at_20": 0.3, "mrr": 0.4}


def test_what_is_written_comes_back(tmp_path):
    assert Reranking.of(tmp_path) == Reranking.unmeasured()
    for one in (Reranking(0.5, 100, TokenSplit(256, 200), 5, 0.3, 0.4), Reranking.unmeasured(depth=9)):
        one.save(tmp_path)
        assert Reranking.of(tmp_path) == one
    (tmp_path / FILE).write_text(json.dumps(WHOLE))
    assert Reranking.of(tmp_path) == Reranking(0.5, 100, TokenSplit(256, 200), 5, 0.3, 0.4)


@pytest.mark.parametrize("lacking", WHOLE)
def test_a_file_that_lacks_something_is_refused_by_its_name(tmp_path, lacking):
    (tmp_path / FILE).write_text(json.dumps({name: value for name, value in WHOLE.items() if name != lacking}))
    with pytest.raises(ModelError, match=f"reranking.json is damaged .*: '{lacking}' is missing"):
        Reranking.of(tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("weight", value) for value in (-1, float("nan"), float("inf"), "much")),
        *(("depth", value) for value in (0, 1001, 9.5, None)),
        *(("tokens", value) for value in ("256", "2+256", "", 256, {})),
        ("mrr", None),
    ],
)
def test_a_file_with_a_wrong_value_is_refused(tmp_path, name, value):
    (tmp_path / FILE).write_text(json.dumps(WHOLE | {name: value}))
    with pytest.raises(ModelError, match=r"reranking\.json is damaged|token split"):
        Reranking.of(tmp_path)
