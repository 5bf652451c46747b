"""`citescout index`: files of papers → an index directory."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.options import FOLDER, Parsed, encoder_option, index_directory
from cli.sources import Duplicates, emptiness_explained, merge_options, reading_options, report_problems
from cli.zotero_source import address_option, database_option, parted
from common.words import counted

if TYPE_CHECKING:
    from indexer.manifest import Manifest


_NO_CITATIONS = (
    "No paper cites another one here, so that lists rest on words and meaning alone. Bibliographies hold no reference "
    "lists; exports of Web of Science, Scopus, Dimensions and the Lens do if these are asked for, and so do data sets "
    "such as one of `citescout fetch openalex`"
)
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]i?)?b?\s*", re.IGNORECASE)


def _bytes(text: str) -> int:
    found = _SIZE.fullmatch(text)
    size = int(float(found[1]) * _UNITS[(found[2] or "").lower()]) if found else 0
    if size <= 0:
        raise ValueError(f"{text!r} is not a size such as 2GB or 500MB")
    return size


MEMORY_SIZE = Parsed("SIZE", _bytes)  # in bytes; GB is 10⁹ of them and GiB 2³⁰


@click.command("index")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@index_directory
@encoder_option("Model that makes the document vectors; none leaves the dense source out.", none=True)
@click.option(
    "--vectors",
    type=click.Choice(["sq8", "fp16", "fp32", "auto"]),
    default=None,
    help="How vectors are kept: 8 bits a coordinate, or floats; auto goes by size and --memory. Without it 8 bits, or "
    "16 where 8 lose more than 1 % of the ten nearest papers (fp16 in Milvus).",
)
@click.option(
    "--search",
    type=click.Choice(["flat", "hnsw", "ivfpq", "auto"]),
    default=None,
    help="How vectors are searched: all compared (default), approximately, or by size and --memory.",
)
@click.option(
    "--memory",
    type=MEMORY_SIZE,
    default=None,
    help="What vectors may take of memory when they are searched, such as 2GB; what is not named is chosen by it.",
)
@click.option(
    "--engine",
    default=None,
    metavar="milvus://HOST:PORT/COLLECTION|milvus-lite:PATH",
    help="Keep texts and vectors in Milvus instead of DIR; docs/milvus.md has the options of an address.",
)
@click.option(
    "--vectors-from",
    type=FOLDER,
    default=None,
    help="Folder that `citescout encode` filled: texts whose vectors are there are not encoded.",
)
@reading_options
@database_option
@address_option
@merge_options
def command(
    sources: tuple[str, ...],
    directory: Path,
    encoder: str | None,
    vectors: str | None,
    search: str | None,
    memory: int | None,
    engine: str | None,
    vectors_from: Path | None,
    format_name: str | None,
    strict: bool,
    zotero_database: str,
    zotero_url: str,
    duplicates: Duplicates,
) -> None:
    """Index the papers of all SOURCEs: files, folders, or - for standard input; plain or compressed.

    Exports of databases and reference managers, JSON lines and data sets such as OpenAlex and Semantic Scholar are
    recognised by their content; docs/formats.md lists all. The source zotero is your own library there,
    zotero/COLLECTION a part of it, zotero:GROUP the library of a group; `citescout sync` then follows it. Of several
    records with one id the last counts, different entries of bibliographies with one key all do; --merge-duplicates
    makes one of those of one paper, and of one paper under several ids.

    An index that is already in DIR is served until the new one is complete; a text that it has encoded, or that a
    killed run had, is not encoded again.
    """
    if encoder is None and (vectors or search or memory or vectors_from):
        raise click.UsageError(
            "--vectors, --vectors-from, --search and --memory are about vectors, which --encoder none leaves out"
        )
    if engine and (search or memory or vectors_from or vectors not in {None, "fp16", "fp32"}):
        raise click.UsageError(
            "--engine keeps vectors as fp16 or fp32, and encodes by itself; its address says how they are searched"
        )
    from common.progress import progress
    from fetch.corpus.recipe import forget_recipe
    from fetch.zotero.syncing import follow
    from indexer.builds import build_index
    from indexer.engines.builds import DEFAULT_FLOATS, build_on_engine
    from indexer.merging import merge_duplicates
    from indexer.readers import ReadReport
    from indexer.vector_choice import AUTO, VectorOptions

    report = ReadReport()
    named = parted(sources, zotero_database, zotero_url, duplicates.merging is not None)
    papers = progress(named.papers(report, strict, format_name), "reading")
    if duplicates.merging:
        papers = merge_duplicates(papers, duplicates.merging)
    with emptiness_explained(report):
        if engine:
            manifest = build_on_engine(papers, directory, engine, encoder, vectors or DEFAULT_FLOATS)
        else:
            default = VectorOptions() if memory is None else VectorOptions(AUTO, AUTO)
            options = VectorOptions(vectors or default.kind, search or default.search, memory)
            manifest = build_index(papers, directory, encoder, options, vectors_from)
    follow(named.zotero, directory)
    forget_recipe(directory)
    papers_and_citations = f"{counted(manifest.papers, 'paper')} with {counted(manifest.citations, 'citation')}"
    click.echo(f"Indexed {papers_and_citations} among them in {directory}")
    if not manifest.citations:
        click.echo(_NO_CITATIONS, err=True)
    _echo_layout(manifest, bool(vectors or search or memory))
    duplicates.tell(directory, "index")
    report_problems(report)


def _echo_layout(manifest: Manifest, asked: bool) -> None:
    """Where texts and vectors are, if not as usual."""
    engine = manifest.engine
    if engine:
        click.echo(f"Texts and vectors are in {engine.address} as {engine.collection}")
        if engine.shortened:
            texts = counted(engine.shortened, "text is", "texts are")
            click.echo(f"{texts} longer than Milvus takes, which searches the first 65,535 bytes", err=True)
        return
    if manifest.encoder and asked:
        click.echo(f"Vectors are kept as {manifest.vectors} and searched by {manifest.search}")
    if manifest.eight_bits:
        click.echo(f"Vectors take 16 bits a coordinate, as 8 would lose too much: {manifest.eight_bits.sentence()}")
    if manifest.recall and manifest.recall.at:
        click.echo(f"Dense search finds {manifest.recall.sentence()}")
