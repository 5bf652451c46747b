"""JSON lines: one object a query, with everything that is known."""

from collections.abc import Iterable
from typing import TextIO

import orjson

from citescout.recommendation import Answer
from exports.base import Format, register
from exports.recommendation_json import answer_record


def _write(answers: Iterable[Answer], stream: TextIO) -> None:
    for answer in answers:
        record = {"id": answer.query.id, **answer_record(answer)}
        stream.write(orjson.dumps(record).decode() + "\n")


register(
    Format(
        "jsonl",
        "one JSON object a query: papers, scores and reasons",
        "jsonl",
        "application/x-ndjson",
        _write,
        outside=True,
    )
)
