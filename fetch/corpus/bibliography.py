"""The bibliography around which a corpus was built: what becomes of its entries when they are read once more."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from fetch.corpus.recipe import Known
from fetch.corpus.resolving import NOT_ASKED, Entry, Found, How
from indexer.identity.agreement import different, unlike
from indexer.original import Original
from indexer.paper import Paper


class Bibliography:
    """The entries as they are now, beside what is known of those that were looked up before."""

    def __init__(self, entries: Sequence[Entry], before: Sequence[Known]) -> None:
        self._entries = entries
        self._before = {known.identity: known for known in before}

    def not_found(self) -> list[Entry]:
        """Those that are new, or were not found before.

        Those that were looked up before come last: most of them are nowhere, and may use up all requests.
        """
        there = {known.identity for known in self._before.values() if known.id}
        asked = {known.identity for known in self._before.values() if not known.why.endswith(NOT_ASKED)}
        entries = (entry for entry in self._entries if entry.identity not in there)
        return sorted(entries, key=lambda entry: entry.identity in asked)

    def rewritten(self, there: Mapping[str, Paper], found: Sequence[Found]) -> list[Found]:
        """Entries that were found before and are written in another way by now, with another key for instance.

        So are those of works of which an entry was `found` by now: the nearest of all is exported.

        Args:
            there: Papers of the index by id.
            found: What became of the entries that were not found before.
        """
        same: dict[str, list[Entry]] = defaultdict(list)  # of one work, by its id
        for entry in self._entries:
            known = self._before.get(entry.identity)
            if known and known.id in there and not known.why and any(_written(entry.paper)):
                same[known.id].append(entry)
        anew = {one.paper.id for one in found if one.paper}
        rewritten = []
        for id_, ours in same.items():
            if id_ in anew or _written(there[id_]) not in [_written(entry.paper) for entry in ours]:
                for entry in ours:
                    original, key = _written(entry.paper)
                    paper = replace(there[id_], original=original).with_key(key)
                    rewritten.append(Found(entry, cast("How", self._before[entry.identity].how), None, paper))
        return rewritten

    def replaced(self, found: Sequence[Found], keyed: Mapping[str, Paper]) -> dict[str, str]:
        """Ids of papers that are in the index under their entries' keys → ids by which they go from now on.

        An entry was found by now, or has another key. A key may be that of another work, or go to one.

        Args:
            found: What became of the entries that were not found before.
            keyed: Those papers by id.
        """
        now = {one.paper.id: one.paper for one in found if one.paper}
        replaced = {}
        for one in found:
            own, known = one.entry.paper, self._before.get(one.entry.identity)
            for id_ in {own.id, known.key if known else own.id} & keyed.keys():
                stays = id_ in now and not different(keyed[id_], now[id_])
                if one.paper and one.paper.id != id_ and not stays and not unlike(own, keyed[id_]):
                    replaced[id_] = one.paper.id
        return replaced

    def known(self, looked_up: Sequence[Found]) -> tuple[Known, ...]:
        """What is known from now on: of the entries before, in their order, and of others that were looked up."""
        now = {known.identity: known for known in map(known_of, looked_up)}
        before = tuple(now.pop(known.identity, known) for known in self._before.values())
        return (*before, *now.values())


def known_of(one: Found) -> Known:
    """What the recipe keeps of an entry."""
    id_ = one.paper.id if one.paper and one.how else ""
    return Known(one.entry.key, one.entry.identity, one.entry.paper.title, id_, one.how or "", one.why)


def _written(paper: Paper) -> tuple[Original | None, str]:
    """What is exported as its owner has it: the entry of a file, the citation key of Zotero."""
    return paper.original, paper.imprint.citation_key if paper.imprint else ""
