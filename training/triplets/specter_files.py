"""The training files of the SPECTER code: data.json, metadata.json and, if there is one, train.txt.

data.json is {paper: {other paper: {"count": n}}}: 5 for a paper that it cites, 1 for one that a cited paper cites.
metadata.json is {paper: {"title": …, "abstract": …}}, and train.txt names the queries, one a line.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from common.arrays import contained, ordered, unordered
from common.errors import SourceError
from encoders.text import Text
from training.triplets.sampling import EasyPool, Edges, Mix, Triplets, assemble, joined

_DATA, _METADATA, _TRAIN = "data.json", "metadata.json", "train.txt"
_CITED = 2  # counts from here on are citations, lower ones citations of citations


def is_specter(path: Path) -> bool:
    """Whether `path` is a folder of such files, or the data.json in one."""
    return path.is_dir() or (path.name == _DATA and path.with_name(_METADATA).exists())


def read_specter(path: Path, mix: Mix, seed: int = 0) -> Triplets:
    """Draw `mix` for every query.

    Raises:
        SourceError: a file is missing or damaged, or a paper is without text: which one, and where.
    """
    folder = path if path.is_dir() else path.parent
    metadata = _object(folder / _METADATA)
    numbers = {id_: number for number, id_ in enumerate(metadata)}
    texts = [_text(folder / _METADATA, id_, paper) for id_, paper in metadata.items()]
    names, cited, hard, related = _relations(folder, numbers)
    queries = np.asarray([numbers[name] for name in names], np.int64)

    def allowed(at: NDArray[np.int64], drawn: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.asarray((drawn != queries[at]) & ~contained(unordered(queries[at], drawn), related))

    pool = EasyPool.of_all(np.arange(len(texts)), len(queries), allowed)
    # A pair that is cited one way is no hard negative the other way.
    linked = np.unique(unordered(queries[cited[0]], cited[1]))
    keep = ~contained(unordered(queries[hard[0]], hard[1]), linked)
    sampled, _ = assemble(queries, cited, (hard[0][keep], hard[1][keep]), pool, mix, np.random.default_rng(seed))
    return joined([(texts, sampled, linked)])


def _relations(folder: Path, numbers: dict[str, int]) -> tuple[list[str], Edges, Edges, NDArray[np.int64]]:
    """The queries, the papers that they cite, citations of these, and all pairs that data.json names."""
    path = folder / _DATA
    data = _object(path)
    names = _queries(folder, data)
    edges: list[tuple[int, int, int]] = []
    for place, name in enumerate(names):
        if name not in numbers:
            raise SourceError(f"{path}: paper {name!r} is not in {_METADATA}")
        others = data[name]
        if not isinstance(others, dict):
            raise SourceError(f"{path}: what belongs to paper {name!r} is no object")
        for other, value in others.items():
            if other not in numbers:
                raise SourceError(f"{path}: paper {other!r}, named by {name!r}, is not in {_METADATA}")
            count = value.get("count") if isinstance(value, dict) else None
            if not isinstance(count, int | float):
                raise SourceError(f'{path}: paper {other!r} of {name!r} has no number as "count"')
            if other != name:
                edges.append((place, numbers[other], int(count >= _CITED)))
    table = np.asarray(edges, np.int64).reshape(-1, 3)
    table = table[np.argsort(ordered(table[:, 0], table[:, 1]), kind="stable")]
    own = np.asarray([numbers[name] for name in names], np.int64)
    related = np.unique(unordered(own[table[:, 0]], table[:, 1]))
    cited, hard = (table[table[:, 2] == kind] for kind in (1, 0))
    return names, (cited[:, 0], cited[:, 1]), (hard[:, 0], hard[:, 1]), related


def _queries(folder: Path, data: dict[str, Any]) -> list[str]:
    path = folder / _TRAIN
    if not path.exists():
        return list(data)
    wanted = dict.fromkeys(line.strip() for line in path.read_text("utf-8", "replace").splitlines() if line.strip())
    return [name for name in wanted if name in data]


def _object(path: Path) -> dict[str, Any]:
    try:
        value = orjson.loads(path.read_bytes())
    except OSError as error:
        raise SourceError(f"cannot read {path} ({error.strerror or error})") from None
    except orjson.JSONDecodeError as error:
        raise SourceError(f"{path} line {error.lineno}: no valid JSON ({error.msg})") from None
    if not isinstance(value, dict):
        raise SourceError(f"{path}: no JSON object of papers")
    return value


def _text(path: Path, id_: str, paper: Any) -> Text:
    title, abstract = (paper.get(part) or "" for part in Text._fields) if isinstance(paper, dict) else ("", "")
    if not isinstance(title, str) or not isinstance(abstract, str) or not (title.strip() or abstract.strip()):
        raise SourceError(f"{path}: paper {id_!r} has neither title nor abstract")
    return Text(title, abstract)
