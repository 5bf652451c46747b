"""The catalog: everything that is known of every paper, in one SQLite file; here, how it is read.

A fresh catalog numbers its papers 0…n-1 in the order of the ids, so that breaking ties by docid is breaking them by
id. Later additions are numbered behind them, and removed papers leave gaps.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import fields
from functools import cached_property
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from common.sequences import texts_of
from common.text import composed, encodable
from encoders.text import Text
from indexer.identity.keys import MOST_PAPERS_OF_A_KEY
from indexer.identity.retractions import retracted_by
from indexer.identity.titles import is_distinctive, title_key
from indexer.links import Links, find_links
from indexer.original import Original
from indexer.paper import Imprint, Paper
from indexer.read_only import ReadOnlyDatabase

COLUMNS = ", ".join(field.name for field in fields(Paper))
# As those of PubMed's files do: elsewhere digits may be any numbers.
_CITING_BY_PMID = """
    SELECT 1 FROM keys CROSS JOIN papers USING (number)
    WHERE key >= 'pmid:' AND key < 'pmid;' AND id = substr(key, 6) AND citations != '[]' LIMIT 1
"""
Row = tuple[str, str, str, int | None, str, str, str, str, str, str, str, int, str, str]
# Titles that begin with the same letters: of more than so many none is looked at. "ai" begins what is on air and aid.
_MOST_TITLES = 1_000


class Catalog(ReadOnlyDatabase):
    """Look-ups in a finished catalog, from any number of threads."""

    def __init__(self, path: Path) -> None:
        """Open the catalog.

        Raises:
            IndexDirectoryError: the file is missing or is no catalog.
        """
        super().__init__(path)
        self.size = int(self._query("SELECT count(*) FROM papers")[0][0])

    def papers(self, docids: Sequence[int] | NDArray[np.integer]) -> list[Paper]:
        """The papers of these docids, in their order. A docid outside the catalog is a KeyError."""
        return [paper_of_row(row) for row in self._rows(COLUMNS, docids)]

    def texts(self, docids: Sequence[int] | NDArray[np.integer]) -> list[Text]:
        """Title and abstract of these docids, in their order."""
        return [Text(title, abstract) for title, abstract in self._rows("title, abstract", docids)]

    def bylines(self, docids: Sequence[int] | NDArray[np.integer]) -> list[tuple[tuple[str, ...], str]]:
        """Authors and venue of these docids, in their order."""
        return [(tuple(orjson.loads(authors)), venue) for authors, venue in self._rows("authors, venue", docids)]

    def ids(self, docids: Sequence[int] | NDArray[np.integer]) -> list[str]:
        """The ids of these docids, in their order."""
        return [paper_id for (paper_id,) in self._rows("id", docids)]

    def docids(self, ids: Iterable[str]) -> dict[str, int]:
        """The docid of each id that is in the catalog, in whichever normal form; the others are left out.

        Raises:
            TypeError: `ids` is one text, or holds something that is no text.
        """
        # SQLite's JSON would end a string at NUL and so find another paper.
        asked = dict.fromkeys(encodable(id_) for id_ in texts_of(ids, "ids") if "\0" not in id_)
        forms = {id_: composed(id_) for id_ in asked}  # papers are read in NFC
        rows = self._query(
            "SELECT id, number FROM papers WHERE id IN (SELECT value FROM json_each(?))",
            orjson.dumps([*forms, *forms.values()]).decode(),
        )
        found = dict(rows)
        asked_as: dict[str, list[str]] = defaultdict(list)
        for id_, form in forms.items():
            asked_as[id_ if id_ in found else form].append(id_)
        return {id_: number for name, number in rows for id_ in asked_as[name]}

    def docids_by_key(self, keys: Iterable[str]) -> dict[str, list[int]]:
        """The docids of the papers that bear each of `keys` (`str` of an identity `Key`), ascending.

        Keys of none or too many are left out.
        """
        rows = self._query(
            "SELECT key, number FROM keys WHERE key IN (SELECT value FROM json_each(?)) ORDER BY key, number",
            orjson.dumps([key for key in keys if key.isprintable()]).decode(),
        )
        found = {key: [docid for _, docid in group] for key, group in groupby(rows, itemgetter(0))}
        return {key: docids for key, docids in found.items() if len(docids) <= MOST_PAPERS_OF_A_KEY}

    def authors(self, keys: Collection[str]) -> list[tuple[int, tuple[str, ...]]]:
        """Number and authors of every paper with an author of one of these `identity.authors.key_of`s, ascending."""
        rows = self._stream(
            "SELECT number, authors FROM papers WHERE number IN "
            "(SELECT number FROM authors WHERE key IN (SELECT value FROM json_each(?))) ORDER BY number",
            orjson.dumps([encodable(key) for key in keys]).decode(),
        )
        return [(docid, tuple(orjson.loads(authors))) for docid, authors in rows]

    def papers_by(self, keys: Collection[str]) -> dict[str, int]:
        """How many papers have an author of each of these `identity.authors.key_of`s, where there is one."""
        rows = self._query(
            "SELECT key, count(*) FROM authors WHERE key IN (SELECT value FROM json_each(?)) GROUP BY key",
            orjson.dumps([encodable(key) for key in keys]).decode(),
        )
        return dict(rows)

    def titles_beginning(self, key: str) -> list[tuple[int, str]]:
        """Number and title of the papers whose `identity.titles.title_key` begins so; none of too many."""
        within = f"title:{key}", f"title:{key}\U0010ffff"
        several = self._query("SELECT 1 FROM keys WHERE key >= ? AND key < ? LIMIT ?", *within, _MOST_TITLES + 1)
        if len(several) > _MOST_TITLES:
            return []
        return self._query(
            "SELECT number, title FROM papers WHERE number IN (SELECT number FROM keys WHERE key >= ? AND key < ?)",
            *within,
        )

    @cached_property
    def by_venue(self) -> dict[str, list[int]]:
        """The docids of the papers of each venue."""
        found: dict[str, list[int]] = defaultdict(list)
        for docid, venue in self._stream("SELECT number, venue FROM papers WHERE venue != ''"):
            found[venue].append(docid)
        return found

    @cached_property
    def notices_of_retraction(self) -> dict[str, int]:
        """The `title_key`s of papers of whose retraction a record says → its year, of several the last; 0 if unknown.

        Titles of fewer than 25 letters are left out, since other papers may have them.
        """
        found: dict[str, int] = {}
        for begun in ("retraction", "noticeofretraction", "statementofretraction"):
            rows = self._stream(
                "SELECT title, ifnull(year, 0) FROM papers WHERE number IN"
                " (SELECT number FROM keys WHERE key >= ? AND key < ?) ORDER BY number",
                *(f"title:{begun}", f"title:{begun}\U0010ffff"),
            )
            for title, year in rows:
                if is_distinctive(key := title_key(retracted_by(title))):
                    found[key] = max(found.get(key, 0), year)
        return found

    def shared_keys(self, first: int = 0) -> Iterator[tuple[str, list[int]]]:
        """Every key of several papers, one of them of docid `first` or above, with their docids; sorted, streaming.

        Keys of too many papers are left out. Last come ids of merged records that are those of other papers, too.
        """
        shared = "SELECT key FROM keys GROUP BY key HAVING count(*) BETWEEN 2 AND ? AND max(number) >= ?"
        rows = self._stream(
            f"SELECT key, number FROM keys WHERE key IN ({shared}) ORDER BY key, number",  # noqa: S608
            MOST_PAPERS_OF_A_KEY,
            first,
        )
        for key, group in groupby(rows, itemgetter(0)):
            yield key, [docid for _, docid in group]
        merged = self._stream(
            "SELECT key, keys.number, papers.number FROM keys JOIN papers ON papers.id = substr(key, 4) "
            "WHERE key >= 'id:' AND key < 'id;' AND max(keys.number, papers.number) >= ? ORDER BY key",
            first,
        )
        for key, *docids in merged:
            yield key, sorted(docids)

    def all_texts(self, first: int = 0) -> Iterator[tuple[int, Text]]:
        """(docid, text) of every paper from docid `first` on, in the order of the docids, streaming."""
        rows = self._stream("SELECT number, title, abstract FROM papers WHERE number >= ? ORDER BY number", first)
        for docid, title, abstract in rows:
            yield docid, Text(title, abstract)

    def all_titles(self) -> Iterator[tuple[int, str]]:
        """(docid, title) of every paper, in the order of the docids, streaming."""
        yield from self._stream("SELECT number, title FROM papers ORDER BY number")

    def all_names(self) -> Iterator[tuple[int, str, str, int | None]]:
        """(docid, title, authors as JSON, year) of every paper, in the order of the docids, streaming."""
        yield from self._stream("SELECT number, title, authors, year FROM papers ORDER BY number")

    def all_imprints(self, first: int) -> Iterator[tuple[int, int, Imprint]]:
        """(docid, year, imprint) of every paper from docid `first` on that has both, streaming."""
        known = "number >= ? AND year IS NOT NULL AND imprint != ''"
        rows = self._stream(f"SELECT number, year, imprint FROM papers WHERE {known} ORDER BY number", first)  # noqa: S608
        for docid, year, imprint in rows:
            yield docid, year, Imprint.unpacked(imprint)

    def all_papers(self, first: int = 0) -> Iterator[Paper]:
        """Every paper from docid `first` on, in the order of the docids, streaming."""
        for row in self._stream(f"SELECT {COLUMNS} FROM papers WHERE number >= ? ORDER BY number", first):  # noqa: S608
            yield paper_of_row(row)

    def ids_that_may_change(self) -> Iterator[tuple[int, list[str]]]:
        """(docid, its id and other ids) of every paper whose id is the key of an entry, or was made of what it says."""
        made = f"id GLOB '*-{'[0-9a-f]' * 16}' OR (id = doi AND doi != '')"
        rows = self._stream(f"SELECT number, id, other_ids FROM papers WHERE original != '' OR {made}")  # noqa: S608
        for docid, id_, others in rows:
            yield docid, [id_, *(orjson.loads(others))]

    def docids_in_id_order(self) -> NDArray[np.int32]:
        """The docid of every paper, shape (size,), in the order of the ids."""
        return np.fromiter((row[0] for row in self._stream("SELECT number FROM papers ORDER BY id")), np.int32)

    def years(self, docid_count: int) -> NDArray[np.int16]:
        """Year of every paper by docid, shape (docid_count,); 0 where it is not known or there is no such paper."""
        years = np.zeros(docid_count, np.int16)
        for docid, year in self._stream("SELECT number, year FROM papers WHERE year IS NOT NULL"):
            years[docid] = year
        return years

    def removed(self, docid_count: int) -> NDArray[np.bool_]:
        """Which of the first docids are no paper (any more), shape (docid_count,)."""
        removed = np.ones(docid_count, np.bool_)
        removed[self.docids_in_id_order()] = False
        return removed

    def links(self) -> Links:
        """What papers cite, within the corpus and outside of it.

        What is cited is an id, or the id of a record that was merged into a paper, or a DOI, arXiv id or PMID that is
        the key of one paper, the first by docid. Bare digits are PMIDs where papers that cite have these as ids.
        """
        names = chain(self._stream("SELECT id, number FROM papers"), self._cited_keys())
        return find_links(
            names, lambda: self._stream("SELECT number, citations FROM papers WHERE citations != '[]' ORDER BY number")
        )

    def cited(self, docids: Sequence[int] | NDArray[np.integer]) -> list[tuple[str, ...]]:
        """What the papers of these docids cite, as they name it, in their order."""
        return [tuple(orjson.loads(citations)) for (citations,) in self._rows("citations", docids)]

    def _cited_keys(self) -> Iterator[tuple[str, int]]:
        """(`work_name`, docid) of every paper with an identifier, if any paper cites what may be one.

        First come the ids of merged records. An id of a paper goes before an identifier that is the same.
        """
        kinds = [("id", "")]  # and how a name of the kind begins
        if self._query("SELECT 1 FROM papers WHERE citations GLOB '*[.:/]*' LIMIT 1"):
            kinds += [("doi", ""), ("arxiv", "arxiv:"), ("pmid", "pmid:")]
        if self._query(_CITING_BY_PMID):
            kinds.append(("pmid", ""))
        for kind, begins in kinds:
            yield from self._stream(
                "SELECT ? || substr(key, ?) AS name, min(number) FROM keys "
                "WHERE key >= ? AND key < ? AND name NOT IN (SELECT id FROM papers) GROUP BY key",
                *(begins, len(kind) + 2, f"{kind}:", f"{kind};"),
            )

    def _rows(self, columns: str, docids: Sequence[int] | NDArray[np.integer]) -> list[tuple]:  # type: ignore[type-arg]
        """Columns of the papers of these docids, in their order; KeyError for a docid outside the catalog."""
        wanted = [int(docid) for docid in docids]
        rows = self._query(
            f"SELECT number, {columns} FROM papers WHERE number IN (SELECT value FROM json_each(?))",  # noqa: S608
            orjson.dumps(wanted).decode(),
        )
        found = {row[0]: row[1:] for row in rows}
        return [found[docid] for docid in wanted]


def paper_of_row(row: Row) -> Paper:
    """The paper that a row of the table of papers holds."""
    id_, title, abstract, year, authors, venue, doi, arxiv, url, citations, original, retracted, *rest = row
    known = Original.unpacked(original) if original else None
    names, cited, others = (tuple(orjson.loads(texts)) for texts in (authors, citations, rest[0]))
    imprint = Imprint.unpacked(rest[1]) if rest[1] else None
    return Paper(
        id_, title, abstract, year, names, venue, doi, arxiv, url, cited, known, bool(retracted), others, imprint
    )
