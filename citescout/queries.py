"""Reading queries: JSON lines of our own, papers in any format that the index reads, or a manuscript."""

import errno
import io
import logging
import re
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields
from itertools import groupby
from pathlib import Path
from typing import Any

from common.errors import QueryError, SourceError
from common.schema import fields_of
from common.sequences import numbered
from common.text import STDIN, encodable, name_of
from common.words import shortened
from indexer.identity.identifiers import arxiv_key, clean_doi
from indexer.identity.keys import address_with_pmid, keys_of, text_naming
from indexer.paper import Paper
from indexer.readers import ReadReport, read_papers
from indexer.readers.base import detect_reader
from indexer.readers.fields import identifier, year
from indexer.readers.formats.table import table_of_queries
from indexer.readers.head import Head
from indexer.readers.json_records import parse_json
from indexer.readers.source import check_named, file_named, file_of_bytes
from indexer.readers.streams import DECOMPRESSED, open_text
from indexer.readers.unread import advice
from manuscripts import Manuscript, read_manuscript
from manuscripts.bibliographies import entry_of
from manuscripts.holding import check_is_narrow, check_is_read, holds_manuscript
from manuscripts.manuscript import Entry
from retrieval.query import Query

_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG}  # a whole abstract is too long for a name
_JSON = re.compile(rb"\s*(?:\{(?!\\)|\[\s*\{)")  # rather than a text, or formatted text (RTF)
_QUERIES_OF_BEIR = "queries.jsonl"  # beside the papers of a collection
_LONGEST_NAME = 200  # characters of a file's name in a message
_SHOWN = 10  # records of a file that give no query
_FIELDS = {name for name, _ in fields_of(Query, where="api")}
_OF_PAPERS = {"pmid", *(field.name for field in fields(Paper))} - _FIELDS
_NAMES = {"arxiv", "copies", "doi", "pmid", "url"}  # by which a paper and its other records are known

_log = logging.getLogger(__name__)


def read_queries(source: str) -> list[Query]:
    """All queries of a file, or of standard input for "-".

    JSON lines hold `title` and `abstract` (one of them is enough) and may hold `id`, `year`, `already_cited`, `liked`,
    `disliked`, `authors` and `context`, which is enough, too; a query without an id is called after its line, `line-7`,
    and one of an array, or over several lines, after its place there, `entry-7` or `line-1`.
    By `doi`, `arxiv`, `pmid` or `url`, as papers have them, a query is known and not recommended to itself.
    In those of a BEIR collection, whose folder may be named, `text` is the title. A bibliography or any other file of
    papers gives a query for each, with its authors; of one key, the second is called `key-2`, and what is malformed is
    passed over with a warning. What is neither is a manuscript (a file, a folder, a zip archive): one query, called
    after the file.

    Raises:
        SourceError: the file is missing or holds no query.
        QueryError: a line is no query, or has the id of another; names the line.
    """
    asked = read_asked(source)
    if isinstance(asked, Manuscript):
        return [Query(asked.title, asked.abstract, name_of(source))]
    return asked


def read_asked(source: str, part: bool = False) -> list[Query] | Manuscript:
    """The same; a manuscript as it is, with what it cites, or a `part` of one, which needs no title and no abstract.

    Raises:
        SourceError: as `read_queries`.
        QueryError: as `read_queries`.
    """
    if source == "-":
        return _from_bytes(sys.stdin.buffer.read(), STDIN, part)
    path = _there(source, "; a text itself is asked through standard input (-)")
    if path.is_fifo():
        return _from_bytes(path.read_bytes(), source, part)
    if path.is_dir() and (path / _QUERIES_OF_BEIR).is_file() and (path / "corpus.jsonl").is_file():
        return read_asked(str(path / _QUERIES_OF_BEIR), part)
    if path.is_dir():
        check_is_narrow(path)
    if holds_manuscript(path):
        return read_manuscript(path, part=part)
    check_is_read(path)
    if path.is_dir():
        return _papers(source)
    file = file_named(source)
    head = file.head()
    if (path.suffix in {".jsonl", ".json", ".ndjson"} or _JSON.match(head.data)) and _may_ask(head):
        return _parsed(file.text(), source)
    if head.data.startswith(b"PK") or _holds_papers(head, source):
        return _papers(source)
    if path.suffix in {".bib", ".ris"}:
        raise SourceError(f"{source} holds no query: there is no paper in it")
    return read_manuscript(path, part=part)


def _there(source: str, advice: str = "") -> Path:
    """The file, folder or pipe of that name.

    Raises:
        SourceError: there is none, no name, or it is a device, which may have no end.
    """
    check_named(source)
    path, shown = Path(source), shortened(source, _LONGEST_NAME)
    try:
        mode = path.stat().st_mode
    except OSError as error:
        if error.errno not in _ABSENT:
            raise SourceError(f"cannot read {shown}: {error.strerror}") from None
        raise SourceError(f"no such file: {shown}{advice}") from None
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise SourceError(f"{shown} is a device: name a file or a folder")
    return path


def read_draft(source: str) -> Manuscript:
    """A manuscript or a part of one, and nothing else that `read_asked` reads.

    Raises:
        SourceError: as `read_asked`, or there are queries or papers.
        QueryError: as `read_asked`.
    """
    if source != "-":
        _there(source)
    asked = read_asked(source, part=True)
    if isinstance(asked, list):
        raise SourceError(f"{source} holds queries or papers, and no manuscript: name its folder or main file")
    return asked


def read_works(sources: Sequence[str], report: ReadReport | None = None) -> Iterator[Entry]:
    """The works of bibliographies, other files of papers and manuscripts, in their order; the `report` is of papers.

    Raises:
        SourceError: a source is missing, in no known format, or a manuscript that cannot be read.
    """
    for are_manuscripts, neighbours in groupby(sources, _is_manuscript):
        if are_manuscripts:
            for source in neighbours:
                yield from read_manuscript(Path(source), part=True).entries
        else:
            yield from map(entry_of, read_papers(list(neighbours), report=report, untitled=True))


def _is_manuscript(source: str) -> bool:
    path = Path(source)
    return path.is_file() and holds_manuscript(path)


def _from_bytes(data: bytes, name: str, part: bool) -> list[Query] | Manuscript:
    """Queries of what can be read only once."""
    data = _decompressed(data, name)
    file = file_of_bytes(name, data)
    head = file.head()
    if _JSON.match(head.data) and _may_ask(head):
        return _parsed(file.text(), name)
    if _holds_papers(head, name):
        raise SourceError(f"{name} holds papers: name them as a file")
    try:
        return read_manuscript(data, part=part)
    except SourceError as error:
        raise SourceError(f"{name}: {error}") from None


def _decompressed(data: bytes, name: str) -> bytes:
    if data.startswith(tuple(DECOMPRESSED)):
        return open_text(name, io.BufferedReader(io.BytesIO(data))).body.read()
    return data


def _may_ask(head: Head) -> bool:
    """Whether JSON that begins like this may be queries: an index reads our own lines as papers, too."""
    return (reader := detect_reader(head)) is None or reader.last_resort


def _holds_papers(head: Head, name: str) -> bool:
    """Whether a format of papers knows the file that begins like this.

    Raises:
        SourceError: it is of a kind from which papers have to be exported first.
    """
    if detect_reader(head):
        return True
    if (reason := advice(head)) and not head.data.startswith(b"%PDF-"):
        raise SourceError(f"{name}: {reason}")
    return False


def _papers(source: str) -> list[Query]:
    report = ReadReport(max_problems=_SHOWN)
    queries: dict[str, Query] = {}
    for p in read_papers([source], report=report, others=[table_of_queries()]):
        id_ = next(name for name in numbered(p.id) if name not in queries)
        if id_ != p.id:
            _log.warning("%s: a query before this one has the id %r; it is called %r", source, p.id, id_)
        queries[id_] = Query(p.title, p.abstract, id_, p.year, copies=_itself(p), authors=p.authors)
    if not queries:
        raise SourceError(f"{source} holds no query{report.why_nothing()}")
    if report.problems:
        _log.warning("%s: %s\n  %s", source, report.summary(), "\n  ".join(map(str, report.problems)))
    return list(queries.values())


def _itself(paper: Paper) -> tuple[str, ...]:
    """What the paper is called in any index: its DOI, arXiv id or PMID."""
    return (text_naming(paper),) if any(key.kind != "title" for key in keys_of(paper)) else ()


def _parsed(text: str, name: str) -> list[Query]:
    queries = []
    places: dict[str, str] = {}  # by id
    for place, record in _records(text.encode(), name):
        query = _query(record, f"{name}, {place}", place.replace(" ", "-"))
        if (other := places.setdefault(query.id, place)) != place:
            raise QueryError(f"{name}, {place}: has the id of {other}, {query.id!r}; give it another")
        queries.append(query)
    if not queries:
        raise SourceError(f"{name} holds no query: one JSON object a line, with a title or an abstract")
    return queries


def _records(data: bytes, name: str) -> Iterator[tuple[str, object]]:
    """Each value of an array, the one of the whole file, or that of each line, with its place."""
    try:
        whole = parse_json(data)
    except ValueError:
        for number, line in enumerate(data.splitlines(), start=1):
            if line.strip():
                yield f"line {number}", _loaded(line, f"{name}, line {number}")
    else:
        first = data[: len(data) - len(data.lstrip())].count(b"\n") + 1
        if isinstance(whole, list):
            yield from ((f"entry {number}", entry) for number, entry in enumerate(whole, start=1))
        else:
            yield f"line {first}", whole


def _loaded(line: bytes, place: str) -> object:
    try:
        return parse_json(line)
    except ValueError as error:
        reason = str(error).removeprefix("no valid JSON: ")
        raise QueryError(f"{place}: not JSON ({reason}); a query is a JSON object on one line") from None


def _query(record: object, place: str, default_id: str) -> Query:
    if not isinstance(record, dict):
        raise QueryError(f"{place}: not a JSON object; a query is one")
    if record.keys() >= {"_id", "text"}:  # of a collection of BEIR
        record = {"id": record["_id"], "title": record["text"]}
    # Null is as good as nothing, and so is NaN, which pandas has for it.
    record = {name: _encodable(value) for name, value in record.items() if value is not None and value == value}
    # What only a paper has is not looked at, but for what it is called in any index.
    given = {name: value for name, value in record.items() if name not in _OF_PAPERS}
    if unknown := sorted(given.keys() - _FIELDS - _NAMES):
        raise QueryError(f"{place}: unknown field {unknown[0]!r}; there are {', '.join(sorted(_FIELDS | _NAMES))}")
    if isinstance(when := given.pop("year", 0), str):
        when = year(when) or when.strip()
    if when not in ("", "0", 0):  # as lines of a corpus have one that is not known
        given["year"] = when
    id_, doi, arxiv, url = (f"{record.get(name) or ''}" for name in ("id", "doi", "arxiv", "url"))
    url = f"{address_with_pmid(url, identifier(record.get('pmid')), doi)}"
    copies = _itself(Paper(id_, "", doi=clean_doi(doi), arxiv=arxiv_key(arxiv), url=url))
    try:
        id_ = given.get("id", "")
        return Query(**{"copies": copies, **given, "id": identifier(id_) or id_ or default_id})
    except QueryError as error:
        raise QueryError(f"{place}: {error}") from None


def _encodable(value: Any) -> Any:
    """The text, or texts and ids of a list, as any format of answers can hold them; other values as they are."""
    if isinstance(value, list):
        return [encodable(one) if isinstance(one, str) else identifier(one) or one for one in value]
    return encodable(value) if isinstance(value, str) else value
