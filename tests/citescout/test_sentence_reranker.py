"""The reranker of lists for one sentence: what it reads, what it adds, when it is not asked."""

from dataclasses import replace

import numpy as np
import pytest

from citescout import Query, Settings
from common.errors import ModelError
from encoders.minilm import minilm_folder
from encoders.text import Text
from rerank import sentences
from rerank.blend import CONTEXT, Blend
from rerank.late_join_files import load_late_join
from rerank.sentences import SPLIT, WEIGHTS, candidate_side, sentence_reranker, sentence_side
from retrieval.citation_marks import marked_alike

QUERY = Query(
    "Language models in two directions",
    context="Pretrained transformers encode tokens in both directions [CITATION] before they are fine-tuned.",
)
DEPTH = sentence_reranker().reranking.depth


def logits(query: Query, titles: list[str]) -> np.ndarray:
    """The network's scores by torch, one candidate at a time, up to a scale and a shift."""
    import torch
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(str(minilm_folder()))
    model = load_late_join(WEIGHTS)[0]

    def states(text: str, most: int) -> tuple[torch.Tensor, torch.Tensor]:
        ids = torch.tensor([tokenizer(text, truncation=True, max_length=most)["input_ids"]])
        mask = torch.ones_like(ids)
        return model.lower_states(ids, mask), mask

    found = []
    with torch.no_grad():
        asked = model.query_states(*states(f"{query.context}. {query.title}", SPLIT.query))
        for title in titles:
            found.append(float(model.score(asked, model.pooled(asked, *states(title, SPLIT.candidate)))))
    return np.array(found)


def test_the_order_is_that_of_the_trees_and_of_the_network_which_reads_titles(recommender):
    blend = Blend.load(CONTEXT)
    first = recommender.rank(QUERY, Settings(depth=0))
    last = recommender.rank(QUERY)
    assert not first.reranked
    assert len(last.reranked) == last.to_read == DEPTH
    top = first.order[:DEPTH]
    titles = [paper.title for paper in recommender.generation.catalog.papers(first.pool.docids[top].tolist())]
    read = logits(QUERY, titles)
    expected = first.scores[:DEPTH] + blend.reranker_weight * (read - read.mean()) / read.std()
    scores = dict(zip(last.order.tolist(), last.scores.tolist(), strict=True))
    found = np.array([scores[position] for position in top.tolist()])
    assert found == pytest.approx(expected, abs=0.05)
    assert last.order[:DEPTH].tolist() != top.tolist()
    assert last.order[DEPTH:].tolist() == first.order[DEPTH:].tolist()


@pytest.mark.parametrize("settings", [Settings(depth=0), Settings(blend=False), Settings(depth=0, blend=False)])
def test_it_is_not_asked_where_nothing_is_to_be_read_or_no_trees_order(recommender, settings):
    found = recommender.rank(QUERY, settings)
    assert not found.reranked
    assert not found.to_read


def test_queries_without_a_context_are_not_read(recommender):
    assert not recommender.rank(replace(QUERY, context="")).to_read


def test_as_many_are_read_as_the_depth_says(recommender):
    assert len(recommender.rank(QUERY, Settings(depth=7)).reranked) == 7


def test_every_mark_of_a_citation_is_read_alike():
    marks = ("[CITATION]", "[12]", r"\citep[a]{b}", "[@c]")
    texts = [f"Words are parsed by shift and reduce {mark}." for mark in marks]
    assert len({sentence_side(text, "") for text in texts}) == 1
    assert marked_alike("As shown [3] and [?].") == "As shown [CITATION] and [CITATION] ."
    assert marked_alike("No mark here.") == "No mark here."


def test_what_is_read_of_a_paper_is_its_title_or_without_one_its_abstract():
    assert candidate_side([Text("A title", "Words."), Text("", "Words.")]) == [Text("A title", ""), Text("Words.", "")]


def test_what_it_adds_is_named_beside_the_features(recommender):
    (first, *_) = recommender.recommend(QUERY)
    names = [one.feature for one in first.reasons.contributions]
    assert "reranker" in names
    assert first.reasons.reranker_score is not None


def test_damaged_weights_are_refused(monkeypatch, tmp_path):
    for file in WEIGHTS.iterdir():
        content = file.read_bytes()
        (tmp_path / file.name).write_bytes(content[:-100] if file.suffix == ".safetensors" else content)
    monkeypatch.setattr(sentences, "WEIGHTS", tmp_path)
    with pytest.raises(ModelError, match="damaged"):
        sentence_reranker.__wrapped__().score(Text("A sentence", ""), [Text("A title", "")])
