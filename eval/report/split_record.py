"""What `split.json` says of a split."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from common.errors import SourceError
from eval.protocols import CANDIDATES, MODES, PARTS, SHARES, Protocol
from eval.split import RECORD, Counts


@dataclass(frozen=True, slots=True)
class SplitRecord:
    """How a split was made, and what came of it."""

    source: str
    protocol: Protocol  # without the names of the test papers
    named: int | None  # test papers, where they were given by name
    counts: Counts


def read_record(folder: Path) -> SplitRecord:
    """The record of a split folder.

    Raises:
        SourceError: there is none, or it is damaged.
    """
    path = folder / RECORD
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise SourceError(f"{folder} is no split: make one with `citescout eval split SOURCE --out {folder}`") from None
    except OSError as error:
        raise SourceError(f"cannot read {path}: {error.strerror}") from None
    try:
        record = orjson.loads(content)
        rules: dict[str, Any] = dict(record["protocol"])
        named = rules.pop("test_ids")
        years, span = (rules.pop(name) for name in ("first_years", "span"))
        protocol = Protocol(
            **rules | {"strict": tuple(rules["strict"])},
            first_years=years and (years[0], years[1]),
            span=span and (span[0], span[1]),
        )
        counts = Counts(**record["counts"])
        _check_numbers(
            asdict(counts)
            | {"seed": protocol.seed, "least_gold": protocol.least_gold, "sample": protocol.sample or 0}
            | {"test_ids": named or 0}
            | {f"first_years[{place}]": year for place, year in enumerate(protocol.first_years or ())}
            | {f"span[{place}]": year for place, year in enumerate(protocol.span or ())}
        )
        if protocol.mode not in MODES or protocol.candidates not in CANDIDATES:
            raise ValueError(f"mode {protocol.mode!r}, candidates {protocol.candidates!r}")
        if not set(protocol.strict) <= set(PARTS) or protocol.share_of not in SHARES:
            raise ValueError(f"strict {protocol.strict!r}, share_of {protocol.share_of!r}")
        if not isinstance(protocol.train_share, (int, float)):
            raise ValueError(f"train_share is {protocol.train_share!r}")
        return SplitRecord(str(record.get("source", "")), protocol, named, counts)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise SourceError(f"{path} is not the record of a split: {error}") from None


def _check_numbers(values: Mapping[str, object]) -> None:
    for name, value in values.items():
        if type(value) is not int:
            raise ValueError(f"{name} is {value!r}, no whole number")
