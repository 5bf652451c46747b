"""Tiny models as their authors would publish them: folders for the played hub."""

import json
import os
import pickle
import shutil
from pathlib import Path

import torch

CLS = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
MEAN = {"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}


def copied(base: Path, folder: Path) -> Path:
    return Path(shutil.copytree(base, folder))


def write(folder: Path, name: str, content: object) -> None:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content), "utf-8")


def declaring(folder: Path, pooling: dict, length: int | None = None, prompts: dict | None = None) -> Path:
    """With the files of sentence-transformers."""
    kinds = {"": "Transformer", "1_Pooling": "Pooling"}
    modules = [
        {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for number, (path, kind) in enumerate(kinds.items())
    ]
    write(folder, "modules.json", modules)
    write(folder, "1_Pooling/config.json", {"word_embedding_dimension": 32, **pooling})
    write(folder, "sentence_bert_config.json", {"max_seq_length": length, "do_lower_case": False})
    if prompts is not None:
        write(folder, "config_sentence_transformers.json", prompts)
    return folder


def pickled(folder: Path, tensors: object = None, legacy: bool = False) -> Path:
    """As `pytorch_model.bin` alone, as in 2019: names of that time, a tied weight, a head that nobody needs."""
    from safetensors.torch import load_file

    weights = folder / "model.safetensors"
    if tensors is None:
        old = {
            "bert." + name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): t
            for name, t in load_file(weights).items()
        }
        tensors = {**old, "cls.predictions.decoder.weight": old["bert.embeddings.word_embeddings.weight"]}
    torch.save(tensors, folder / "pytorch_model.bin", _use_new_zipfile_serialization=not legacy)
    weights.unlink(missing_ok=True)
    return folder


class Evil:
    """What runs when it is unpickled."""

    def __init__(self, witness: Path) -> None:
        self.witness = witness

    def __reduce__(self):
        return os.system, (f"touch {self.witness}",)


def evil(folder: Path, witness: Path) -> Path:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"a": Evil(witness)}, 2))
    return folder


def cut(folder: Path, name: str, keep: int) -> Path:
    path = folder / name
    path.write_bytes(path.read_bytes()[:keep])
    return folder
