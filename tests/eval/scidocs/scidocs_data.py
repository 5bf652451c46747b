"""A small folder in the shape of the published SciDocs data, and embeddings for it."""

import csv
import json
from pathlib import Path

import numpy as np

CLASSES = 4
# The places of a shown list, and how over-represented clicks on them are.
PROPENSITIES = [2.0, 1.0, 0.5, 0.5]


def write_csv(path: Path, header: list[str], rows: list[list[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def write_embeddings_file(path: Path, vectors: dict[str, list[float]]) -> Path:
    path.write_text("".join(json.dumps({"paper_id": i, "embedding": list(v)}) + "\n" for i, v in vectors.items()))
    return path


def make_scidocs(folder: Path, queries: int = 20, clicks: int = 60) -> dict[str, list[float]]:
    """Write all seven tasks below `folder`; the embeddings with which every task is solved."""
    vectors: dict[str, list[float]] = {}

    def paper(name: str, axis: int, shift: float = 0.0) -> str:
        vector = np.zeros(8)
        vector[axis] = 1.0
        vector[7] = shift
        vectors[name] = vector.tolist()
        return name

    for task in ("mag", "mesh"):
        for split, count in (("train", 12), ("val", 5), ("test", 5)):
            # Ids that are numbers with leading zeros: a reader of tables would make them integers.
            rows = [
                [
                    paper(f"0{CLASSES * n + label}{task}{split}" if task == "mesh" else f"00{len(vectors)}", label),
                    str(label),
                ]
                for n in range(count)
                for label in range(CLASSES)
            ]
            write_csv(folder / task / f"{split}.csv", ["pid", "class_label"], rows)
    for task in ("coview", "coread", "cite", "cocite"):
        (folder / task).mkdir()
        for split in ("val", "test"):
            lines = []
            for n in range(queries):
                query = paper(f"{task}-{split}-{n}", n % 4)
                for place in range(30):
                    # Negatives come first: an order kept by accident would not look right.
                    relevant = place >= 25
                    candidate = paper(f"{query}-{place}", n % 4 if relevant else (n + 1) % 4, 0.01 * place)
                    lines.append(f"{query} 0 {candidate} {int(relevant)}\n")
            (folder / task / f"{split}.qrel").write_text("".join(lines))
    metadata: dict[str, dict[str, object]] = {}
    for split in ("train", "val", "test"):
        rows = []
        for n in range(clicks):
            query = paper(f"click-{split}-{n}", n % 4)
            shown = [paper(f"{query}-{place}", (n + 1) % 4) for place in range(4)]
            clicked = paper(shown[n % 4], n % 4)
            rows.append([query, clicked, ",".join(shown)])
            metadata.update({one: {"title": "Paper", "year": 2000, "authors": []} for one in (query, *shown)})
        write_csv(folder / "recomm" / f"{split}.csv", ["pid", "clicked_pid", "other_pids"], rows)
    (folder / "recomm" / "propensity_scores.json").write_text(json.dumps({"scores": PROPENSITIES}))
    (folder / "paper_metadata_recomm.json").write_text(json.dumps(metadata))
    return vectors
