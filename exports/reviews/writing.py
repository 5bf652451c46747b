"""The way into the formats of a review."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import orjson

from citescout.review.review_parts import Review
from exports.reviews.markdown import markdown
from exports.reviews.page import page
from exports.reviews.review_json import review_record


def _json(review: Review, file: str) -> str:
    return orjson.dumps(review_record(review), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


FORMATS: Mapping[str, Callable[[Review, str], str]] = {"markdown": markdown, "html": page, "json": _json}


def write_review(review: Review, format_name: str, file: str = "") -> str:
    """The review in one of FORMATS; `file` is the name of a manuscript that is a single file."""
    return FORMATS[format_name](review, file)
