"""`citescout cite`: a sentence of a paper → what to cite there."""

import sys
from dataclasses import replace

import click

from cli.recommend import answers_queries
from cli.references import WholePaper
from cli.setting_options import year_option
from cli.sources import main_file
from common.errors import QueryError
from common.schema import FieldError
from common.text import name_of
from retrieval.query import Query


@click.command("cite")
@click.argument("sentence")
@click.option(
    "--draft",
    metavar="FILE",
    callback=main_file,
    help="The paper that the sentence stands in, as `recommend` reads it: its title, its abstract and what it cites "
    "already say what the sentence is about.",
)
@year_option("Only papers up to this year; else up to that of the draft, if it has one.")
@answers_queries
def command(sentence: str, draft: str | None, year: int | None) -> list[Query] | WholePaper:
    r"""Recommend papers to cite in one place of a paper: for SENTENCE, one to three sentences in quotes.

    SENTENCE is - for standard input. A mark such as [CITATION], [?], \cite{key} or [@key] says where in it the
    citation goes. What the paper cites elsewhere (--cited, or of the draft) is not recommended again, and is the
    best evidence of what it cites here. The score is the chance in per cent that the paper is cited there. Below
    each paper stands the sentence of its abstract that supports it best.
    """
    from citescout.queries import read_asked
    from manuscripts.files import decoded

    if sentence == "-":
        sentence = decoded(sys.stdin.buffer.read())
    if not sentence.strip():
        raise QueryError("SENTENCE is empty: give the sentence to cite for, in quotes")
    try:
        query = Query(context=sentence)
    except FieldError as error:
        raise error.renamed(lambda _: "SENTENCE") from None
    if draft is not None:
        drafts = read_asked(draft, part=True)
        if not isinstance(drafts, list):
            return WholePaper(drafts, name_of(draft), sentence, year)
        if len(drafts) > 1:
            raise QueryError(f"{draft} holds {len(drafts)} papers: --draft is one, that the sentence stands in")
        query = replace(drafts[0], context=sentence)
    return [replace(query, year=query.year if year is None else year)]
