"""`citescout train`: the blend, the reranker and the encoder, from indexes of one's own corpora."""

from pathlib import Path

import click

from cli import training_options as shared
from cli.groups import Sentences
from cli.options import FILE, FOLDER, OUTPUT_FILE, OUTPUT_FOLDER, TakesMany, seed
from cli.train_encoder import encoder
from cli.train_reranker import reranker
from common.errors import TrainingError
from rerank import load_reranker


@click.group("train", cls=Sentences)
def command() -> None:
    """Train the parts of the ranking on your own papers.

    The queries are papers of the indexes, each with everything newer and its own citations hidden. Papers to test on
    must be in the index without their citations, or not at all. A paper is no query if nearly its title (Jaccard of the
    words from 0.7) is that of a paper without citations in its index, or of one that is --held-out.
    """


@command.command("blend", cls=TakesMany)
@shared.indexes("An index whose papers serve as queries; give it several times for several corpora.", required=True)
@shared.held_out("neither queries nor candidates")
@click.option(
    "--queries", default=150, type=click.IntRange(1), help="Training queries from each index, the newest first."
)
@seed
@click.option("--reranker", default="none", help="Also fit how much it weighs.")
@click.option("--depth", default=100, type=click.IntRange(1), help="Candidates that the cross-encoder reads.")
@click.option(
    "--keep-trees",
    is_flag=True,
    help="Keep the order that ships; fit only the cross-encoder's weight, and what says that an index of static "
    "vectors is not about a query.",
)
@click.option(
    "--left-out",
    type=OUTPUT_FOLDER,
    help="A folder for the blends that never saw one index, NAME.json for each, for eval corpora --blend.",
)
@click.option("--jobs", default=1, type=click.IntRange(1), help="Indexes that are asked at once.")
@click.option("--out", type=OUTPUT_FILE, required=True, help="File for the blend.")
def blend(
    directories: tuple[Path, ...],
    sources: tuple[str, ...],
    queries: int,
    seed: int,
    reranker: str,
    depth: int,
    keep_trees: bool,
    left_out: Path | None,
    jobs: int,
    out: Path,
) -> None:
    """Train the learned order of lists.

    Each query is asked as an abstract and in one other form: a title, some sentences, with papers that it cites, of an
    index without vectors; some also of the index as it was years before, and without its newest reference lists.
    Indexes whose names agree up to a hyphen (cities, cities-small) are of one corpus. Of several corpora, two small
    indexes that are cut out of each large one teach too: the 400 papers that are cited most, and 1,000 that cite each
    other. These also teach the order for indexes without citations, by text alone and with libraries of one person that
    are cut out of them.

    With a reranker, give indexes of papers that the reranker was not trained on: where it was, it looks better than
    it is, and would weigh too much.
    """
    from eval.leakage import held_out_titles
    from rerank.blend import Blend, check_replaced
    from rerank.reranking import FILE as RERANKING
    from rerank.reranking import Reranking
    from training.blend.from_index import Trained, fit_weight, train_blend, with_static_fit
    from training.blend.pools import family_of, pools_of_indexes

    if left_out is not None and keep_trees:
        raise TrainingError(
            "--left-out trains an order, and --keep-trees keeps the one that ships: leave out one of them"
        )
    names = _names_of(directories)
    families = set(map(family_of, names)) if left_out else ()
    if left_out is not None and len(families) < 2:
        raise TrainingError("--left-out needs indexes of at least two corpora: name more with --index")
    for path in (out, *(left_out / f"{family}.json" for family in families if left_out)):
        check_replaced(path)
    if Reranking.of(Path(reranker)).weight is not None:
        raise TrainingError(f"{reranker} brings its weight along: leave out --reranker, or delete its {RERANKING}")
    load_reranker(reranker)  # what is no cross-encoder is refused before the work
    leaks = held_out_titles(sources)
    found = list(pools_of_indexes(directories, queries, seed, leaks, jobs, small=reranker == "none"))
    for one in found:
        leaks.add(one.held_out)
    if keep_trees:
        trained = Trained(with_static_fit(Blend.load(), found))
    else:
        trained = train_blend(found, seed, left_out is not None)
        for family, other in trained.left_out.items():
            if left_out is not None:
                left_out.mkdir(parents=True, exist_ok=True)
                other.save(left_out / f"{family}.json")
    blend = trained.blend if reranker == "none" else fit_weight(trained, directories, found, reranker, depth)
    blend.save(out)
    click.echo(str(leaks), err=True)
    click.echo(f"Wrote the blend to {out}")


def _names_of(directories: tuple[Path, ...]) -> list[str]:
    """The names of the folders, which say of which corpus an index is."""
    names = [directory.name for directory in directories]
    if twice := [name for name in names if names.count(name) > 1]:
        raise TrainingError(
            f"two indexes are called {twice[0]!r}, and the name of its folder says of which corpus an index is: rename "
            f"one, to {twice[0]}-2 if both are of one corpus"
        )
    return names


@command.command("contexts")
@click.argument("corpus", type=FILE)
@click.argument("contexts", type=FILE)
@click.option(
    "--index",
    "directory",
    type=FOLDER,
    required=True,
    help="An index of the corpus without what papers of the parts for validation and testing cite, such as "
    "eval contexts --part builds.",
)
@click.option("--every", default=1, type=click.IntRange(1), help="Learn from one sentence in so many.")
@seed
@click.option("--jobs", default=1, type=click.IntRange(1), help="Processes that ask the sentences.")
@click.option("--out", type=OUTPUT_FILE, required=True, help="File for the order.")
def contexts(corpus: Path, contexts: Path, directory: Path, every: int, seed: int, jobs: int, out: Path) -> None:
    """Train the order of lists for single sentences (`cite`).

    CORPUS and CONTEXTS are as for eval contexts. The papers that cite are split by their ids: from the sentences of
    six in ten the encoder of sentences has learned, from those of three in ten (validation) the order learns, and one
    in ten is left for testing. Where no citation is known, it learns from the same sentences in libraries of one person
    that are cut out of the corpus.
    """
    from indexer.generations import served_manifest
    from rerank.blend import check_replaced
    from training.contexts.fitting import labelled_lists, train_context_blend
    from training.contexts.libraries import labelled_libraries

    check_replaced(out)
    _, manifest = served_manifest(directory)
    folds = labelled_lists(directory, corpus, contexts, every, jobs)
    libraries = labelled_libraries(corpus, contexts, manifest.encoder, seed, jobs)
    train_context_blend(directory, folds, libraries, seed).save(out)
    click.echo(f"Wrote the order to {out}")


for _each in (encoder, reranker):
    command.add_command(_each)
