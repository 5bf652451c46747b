"""Every ablation of `ablation_tables` as an experiment: each variant trained, asked, and put beside what was published.

What comes out of few papers and steps is no verdict on a paper; each table says so, with its sizes.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from common.errors import SourceError
from eval.experiments.ablation import Ablation, Coupled, Tuned, Variant
from eval.experiments.ablation_corpora import Corpora, open_corpora
from eval.experiments.ablation_tables import ABLATIONS
from eval.experiments.ablation_variants import Unmeasured, base_of, given, make
from eval.experiments.base import Experiment, Inputs, register
from eval.experiments.ctpe_collections import write_collection
from eval.experiments.findings import Findings, Measured, Panel, Row, counts_of, points, rows_of


def run(ablation: Ablation, inputs: Inputs) -> Findings:
    """Train and ask the variants one after the other; what they trained stays below the folder of the results.

    Raises:
        SourceError: a corpus, a variant or a file that was named is not there, results are there already, or the first
            variant cannot be measured.
        CitescoutError: a model or a library is missing, or training fails.
    """
    variants = ablation.chosen(inputs.variants)
    models = inputs.out / ablation.name
    _check(ablation, variants, models, inputs)
    corpora = open_corpora(_folder(inputs), inputs)
    measured: dict[str, Measured] = {}
    notes = [_caution(ablation, corpora, inputs)]
    for number, variant in enumerate(variants, start=1):
        try:
            made = make(variant.making, corpora, models / str(number), inputs)
        except Unmeasured as why:
            if not measured:
                raise SourceError(f"{ablation.name} compares with {variant.name!r}: {why}") from None
            notes.append(f"{variant.name}: not measured, {why}.")
            continue
        measured[variant.name] = corpora.measure(made.ranker, made.reads, ablation.depth)
        if made.note:
            notes.append(f"{variant.name} (model {number}): {made.note}.")
    rows = rows_of(measured, ablation.figures, seed=inputs.seed)
    return Findings(rows, counts_of(measured), _panels(ablation, rows), ablation.published, tuple(notes))


def _check(ablation: Ablation, variants: tuple[Variant, ...], models: Path, inputs: Inputs) -> None:
    """What is wrong with names and files should not be found out after hours of training."""
    from encoders.word_vectors import require_gensim
    from training.encoder.model import load_trainable
    from training.encoder.settings import SPECTER

    if models.exists() and any(models.iterdir()):
        raise SourceError(f"{models} has models of an earlier run: delete it, or name another folder with --out")
    for option, pairs in (("--init", inputs.inits), ("--signal", inputs.signals), ("--words", inputs.words)):
        given(pairs, option)
    for file in given(inputs.signals, "--signal").values():
        if not Path(file).exists():
            raise SourceError(f"no file of triplets at {file}")
    bases = set()
    for variant in variants:
        if isinstance(variant.making, Tuned):
            try:
                bases.add(base_of(variant.making, inputs))
            except Unmeasured:
                continue
    for base in sorted(bases):
        load_trainable(base, SPECTER)
    if any(isinstance(variant.making, Coupled) for variant in variants):
        require_gensim()


def _folder(inputs: Inputs) -> Path:
    """The folder of corpora: the user's, or that of a collection which is drawn now.

    Raises:
        SourceError: none is given, or several.
    """
    sources = {"dblp": inputs.dblp, "arxiv": inputs.arxiv}
    drawn = {name: papers for name, papers in sources.items() if papers}
    if len(drawn) + (inputs.corpora is not None) != 1:
        raise SourceError("name one source of papers: --corpora, or --dblp or --arxiv for an experiment of CTPE")
    if inputs.corpora is not None:
        return inputs.corpora
    ((name, papers),) = drawn.items()
    folder = inputs.out / "collections"
    write_collection(name, papers, folder, inputs.candidates, inputs.seed)
    return folder


def _caution(ablation: Ablation, corpora: Corpora, inputs: Inputs) -> str:
    papers = sum(len(one.papers) for one in corpora.tested.values())
    steps = f", at most {inputs.most_steps:,} steps" if inputs.most_steps else ""
    found = f" Published (a figure without numbers): {ablation.finding}." if ablation.finding else ""
    return (
        f"{ablation.paper}. Here: {papers:,} papers{steps}. The paper had {ablation.size}: what is found at this size "
        f"is no verdict on it.{found}"
    )


def _panels(ablation: Ablation, found: tuple[Row, ...]) -> tuple[Panel, ...]:
    if not ablation.axis:
        return points(found)
    by_rank = {int(row.name.rpartition(" ")[2]): row for row in found}
    ranks = sorted(by_rank)
    places = tuple(map(str, ranks))
    return tuple(
        Panel("lines", places, {one: [by_rank[rank].figures[one] for rank in ranks]}, one, ablation.axis)
        for one in ablation.figures
    )


for _one in ABLATIONS:
    register(Experiment(_one.name, _one.question, partial(run, _one), _one.options, _one.paper, on_corpora=True))
