"""The way into the formats of a review."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files

import orjson

from citescout.review.review_parts import Review
from common.text import one_line
from exports.citation import citation
from exports.reason_sentences import in_percent
from exports.reviews import review_sentences
from exports.reviews.markdown import markdown
from exports.reviews.review_json import review_record


@dataclass(frozen=True, slots=True)
class ReviewFormat:
    """One format."""

    write: Callable[[Review, str], str]  # of a review, and the name of a manuscript that is a single file
    ending: str  # of a file, without the dot
    media_type: str


def _page(review: Review, file: str) -> str:
    """One page of HTML that needs nothing else: no scripts, no other files; light, dark and on paper.

    Whatever comes from the manuscript or the index is escaped.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(str(files(__package__))),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(
        review=review,
        file=file,
        review_sentences=review_sentences,
        citation=citation,
        in_percent=in_percent,
        one_line=one_line,
    )


def _json(review: Review, file: str) -> str:
    return orjson.dumps(review_record(review), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


FORMATS: Mapping[str, ReviewFormat] = {
    "markdown": ReviewFormat(markdown, "md", "text/markdown"),
    "html": ReviewFormat(_page, "html", "text/html"),
    "json": ReviewFormat(_json, "json", "application/json"),
}


def write_review(review: Review, format_name: str, file: str = "") -> str:
    """The review in one of FORMATS; `file` is the name of a manuscript that is a single file."""
    return FORMATS[format_name].write(review, file)
