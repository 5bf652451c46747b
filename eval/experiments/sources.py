"""What each source of candidates adds to the pool: BM25, dense vectors, the citation graph."""

from citescout.settings import Settings
from eval.experiments.asking import ask
from eval.experiments.base import Experiment, Inputs, register
from eval.experiments.findings import Findings, counts_of, points, rows_of
from retrieval.first_stage import Source

# The graph expands what the others found, so it never stands alone.
COMBINATIONS: tuple[tuple[Source, ...], ...] = (
    ("bm25",),
    ("dense",),
    ("bm25", "dense"),
    ("bm25", "graph"),
    ("dense", "graph"),
    ("bm25", "dense", "graph"),
)


def run(inputs: Inputs) -> Findings:
    """Rank by reciprocal rank fusion of each combination, nothing learned."""
    variants = {" + ".join(sources): Settings(sources=sources, blend=False, depth=0) for sources in COMBINATIONS}
    measured = ask(inputs, variants)
    rows = rows_of(measured, ("R@100", "R@1000", "F1@20"), seed=inputs.seed)
    return Findings(rows, counts_of(measured), points(rows))


register(Experiment("sources", "What do BM25, dense vectors and the citation graph each add?", run))
