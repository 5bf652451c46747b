"""Markdown (CommonMark), a section a query: a numbered reference list with links and reasons."""

from collections.abc import Iterable, Sequence
from typing import TextIO

from citescout.recommendation import Answer, OutsideWork, Recommendation
from common.names import joined
from common.text import clean_lines, one_line
from exports.base import Format, register
from exports.citation import citation, ended
from exports.links import safe_link
from exports.markdown_text import at_line_start, destination, escaped
from exports.outside import outside_heading, outside_name, outside_why
from exports.reason_sentences import Sentence, groups, known_mark, retraction, sentences
from exports.verdicts import verdict_line
from retrieval.query import Query


def _write(answers: Iterable[Answer], stream: TextIO) -> None:
    for number, answer in enumerate(answers):
        stream.write("\n" if number else "")
        stream.write(f"## {escaped(_heading(answer.query))}\n\n")
        if verdict := verdict_line(answer):
            stream.write(f"{verdict}\n\n")
        if not answer.recommendations:
            stream.write("No paper found.\n")
        stream.write("\n".join(_part(name, part) for name, part in groups(answer.recommendations)))
        if answer.beyond:
            stream.write(f"\n### {escaped(outside_heading(answer.beyond))}\n\n")
            stream.writelines(f"- {_outside(work)}\n" for work in answer.beyond)


def _part(name: str, recommendations: Sequence[Recommendation]) -> str:
    """The papers between two cuts; a list goes on with its numbers below a heading."""
    heading = f"### {name}\n\n" if name else ""
    return heading + "".join(f"{entry.rank}. {markdown_line(entry)}\n{_note(entry)}" for entry in recommendations)


def _note(entry: Recommendation) -> str:
    """The user's note, paragraphs of the entry's own."""
    if not entry.note.strip():
        return ""
    indent = " " * len(f"{entry.rank}. ")
    first, *others = (escaped(one_line(part)) for part in clean_lines(entry.note).split("\n\n"))
    return "".join(f"\n{indent}{part}\n" for part in (f"Note: {first}", *map(at_line_start, others))) + "\n"


def _heading(query: Query) -> str:
    title = one_line(query.context) or one_line(query.title) or one_line(query.id)
    if query.context.strip():
        return f"Papers to cite for “{title}”"
    return f"Papers to cite in “{title}”" if title else "Papers to cite"


def markdown_line(entry: Recommendation) -> str:
    """The paper with its link, and why it is recommended, as far as that is known."""
    cited = citation(entry.paper)
    lead = f"{cited.authors} ({cited.year})." if cited.authors else ""
    title = f"[{escaped(cited.title)}]({destination(cited.link)})" if cited.link else escaped(cited.title)
    venue = f"*{escaped(cited.venue)}*" if cited.venue else ""
    marks = (retraction(entry.paper), escaped(known_mark(entry.known)))
    remarks = joined(*map(ended, marks), *map(_sentence, sentences(entry.reasons)))
    parts = (
        at_line_start(escaped(lead)),
        title + _stop(cited.title) if lead else f"{at_line_start(title)} ({cited.year}).",
        venue + _stop(cited.venue),
        f"— {remarks}" if remarks else "",
    )
    return joined(*parts)


def _stop(text: str) -> str:
    """The full stop that ends a text, which is none where its own mark does, within a link or italics, too."""
    return ended(text)[len(text) :]


def _outside(work: OutsideWork) -> str:
    name, link = escaped(outside_name(work.paper)), safe_link(work.paper)
    return f"{f'[{name}]({destination(link)})' if link else at_line_start(name)} — {escaped(outside_why(work))}"


def _sentence(sentence: Sentence) -> str:
    pieces = (f"*{escaped(piece.text)}*" if piece.is_word else escaped(piece.text) for piece in sentence.pieces)
    return f"{''.join(pieces)}."


register(
    Format("markdown", "a numbered reference list with links and reasons", "md", "text/markdown", _write, outside=True)
)
