"""One place where the fields of every format are made clean: loose record in, Paper or RecordError out."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import isfinite

import orjson

from common.errors import RecordError
from common.names import without_role
from common.text import composed, one_line, unligated, without_soft_hyphens
from common.words import counted
from indexer.identity.identifiers import arxiv_key, bare_doi, clean_doi
from indexer.identity.keys import keys_of
from indexer.identity.retractions import says_retracted
from indexer.original import LONGEST
from indexer.paper import Imprint, Paper
from indexer.readers.base import Found, Malformed, RawPaper
from indexer.readers.markup import without_markup
from indexer.readers.report import Problem, ReadReport

MAX_TITLE = 2_000  # characters
MAX_ABSTRACT = 50_000
MAX_NAME = 500  # of an author or venue
MAX_ID = 512
MAX_URL = 2_000
FIRST_YEAR, LAST_YEAR = 1000, 2100

# Control characters, halves of surrogate pairs, soft hyphens, bidirectional overrides, byte order marks and
# noncharacters: nothing that is meant to be read.
_UNWANTED = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufeff\ufffe\uffff]"
)
# What Windows-1252 has where Latin-1 has control characters: text was read as the latter.
_OF_WINDOWS = {chr(code): bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)}
# UTF-8 that was read as Windows-1252; what else it may be is for ftfy to tell, but for a word in capitals in quotes.
_FIRST, _QUOTES = "[\u00c2-\u00f4]", "‘’“”–—…‹›«»"
_OTHERS = "".join({*map(chr, range(0x80, 0xC0)), *_OF_WINDOWS.values()} - {*_QUOTES})
_MISREAD = re.compile(f"{_FIRST}[{_OTHERS}]|(?<![A-ZÀ-Þ]){_FIRST}[{_QUOTES}]")
_BUDDHIST, _THAI = re.compile(r"(?<!\d)2[3-6]\d\d(?!\d)"), re.compile("[\u0e01-\u0e5b]")
_NUMBER, _LONGEST_SHOWN = re.compile(r"[1-9]\d{2,}"), 40
# "2020", also in EBSCO's "20200301".
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?=(?:(?:0\d|1[0-2])(?:[0-2]\d|3[01]))?(?!\d))")
# "昭和50年" is 1975; "元" is the first year of an era.
_ERAS = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018, "民國": 1911, "民国": 1911}
_YEAR_OF_ERA = re.compile(rf"({'|'.join(_ERAS)})\s*(元|\d{{1,3}})(?!\d)")
_FIRST_INEXACT = 2**53  # a float from here on may not be the number that was written
NAMESAKE = re.compile(r"(?<=\D) 0\d{3}(?=$|,)")  # DBLP's number of one of several people: "Wei Chen 0001"
_ARTICLE = "article-journal"  # of CSL
_NOBODY = {"[No author name available]", "[Anonymous]"}  # as Scopus and Web of Science name authors, in any format
_NO_ABSTRACT = re.compile(r"\[?no abstract(?: available)?\.?\]?", re.IGNORECASE)
# As in "arXiv preprint 2101.00001", "abs/2101.00001" and "oai:arXiv.org:0704.0001".
_BEFORE_ARXIV_ID = re.compile(
    r"\A\s*(?:oai:)?(?:arxiv(?:\.org)?(?:[\s:]|preprint)*|(?=abs/))(?:abs/)?(?=[\w.-]+(?:/\d|v?\b))", re.IGNORECASE
)
_NEXT_URL = re.compile(r"[;,]? (?=https?://)", re.IGNORECASE)  # Mendeley puts all of a work into one field


def cleaned(
    file: str, found: Iterable[Found], strict: bool, report: ReadReport, untitled: bool = False
) -> Iterator[tuple[Paper, RawPaper]]:
    """The papers of what a format found in `file`; what makes none, see `clean`, is noted in `report`.

    Raises:
        RecordError: A record is malformed and `strict` is set.
    """
    without_year, first = 0, ""
    for item in found:
        try:
            if isinstance(item, Malformed):
                raise RecordError(item.reason)
            paper = clean(item, report, untitled)
            if paper.year is None and (given := _number_in(item.year)):
                without_year += 1
                first = first or (f"{given} ({item.where})" if item.where else given)
            yield paper, item
        except RecordError as error:
            problem = Problem(file, item.where, one_line(str(error)))  # it may quote the file
            if strict:
                raise RecordError(str(problem)) from None
            report.skip(problem)
    if without_year:
        records, more = counted(without_year, "record"), " …" if without_year > 1 else ""
        reason = f"{records} read without a year, since it is none from {FIRST_YEAR} to {LAST_YEAR}: {first}{more}"
        report.tell(Problem(file, "", reason))


def clean(raw: RawPaper, report: ReadReport, untitled: bool = False) -> Paper:
    """The paper that a record describes.

    Required: an id, and a title or an abstract; if `untitled`, a DOI, an arXiv id or a PMID will do instead. Other
    fields that cannot be understood are left empty.

    Raises:
        RecordError: No id, neither title nor abstract, or a field of the wrong kind; the message names no place.
    """
    paper_id = identifier(raw.id)
    if not paper_id:
        raise RecordError("no id")
    if len(paper_id) > MAX_ID:
        raise RecordError(f"id longer than {MAX_ID} characters")
    given = raw.title, raw.abstract, raw.authors, raw.venue
    meant = tuple(map(as_meant, given))
    report.mended += meant != given
    title, abstract = text(without_markup(meant[0]), "title"), text(without_markup(meant[1]), "abstract")
    if _NO_ABSTRACT.fullmatch(abstract):
        abstract = ""
    report.truncated += len(title) > MAX_TITLE or len(abstract) > MAX_ABSTRACT
    original = raw.original.kept() if raw.original else None
    is_thai = any(isinstance(value, str) and _THAI.search(value) for value in (title, meant[3]))
    paper = Paper(
        id=paper_id,
        title=title[:MAX_TITLE],
        abstract=abstract[:MAX_ABSTRACT],
        year=year(raw.year) or (_of_buddhist(raw.year) if is_thai else None),
        authors=tuple(name[:MAX_NAME] for name in _names(meant[2])),
        venue=_optional_text(meant[3])[:MAX_NAME],
        doi=doi(raw.doi) or bare_doi(paper_id),
        arxiv=arxiv(raw.arxiv),
        url=_url(raw.url),
        citations=_citations(raw.citations, paper_id),
        original=original,
        retracted=raw.retracted is True or says_retracted(title, doi(raw.doi) or bare_doi(paper_id)),
        imprint=None if original else _imprint(raw),
    )
    if not title and not abstract and not (untitled and keys_of(paper)):
        raise RecordError("neither title nor abstract")
    return paper


def as_meant(value: object) -> object:
    """Text, or a list of texts, without what a wrong encoding made of it once, such as "MÃ¼ller"; else as it is."""
    if type(value) is list:
        return [*map(as_meant, value)]
    if not isinstance(value, str) or value.isascii() or not _MISREAD.search(value):
        return value
    from ftfy import fix_encoding  # few records need it

    return fix_encoding(value)


def text(value: object, what: str) -> str:
    """Text in NFC with single spaces and without unwanted characters; "" for None.

    Raises:
        RecordError: The value is neither text nor a number.
    """
    if type(value) is str:
        return collapse(value)  # as nearly all are
    if value is None or (isinstance(value, float) and not isfinite(value)):  # NaN is how some tools write "missing"
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise RecordError(f"{what} is a {_kind(value)}, not text")
    return collapse(str(value))


def collapse(value: str) -> str:
    """Single spaces, NFC, nothing that cannot be read."""
    if value.isascii() and value.isprintable() and "  " not in value:
        return value.strip()  # as nearly all are
    if not value.isascii():
        value = without_soft_hyphens(value)
        value = unligated(composed(_UNWANTED.sub(lambda found: _OF_WINDOWS.get(found[0], ""), value)))
    elif not value.isprintable():
        value = _UNWANTED.sub("", value)
    return " ".join(value.split())


def year(value: object) -> int | None:
    """The first year from 1000 to 2100 in a number or text such as "1998 Dec-1999 Jan" or "昭和50年"; None without."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value if FIRST_YEAR <= value <= LAST_YEAR else None
    if not isinstance(value, str):
        return None
    found = [int(match.group()) for match in _YEAR.finditer(value[:200])]
    if not found and not value.isascii() and (era := _YEAR_OF_ERA.search(value[:200])):
        found = [_ERAS[era[1]] + (1 if era[2] == "元" else int(era[2]))]
    return next((number for number in found if FIRST_YEAR <= number <= LAST_YEAR), None)


def _number_in(value: object) -> str:
    """A value that is to be a year, as a message shows it; "" where it has no number."""
    given = one_line(str(value))[:_LONGEST_SHOWN] if isinstance(value, str | int | float) else ""
    return given if _NUMBER.search(given) else ""


def _of_buddhist(value: object) -> int | None:
    """The year of one of the Buddhist era, which Thai records have: 2519 is 1976."""
    found = _BUDDHIST.search(str(value))
    return int(found[0]) - 543 if found else None


def doi(value: object) -> str:
    """A DOI without resolver or "doi:", in lower case; "" where there is none."""
    return clean_doi(collapse(value)) if isinstance(value, str) and "10." in value else ""


def arxiv(value: object) -> str:
    """An arXiv identifier of a field that is to hold one, without prefix and version; "" where there is none."""
    return arxiv_key(_BEFORE_ARXIV_ID.sub("", value)) if isinstance(value, str) else ""


def identifier(value: object) -> str:
    """An id as the index has it, also of numbers, whole floats among them; "" where it is none."""
    if type(value) is str and _is_plain(value):
        return value  # as nearly all are
    if isinstance(value, float) and value.is_integer() and abs(value) < _FIRST_INEXACT:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return " ".join(composed(_UNWANTED.sub("", str(value))).split())


def _optional_text(value: object) -> str:
    return collapse(str(without_markup(value))) if isinstance(value, str) else ""


def _imprint(raw: RawPaper) -> Imprint | None:
    """How it was published, in few bytes: no reference prints who publishes the journal of an article."""
    # What databases call a letter is one to the editor of a journal, where interviews stand, too.
    kind = _ARTICLE if raw.type in ("personal_communication", "interview") and raw.venue else raw.type
    publisher = "" if kind == _ARTICLE else raw.publisher
    values = (kind, raw.volume, raw.issue, raw.page, publisher)
    if not any(values) and not raw.more:
        return None  # as of most records of large corpora
    more = orjson.dumps(dict(raw.more)).decode() if raw.more else ""
    texts = (_optional_text(str(value) if isinstance(value, int) else value)[:MAX_NAME] for value in values)
    found = replace(Imprint(*texts), more=more if len(more) <= LONGEST else "")
    return found if found not in (Imprint(), Imprint(_ARTICLE)) else None


def _url(value: object) -> str:
    url = _NEXT_URL.split(collapse(value), 1)[0] if isinstance(value, str) else ""
    return url if url.lower().startswith(("http://", "https://")) and len(url) <= MAX_URL else ""


def _names(value: object) -> Iterable[str]:
    names = [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else []
    cleaned = [collapse(str(without_markup(name))) for name in names if isinstance(name, str)]
    cleaned = [without_role(name) for name in cleaned]
    cleaned = [name for name in cleaned if name and name not in _NOBODY]
    return (NAMESAKE.sub("", name) if " 0" in name else name for name in cleaned)


def _citations(value: object, paper_id: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise RecordError(f"citations is a {_kind(value)}, not a list of ids")
    ids = dict.fromkeys(value if _all_identifiers(value) else map(identifier, value))
    ids.pop("", None)
    ids.pop(paper_id, None)
    longest = max(map(len, ids), default=0)
    return tuple(ids) if longest <= MAX_ID else tuple(cited for cited in ids if len(cited) <= MAX_ID)


def _all_identifiers(values: Sequence[object]) -> bool:
    """Whether `identifier` would leave all of them as they are, as it does nearly always; no may be wrong."""
    try:
        joined = "".join(values)  # type: ignore[arg-type]
    except TypeError:
        return False
    return _is_plain(joined)


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable() and " " not in text


def _kind(value: object) -> str:
    kinds = {bool: "truth value", dict: "JSON object", list: "list", str: "text", int: "number", float: "number"}
    return kinds.get(type(value), type(value).__name__)
