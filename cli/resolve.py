"""`citescout resolve`: which papers of an index are the ones in a bibliography?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.options import format_option, index_directory

if TYPE_CHECKING:
    from retrieval.resolver import Match


@click.command("resolve")
@click.argument("references", nargs=-1, required=True, metavar="REFS...")
@index_directory
@format_option(["table", "jsonl"])
def command(references: tuple[str, ...], directory: Path, format_name: str) -> None:
    """Find the papers of REFS in an index.

    REFS are bibliographies (.bib, .ris, CSL-JSON), papers in any other format that `index` reads, or manuscripts with a
    bibliography or a reference list of their own (.docx, .odt, .pdf, .tex, .md, ...). Each reference is
    looked for by DOI, arXiv id, PMID, id and title, and then by a title that is similar.
    """
    import orjson

    from citescout.manuscript_citations import resolved
    from citescout.queries import read_works
    from cli.sources import report_problems
    from common.sequences import batches
    from indexer.generations import open_generation
    from indexer.readers import ReadReport
    from retrieval.opening import open_sparse
    from retrieval.resolver import BATCH, Resolver, summary

    report = ReadReport()
    matches = []
    with open_generation(directory) as generation:
        resolver = Resolver(generation.catalog, lambda: open_sparse(generation), alive=~generation.removed)
        for works in batches(read_works(references, report), BATCH):
            for match in resolved(resolver.resolve, works, by_id=True):
                matches.append(match)
                click.echo(orjson.dumps(_record(match)).decode() if format_name == "jsonl" else _row(match))
    click.echo(summary(matches), err=True)
    report_problems(report)


def _record(match: Match) -> dict[str, object]:
    return {
        "reference": match.reference.id,
        "title": match.reference.title,
        "paper": match.paper.id if match.paper else None,
        "how": match.how,
        "score": round(match.score, 4),
        "retracted": bool(match.paper and match.paper.retracted),
    }


def _row(match: Match) -> str:
    from cli.references import one_line
    from exports.reason_sentences import retraction

    if match.paper is None:
        return f"-            {one_line(match.reference)}"
    found = " · ".join(filter(None, (one_line(match.paper), retraction(match.paper))))
    how = f"{match.how} {match.score:.2f}" if match.how == "fuzzy" else match.how
    return f"{how:<12} {one_line(match.reference)}\n{'':<12} = {found}"
