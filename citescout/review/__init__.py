"""The review of a manuscript: what cites nothing, what is missing, and what is wrong with its bibliography."""

from citescout.review.making import ReviewOptions, Unfinished, begin, go_on, review
from citescout.review.review_parts import Review

__all__ = ["Review", "ReviewOptions", "Unfinished", "begin", "go_on", "review"]
