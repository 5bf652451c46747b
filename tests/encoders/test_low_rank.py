"""Additions to a transformer's linear maps: what they change, and that merged they are the same network."""

from pathlib import Path

import torch
from transformers import AutoModel, AutoTokenizer

from encoders.low_rank import add_low_rank, merge_low_rank

RANK = 3


def states(model: torch.nn.Module, folder: Path) -> torch.Tensor:
    inputs = AutoTokenizer.from_pretrained(folder)(["graphs of papers", "a walk"], padding=True, return_tensors="pt")
    with torch.no_grad():
        return model.eval()(**inputs).last_hidden_state  # type: ignore[no-any-return]


def test_nothing_changes_before_it_has_learned_and_only_it_learns(tiny_bert: Path) -> None:
    model = AutoModel.from_pretrained(tiny_bert)
    before = states(model, tiny_bert)
    added = add_low_rank(model, RANK)
    torch.testing.assert_close(states(model, tiny_bert), before)
    learning = {id(one) for one in model.parameters() if one.requires_grad}
    assert learning == {id(one) for one in added.values()}
    # Six maps a layer, two layers, two matrices each.
    assert len(added) == 24
    assert all(RANK in one.shape for one in added.values())


def test_merged_into_the_weights_it_is_the_same_network(tiny_bert: Path) -> None:
    model = AutoModel.from_pretrained(tiny_bert)
    before = states(model, tiny_bert)
    added = add_low_rank(model, RANK)
    torch.manual_seed(3)
    for one in added.values():
        torch.nn.init.normal_(one, std=0.2)
    learned = states(model, tiny_bert)
    assert not torch.allclose(learned, before, atol=0.01)
    plain = AutoModel.from_pretrained(tiny_bert)
    merge_low_rank(plain, {name: one.detach() for name, one in added.items()})
    torch.testing.assert_close(states(plain, tiny_bert), learned, atol=1e-4, rtol=1e-4)
