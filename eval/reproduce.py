"""Whether expected figures come out again: measured again and compared with what is written down."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from common.errors import SourceError
from eval.comparison import score_files
from eval.corpora import find_corpora
from eval.expected import Expectation, Row
from eval.experiments.base import Inputs, experiments
from eval.experiments.findings import values_of
from eval.indexes import index_of_papers
from eval.metrics import METRICS, score_queries
from eval.protocols import PROTOCOLS
from eval.split import write_split
from eval.systems import run_split
from eval.trec import read_qrels, read_run, run_path
from indexer.readers import read_papers
from training.contexts.sentences import PARTS, Part

Found = dict[str, float]  # figure → value
_RUN = ".trec"
_FIGURES = tuple(METRICS)
_CUT = 20  # the collections' figures are all of the best 20 (CTPE 2022, section 4.3)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One figure, expected and found."""

    row: str
    figure: str
    expected: float
    found: float
    tolerance: float

    @property
    def holds(self) -> bool:
        """Within the tolerance, which takes in the rounding of what is written down."""
        return abs(self.found - self.expected) <= self.tolerance + 5e-4


def lacking(expectation: Expectation, models: Mapping[str, str]) -> dict[str, str]:
    """By row, what has to be given before it can be measured; nothing of rows that can."""
    return {name: row.model for name, row in expectation.rows.items() if row.model and name not in models}


def reproduce(
    expectation: Expectation, work: Path, sources: Sequence[str], models: Mapping[str, str] | None = None
) -> list[Outcome]:
    """Measure every row that can be measured with `sources`, below `work`.

    Args:
        expectation: What is expected.
        work: For indexes and runs; what is there already is taken again.
        sources: Papers, SciDocs' folder, or the folder of a collection.
        models: By row, a cross-encoder, an encoder, a FILE.jsonl of embeddings, or a FILE.trec of somebody's run.

    Raises:
        SourceError: no source is given, or one cannot be read, or a model is for a row that is not there or needs none.
    """
    models = models or {}
    name = expectation.name
    if not sources:
        raise SourceError(f"{name} needs {expectation.data}: citescout eval reproduce {name} --data FILE_OR_FOLDER")
    with_model = {row: one.model for row, one in expectation.rows.items() if one.model}
    if unknown := sorted(models.keys() - with_model.keys()):
        raise SourceError(
            f"{name} has no row {unknown[0]!r} that takes a model: {'; '.join(with_model) or 'none does'}"
        )
    missing = lacking(expectation, models)
    rows = {row: one for row, one in expectation.rows.items() if row not in missing}
    if not rows:
        raise SourceError(f"no row of {name} can be measured without a model: --model '{next(iter(missing))}=…'")
    if expectation.experiment:
        found = _experiment(expectation, rows, work, sources)
    elif expectation.benchmark == "scidocs":
        found = {row: _scidocs(Path(sources[0]), models[row], work / name) for row in rows}
    elif expectation.benchmark == "contexts":
        found = _contexts(expectation, work / name, sources)
    elif expectation.benchmark == "collection":
        found = _collection(Path(sources[0]), rows, models, work / name)
    else:
        found = _split(expectation, rows, models, work / name, sources)
    return [
        Outcome(row, figure, value, found[row][figure], expectation.tolerance)
        for row, one in rows.items()
        for figure, value in one.figures.items()
    ]


def _split(
    expectation: Expectation, rows: Mapping[str, Row], models: Mapping[str, str], folder: Path, sources: Sequence[str]
) -> dict[str, Found]:
    protocol = PROTOCOLS[expectation.protocol or "corpus"]
    if expectation.train_share is not None:
        protocol = replace(protocol, train_share=expectation.train_share)
    try:
        write_split(read_papers(sources), protocol, folder)
    except SourceError as error:
        if expectation.data is None:
            raise
        raise SourceError(
            f"{expectation.name} needs {expectation.data}, and what is given will not do: {error}"
        ) from None
    gold = read_qrels(folder / f"{expectation.part}.qrels")[0]
    encoder = "minilm" if expectation.data is None else None  # no published row is of vectors
    plain = [one.system for row, one in rows.items() if row not in models and one.system]
    if plain:
        run_split(folder, expectation.part, plain, encoder)
    found = {}
    for row, one in rows.items():
        path = run_path(folder / "runs" / expectation.part, one.system or "")
        if row in models and (models[row].endswith(_RUN) or one.system is None):
            path = Path(models[row])
        elif row in models:
            path.unlink(missing_ok=True)  # of a model of another row
            run_split(folder, expectation.part, [one.system or ""], encoder, models[row])
        found[row] = values_of(next(iter(score_files(gold, [path]).values())), _FIGURES)
    return found


def _experiment(
    expectation: Expectation, rows: Mapping[str, Row], work: Path, sources: Sequence[str]
) -> dict[str, Found]:
    index = index_of_papers(lambda: read_papers(sources), work / "index", "minilm", ", ".join(sources))
    inputs = Inputs((index,), work / expectation.name, queries=expectation.queries)
    findings = experiments()[expectation.experiment or ""].run(inputs)
    variants = {row.name: {name: one.value for name, one in row.figures.items()} for row in findings.rows}
    return {row: variants[one.system or row] for row, one in rows.items()}


def _scidocs(data: Path, model: str, folder: Path) -> Found:
    """Every metric as "TASK METRIC", the mean of each group of tasks, and the average over the metrics."""
    from eval.scidocs.benchmark import run_benchmark
    from eval.scidocs.texts import export, is_file_of_embeddings, read_texts

    embeddings = Path(model)
    if not is_file_of_embeddings(model):
        folder.mkdir(parents=True, exist_ok=True)
        embeddings = folder / f"{embeddings.name}.jsonl"
        export(model, read_texts(sorted(map(str, data.glob("paper_metadata_*.json")))), embeddings, raw=True)
    result = run_benchmark(data, [embeddings])
    metrics = {f"{task} {metric}": value for task, one in result.tasks.items() for metric, value in one.metrics.items()}
    return {**metrics, **result.group_means(), "Avg.": result.mean() or 0.0}


def _contexts(expectation: Expectation, work: Path, sources: Sequence[str]) -> dict[str, Found]:
    """By what is asked, and of BM25 by the sentence alone; the sources are a corpus and the sentences of its papers."""
    if len(sources) != 2:
        raise SourceError(f"{expectation.name} needs two files, one --data for each: {expectation.data}")
    from eval.contexts import BM25, FORMS, MEASURES, NAMES, measure

    corpus, contexts = map(Path, sources)
    part: Part = next(part for part in PARTS if part == expectation.part)
    scores = measure(corpus, contexts, work, part, expectation.queries)
    found = {FORMS[one.form]: one.ours for one in scores} | {BM25: scores[0].bm25}
    return {
        row: {NAMES.get(measure, measure): intervals[measure].value for measure in MEASURES}
        for row, intervals in found.items()
    }


def _collection(data: Path, rows: Mapping[str, Row], models: Mapping[str, str], work: Path) -> dict[str, Found]:
    from eval.baselines_protocol import evaluate_baselines

    corpus = find_corpora(data)[0]
    gold = corpus.test_set().qrels
    runs = {row: Path(models[row]) for row in rows if models.get(row, "").endswith(_RUN)}
    systems = {row: f"encoder:{models[row]}" if row in models else one.system or "" for row, one in rows.items()}
    systems = {row: system for row, system in systems.items() if row not in runs}
    if systems:
        evaluate_baselines(data, work, [corpus.name], systems=sorted(set(systems.values())))
    runs |= {row: run_path(work / "runs" / corpus.name, system) for row, system in systems.items()}
    best = {row: {query: papers[:_CUT] for query, papers in read_run(path).items()} for row, path in runs.items()}
    return {row: values_of(score_queries(gold, run), _FIGURES) for row, run in best.items()}
