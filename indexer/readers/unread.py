"""Files that people have and that no format reads: what they are, and what to do instead."""

import re

from common.words import listed
from indexer.identity.identifiers import lone_doi, pmid_key
from indexer.readers.head import Head

_BIBLIOGRAPHY = "BibTeX, RIS or CSL-JSON"
_TITLE_COLUMNS = {"title", "article title", "document title", "titles", "ti"}
_MOST_COLUMNS_SHOWN = 4
_ROOT = re.compile(r"<([A-Za-z][\w:.-]*)")
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*")
_LINES_LOOKED_AT = 200
_OF_DOCUMENTS = (b"[Content_Types].xml", b"mimetype", b"word/", b"Index/")  # files in the archives that they are

# Tables of databases whose other exports hold more: an identifying column, the database, what to choose there.
_OTHER_TABLES = (
    ("ieee terms", "IEEE Xplore", "RIS or BibTeX, with abstracts"),
    ("embase accession id", "Embase", "RIS"),
    ("citesurl", "Publish or Perish", "BibTeX or RIS"),
    ("gsrank", "Publish or Perish", "BibTeX or RIS"),
    ("item doi", "Springer Link", "RIS or BibTeX of its papers"),
)


def advice(head: Head) -> str:
    """What a file is that no format knows, and how its papers get in; "" where there is nothing to say of it."""
    data = head.data
    if not data.strip():
        return "empty"
    if data[257:262] == b"ustar":
        return "a tar archive; unpack it first"
    if data.startswith(b"%PDF-"):
        return f"a PDF, of which no paper is read; export {_BIBLIOGRAPHY} from a reference manager"
    if data.startswith(b"SQLite format 3\0"):
        return _database(head)
    if head.file_name.endswith((".enl", ".enlx", ".enlp")):
        return "an EndNote library; in EndNote choose File > Export, and XML as the type of the file"
    return _list_of_ids(head) or _table(head)


def paper_advice(head: Head) -> str:
    """The `advice` for a file that should hold papers and no draft; of any other kind, too."""
    if head.data.startswith(b"PK"):
        if b"xl/" in head.data:
            return "a workbook; save its sheet as CSV, if a database exported it"
        if not any(name in head.data for name in _OF_DOCUMENTS):
            return "an archive within another; unpack that one first"
        return f"a document of a word processor; export {_BIBLIOGRAPHY} from its reference manager"
    if head.data.startswith(_PICTURES):
        return "a picture"
    if head.data.lstrip().startswith(b"<"):
        return _markup(head)
    if "\\begin{thebibliography}" in head.text:
        return "a formatted bibliography; take the .bib file that it was made of"
    if "\\documentclass" in head.text:
        return "LaTeX source, which holds no papers; name its .bib file"
    if head.data.startswith(b"{\\rtf"):
        return f"formatted text; export {_BIBLIOGRAPHY} from the reference manager that made it"
    return advice(head)


def _database(head: Head) -> str:
    if head.file_name.startswith("zotero"):
        return f"Zotero's database; in Zotero choose File > Export Library, and {_BIBLIOGRAPHY}"
    return f"a database; export {_BIBLIOGRAPHY} from the program that keeps it"


def _markup(head: Head) -> str:
    start = head.text.lstrip()[:2_000]
    if re.search(r"<!doctype html|<html", start, re.IGNORECASE):
        return f"a web page; look there for a way to export {_BIBLIOGRAPHY}"
    root = next((match[1] for match in _ROOT.finditer(start)), "")
    if not root or head.text.lstrip().startswith("<!ENTITY"):
        return ""
    return f"XML that begins with <{root[:50]}>; PubMed, JATS, TEI, EndNote and Zotero RDF are read"


def _list_of_ids(head: Head) -> str:
    """Whether each line is a DOI, or each a PMID."""
    lines = head.lines[:_LINES_LOOKED_AT]
    if len(lines) > 1 and not head.text.endswith("\n"):
        lines = lines[:-1]  # it may be cut off
    if not lines:
        return ""
    if all(lone_doi(line) for line in lines):
        return (
            "a list of DOIs, without titles; `citescout fetch openalex --around-file FILE --out works.jsonl.gz` "
            "brings these works, what they cite and what cites them"
        )
    if all(len(line) > 5 and pmid_key(line, bare=True) for line in lines):
        return (
            "a list of PMIDs, without titles; search for them at PubMed, and choose Save, All results, Format: PubMed"
        )
    return ""


def _table(head: Head) -> str:
    """Whether the first line names columns, a title among them."""
    header = head.table
    if header is None or not _TITLE_COLUMNS & head.columns:
        return ""
    for column, database, choice in _OTHER_TABLES:
        if column in head.columns:
            return f"a table of {database}; export {choice} instead"
    names = [name for name in header.columns if name]
    shown = listed(names, _MOST_COLUMNS_SHOWN)
    return f"a table that is no export of a known database (its columns: {shown}); export {_BIBLIOGRAPHY} instead"
