"""How often a damaged title finds its paper, and how often it finds another one: the measure behind the threshold.

Papers are drawn from an index and their titles damaged as bibliographies damage them. Each is looked for with its
paper in reach, which should be found, and with it hidden, when whatever is found is wrong.
"""

import random
import string
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval.tables import markdown_table
from indexer.catalog import Catalog
from indexer.generations import open_generation
from indexer.identity.agreement import title_holds
from indexer.identity.similar import SIMILAR, similarity
from indexer.identity.titles import is_generic, title_key
from indexer.paper import Paper
from retrieval.interface import SparseRetriever
from retrieval.opening import open_sparse
from retrieval.resolver import papers_with_words_of

Damage = Callable[[str, random.Random], str]
THRESHOLDS = (0.8, 0.85, 0.9, 0.93, 0.95, 0.97)


def typing_error(title: str, rng: random.Random) -> str:
    """One letter doubled, left out, replaced, or swapped with the next."""
    places = [place for place, letter in enumerate(title[:-1]) if letter.isalpha()]
    if not places:
        return title
    at = rng.choice(places)
    other = rng.choice(string.ascii_lowercase)
    letter, following = title[at], title[at + 1]
    damaged = rng.choice([letter + letter + following, following, other + following, following + letter])
    return title[:at] + damaged + title[at + 2 :]


def two_typing_errors(title: str, rng: random.Random) -> str:
    """`typing_error` twice."""
    return typing_error(typing_error(title, rng), rng)


def without_subtitle(title: str, _chance: random.Random) -> str:
    """What stands before the first colon; the whole title where there is none."""
    return title.split(": ", maxsplit=1)[0]


def light_word_lost(title: str, rng: random.Random) -> str:
    """Without one "of", "the", "in" and the like."""
    words = title.split()
    light = {"of", "the", "in", "for", "and", "a", "on"}
    if places := [place for place, word in enumerate(words) if word.lower() in light]:
        del words[rng.choice(places)]
    return " ".join(words)


def abbreviation(title: str, rng: random.Random) -> str:
    """One long word cut to its first five letters and a period."""
    words = title.split()
    if places := [place for place, word in enumerate(words) if word.isalpha() and len(word) > 7]:
        at = rng.choice(places)
        words[at] = words[at][:5] + "."
    return " ".join(words)


def respaced(title: str, rng: random.Random) -> str:
    """One space more or less, a typing error, and no punctuation."""
    letters = [letter if letter.isalnum() else " " for letter in typing_error(title, rng)]
    words = "".join(letters).split()
    at = rng.randrange(max(len(words), 1))  # a typing error may leave none of "A?"
    words[at : at + 2] = ["".join(words[at : at + 2])]
    return " ".join(words).lower()


DAMAGES: dict[str, Damage] = {
    "one typing error": typing_error,
    "two typing errors": two_typing_errors,
    "no subtitle": without_subtitle,
    "a light word lost": light_word_lost,
    "an abbreviation": abbreviation,
    "joined words, a typing error": respaced,
}


@dataclass(frozen=True, slots=True)
class Rates:
    """What happened to damaged titles at one threshold, or of one kind of damage."""

    titles: int
    right: int  # found their paper, in reach
    wrong: int  # found another one although theirs was in reach
    invented: int  # found one although theirs was hidden

    @property
    def recall(self) -> float:
        """Share that found its paper."""
        return self.right / self.titles if self.titles else 0.0

    @property
    def precision(self) -> float:
        """Share of what was found that is right, when half of the papers looked for are not in the index."""
        found = self.right + self.wrong + self.invented
        return self.right / found if found else 1.0


@dataclass(frozen=True, slots=True)
class Scored:
    """Candidates of one damaged title."""

    damage: str
    own: float  # similarity of the paper itself, or of one with the same title; 0 where BM25 missed it
    other: float  # the highest of any other paper


def measure(directory: Path, count: int, seed: int, years: bool) -> str:
    """Two tables in Markdown: by threshold, and by damage at the threshold in use.

    `years`: the reference has its year; first authors are never given.

    Raises:
        IndexDirectoryError: no index there.
    """
    with open_generation(directory) as generation, closing(open_sparse(generation)) as bm25:
        scored = list(_scored(generation.catalog, bm25, ~generation.removed, count, seed, years))
    rows = {f"{threshold:.2f}": _rates(scored, threshold) for threshold in THRESHOLDS}
    names = dict.fromkeys(one.damage for one in scored)
    damages = {name: _rates([one for one in scored if one.damage == name], SIMILAR) for name in names}
    return "\n\n".join((_table("threshold", rows), _table("damage", damages)))


def _scored(
    catalog: Catalog, bm25: SparseRetriever, alive: NDArray[np.bool_], count: int, seed: int, years: bool
) -> Iterator[Scored]:
    rng = random.Random(seed)  # noqa: S311 - a sample
    there = np.flatnonzero(alive).tolist()
    for paper in catalog.papers(rng.sample(there, min(count, len(there)))):
        key = title_key(paper.title)
        for name, damage in DAMAGES.items():
            title = damage(paper.title, rng) if not is_generic(key) else paper.title
            if title_key(title) == key:  # found by its key
                continue
            reference = Paper("", title, year=paper.year if years else None)
            best = {True: 0.0, False: 0.0}
            for candidate in catalog.papers(papers_with_words_of(title, bm25, alive)):
                if title_holds(reference, candidate):
                    own = candidate.id == paper.id or title_key(candidate.title) == key
                    best[own] = max(best[own], similarity(title, candidate.title, min(THRESHOLDS)))
            yield Scored(name, best[True], best[False])


def _rates(scored: Sequence[Scored], threshold: float) -> Rates:
    return Rates(
        titles=len(scored),
        right=sum(one.own >= threshold and one.own > one.other for one in scored),
        wrong=sum(one.other >= threshold and one.other > one.own for one in scored),
        invented=sum(one.other >= threshold for one in scored),
    )


def _table(what: str, rows: dict[str, Rates]) -> str:
    cells = [
        (name, f"{r.titles:,}", f"{r.precision:.4f}", f"{r.recall:.3f}", r.wrong, r.invented)
        for name, r in rows.items()
    ]
    return markdown_table((what, "titles", "precision", "recall", "wrong", "invented"), cells)
