"""A selection of works → a file of JSON lines; interrupted at any point, the next run goes on from there."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from common.errors import FetchError
from common.progress import counter
from fetch.client import Access, Client
from fetch.openalex import FIRST_CURSOR, Step, Work, filters, page, plan, seeds, short_id
from fetch.partial import PartialFile, State
from fetch.selection import Selection

_SHOWN = 5  # DOIs
_NO_LIMIT = 1 << 62  # works
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a download brought."""

    works: int
    resumed: int  # of these, works that an earlier run had fetched


def download(selection: Selection, path: Path, access: Access, *, restart: bool = False) -> Fetched:
    """Write the works of the selection to `path` as JSON lines of OpenAlex; compressed if the name ends in .gz.

    Args:
        selection: Which works.
        path: The file, which appears when it is complete; the partial file and its state are beside it until then.
        access: The API and how to ask it.
        restart: Forget an earlier run, and replace a file that is there.

    Raises:
        FetchError: The selection is wrong or finds nothing, the API refuses or fails, the file cannot be written,
            is there already, or its partial file belongs to another selection.
    """
    selection.check()
    with PartialFile.claimed(path, restart) as file:
        state = file.state()
        fingerprint = selection.fingerprint(access.base_url)
        if state is not None and state.fingerprint != fingerprint:
            raise FetchError(
                f"{path}.partial belongs to another selection; repeat its options to go on, or --restart starts over"
            )
        run = _Run(Client(access), file, selection)
        begun = run.begin(fingerprint) if state is None else run.resume(state)
        resumed = 0 if state is None else run.works
        run.finish(begun)
        return Fetched(run.works, resumed)


class _Run:
    """One run of a download: what is in the file so far."""

    def __init__(self, client: Client, file: PartialFile, selection: Selection) -> None:
        self._client = client
        self._file = file
        self._selection = selection
        self._ids: set[str] = set()
        self._seeds: list[Work] = []
        self._asked: set[tuple[int, str]] = set()  # steps and cursors of pages: a list may turn in a circle

    @property
    def works(self) -> int:
        """Works in the file."""
        return len(self._ids)

    def begin(self, fingerprint: str) -> State:
        """Resolve what the selection names, and write the works that it is around."""
        common = filters(self._client, self._selection)
        found, missing = seeds(self._client, self._selection.around)
        if self._selection.around and not found:
            raise FetchError("OpenAlex has none of the DOIs; nothing is fetched")
        if missing:
            shown = ", ".join(missing[:_SHOWN]) + (" …" if len(missing) > _SHOWN else "")
            _logger.warning("%d of %d DOIs are not in OpenAlex: %s", len(missing), len(self._selection.around), shown)
        self._seeds = found
        size = self._write(found)
        state = State(fingerprint, common, self.works, 0, FIRST_CURSOR, size)
        self._file.save(state)
        return state

    def resume(self, state: State) -> State:
        """Take up what an earlier run fetched."""
        for number, work in enumerate(self._file.works(state)):
            self._ids.add(short_id(work.get("id")))
            if number < state.seeds:
                self._seeds.append(work)
        _logger.info("going on after %d works", self.works)
        return state

    def finish(self, state: State) -> None:
        """Fetch what is left, and give the file its name."""
        steps = plan(self._selection, state.filters, self._seeds)
        sizes = [step.size or 0 for step in steps]
        with counter("works", self._selection.limit) as bar:
            bar.update(self.works)
            while state.step < len(steps) and self._room():
                before = self.works
                state = self._next_page(state, steps[state.step], sizes)
                bar.total = min(self._selection.limit or _NO_LIMIT, max(self.works, len(self._seeds) + sum(sizes)))
                bar.update(self.works - before)
        if not self._ids:
            self._file.discard()
            raise FetchError(f"OpenAlex has no work for this selection ({steps[0].filter})")
        self._file.publish()

    def _next_page(self, state: State, step: Step, sizes: list[int]) -> State:
        """Fetch and write one page, and put the count of its list into `sizes`."""
        got = page(self._client, step, "" if step.size else state.cursor)
        self._asked.add((state.step, state.cursor))
        if (state.step, got.next_cursor) in self._asked:
            raise FetchError("OpenAlex gave the same page twice; try again later")
        sizes[state.step] = got.count
        size = self._write(got.works)
        if got.next_cursor:
            state = replace(state, cursor=got.next_cursor, size=size)
        else:
            state = replace(state, step=state.step + 1, cursor=FIRST_CURSOR, size=size)
        self._file.save(state)
        return state

    def _write(self, works: Sequence[Work]) -> int:
        """Append the works that are not in the file yet, as far as the limit allows; return the file's size."""
        chosen: dict[str, Work] = {}
        for work in works:
            identifier = short_id(work.get("id"))
            if identifier not in self._ids and len(chosen) < self._room():
                chosen.setdefault(identifier, work)
        self._ids.update(chosen)
        return self._file.append(chosen.values())

    def _room(self) -> int:
        """Works that may still be written."""
        return (self._selection.limit or _NO_LIMIT) - self.works
