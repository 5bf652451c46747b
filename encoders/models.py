"""The registry of models that have a name: encoders of documents, bases to train from, rerankers.

Whatever takes such a name (`--encoder`, `--base`, `--reranker`, the documentation, `citescout models`) reads this
table. Adding a model is one more entry of `encoders/published.py`, or `register(...)`.
"""

from collections.abc import Iterator
from dataclasses import replace

from encoders.model import Model, Role
from encoders.published import PUBLISHED

_registered: dict[str, Model] = {model.name: model for model in PUBLISHED}


def register(model: Model) -> None:
    """Give a model a name."""
    _registered[model.name] = model


def models() -> Iterator[Model]:
    """All that have a name, in the order of their registration."""
    yield from _registered.values()


def registered(name: str) -> Model | None:
    """The model of that name or hub id; None for what is not in the table."""
    if name in _registered:
        return _registered[name]
    found = (model for model in _registered.values() if model.source == name and "/" in name)
    return next((replace(model, name=name) for model in found), None)


def names(role: Role) -> list[str]:
    """The names of that role, in the order of their registration."""
    return [model.name for model in models() if role in model.roles]
