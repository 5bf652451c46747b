"""The registry of models that have a name: encoders of documents, bases to train from, rerankers.

Whatever takes such a name (`--encoder`, `--base`, `--reranker`, the documentation, `citescout models`) reads this
table; `encoders/published.py` fills it. Adding a model is one more `register(...)`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Literal

Pooling = Literal["cls", "mean", "max"]
Joint = Literal["sep", "period"]
Role = Literal["encoder", "base", "reranker"]


@dataclass(frozen=True, slots=True)
class Model:
    """Where a model comes from, and how a document vector is made with it."""

    name: str
    source: str  # hub id, local folder, or "package:NAME" for weights that come by pip
    pooling: Pooling  # "cls": the first token's last state (SPECTER); "mean", "max": over all tokens
    joint: Joint  # title and abstract as "title [SEP] abstract" or "title. abstract"
    max_tokens: int  # longer inputs are cut at the end
    description: str
    roles: tuple[Role, ...] = ("encoder", "base")  # what it was published for; every encoder is a base as well
    revision: str | None = None  # commit at the hub; None for the newest, or where there is no hub
    files: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))  # file → SHA-256, where known
    megabytes: int | None = None  # of the weights
    licence: str | None = None  # SPDX; None where the authors name none
    prompt: str = ""  # stands before a document …
    query_prompt: str = ""  # … and before a query
    lower_case: bool | None = None  # for tokenizers that were published without saying so
    note: str | None = None  # logged where documents are encoded with it
    assumed: str | None = None  # how it is used although its files do not say so
    addition: Path | None = None  # of `encoders.low_rank`, merged into the weights


_registered: dict[str, Model] = {}


def register(model: Model) -> None:
    """Give a model a name."""
    _registered[model.name] = model


def models() -> Iterator[Model]:
    """All that have a name, in the order of their registration."""
    _fill()
    yield from _registered.values()


def registered(name: str) -> Model | None:
    """The model of that name or hub id; None for what is not in the table."""
    _fill()
    if name in _registered:
        return _registered[name]
    found = (model for model in _registered.values() if model.source == name and "/" in name)
    return next((replace(model, name=name) for model in found), None)


def names(role: Role) -> list[str]:
    """The names of that role, in the order of their registration."""
    return [model.name for model in models() if role in model.roles]


def _fill() -> None:
    import_module("encoders.published")
