"""Web of Science: the plain text export, and the tab-delimited one, with cited references (`CR`).

In the text a value goes on in lines that begin with three spaces; in authors and references each of them is a value
of its own. The table has the same tags as columns, and semicolons between authors and between references.
"""

import re
from collections.abc import Callable
from functools import partial

from common.names import stored_whole
from indexer.identity.identifiers import digest_id, pubmed_address
from indexer.identity.retractions import is_notice_kind, is_retracted_kind
from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.csl_items import beside, csl_type, page_range
from indexer.readers.head import Head
from indexer.readers.markup import all_last_first, without_final_stop
from indexer.readers.references import from_web_of_science
from indexer.readers.tables import Row, table_rows
from indexer.readers.tagged import Tagged, tagged_records

_TAG = re.compile(r"([A-Z][A-Z0-9])(?: (.*)|\s*)", re.DOTALL)
_START = re.compile(r"^PT [A-Z]\s*$", re.MULTILINE)
# A semicolon within a reference stands in a list of DOIs, which has brackets.
_REFERENCE = re.compile(r"(?:\[[^\[\]]*\]|;(?!\s)|[^;])++")
_QUOTED = re.compile(r'"(?:[^"]|"")*"')

# The tags of the text and the tab-delimited export, as the sheet for Excel names them.
_OF_SHEET = {
    **{"AU": "authors", "AF": "author full names", "BE": "book editors", "CA": "group authors", "TI": "article title"},
    **{"SO": "source title", "AB": "abstract", "CR": "cited references", "PY": "publication year", "VL": "volume"},
    **{"EA": "early access date", "DT": "document type", "DI": "doi", "PM": "pubmed id", "BP": "start page"},
    **{"EP": "end page", "AR": "article number", "IS": "issue", "PU": "publisher", "PT": "publication type"},
    **{"UT": "ut (unique wos id)", "LA": "language", "DE": "author keywords", "SE": "book series title", "BN": "isbn"},
    **{"PI": "publisher city", "PS": "pages"},
}


def _detect_text(head: Head) -> bool:
    return bool(_START.search(head.text)) and any(line[:3] in ("TI ", "UT ", "AU ") for line in head.lines)


def _is_quoted(head: Head) -> bool:
    """Whether cells of a table are quoted, as by Excel when it saves one again; the export has bare marks."""
    if head.table is None or head.table.delimiter != "\t" or "pt" not in head.columns:
        return True
    lines = head.text.split("\n")[:-1]  # the last may break off
    marked = [cell for line in lines for cell in line.rstrip("\r").split("\t") if '"' in cell]
    return bool(marked) and all(map(_QUOTED.fullmatch, marked))


def _of_text(record: Tagged) -> RawPaper | None:
    people = {tag: record.lines(tag) for tag in ("AF", "AU", "BE", "CA")}
    return _paper(record.first, people, record.lines("CR"))


def _of_table(row: Row) -> RawPaper | None:
    def first(*tags: str) -> str:
        values = (row.get(tag.lower()) or row.get(_OF_SHEET[tag]) for tag in tags)
        return next(filter(None, values), "")

    people = {tag: [*filter(str.strip, first(tag).split(";"))] for tag in ("AF", "AU", "BE", "CA")}
    return _paper(first, people, _REFERENCE.findall(first("CR")))


def _paper(first: Callable[..., str], people: dict[str, list[str]], references: list[str]) -> RawPaper | None:
    kinds = first("DT").split("; ")
    if is_notice_kind(kinds):
        return None
    title, year, doi = first("TI"), first("PY") or first("EA"), first("DI")
    type = "article-journal" if first("PT") == "J" else csl_type(*reversed(kinds))
    return RawPaper(
        id=first("UT") or doi or digest_id("wos", title, year),
        title=without_final_stop(title) if first("UT").startswith("MEDLINE:") else title,
        abstract=first("AB"),
        year=year,
        authors=[*all_last_first(people["AF"] or people["AU"] or people["BE"]), *map(stored_whole, people["CA"])],
        venue=first("SO"),
        doi=doi,
        url=pubmed_address(first("PM")),
        references=[from_web_of_science(line) for line in references if line.strip()],
        volume=first("VL"),
        page=page_range(first("BP"), first("EP")) or first("AR", "PS"),
        type=type,
        issue=first("IS"),
        publisher=first("PU"),
        more=beside(
            type,
            first("LA"),
            all_last_first(people["BE"]),
            first("DE"),
            publisher_place=first("PI"),
            collection_title=first("SE"),
            ISBN=first("BN"),
        ),
        retracted=is_retracted_kind(kinds),
    )


WOS = Reader(
    name="wos",
    description="Web of Science: plain text export, with cited references",
    endings=(".txt", ".ciw", ".isi"),
    detect=_detect_text,
    read=record_reader(partial(tagged_records, tagged=_TAG, begins=("PT",), ends=("ER", "EF")), _of_text),
    describes_references=True,
)

WOS_TAB = Reader(
    name="wos_tab",
    description="Web of Science: tab-delimited export, or its Excel sheet saved as CSV, with cited references",
    endings=(".txt", ".tsv", ".csv"),
    detect=lambda head: (
        head.columns >= {"pt", "au", "ti", "so", "py"} or head.columns >= {"article title", "ut (unique wos id)"}
    ),
    read=record_reader(lambda file: table_rows(file, _is_quoted(file.head)), _of_table),
    describes_references=True,
)
