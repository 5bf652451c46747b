"""How well the classes of papers hold together in a t-SNE picture (SPECTER paper, section 6, figure 2).

The picture is cut into clusters by DBSCAN (Ester et al. 1996), and the clusters are held against the classes by
homogeneity and completeness (Rosenberg and Hirschberg 2007). The paper does not give its radius; ours is the distance
within which nine papers in ten have enough neighbours. Papers in no cluster count as one more cluster.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from common.errors import SourceError, os_errors
from encoders.text import Text
from eval.corpora import sampled
from eval.scidocs.embeddings import Embeddings
from eval.scidocs.layout import METADATA_MAG_MESH, read_labels
from eval.scidocs.texts import read_texts
from eval.trec import name_of

NOISE = -1
_CORE_SHARE = 0.9
_SHUFFLES = 20
_PERPLEXITY = 30.0  # of t-SNE; lowered where there are few papers


@dataclass(frozen=True, slots=True)
class Labelled:
    """Papers of known classes."""

    texts: Mapping[str, Text]  # by paper id
    classes: Mapping[str, str]  # by the same ids


@dataclass(frozen=True, slots=True)
class Picture:
    """Papers on a plane, and how their clusters fit their classes."""

    points: NDArray[np.float32]  # (papers, 2)
    classes: tuple[str, ...]  # of each point
    clusters: NDArray[np.int64]  # of each point; NOISE for none
    radius: float
    homogeneity: float  # 0 to 1; 1 where no cluster holds two classes
    completeness: float  # 0 to 1; 1 where no class lies in two clusters
    chance: tuple[float, float]  # both with the classes shuffled, the mean over shuffles
    missing: int  # papers without a vector, which are not in the picture

    def __str__(self) -> str:
        count, noise = len(set(self.clusters.tolist()) - {NOISE}), float((self.clusters == NOISE).mean())
        return (
            f"homogeneity {self.homogeneity:.3f}, completeness {self.completeness:.3f} (with shuffled classes "
            f"{self.chance[0]:.3f} and {self.chance[1]:.3f})\n{len(self.points)} papers of {len(set(self.classes))} "
            f"classes in {count} clusters of radius {self.radius:.2f}, {100 * noise:.0f} % in none; "
            f"{self.missing} without a vector"
        )


def papers_of_corpora(corpora: Sequence[Path], per_class: int, seed: int = 0) -> Labelled:
    """So many papers of each corpus; a paper's id is NAME/ID and its class the NAME of the corpus.

    Raises:
        SourceError: see `read_texts`; or two files have the same name.
    """
    texts: dict[str, Text] = {}
    classes: dict[str, str] = {}
    for path in corpora:
        name = name_of(path)
        if name in classes.values():
            raise SourceError(f"{path}: there are two corpora called {name}")
        found = {paper: text for paper, text in read_texts([str(path)]) if text.joined()}
        for paper in sampled(sorted(found), per_class, seed):
            texts[f"{name}/{paper}"], classes[f"{name}/{paper}"] = found[paper], name
    return Labelled(texts, classes)


def papers_of_scidocs(data: Path, per_class: int, seed: int = 0) -> Labelled:
    """So many test papers of each of the classes of the MAG task; papers without metadata have no text.

    Raises:
        SourceError: see `read_labels` and `read_texts`.
    """
    members: dict[str, list[str]] = defaultdict(list)
    for paper, label in read_labels(data / "mag" / "test.csv"):
        members[label].append(paper)
    classes = {paper: label for label in sorted(members) for paper in sampled(sorted(members[label]), per_class, seed)}
    metadata = data / METADATA_MAG_MESH
    known = dict(read_texts([str(metadata)])) if metadata.is_file() else {}
    return Labelled({paper: known.get(paper, Text("", "")) for paper in classes}, classes)


def picture(
    labelled: Labelled,
    embeddings: Embeddings,
    radius: float | None = None,
    neighbours: int = 5,
    seed: int = 0,
) -> Picture:
    """Project, cluster and compare.

    Args:
        labelled: The papers.
        embeddings: Their vectors.
        radius: Of DBSCAN, on the plane; without it, by the distances to neighbours.
        neighbours: Papers within the radius, the paper itself among them, that make it the core of a cluster.
        seed: Of t-SNE and of the shuffles.

    Raises:
        SourceError: fewer than two classes or ten papers have a vector.
    """
    from sklearn.cluster import DBSCAN
    from sklearn.manifold import TSNE
    from sklearn.metrics import homogeneity_completeness_v_measure

    ids = [paper for paper in labelled.classes if paper in embeddings.rows]
    classes = [labelled.classes[paper] for paper in ids]
    if len(ids) < 10 or len(Counter(classes)) < 2:
        raise SourceError(f"a picture takes ten papers of two classes with vectors: here are {dict(Counter(classes))}")
    scale = min(_PERPLEXITY, (len(ids) - 1) / 3)
    projection = TSNE(n_components=2, perplexity=scale, init="pca", random_state=seed, n_jobs=1)
    points = projection.fit_transform(embeddings.find(ids).astype(np.float32))
    radius = radius or _radius(points, neighbours)
    clusters = DBSCAN(eps=radius, min_samples=neighbours).fit_predict(points)
    generator = np.random.default_rng(seed)
    homogeneity, completeness, _ = homogeneity_completeness_v_measure(classes, clusters)
    shuffles = (generator.permutation(classes) for _ in range(_SHUFFLES))
    by_chance = np.mean([homogeneity_completeness_v_measure(one, clusters) for one in shuffles], axis=0)
    return Picture(
        points=points,
        classes=tuple(classes),
        clusters=clusters,
        radius=radius,
        homogeneity=float(homogeneity),
        completeness=float(completeness),
        chance=(float(by_chance[0]), float(by_chance[1])),
        missing=len(labelled.classes) - len(ids),
    )


def check_out(out: Path) -> None:
    """Refuse another ending than .png or .svg, before the work of making a picture.

    Raises:
        SourceError: it has one.
    """
    if out.suffix.lower() not in (".png", ".svg"):
        raise SourceError(f"{out}: a picture is a .png or .svg file")


def draw(picture: Picture, out: Path, title: str) -> None:
    """Write the picture as PNG or SVG, by the ending of `out`; one colour a class.

    Raises:
        SourceError: see `check_out`; or the file cannot be written.
    """
    from matplotlib import colormaps, rc_context
    from matplotlib.figure import Figure

    check_out(out)
    classes = np.array(picture.classes)
    names = sorted(set(picture.classes))
    colours = colormaps["tab20" if len(names) > 10 else "tab10"]
    figure = Figure(figsize=(9, 6), layout="constrained")
    axes = figure.subplots()
    for place, name in enumerate(names):
        x, y = picture.points[classes == name].T
        axes.scatter(x, y, s=9, color=colours(place % colours.N), label=name, linewidths=0)
    axes.set(xticks=[], yticks=[])
    axes.set_title(f"{title}: homogeneity {picture.homogeneity:.2f}, completeness {picture.completeness:.2f}")
    figure.legend(loc="outside right upper", frameon=False, markerscale=2)
    # Without these an SVG differs from run to run.
    with rc_context({"svg.hashsalt": "citescout"}), os_errors(SourceError, f"write {out}"):
        figure.savefig(out, dpi=150, metadata={"Date": None} if out.suffix.lower() == ".svg" else None)


def _radius(points: NDArray[np.float32], neighbours: int) -> float:
    from sklearn.neighbors import NearestNeighbors

    count = min(neighbours, len(points))
    distances, _ = NearestNeighbors(n_neighbors=count).fit(points).kneighbors(points)
    return max(float(np.quantile(distances[:, -1], _CORE_SHARE)), float(np.finfo(np.float32).eps))
