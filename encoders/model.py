"""What is known of a model that has a name: where it comes from, and how a document vector is made with it."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
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


def folder_named(name: str) -> Path:
    """The folder of a model that is named by one; ~ is a home, where there is such a user."""
    with suppress(RuntimeError):
        return Path(name).expanduser()
    return Path(name)
