"""The review of a manuscript as a page and as a file; its sentences are questions like others, some at a time."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

from flask import Blueprint, Response, render_template, request

from citescout.recommendation import Answer
from citescout.review import Review, ReviewOptions, begin, go_on
from citescout.review.claims import located
from citescout.review.review_parts import Location
from citescout.settings import Settings
from exports.reviews import FORMATS, review_sentences, write_review
from indexer.paper import Paper
from retrieval.query import Query
from retrieval.resolver import Match
from webui.answers import Answers, BusyError, DeadlineError
from webui.opened_manuscript import ADDRESS, OpenedManuscript, notes_of_basket, number_in, offered_note, opened
from webui.places import place
from webui.site import NotThereError, attachment, site

blueprint = Blueprint("review", __name__)

CLAIMS = 40  # sentences of one answer; further ones are asked for by whoever wants them
OPTIONS = ReviewOptions()
_KEPT_AFTER = 10  # sentences; what was found is kept so often, so that an answer which took too long goes on from there


@blueprint.get(f"{ADDRESS}/review")
def show(number: int) -> str:
    """The review, with papers for the first `claims` of the sentences that could cite something."""
    found = opened(number)
    review = _reviewed(found)
    numbers: dict[Location, int] = {}  # of equal sentences of one paragraph the first
    first_citations: dict[str, int] = {}  # key → the number of the first sentence that cites it
    for sentence_number, (sentence, location) in enumerate(located(found.manuscript), 1):
        numbers.setdefault(location, sentence_number)
        for mark in sentence.marks:
            for key in mark.keys:
                first_citations.setdefault(key, sentence_number)
    return render_template(
        "review.html",
        opened=found,
        number=number,
        file=found.kept.name,
        review=review,
        review_sentences=review_sentences,
        numbers=numbers,
        first_citations=first_citations,
        picked=notes_of_basket(),
        offered_note=offered_note,
        claims=max(len(review.claims), 1),
        more=min(review.claims_left, OPTIONS.most_claims - len(review.claims), CLAIMS),
        formats=FORMATS,
    )


@blueprint.get(f"{ADDRESS}/review/<format_name>")
def download(number: int, format_name: str) -> Response:
    """The same as a file."""
    if format_name not in FORMATS:
        raise NotThereError(f"a review is written as {', '.join(FORMATS)}")
    found = opened(number)
    written, chosen = write_review(_reviewed(found), format_name, found.kept.name), FORMATS[format_name]
    return attachment(written, chosen.media_type, f"review.{chosen.ending}")


class _InTurn:
    """The index as a review asks it: each list takes a place of the queue, one at a time, as those of a batch do."""

    def __init__(self, answers: Answers, settings: Settings) -> None:
        self._answers, self.settings = answers, settings
        self._until: float | None = None  # the first list is refused at once where there is no place
        self._end = time.monotonic() + answers.limits.deadline

    def resolve(self, references: Iterable[Paper]) -> list[Match]:
        return list(self._answers.recommender.resolve(references))

    def answer(self, query: Query, settings: Settings) -> Answer:
        found = self._answers.answer(query, settings, self._until)
        self._until = self._end
        return found

    def answers(self, queries: Iterable[Query], settings: Settings) -> Iterator[Answer]:
        return (self.answer(query, settings) for query in queries)


def _reviewed(found: OpenedManuscript) -> Review:
    """The review with as many sentences as the request asks for, or as were answered in time.

    Raises:
        BusyError: nothing of it is there yet, and the queue is full.
        DeadlineError: nothing of it is there in time.
    """
    served = site()
    key = (served.index, served.answers.recommender.info, found.kept.digest)
    asking = _InTurn(served.answers, served.settings_of(""))
    done = served.reviews.get(key)
    if done is None:
        with place():  # of 30,000 sentences it takes two seconds to find those that could cite something
            done = begin(asking, found.manuscript, OPTIONS)
        served.reviews.put(key, done)
    wanted = min(max(number_in(request.args, "claims"), CLAIMS), OPTIONS.most_claims, len(done.uncited))
    while (missing := wanted - len(done.review.claims)) > 0:
        try:
            done = go_on(asking, done, min(missing, _KEPT_AFTER))
        except (BusyError, DeadlineError):
            if done.review.claims:
                break
            raise
        served.reviews.put(key, done)
    claims = done.review.claims[:wanted]
    return replace(done.review, claims=claims, claims_left=len(done.uncited) - len(claims))
