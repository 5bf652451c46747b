"""Papers of an index as one types them: words of title, authors and year, the last one perhaps not to its end."""

import re
import sqlite3
import threading
import unicodedata
from collections.abc import Callable
from functools import cached_property
from itertools import chain

import orjson

from common.names import family_first
from common.text import as_searched, unaccented
from indexer.catalog import Catalog
from indexer.identity.authors import key_of
from indexer.identity.keys import is_only_identifier, paper_from_text
from indexer.identity.retractions import is_notice
from indexer.paper import Paper

_WORD = re.compile(r"[^\W_]+")
_MOST_WORDS = 32
# How much a word counts where it stands: title, authors, year.
_WEIGHTS = "10.0, 5.0, 1.0"


class PaperSearch:
    """Full-text search over the names of the papers of one catalog; safe to share between threads.

    SQLite's FTS5, in a temporary file that is filled at the first search and gone with the process: half a second of
    one core for 100,000 titles, and then 10 to 30 ms for two words.
    """

    def __init__(self, catalog: Catalog) -> None:
        """Look in `catalog`."""
        self._catalog = catalog
        self._lock = threading.Lock()

    def papers(self, text: str, find: Callable[[str], Paper | None], k: int, skip: int) -> list[Paper]:
        """The paper that an id, DOI, arXiv id or PMID names, by `find`; else `k` by words of titles, authors and years.

        These are the ones behind the first `skip`, in an order that does not depend on either.
        """
        named = paper_from_text(text)
        docids = list(self._catalog.docids([text, named.id]).values())
        if not docids and (named.doi or named.arxiv or named.url) and (found := find(text)):
            return [] if skip else [found]
        if not docids and is_only_identifier(text):
            return []  # its digits are no words
        return self._catalog.papers((docids or self._search(text, skip + k))[skip:])

    def _search(self, text: str, k: int) -> list[int]:
        """Numbers of up to `k` papers, best first: those with all words of the text, else those with some of them.

        Words that are whole go before what only begins so: Stan is found above Standards.
        """
        # A word in quotation marks is no syntax of FTS5, and of letters and digits it cannot end them.
        quoted = ([f'"{word}"' for word in _WORD.findall(one)[:_MOST_WORDS]] for one in _spellings(text))
        spelled = list(filter(None, quoted))
        if not spelled or k < 1:
            return []
        with self._lock:
            begun = [[f"{word}*" for word in words] for words in spelled]
            found = [docid for words in (*spelled, *begun) for docid in self._match(" AND ".join(words), k)]
            return list(dict.fromkeys(found))[:k] or self._match(" OR ".join(dict.fromkeys(chain(*begun))), k)

    def _match(self, expression: str, k: int) -> list[int]:
        rows = self._table.execute(
            f"SELECT rowid FROM names WHERE names MATCH ? ORDER BY bm25(names, {_WEIGHTS}), rowid LIMIT ?",  # noqa: S608
            (expression, int(k)),  # of NumPy's numbers SQLite knows none
        )
        return [row[0] for row in rows]

    @cached_property
    def _table(self) -> sqlite3.Connection:
        table = sqlite3.connect("", check_same_thread=False)  # "" is a temporary file
        table.execute(
            "CREATE VIRTUAL TABLE names USING fts5(title, authors, year, content='', "
            "tokenize='unicode61 remove_diacritics 2')"
        )
        names = (name for name in self._catalog.all_names() if not is_notice(name[1]))
        rows = (
            (docid, " ".join(_spellings(title)), _folded(_searched(authors)), year)
            for docid, title, authors, year in names
        )
        table.execute("BEGIN")  # many times as fast; Python does so itself in most locales
        table.executemany("INSERT INTO names (rowid, title, authors, year) VALUES (?, ?, ?, ?)", rows)
        return table


def _searched(authors: str) -> str:
    """A list of authors, in JSON, with names such as "丸山 眞男" also as one word, as people type them."""
    if authors.isascii():
        return authors
    return " ".join([authors, *filter(family_first, map(key_of, orjson.loads(authors)))])


def _spellings(text: str) -> list[str]:
    """The text `_folded`, and, where that differs, with Greek symbols by name and formulas as BM25 has them."""
    return list(dict.fromkeys(map(_folded, (text, as_searched(text)))))


def _folded(text: str) -> str:
    """As one types it: "Straße", "Żółkiewski", "Соловьёв" and "Πολιτεία" without accents or in capitals, too."""
    return text if text.isascii() else unaccented(unicodedata.normalize("NFKC", text).casefold())
