"""Files that people have and that no format reads: what they are, and what to do instead."""

import re

from common.text import one_line
from common.words import listed
from indexer.identity.identifiers import lone_doi, pmid_key
from indexer.readers.head import TABLES, TITLE_COLUMNS, Head

_BIBLIOGRAPHY = "BibTeX, RIS or CSL-JSON"
_MOST_SHOWN = 4  # columns or fields
_LONGEST_SHOWN = 40  # characters of one
_OF_DBLP = "an answer of DBLP; its export as BibTeX is read"
_TOPICS = re.compile(r"\A\s*(?:<\?xml[^>]*>\s*)?<top(?:ic|ics)?[\s>]", re.IGNORECASE)
_ROOT = re.compile(r"<([A-Za-z][\w:.-]*)")
_LINES_LOOKED_AT = 200
_OF_DOCUMENTS = (b"[Content_Types].xml", b"mimetype", b"word/", b"Index/")  # files in the archives that they are

_TEXTS = (
    (re.compile(r"^Record #1 of \d+$", re.MULTILINE), "Cochrane's text", "RIS"),
    (re.compile(r"^<1>\s+^(?:[A-Z]{2} {0,2}- |Unique Identifier|Title$)", re.MULTILINE), "Ovid's text", "RIS"),
    (re.compile(r"^RT [A-Z][a-z]+.*\n(?:.*\n){0,9}?(?:A1|T1) ", re.MULTILINE), "RefWorks' tagged text", "RIS"),
    (
        re.compile(r"\A\s*1[.:] [^\n]+\. (?:19|20)\d\d\b.*\n(?:.*\n){1,400}?PMID: \d+"),
        "PubMed's text",
        "its format PubMed",
    ),
)
_EMBASE_BY_ROW = re.compile(r'\A\W*TITLE"?,[^\n]*\n(?:[^\n]*\n){0,9}?"?AUTHOR NAMES"?,')


def advice(head: Head) -> str:
    """What a file is that no format knows, and how its papers get in; "" where there is nothing to say of it."""
    data = head.data
    if head.unread or not data.strip():
        return head.unread or "empty"
    if data[257:262] == b"ustar":
        return "a tar archive; unpack it first"
    if data.startswith(b"%PDF-"):
        return f"a PDF, of which no paper is read; export {_BIBLIOGRAPHY} from a reference manager"
    if data.startswith(b"SQLite format 3\0"):
        return _database(head)
    if _TOPICS.match(head.text):
        return 'topics of TREC; write each as a line of JSON, such as {"id": "301", "title": "..."}'
    if head.file_name.endswith((".enl", ".enlx", ".enlp")):
        return "an EndNote library; in EndNote choose File > Export, and XML as the type of the file"
    return _list_of_ids(head) or _other_export(head) or _table(head)


def paper_advice(head: Head) -> str:
    """The `advice` for a file that should hold papers and no draft; of any other kind, too."""
    if head.data.startswith(b"PK"):
        if b"xl/" in head.data or b"opendocument.spreadsheet" in head.data:
            return "a damaged or compressed workbook; save its sheet as CSV"
        if not any(name in head.data for name in _OF_DOCUMENTS):
            return "an archive within another; unpack that one first"
        return f"a document of a word processor; export {_BIBLIOGRAPHY} from its reference manager"
    if head.data.lstrip().startswith(b"<"):
        return _markup(head) or _other_export(head)
    if "\\begin{thebibliography}" in head.text:
        return "a formatted bibliography; take the .bib file that it was made of"
    if "\\documentclass" in head.text:
        return "LaTeX source, which holds no papers; name its .bib file"
    if head.data.startswith(b"{\\rtf"):
        return f"formatted text; export {_BIBLIOGRAPHY} from the reference manager that made it"
    return _data(head) or advice(head)


def _data(head: Head) -> str:
    """Whether it is JSON of a known kind."""
    if '"@score"' in head.text and "dblp.org/" in head.text:
        return _OF_DBLP
    if '"lens_id"' in head.text:
        return "JSON of the Lens; export CSV instead"
    if "title" in head.keys and {"abstract", "authors", "year"} & head.keys and "id" not in head.keys:
        return 'papers in JSON without an "id"; give each its own'
    if head.keys and not {"title", "abstract"} & head.keys:
        shown = listed([name[:_LONGEST_SHOWN] for key in sorted(head.keys) if (name := one_line(key))], _MOST_SHOWN)
        read = f"docs/formats.md lists what is read, such as {_BIBLIOGRAPHY}"
        return f'JSON without a "title" (its fields: {shown}); {read}'
    return ""


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
    if root == "result" and "dblp.org/" in head.text:
        return _OF_DBLP
    if root == "TEI" and "<biblFull" in head.text:
        return f"HAL's list of publications in XML; export {_BIBLIOGRAPHY} instead"
    if root in ("mods", "modsCollection", "dblp"):
        return f"{'DBLP' if root == 'dblp' else 'MODS'} in XML; export {_BIBLIOGRAPHY} instead"
    if root == "OAI-PMH":
        named = "answers of arXiv's API and its snapshot at Kaggle are read" if "arXiv" in head.text else ""
        return f"an answer of OAI-PMH; {named or f'export {_BIBLIOGRAPHY} there instead'}"
    read = f"PubMed, JATS, TEI, EndNote and Zotero RDF are read, and {_BIBLIOGRAPHY}"
    return f"XML that begins with <{root[:50]}>; {read}"


def _other_export(head: Head) -> str:
    """Whether it is text of a database that exports RIS as well."""
    return next((f"{name}; export {choice} instead" for form, name, choice in _TEXTS if form.search(head.text)), "")


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


def database_of(head: Head) -> str:
    """The database that exported a table, and which of its exports holds more; "" where it is none of these."""
    if "item doi" in head.columns:  # whose authors are not parted
        return "Springer Link; export RIS or BibTeX of its papers instead"
    if _EMBASE_BY_ROW.match(head.text):
        return "Embase with a field a row; export RIS instead, or CSV with a field a column"
    return ""


def _table(head: Head) -> str:
    """Whether it is a table of a database that is read from another export, or one without titles."""
    if head.table is None:
        return ""
    if database := database_of(head):
        return f"a table of {database}"
    if any(column in head.columns for column in TITLE_COLUMNS) or not head.file_name.endswith(TABLES):
        return ""
    shown = listed([name for name in head.table.columns if name], _MOST_SHOWN)
    return (
        f"a table without a column for titles (its columns: {shown}); call its columns title, authors, year, abstract, "
        "journal and doi in the first line, as far as it has them"
    )
