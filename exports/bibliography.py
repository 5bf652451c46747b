"""The files of BibTeX that lie beside a manuscript, to which papers are added."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType

from common.errors import SourceError
from exports.appending import BibtexText
from exports.harmless import harmless
from exports.private_fields import without_private
from indexer.identity.holdings import Holdings
from indexer.paper import Paper
from indexer.readers.bibtex_keys import keys_in
from manuscripts.manuscript import Manuscript

# Of a manuscript that has no file of BibTeX; and beside one of its own that cannot be added to or is not at hand, which
# the new one should not be taken for.
NEW_FILE, ADDED_FILE = "refs.bib", "added.bib"


def taken_keys(manuscript: Manuscript) -> tuple[str, ...]:
    """The keys that stand in the manuscript's bibliography and in its files, which no paper that is added gets."""
    texts = (one.data.decode("utf-8", "replace") for one in manuscript.bibtex)
    return (*(entry.key for entry in manuscript.entries), *(key for text in texts for key in keys_in(text)))


class Bibliography:
    """The manuscript's files of BibTeX, to which papers that were picked can be added."""

    def __init__(
        self, manuscript: Manuscript, picked: Iterable[Paper], keys: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """With `picked`, such as a basket: each has one key, whichever file it is added to.

        `keys`, by the ids of papers, are those under which a text may cite them already; others are given in order.
        Of two records of one paper the first counts.
        """
        self._taken, self._keys = taken_keys(manuscript), keys
        self._entries = [
            replace(paper, id=entry.key)
            for entry in (manuscript.entries if manuscript.beside is None else manuscript.beside)
            for paper in entry.readings[:1]
            if manuscript.bibtex  # what is typed in the text itself is in no file
        ]
        self._records = Holdings()
        self._ids: dict[str, str] = {}  # of each picked paper that of its first record
        found = {paper.id: without_private(paper) for paper in picked}
        for paper in found.values():
            self._records.take([paper])
            self._ids[paper.id] = (self._records.held(paper) or paper).id
        self.picked = tuple(found[id_] for id_ in dict.fromkeys(self._ids.values()))
        self.unread: list[str] = []  # why a file cannot be added to
        self._data: dict[str, bytes] = {}
        for one in manuscript.bibtex:
            try:
                self._data[one.path] = BibtexText(one.path, one.data, ()).data
            except SourceError as error:
                self.unread.append(str(error))
        self.has_file = bool(self._data)  # one of the manuscript's own that can be added to
        if not self.has_file:
            its_own = manuscript.bibtex or manuscript.lacks_bibliography or manuscript.missing_bibliographies
            self._data[ADDED_FILE if its_own else NEW_FILE] = b""
        self.paths = tuple(self._data)
        self._first = self._text(self.paths[0])

    def _text(self, path: str) -> BibtexText:
        text = BibtexText(path, self._data[path], self._entries, self._taken, self._keys)
        text.reserve(paper for paper in self.picked if not text.holdings.held(paper))
        return text

    @cached_property
    def new(self) -> list[Paper]:
        """The picked papers that no file has."""
        return [paper for paper in self.picked if not self.held(paper)]

    def held(self, paper: Paper) -> str:
        """The key of the entry that a file has of this paper; "" where there is none."""
        found = self._first.holdings.held(paper)
        return found.id if found else ""

    def key(self, paper: Paper) -> str:
        """The key that the paper has in a file, or gets, from here on always the same."""
        return self.held(paper) or self._first.key(self._records.held(paper) or paper)

    def with_papers(self, path: str, ids: Iterable[str]) -> bytes:
        """The file of that path with those picked papers at its end that it lacks."""
        wanted = {self._ids.get(id_) for id_ in ids}
        text = self._text(path)
        return text.with_entries(text.holdings.take(paper for paper in self.picked if paper.id in wanted))

    def added(self, id_: str, ahead: bool) -> str:
        """What stands in the first file behind its own text once the paper of that id is added.

        Or `ahead` of it: then with the abbreviations that the entry needs, even if the file defines them further down.
        """
        path = self.paths[0]
        text = self.with_papers(path, [id_])[len(self._data[path]) :].decode()
        if not ahead:
            return text
        ends = "\r\n" if "\r\n" in text else "\n"
        originals = (harmless(paper.original) for paper in self.picked if paper.id == self._ids.get(id_))
        needed = (one for original in originals if original for one in original.before if one not in text)
        return "".join(f"{one}{ends}" for one in needed) + text.lstrip() + ends
