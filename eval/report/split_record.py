"""What `split.json` says of a split."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import orjson

from common.errors import SourceError
from eval.protocols import Protocol
from eval.split import RECORD, Counts
from eval.stored import parsed


@dataclass(frozen=True, slots=True)
class SplitRecord:
    """How a split was made, and what came of it."""

    protocol: Protocol  # without the names of the test papers
    named: int | None  # test papers, where they were given by name
    counts: Counts
    source: str = ""


def read_record(folder: Path) -> SplitRecord:
    """The record of a split folder.

    Raises:
        SourceError: there is none, or it is damaged.
    """
    path = folder / RECORD
    what = f"{path} is not the record of a split"
    try:
        record = orjson.loads(path.read_bytes())
        record["named"] = record["protocol"].pop("test_ids")
    except FileNotFoundError:
        raise SourceError(f"{folder} is no split: make one with `citescout eval split SOURCE --out {folder}`") from None
    except OSError as error:
        raise SourceError(f"cannot read {path}: {error.strerror}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SourceError(f"{what}: {error}") from None
    found: SplitRecord = parsed(orjson.dumps(record), SplitRecord, what)
    return found
