"""Relatives of a model for `citescout eval experiment base-models`, made without a network.

    python benchmarks/base_models.py --out bases
    python benchmarks/base_models.py --model some/folder --layers 2 --out bases

writes two folders with the tokenizer of the model (the MiniLM that comes with the installation, unless another is
named): `first-3-layers`, the model without its upper layers, and `fresh-weights`, its architecture with random weights,
which shows what pretraining is worth.
"""

import argparse
from pathlib import Path
from typing import Any

from encoders.pretrained import load_pretrained


def first_layers(model: Any, layers: int) -> Any:
    """The model with its embeddings and first `layers` layers; a ValueError where it has no more than these."""
    own = model.config.num_hidden_layers
    if not 0 < layers < own:
        raise ValueError(f"the model has {own} layers: --layers must be from 1 to {own - 1}")
    model.encoder.layer = model.encoder.layer[:layers]
    model.config.num_hidden_layers = layers
    return model


def fresh(model: Any, seed: int) -> Any:
    """A model of the same architecture with random weights."""
    import torch

    torch.manual_seed(seed)
    return type(model)(model.config)


def main() -> None:
    """Write both folders."""
    from transformers import AutoModel

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="package:minilm", help="folder or hub id of a BERT-like encoder")
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0, help="of the random weights")
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    tokenizer, model, _ = load_pretrained(asked.model, AutoModel)
    # The random one first: cutting changes the model's own configuration.
    for name, made in (
        ("fresh-weights", lambda: fresh(model, asked.seed)),
        (f"first-{asked.layers}-layers", lambda: first_layers(model, asked.layers)),
    ):
        made().save_pretrained(asked.out / name, safe_serialization=True)
        tokenizer.save_pretrained(asked.out / name)
        print(asked.out / name)


if __name__ == "__main__":
    main()
