"""TREC run: `qid Q0 docid rank score tag`, what trec_eval and ir_measures read."""

import re
from collections.abc import Iterable
from typing import TextIO
from urllib.parse import quote

from citescout.recommendation import Answer
from common.text import encodable
from exports.base import Format, register

_TAG = "citescout"
_NOT_IN_A_COLUMN = re.compile(r"[\s\x00-\x1f\x7f]")


def _write(answers: Iterable[Answer], stream: TextIO) -> None:
    import numpy as np  # here, because the command line names all formats before it does anything

    for number, answer in enumerate(answers, start=1):
        query_id = _column(answer.query.id) or str(number)
        above = np.float32(np.inf)
        for entry in answer.recommendations:
            # trec_eval orders by score in single precision and breaks ties its own way: keep our order by the
            # smallest step down.
            above = min(np.float32(entry.score), np.nextafter(above, np.float32(-np.inf)))
            stream.write(f"{query_id} Q0 {_column(entry.paper.id)} {entry.rank} {above:.9g} {_TAG}\n")


def _column(identity: str) -> str:
    """An id as one column: spaces and control characters in it are percent-encoded."""
    return _NOT_IN_A_COLUMN.sub(lambda mark: quote(mark[0]), encodable(identity))


register(
    Format("trec", "TREC run: query id, Q0, paper id, rank, score, citescout", "run", "text/plain", _write, needs="ids")
)
