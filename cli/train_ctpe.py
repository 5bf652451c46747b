"""`citescout train encoder --recipe ctpe`: an encoder of one's own that needs no citations and no transformer."""

from pathlib import Path
from typing import Any

import click

from cli import training_options as shared
from cli.options import OUTPUT_FOLDER, TakesMany, seed


@click.command("ctpe", cls=TakesMany)
@shared.indexes("Indexes whose texts are learned from.", required=True)
@click.option("--out", type=OUTPUT_FOLDER, required=True, help="Folder for the encoder.")
@click.option(
    "--split",
    type=click.Choice(["title", "20", "40", "60", "80"]),
    default="title",
    help="Where a text is split: between title and abstract, or behind this percentage of its words.",
)
@click.option(
    "--negatives",
    type=click.Choice(["random", "tfidf"]),
    default="random",
    help="What other paper lends a part; tfidf: half of the time one of the 100 nearest by TF-IDF.",
)
@click.option(
    "--words",
    default="corpus",
    metavar="corpus|random|FILE|encoder:NAME",
    help="Word vectors: word2vec trained on the texts, random ones, a text file such as GloVe's, or a transformer's "
    "input vectors.",
)
@click.option("--dimension", default=100, type=click.IntRange(1), help="Length of word2vec's vectors.")
@click.option("--channels", default=1024, type=click.IntRange(1), help="Filters of each width.")
@click.option("--epochs", default=100, type=click.IntRange(0), help="At most; 0 leaves the network untrained.")
@click.option(
    "--word-epochs",
    default=100,
    type=click.IntRange(1),
    help="Passes of word2vec over the texts, the paper's; 10 take a tenth of the time.",
)
@shared.patience("Epochs without a lower held-out loss.")
@shared.learning_rate
@shared.batch_size
@seed
@shared.checkpoint_every(500)
@shared.resume
@shared.dry_run("the texts and pairs")
def command(directories: tuple[Path, ...], out: Path, resume: bool, dry_run: bool, **given: Any) -> None:
    """Train a coupled text pair embedding on the texts of indexes, for `citescout index --encoder FOLDER`.

    The two parts of a paper learn to be nearer to each other than to parts of other papers; the loss of pairs that are
    held out decides when to stop.
    """
    from training.checkpoints import alone_in
    from training.ctpe.from_index import count_ctpe, train_ctpe
    from training.ctpe.settings import CtpeSettings

    settings = CtpeSettings(**{name: value for name, value in given.items() if value is not None})
    if dry_run:
        click.echo(str(count_ctpe(directories, settings)))
        return
    with alone_in(out):
        counts, course = train_ctpe(directories, out, settings, resume)
    click.echo(str(counts), err=True)
    click.echo(str(course), err=True)
    click.echo(f"Wrote the encoder to {out}")
