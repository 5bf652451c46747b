"""A review as one page of HTML that needs nothing else: no scripts, no other files; light, dark and on paper."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from citescout.review.review_parts import Review
from common.text import one_line
from exports.citation import citation
from exports.reviews import review_sentences

if TYPE_CHECKING:
    from jinja2 import Template


def page(review: Review, file: str) -> str:
    """The whole page; whatever comes from the manuscript or the index is escaped. `file` as for `place`."""
    return _template().render(
        review=review, file=file, review_sentences=review_sentences, citation=citation, one_line=one_line
    )


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    folder = files(__package__)
    environment = Environment(
        loader=FileSystemLoader(str(folder)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html")
