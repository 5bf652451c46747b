"""Texts and vectors of papers, from corpora, from the metadata of SciDocs, or ready-made."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from common.sequences import batches
from encoders.text import Text
from eval.scidocs.embeddings import Embeddings, load_embeddings, write_embeddings
from eval.scidocs.layout import read_metadata
from indexer.generations import load_encoder
from indexer.readers import read_papers

TextFields = Literal["title+abstract", "title"]
EMBEDDINGS = ".jsonl"
_BATCH = 4096


def read_texts(sources: Sequence[str]) -> Iterator[tuple[str, Text]]:
    """(id, text) of every paper, once; files named paper_metadata_….json are read as those of SciDocs.

    Raises:
        SourceError: see `read_papers` and `read_metadata`.
    """
    seen: set[str] = set()
    for source in sources:
        name = Path(source).name
        published = name.startswith("paper_metadata") and name.endswith(".json")
        found = _published(Path(source)) if published else ((one.id, one.text) for one in read_papers([source]))
        for paper, text in found:
            if paper not in seen:
                seen.add(paper)
                yield paper, text


def shortened(text: Text, reading: TextFields) -> Text:
    """What the encoder gets to see of a text."""
    return Text(text.title, "") if reading == "title" else text


def is_file_of_embeddings(model: str) -> bool:
    """Whether what was given in place of a model is a file of its vectors."""
    return model.endswith(EMBEDDINGS)


def vectors(
    model: str, texts: Mapping[str, Text], reading: TextFields = "title+abstract", raw: bool = False
) -> Embeddings:
    """The vectors of these papers: of an encoder, or of a file of embeddings.

    A paper without text, or whose text gives zeros, has none.

    Args:
        model: A preset, folder or hub id of an encoder, or a FILE.jsonl.
        texts: By paper id.
        reading: What the encoder gets to see.
        raw: As the model gives them instead of at length 1.

    Raises:
        SourceError: see `load_embeddings`.
        ModelError: see `load_encoder`.
    """
    if is_file_of_embeddings(model):
        return load_embeddings([Path(model)], texts.keys())
    ids = [paper for paper, text in texts.items() if shortened(text, reading).joined()]
    encoder = load_encoder(model, unit=not raw)
    encoded = encoder.encode([shortened(texts[paper], reading) for paper in ids], progress=True)
    return Embeddings({paper: row for row, paper in enumerate(ids) if encoded[row].any()}, encoded)


def export(
    model: str, texts: Iterable[tuple[str, Text]], out: Path, reading: TextFields = "title+abstract", raw: bool = False
) -> tuple[int, int]:
    """Write the embeddings of an encoder; how many papers are in the file, and how many have no text and are not.

    Raises:
        SourceError: the file cannot be written, or see `read_texts`.
        ModelError: see `load_encoder`.
    """
    empty = 0

    def encoded() -> Iterator[tuple[list[str], NDArray[np.float32]]]:
        nonlocal empty
        encoder = load_encoder(model, unit=not raw)
        for batch in batches(texts, _BATCH):
            kept = [(paper, short) for paper, text in batch if (short := shortened(text, reading)).joined()]
            empty += len(batch) - len(kept)
            if kept:
                yield [paper for paper, _ in kept], encoder.encode([text for _, text in kept], progress=True)

    return write_embeddings(out, encoded()), empty


def _published(path: Path) -> Iterator[tuple[str, Text]]:
    for paper, fields in read_metadata(path).items():
        title, abstract = (
            value if isinstance(value := fields.get(name), str) else "" for name in ("title", "abstract")
        )
        yield paper, Text(title, abstract)
