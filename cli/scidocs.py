"""`citescout eval scidocs|encoder|embed|clusters`: document encoders, measured as in the SPECTER paper."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.options import ENCODERS, FILE, FOLDER, OUTPUT_FILE, Decorator, Number, seed
from cli.sources import keep_what_is_read
from common.errors import ModelError
from common.words import counted

if TYPE_CHECKING:
    from eval.scidocs.texts import TextFields

TASK_NAMES = ("mag", "mesh", "co-view", "co-read", "cite", "co-cite", "recomm")

_raw = click.option(
    "--raw", is_flag=True, help="Vectors as the model gives them, as in the papers, instead of at length 1."
)
_missing = click.option(
    "--missing",
    type=click.Choice(["penalise", "leave-out"]),
    default="penalise",
    help="Queries and candidates without a vector: count against the encoder, or are left out as in SciDocs' own code.",
)


def _needs(*modules: str) -> None:
    if lacking := [module for module in modules if find_spec(module) is None]:
        raise ModelError(f"this needs {', '.join(lacking)}: pip install 'citescout[eval]'")


def _text(multiple: bool) -> Decorator:
    return click.option(
        "--text",
        "readings" if multiple else "reading",
        type=click.Choice(["title+abstract", "title"]),
        multiple=multiple,
        default=["title+abstract"] if multiple else "title+abstract",
        help="What the encoder reads" + (" (repeatable)." if multiple else "."),
    )


@click.command("scidocs")
@click.argument("data", type=FOLDER)
@click.option("--embeddings", type=FILE, multiple=True, required=True, help="FILE.jsonl of vectors (repeatable).")
@click.option("--task", "tasks", type=click.Choice(TASK_NAMES), multiple=True, help="Only this task (repeatable).")
@click.option("--split", type=click.Choice(["test", "val"]), default="test", help="Papers to measure on.")
@_missing
@click.option("--jobs", default=1, type=click.IntRange(1), help="Processes of the cross-validation.")
def scidocs(data: Path, embeddings: tuple[Path, ...], tasks: tuple[str, ...], **how: Any) -> None:
    """The seven SciDocs tasks on DATA, the published folder, with ready embeddings.

    A line of the embeddings is {"paper_id": …, "embedding": […]}; `citescout eval embed` writes such files. Figures
    are percentages as in the papers; the last line has their average.
    """
    _needs("ir_measures", "pytrec_eval", "sklearn")
    from eval.scidocs.benchmark import Options, run_benchmark, table

    click.echo(table(run_benchmark(data, embeddings, tasks, Options(**how))))


@click.command("encoder")
@click.argument("models", nargs=-1, required=True, metavar=f"{ENCODERS}|FILE.jsonl...")
@click.option(
    "--corpus", "corpora", type=FILE, multiple=True, required=True, help="Papers with citations (repeatable)."
)
@_text(multiple=True)
@click.option("--queries", default=1000, type=click.IntRange(1), help="Queries a task at most.")
@click.option("--positives", default=5, type=click.IntRange(1), help="Related papers a query.")
@click.option("--negatives", default=25, type=click.IntRange(1), help="Unrelated papers a query.")
@click.option("--only", type=FILE, help="Only these papers as queries, one id a line; such as held-out ones.")
@_raw
@_missing
@seed
def encoder(queries: int, positives: int, negatives: int, seed: int, only: Path | None, **measured: Any) -> None:
    """The citation tasks of SciDocs, made from any corpus with citations.

    cite: cited papers among random ones; co-cite: papers that are most often cited along with the query. Candidates are
    ranked by the L2 distance of their vectors. Each figure is a percentage with its bootstrap interval of 95 %. Every
    model, and random vectors, get the same questions.
    """
    _needs("ir_measures", "pytrec_eval")
    from eval.corpora import read_ids
    from eval.scidocs.encoder_protocol import Sampling, evaluate_encoders, table

    allowed = None if only is None else read_ids(only)
    sampling = Sampling(queries, positives, negatives, seed)
    click.echo(table(list(evaluate_encoders(sampling=sampling, only=allowed, **measured))))


@click.command("embed")
@click.argument("model", metavar=ENCODERS)
@click.argument("sources", nargs=-1, required=True)
@click.option("--out", type=OUTPUT_FILE, required=True, help="FILE.jsonl for the vectors.")
@_text(multiple=False)
@_raw
def embed(model: str, sources: tuple[str, ...], out: Path, reading: TextFields, raw: bool) -> None:
    """Write the vectors of an encoder for the papers of SOURCES, in the format of SciDocs.

    SOURCES are files of papers in any format, or SciDocs' paper_metadata_….json.
    """
    from eval.scidocs.texts import export, read_texts

    keep_what_is_read(out, sources)
    written, empty = export(model, read_texts(sources), out, reading, raw)
    left = f"; {counted(empty, 'paper has', 'papers have')} no text" if empty else ""
    click.echo(f"Wrote {counted(written, 'embedding')} to {out}{left}")


@click.command("clusters")
@click.argument("model", metavar=f"{ENCODERS}|FILE.jsonl")
@click.option(
    "--corpus", "corpora", type=FILE, multiple=True, help="Papers of one class, called as the file (repeatable)."
)
@click.option("--scidocs", "data", type=FOLDER, help="Instead: the MAG classes of a folder of SciDocs.")
@click.option("--papers", default=100, type=click.IntRange(1), help="Papers drawn of each class.")
@click.option("--out", type=OUTPUT_FILE, required=True, help="FILE.png or FILE.svg for the picture.")
@_text(multiple=False)
@click.option("--radius", type=Number(0, min_open=True), help="Radius of DBSCAN; by default from the distances.")
@click.option(
    "--neighbours", default=5, type=click.IntRange(1), help="Neighbours that make a paper a core point of DBSCAN."
)
@_raw
@seed
def clusters(
    model: str,
    corpora: tuple[Path, ...],
    data: Path | None,
    papers: int,
    out: Path,
    reading: TextFields,
    radius: float | None,
    neighbours: int,
    raw: bool,
    seed: int,
) -> None:
    """Draw papers of known classes with t-SNE, and measure how well DBSCAN's clusters fit the classes.

    In a FILE.jsonl of vectors for corpora, a paper's id is NAME/ID.
    """
    _needs("sklearn", "matplotlib")
    from eval.scidocs.clusters import check_out, draw, papers_of_corpora, papers_of_scidocs, picture
    from eval.scidocs.texts import vectors

    if bool(corpora) == bool(data):
        raise click.UsageError("give either several --corpus or --scidocs")
    check_out(out)
    labelled = papers_of_scidocs(data, papers, seed) if data else papers_of_corpora(corpora, papers, seed)
    found = picture(labelled, vectors(model, labelled.texts, reading, raw), radius, neighbours, seed=seed)
    draw(found, out, model)
    click.echo(f"{found}\nWrote {out}")


COMMANDS = (scidocs, encoder, embed, clusters)
