"""The job: shares of the sources → portions of papers → parts of a folder, each step on any node of a cluster.

Ray Data moves portions from readers to encoders, starts what was lost with a node again, and keeps readers from
running ahead. An encoder writes a part before it hands on that it did. So a part that is there is done, whatever dies:
a portion whose encoder was lost is encoded again, and a job that is started again reads everything and encodes what
no part has.
"""

import os
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from common.errors import CitescoutError, ClusterError
from common.progress import counter
from encoders.base import Encoder
from encoders.model import folder_named
from indexer.bulk.cluster import connected, divide, require_ray, threads_of
from indexer.bulk.folder import PARTS, Description, describe, filling, finish, known_rows
from indexer.bulk.parts import Part, write_part
from indexer.bulk.portions import COLUMNS, Portion, add_up, portions
from indexer.encoding import CHUNK, text_key
from indexer.generations import load_encoder
from indexer.readers import ReadReport
from indexer.readers.apart import Share, shares

# Never what an encoder books: Ray would make one step of the two, on one node.
_CPUS_OF_A_READER = 0.25
_ADDED_BY_RAY = "\nFailed to apply UDF"  # and how to have it tried again


@dataclass(frozen=True, slots=True)
class Encoded:
    """What a job has done."""

    folder: Description
    encoded: int  # papers
    known: int  # papers that parts had already


@dataclass(frozen=True, slots=True)
class _Task:
    """What every process of a job must agree on."""

    directory: str  # absolute
    encoder: str
    digest: str
    run: str
    part_papers: int
    strict: bool
    cpus_per_encoder: float


def encode_corpus(
    sources: Sequence[str],
    directory: Path,
    encoder: str = "minilm",
    cluster: str | None = None,
    *,
    format: str | None = None,
    strict: bool = False,
    part_papers: int = CHUNK,
    report: ReadReport | None = None,
) -> Encoded:
    """Encode the papers of `sources` into the folder of vectors `directory`, and leave out what it has already.

    Args:
        sources: Files and folders, at the same place on every node.
        directory: On storage that all nodes share.
        encoder: A preset, model folder or hub id, the same on every node.
        cluster: "host:port" of a Ray cluster that this machine is part of; None starts one for the time of the job.
        format: Name of the sources' format where detection is not wanted.
        strict: Stop at the first malformed record.
        part_papers: Papers in a part, which is what an encoder that is killed loses.
        report: What happened while the sources were read.

    Raises:
        SourceError, RecordError: as `read_papers`.
        ModelError: the encoder cannot be loaded.
        VectorFolderError: the folder is of another encoder, damaged, or cannot be written.
        IndexLockedError: another process fills the folder.
        ClusterError: Ray is not installed or not reached, a node differs from this one, or there is no paper.
    """
    require_ray()
    reading = ReadReport() if report is None else report
    parted = shares(sources, format, reading)
    with connected(cluster) as cpus:  # first: Ray forks, which a process with torch's threads should not
        division = divide(cpus)
        model = load_encoder(encoder)
        task = _Task(
            directory=str(directory.absolute()),
            encoder=str(folder_named(encoder).absolute()) if folder_named(encoder).is_dir() else encoder,
            digest=model.digest,
            run=uuid.uuid4().hex,
            part_papers=part_papers,
            strict=strict,
            cpus_per_encoder=division.cpus_per_encoder,
        )
        with filling(directory, model, task.run):
            encoded, reports = _counted(_run(parted, task, division.encoders))
            known = add_up(reports, reading)
            if encoded + known == 0:
                raise ClusterError(
                    f"no paper to encode: the sources hold none that could be read{reading.why_nothing()}"
                )
            return Encoded(finish(directory), encoded, known)


def _counted(parts: Iterator[tuple[int, str]]) -> tuple[int, list[str]]:
    """How many papers were encoded, and what shares report."""
    encoded = 0
    reports = []
    with counter("encoding") as bar:
        for papers, report in parts:
            encoded += papers
            bar.update(papers)
            if report:
                reports.append(report)
    return encoded, reports


def _run(parted: list[Share], task: _Task, encoders: int) -> Iterator[tuple[int, str]]:
    """Run the job; yields how many papers are in the next part, and the report of a share that is read.

    Raises:
        CitescoutError: what a reader or an encoder raised, or that the cluster could not go on.
    """
    import ray
    import ray.data

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.target_max_block_size = 1  # a portion a block: an encoder takes one at a time, any other may have the next
    known = ray.put(known_rows(Path(task.directory)))
    dataset = (
        ray.data.from_items([{"share": number} for number in range(len(parted))], override_num_blocks=len(parted))
        .map_batches(
            _read, batch_size=1, num_cpus=_CPUS_OF_A_READER, fn_kwargs={"parted": parted, "known": known, "task": task}
        )
        .map_batches(
            _EncodeAndWrite,
            batch_size=1,
            num_cpus=task.cpus_per_encoder,
            # One has to be there; a node that is lost takes its own along. Each has one portion and the next, so that
            # those that start first leave some to the others.
            compute=ray.data.ActorPoolStrategy(
                min_size=1, max_size=encoders, initial_size=encoders, max_tasks_in_flight_per_actor=2
            ),
            fn_constructor_args=(task,),
        )
    )
    try:
        for row in dataset.iter_rows():
            yield int(row["papers"]), str(row["report"])
    except ray.exceptions.RayError as error:
        raise _cause(error) from error


def _read(batch: dict[str, Any], parted: list[Share], known: Any, task: _Task) -> Iterator[dict[str, list[Any]]]:
    """The portions of one share."""
    import ray

    for number in batch["share"]:
        for portion in portions(parted[number], ray.get(known), task.part_papers, task.strict):
            yield {column: [getattr(portion, column)] for column in COLUMNS}


class _EncodeAndWrite:
    """Portions → parts. A process of its own, which loads the encoder with its first portion."""

    def __init__(self, task: _Task) -> None:
        self._task = task
        self._folder = Path(task.directory)

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        """Encode and write; hands on how many papers there were."""
        papers = []
        for ids, titles, abstracts, report in zip(*map(batch.get, COLUMNS), strict=True):
            portion = Portion(list(ids), list(titles), list(abstracts), report)
            if portion.ids:
                vectors = self._encoder.encode(portion.texts)
                keys = [text_key(text) for text in portion.texts]
                self._check_folder()
                write_part(self._folder / PARTS, Part(portion.ids, keys, vectors), self._task.digest)
            papers.append(len(portion.ids))
        return {"papers": papers, "report": list(batch["report"])}

    @cached_property
    def _encoder(self) -> Encoder:
        """The encoder, with its share of the node's processors.

        Raises:
            ClusterError: this node has another model by that name.
        """
        self._check_folder()
        os.environ["OMP_NUM_THREADS"] = str(threads_of(_cpus_here(), self._task.cpus_per_encoder))
        encoder = load_encoder(self._task.encoder)
        if encoder.digest != self._task.digest:
            raise ClusterError(f"node {_node_here()} has another model by the name of '{self._task.encoder}'")
        return encoder

    def _check_folder(self) -> None:
        """Raise ClusterError unless this node sees the folder, and no later run has taken it over."""
        try:
            run = describe(self._folder).run
        except CitescoutError as error:
            raise ClusterError(f"node {_node_here()} does not share the folder of the vectors: {error}") from None
        if run != self._task.run:
            raise ClusterError(f"another run has taken over {self._folder}")


def _node_here() -> str:
    import ray

    return str(ray.util.get_node_ip_address())


def _cpus_here() -> float:
    import ray

    here = ray.get_runtime_context().get_node_id()
    return next(float(node["Resources"].get("CPU", 1)) for node in ray.nodes() if node["NodeID"] == here)


def _cause(error: BaseException) -> BaseException:
    """What is reported: the error of ours that a node raised, or that the cluster failed; a bug stays what it is."""
    import ray

    found: BaseException | None = error
    while found is not None:
        # Ray's own error is of the class of its cause as well, but says it with a trace.
        if isinstance(found, CitescoutError) and not isinstance(found, ray.exceptions.RayError):
            return type(found)(str(found).split(_ADDED_BY_RAY)[0])
        found = getattr(found, "cause", None) or found.__cause__
    if isinstance(error, ray.exceptions.RayTaskError):
        return error  # type: ignore[no-any-return]
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return ClusterError(f"the cluster could not go on ({lines[0] if lines else type(error).__name__}): run it again")
