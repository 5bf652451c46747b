"""Each paper once in a list, whatever records the index has of it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from citescout.ranking import Ranking
from common.sequences import batches
from indexer.duplicates import same_paper, with_retractions
from indexer.identity.keys import Key, keys_of
from indexer.paper import Paper


def first_distinct(ranking: Ranking) -> tuple[Ranking, list[Paper]]:
    """The first `settings.k` different papers of a ranking, each in its best record, and these records.

    Records are of one paper by the rules of `index --merge-duplicates`. What follows in the ranking fills the list.
    """
    listed = dict(islice(distinct(_papers(ranking)), ranking.settings.k))
    return ranking.at(np.fromiter(listed, np.int64)), with_retractions(ranking.catalog, list(listed.values()))


def distinct(records: Iterable[Paper]) -> Iterator[tuple[int, Paper]]:
    """The records that are of no paper before them, each with its place among all; by the same rules."""
    seen: dict[Key, list[Paper]] = defaultdict(list)
    for place, paper in enumerate(records):
        others = [(key, seen[key]) for key in keys_of(paper)]
        if not any(same_paper(key.kind, paper, one, 1 + len(same)) for key, same in others for one in same):
            yield place, paper
        for _, same in others:
            same.append(paper)


def _papers(ranking: Ranking) -> Iterator[Paper]:
    """All papers of a ranking, read as many at a time as a list holds."""
    for some in batches(ranking.pool.docids[ranking.order], ranking.settings.k):
        yield from ranking.catalog.papers(some)
