"""The review of a manuscript → Markdown, a page of HTML, or JSON."""

from exports.reviews.writing import FORMATS, write_review

__all__ = ["FORMATS", "write_review"]
