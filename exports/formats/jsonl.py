"""JSON lines: one object a query, with everything that is known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

import orjson

from citescout.recommendation import Answer
from exports.base import Format, register
from exports.outside import outside_record
from exports.recommendation_json import fit_record, recommendation_record


def _write(answers: Iterable[Answer], stream: TextIO) -> None:
    for answer in answers:
        record = {
            "id": answer.query.id,
            "fit": fit_record(answer.fit),
            "recommendations": [recommendation_record(entry) for entry in answer.recommendations],
            "beyond": [outside_record(work) for work in answer.beyond],
        }
        stream.write(orjson.dumps(record).decode() + "\n")


register(
    Format(
        name="jsonl",
        description="one JSON object a query: papers, scores and reasons",
        ending="jsonl",
        media_type="application/x-ndjson",
        write=_write,
        outside=True,
    )
)
