"""What is said of a list as a whole: the same sentences for the page, the table and the files."""

import re
from collections.abc import Sequence

from citescout.few_words import few_words
from citescout.recommendation import Answer
from citescout.stop_words import language_of
from common.names import joined
from common.text import one_line
from exports.reason_sentences import short_reference
from indexer.paper import Paper
from rerank.calibration import Verdict

_VERDICTS: dict[Verdict, str] = {
    "good": "",
    "weak": "This index has little on this.",
    "none": "Nothing in this index seems to be about this.",
}
_LITTLE_TEXT = " More of the text would make that surer."
_FEW_WORDS = 30  # one sentence of an index's own field is often too general to tell
_STRANGE_TEXT = " Most of the words are in no paper of this index"
_SHOWN_RECORDS = 3
_WORD = re.compile(r"[^\W\d_]+")


def verdict_line(answer: Answer) -> str:
    """What to say of a list as a whole; "" where there is nothing to say."""
    meant = answer.did_you_mean.items()
    questions = [f"No paper has “{word}”: did you mean “{other}”?" for word, other in meant]
    return joined(_verdict(answer), *questions, _left_out(answer.same_title))


def _left_out(papers: Sequence[Paper]) -> str:
    if not papers:
        return ""
    names = [f"{short_reference(paper)} ({one_line(paper.id)})" for paper in papers[:_SHOWN_RECORDS]]
    more = [f"{len(papers) - _SHOWN_RECORDS:,} more"] if len(papers) > _SHOWN_RECORDS else []
    return f"Left out as your own paper, by the title: {'; '.join(names + more)}."


def _verdict(answer: Answer) -> str:
    if answer.named_already:
        named = (f"{short_reference(entry.paper)} ({entry.key or entry.paper.id})" for entry in answer.named_already)
        return f"What the sentence names is cited already: {', '.join(named)}."
    strange = answer.fit is not None and answer.fit.unknown_words > 0.5
    if answer.query.year and not (answer.recommendations or strange):  # the fit is that of an empty list
        return f"No paper from {answer.query.year} or before is found: try a later year, or fewer filters."
    if answer.fit is None:
        return ""
    query = answer.query
    # It would contradict the list where papers of it are likely to be cited, or are those that a few words name.
    by_name = bool(few_words(query))
    answered = any(one.likelihood == "likely" or (by_name and one.reasons.named) for one in answer.recommendations)
    line = "" if answered and answer.fit.verdict == "weak" else _VERDICTS[answer.fit.verdict]
    if strange and not answer.did_you_mean and (line or not answered):
        # Texts of one language are near each other whatever they are about, so that the index may seem to fit.
        return (line + _STRANGE_TEXT).lstrip() + (
            "." if _in_the_language_of_the_list(answer) else ": another language?"
        )
    if not line:
        return ""
    short = not query.context and len(f"{query.title} {query.abstract}".split()) < _FEW_WORDS
    return line + _LITTLE_TEXT if short else line


def _in_the_language_of_the_list(answer: Answer) -> bool:
    asked = _language(answer.query.wanted.joined())
    return asked is not None and asked == _language(" ".join(one.paper.title for one in answer.recommendations))


def _language(text: str) -> str | None:
    return language_of(_WORD.findall(text))
