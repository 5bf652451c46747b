"""The rows of every table: systems that answer the same queries, all through the one Recommender; runs of a split."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from citescout.queries import read_queries
from citescout.query_years import in_their_years
from citescout.recommender import Recommender
from citescout.systems import SYSTEMS, System, find_system
from common.errors import SourceError
from common.progress import progress
from common.stages import stage_seconds
from eval.answered import AnsweredQueries, Found, delete_answers, run_of, sharing_ids
from eval.indexes import encoder_of, index_of_part, runs_without_vectors
from eval.split import RUNS, read_record
from eval.trec import TAG, read_times, run_path, tag_of, write_run, write_times
from indexer.generations import served_manifest
from rerank import load_reranker
from rerank.blend import Blend
from rerank.cross_encoder import CrossEncoder
from retrieval.copies import with_copies
from retrieval.query import Query

DEPTH = 1000


@dataclass(frozen=True, slots=True)
class Answers:
    """What a system answered to a set of queries."""

    run: dict[str, list[str]]
    seconds: list[float]  # of each query, in their order: the ranking alone


def rows_of(
    names: Sequence[str] = (), cross_encoder: bool = False, depth: int | None = None, vectors: bool = True
) -> list[System]:
    """The systems of these names; without names all that make a list of their own of what there is.

    Args:
        names: As in `citescout.systems`.
        cross_encoder: Whether there is one; if not, only named systems read candidates.
        depth: That it reads in each system; their own without.
        vectors: Whether the index has any.

    Raises:
        QueryError: no such system, or it needs what is not there.
    """
    named = [find_system(name) for name in dict.fromkeys(names)]
    for row in named:
        row.require(cross_encoder, vectors)
    rows = named or [
        row for row in SYSTEMS.values() if (cross_encoder or not row.reads) and (vectors or not row.vectors)
    ]
    return [row.read_to(depth) for row in rows]


@dataclass(frozen=True, slots=True)
class Asked:
    """Which systems answer which queries, and what they are given for it."""

    queries: Sequence[Query]
    rows: Sequence[System]
    reranker: CrossEncoder | None = None
    candidates: Collection[str] | None = None  # that may be answers; None for all papers
    blend: Path | None = None  # None for the one that ships
    finds_copies: bool = False  # whether systems that read no citations do, as in the papers' scripts


def run_systems(directory: Path, asked: Asked, answered: AnsweredQueries[Found] | None = None) -> dict[str, Answers]:
    """Rank the queries with every system; the top 1000 each.

    Nothing that a system learnt from the index is from a query's own year or newer, and other records of its paper
    are no candidates and no evidence: see `citescout.query_years` and `retrieval.copies`.

    Times are of `Recommender.rank` on one query at a time, the newest queries first. Every system answers the first
    one once unmeasured, and the systems take turns in going first, since whoever comes later finds the query's
    postings in memory. It also finds the query's vector, so that each is told the time that making it took.

    What is `answered` is not asked again, and every answer is added to it.
    """
    rows, vectors = asked.rows, any(row.settings.uses_vectors for row in asked.rows)
    of = answered.of if answered else {}
    with Recommender.opened(directory, asked.reranker, Blend.load(asked.blend), vectors=vectors) as whole:
        queries = with_copies(asked.queries, whole.generation.catalog)
        views = in_their_years(whole, queries, done=of)
        for turn, (number, view) in enumerate(progress(views, directory.name, len(queries) - len(of))):
            for row in rows if turn == 0 else ():  # a blank more, so that the query's own vector is still to be made
                view.rank(replace(queries[number], abstract=f"{queries[number].abstract} "), row.settings)
            first, encoding = turn % len(rows), 0.0
            found: dict[str, tuple[float, list[str]]] = {}
            for row in (*rows[first:], *rows[:first]):
                text_alone = "graph" not in row.settings.sources and not row.settings.blend
                query = (asked.queries if asked.finds_copies and text_alone else queries)[number]
                ranking, spent = stage_seconds(partial(view.rank, query, row.settings))
                encoding = max(encoding, spent["encoder"])
                made_before = encoding - spent["encoder"] if row.settings.encodes else 0
                ids = [id_ for id_ in ranking.ids() if asked.candidates is None or id_ in asked.candidates]
                found[row.name] = (spent["whole"] + made_before, ids[:DEPTH])
            of[number] = sharing_ids(found)
            if answered:
                answered.add(number, of[number])
    by_row = {row.name: [of[number][row.name] for number in range(len(queries))] for row in rows}
    return {
        name: Answers({query.id: ids for query, (_, ids) in zip(queries, each, strict=True)}, [one for one, _ in each])
        for name, each in by_row.items()
    }


def kept_answers(folder: Path, directory: Path, asked: Asked) -> AnsweredQueries[Found]:
    """What `run_systems` had answered before it was killed, in a file in `folder`.

    Raises:
        SourceError: the file cannot be read or written.
        ModelError: the blend cannot be loaded.
    """
    run = run_of(
        directory, asked.queries, asked.rows, asked.reranker and asked.reranker.identity,
        asked.candidates and sorted(asked.candidates), Blend.load(asked.blend).digest, asked.finds_copies,
    )  # fmt: skip
    return AnsweredQueries.kept(folder, run, sharing_ids)


def run_split(
    folder: Path,
    part: str,
    names: Sequence[str] = (),
    encoder: str | None = "minilm",
    reranker: str = "none",
    depth: int | None = None,
) -> list[Path]:
    """Index what a part of a split searches, unless that is done, and write `FOLDER/runs/PART/SYSTEM.trec`.

    `times.json` beside them gets the seconds of each query; what it says of systems that do not run stays. A run that
    was killed goes on with the queries that it had not answered.

    Args:
        folder: written by `eval.split`.
        part: "dev" or "test".
        names: of the systems, see `eval.systems.rows_of`.
        encoder: of the index, which has no vectors if the named systems need none; None leaves out those that do.
        reranker: a cross-encoder, for the systems that read with one; "none" leaves them out.
        depth: candidates that it reads in each of them; their own without.

    Raises:
        SourceError: no split there, no such part, a run that another cross-encoder, depth or encoder made, or somebody
            else, damaged times of an earlier run, or an index that is not that of the part, see `eval.indexes`.
        QueryError: see `eval.systems.rows_of`.
        ModelError: the encoder or the reranker cannot be loaded.
    """
    record = read_record(folder)
    papers = folder / f"{part}.papers.jsonl"
    if not papers.is_file():
        instead = "" if record.named is None or part == "test" else ": its test papers were named, ask --part test"
        raise SourceError(f"{folder} has no part {part!r}{instead}")
    rows = rows_of(names, reranker != "none", depth, encoder is not None)
    runs = folder / RUNS / part
    tags = {row.name: _tag(row, reranker, encoder) for row in rows}
    # A tag without an encoder is minilm's, or older than their names in tags: then that of the index, if it is there.
    by_index = None if encoder_of(folder / f"index-{part}") == encoder else encoder
    for row, tag in zip(rows, tags.values(), strict=True):
        if (made := tag_of(path := run_path(runs, row.name))) not in {"", tag, _tag(row, reranker, by_index)}:
            raise SourceError(
                f"{path} holds a run of other settings, which would be lost ({made} in its last column, not {tag}): "
                "rename it, and it stays in the tables, or delete it, or ask with its options"
            )
    loaded = load_reranker(reranker)  # what is wrong with it should not be found out after hours of encoding
    vectors = not names or any(row.settings.uses_vectors for row in rows)
    others = runs_without_vectors(folder, part) if vectors and encoder is not None else {}
    if stale := next((path for name, path in others.items() if name not in tags), None):
        raise SourceError(
            f"{stale} holds a run without vectors, and the index would get some: rename it, and it stays in the "
            "tables, or delete it, or ask with --encoder none"
        )
    known = {_made_by(encoder), _made_by(by_index)}
    if vectors and encoder is not None and (other := _run_of_another_encoder(runs, tags, known)):
        raise SourceError(
            f"{other} holds a run with the vectors of another encoder, beside which those of {encoder} would stand: "
            "rename it, and it stays in the tables, or delete it"
        )
    directory = index_of_part(folder, part, encoder if vectors else None, any_encoder=not vectors)
    if not names and served_manifest(directory)[1].texts_elsewhere:  # an engine scores with the parameters it was given
        rows = [row for row in rows if row.settings.bm25 is None]
    queries = read_queries(str(folder / f"{part}.queries.jsonl"))
    listed = folder / f"{part}.candidates.ids"
    candidates = frozenset(listed.read_text(encoding="utf-8").splitlines()) if listed.is_file() else None
    times = read_times(runs)
    asked = Asked(queries, rows, loaded, candidates, finds_copies=record.protocol.copies)
    answered = kept_answers(runs, directory, asked)
    found = run_systems(directory, asked, answered)
    for name, answers in found.items():
        write_run(run_path(runs, name), answers.run, tags[name])
    write_times(runs, {**times, **{name: answers.seconds for name, answers in found.items()}})
    delete_answers([answered.path])
    return [run_path(runs, name) for name in found]


def _tag(row: System, reranker: str, encoder: str | None) -> str:
    """What the lists of a system depend on beside its name and the papers of the index."""
    made_by = _made_by(encoder) if row.settings.uses_vectors else TAG
    if not row.reads or reranker == "none":
        return made_by
    return "_".join(f"{made_by}:{reranker}:{row.settings.depth or 'its-own'}".split())


def _made_by(encoder: str | None) -> str:
    """How the tag of a run begins whose system looks at vectors; the index does not say it any more once it is gone."""
    return TAG if encoder in {None, "minilm"} else f"{TAG}+{'_'.join(encoder.replace(':', '_').split())}"


def _run_of_another_encoder(runs: Path, asked: Collection[str], known: Collection[str]) -> Path | None:
    """A run of ours that looks at vectors, is not `asked` now, and was not made by one of those `known`."""
    for row in SYSTEMS.values():
        made_by = tag_of(path := run_path(runs, row.name)).partition(":")[0]
        ours = row.settings.uses_vectors and row.name not in asked and made_by.partition("+")[0] == TAG
        if ours and made_by not in known:
            return path
    return None
