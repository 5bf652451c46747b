"""BibTeX and BibLaTeX bibliographies.

bibtexparser reads a whole file at once; here it is handed a batch of entries at a time, and `@string`
abbreviations and the parents of `crossref` and `xdata` are kept across batches.
"""

import logging
import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, field, replace

from bibtexparser import model
from bibtexparser.entrypoint import parse_string

from common.errors import RecordError
from indexer.identity.identifiers import clean_doi, digest_id, noted
from indexer.identity.keys import address_with_pmid, keys_but_of_id
from indexer.original import Original
from indexer.paper import Paper
from indexer.readers import streams
from indexer.readers.base import Found, Malformed, RawPaper, Reader
from indexer.readers.bibtex_keys import SETTINGS, entries_by_key, field_without_comma, with_commas, without_remarks
from indexer.readers.entry_fields import TEXTS
from indexer.readers.fields import clean
from indexer.readers.latex import plain, plain_address
from indexer.readers.markup import with_subtitle
from indexer.readers.name_lists import bibtex_names
from indexer.readers.references import CITING, in_bibtex
from indexer.readers.report import ReadReport
from indexer.readers.streams import TextFile

# Entries that others name in crossref; remembering every entry would take memory without bound.
_PARENT_TYPES = {
    *("proceedings", "book", "collection", "mvbook", "mvcollection", "mvproceedings", "periodical", "conference"),
}
_BATCH_BYTES = 1 << 18
_LONGEST_VALUE = 100_000  # characters that are made of several pieces
_BLOCK = re.compile(rb"\s*@\s*[A-Za-z]+\s*[{(]")
_ENTRY = re.compile(
    r"^[ \t]*@[ \t]*(?!string|comment|preamble)[a-z]{1,40}[ \t]*[{(]\s*(?:[^\s,{}=]{0,300}[ \t]*,|[a-z-]+\s*=\s*[{\"])",
    re.IGNORECASE | re.MULTILINE,
)
_COMMENT = re.compile(r"\s*@\s*comment\b", re.IGNORECASE)
_ADDRESS = re.compile(r"\\(?:url|href)\s*\{((?:[^{}]|\{[^{}]*\})*)\}|https?://[^\s{}]+", re.IGNORECASE)
_NO_COMMA = re.compile(r"(?<=[}\"\d])(?=\s+[A-Za-z-]+\s*=\s*[{\"\d])")
_PIECE = re.compile(r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\"[^\"]*\"|[^\s#{}\"]+")  # of a value joined by #

logging.getLogger("bibtexparser").setLevel(logging.ERROR)  # the report names failed entries
_PAGES = next(one.bibtex.split() for one in TEXTS if one.csl == "page")
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _State:
    """What later entries may refer to."""

    strings: dict[str, str] = field(default_factory=dict)
    # Abbreviation → its @string, after those in it.
    definitions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    preambles: tuple[str, ...] = ()
    parents: dict[str, RawPaper] = field(default_factory=dict)  # by key, what others take of them
    waiting: list[tuple[str, RawPaper]] = field(default_factory=list)  # parent's key, entry before its parent
    # By key, of biblatex' @xdata: fields that other entries take over.
    shared: dict[str, tuple[dict[str, str], Original]] = field(default_factory=dict)
    remarked: dict[str, str] = field(default_factory=dict)  # entry that is not read yet → the same with its comments
    before_shared: list[tuple[str, model.Entry]] = field(default_factory=list)  # where, entry before its @xdata


def _read(file: TextFile) -> Iterator[Found]:
    state = _State()
    for first_line, batch in _batches(file):
        if isinstance(batch, Malformed):
            yield batch
            continue
        written = with_commas(batch)
        read, place = without_remarks(written), 0
        for block in parse_string(read, parse_stack=[]).blocks:
            if read is not written and block.raw and (start := read.find(block.raw, place)) >= 0:
                place = start + len(block.raw)
                if written[start:place] != block.raw:
                    state.remarked[block.raw] = written[start:place]
            yield from _block(block, first_line, state)
    for where, entry in sorted(state.before_shared, key=lambda waiting: waiting[1].entry_type.lower() != "xdata"):
        yield from _entry(where, entry, state, last=True)
    for parent, paper in state.waiting:
        yield _inherit(paper, state.parents.get(parent, RawPaper()))


def _batches(file: TextFile) -> Iterator[tuple[int, str | Malformed]]:
    """Runs of whole entries with the number of the line on which each begins."""
    first_line, size, block = 1, 0, 0
    lines: list[bytes] = []  # the last entry begins at `block`
    for number, line in file.lines():
        size += len(line or b"")
        if line is None or size > _BATCH_BYTES + streams.MAX_BLOCK_BYTES:
            yield first_line, b"".join(lines[:block]).decode("utf-8", "replace")
            yield number, Malformed(streams.too_long(streams.MAX_BLOCK_BYTES), f"line {number}")
            first_line, size, block, lines = number + 1, 0, 0, []
            continue
        if _BLOCK.match(line):
            if size > _BATCH_BYTES:
                yield first_line, b"".join(lines).decode("utf-8", "replace")
                first_line, size, lines = number, len(line), []
            block = len(lines)
        lines.append(line)
    yield first_line, b"".join(lines).decode("utf-8", "replace")


def _block(block: model.Block | None, first_line: int, state: _State) -> Iterator[Found]:
    where = f"line {first_line + ((block and block.start_line) or 0)}"
    block = _usable(block)
    if isinstance(block, model.String):
        state.strings[block.key.lower()] = _joined(block.value, state.strings)
        state.definitions[block.key.lower()] = (*_definitions(block.value, state), _whole(block))
    elif isinstance(block, model.Preamble):
        state.preambles = (*state.preambles, _whole(block))
    elif isinstance(block, model.ParsingFailedBlock) and _COMMENT.match(_whole(block)):
        _log.info("%s: a comment that is not closed, which BibTeX passes over", where)
    elif isinstance(block, model.ParsingFailedBlock):
        yield Malformed("an entry that is not closed, or broken otherwise", where)
    elif isinstance(block, model.Entry) and block.entry_type.lower() not in {*SETTINGS, "set"}:
        yield from _entry(f"{where}, entry {block.key!r}", block, state)


def _usable(block: model.Block | None) -> model.Block | None:
    """The block itself where only a key or a field is repeated."""
    if isinstance(block, model.DuplicateBlockKeyBlock | model.DuplicateFieldKeyBlock):
        return block.ignore_error_block
    return block


def entries_in(text: str) -> Iterator[tuple[model.Entry, dict[str, str]]]:
    """The entries of a text, and their values by names in small letters, with the abbreviations that it defines."""
    strings: dict[str, str] = {}
    for block in map(_usable, parse_string(without_remarks(with_commas(text)), parse_stack=[]).blocks):
        if isinstance(block, model.String):
            strings[block.key.lower()] = _joined(block.value, strings)
        elif isinstance(block, model.Entry):
            yield block, _values(block, strings)


def _values(entry: model.Entry, strings: dict[str, str]) -> dict[str, str]:
    """By names in small letters; of repeated fields the first counts, as in BibTeX."""
    return {item.key.lower(): _joined(str(item.value), strings).strip() for item in reversed(entry.fields)}


def untitled(text: str, read: Container[str]) -> Iterator[Paper]:
    """Entries that are no papers, for want of a title or a comma, but have a DOI, arXiv id or PMID, or else a title.

    Those with the keys `read` are not looked at.
    """
    others = [entry for key, entry in entries_by_key(text).items() if key not in read]
    for entry, values in entries_in(_NO_COMMA.sub(",", "\n".join(others))):
        try:
            found = clean(_paper(entry.key, values), ReadReport(), untitled=True)
        except RecordError:
            continue
        identified = replace(found, id=entry.key, title="")
        if keys_but_of_id(identified):
            yield identified
        elif found.title:
            yield replace(identified, title=found.title)


def _entry(where: str, entry: model.Entry, state: _State, last: bool = False) -> Iterator[Found]:
    """What an entry gives, now or once the whole file is read (`last`)."""
    without_comma = (field_without_comma(str(item.value).strip()) for item in entry.fields)
    if run_into := next(filter(None, without_comma), ""):
        yield Malformed(f"the comma before {run_into} is missing", where)
        return
    values = _values(entry, state.strings)
    named = [key.strip().lower() for key in values.get("xdata", "").split(",") if key.strip()]
    if not last and not state.shared.keys() >= set(named):
        state.before_shared.append((where, entry))
        return
    # The keys of `definitions` are looked for in all fields, however often each is given.
    used = (definition for item in entry.fields for definition in _definitions(str(item.value), state))
    text = state.remarked.pop(_whole(entry), _whole(entry))
    original = Original("bibtex", text, (*state.preambles, *dict.fromkeys(used)))
    for shared, its_original in (state.shared[key] for key in named if key in state.shared):
        values = shared | values
        original = _with_parent(original, its_original)
    if entry.entry_type.lower() == "xdata":
        state.shared[entry.key.lower()] = values, original
        return
    paper = replace(_paper(entry.key, values), where=where, original=original)
    if entry.entry_type.lower() in _PARENT_TYPES and values.keys() & {"title", "booktitle"}:
        title = plain(values.get("booktitle") or values["title"])
        state.parents[entry.key.lower()] = RawPaper(title=title, year=paper.year, original=original)
    parent = values.get("crossref", "").lower()
    if parent and parent not in state.parents:
        state.waiting.append((parent, paper))
    elif parent:
        yield _inherit(paper, state.parents[parent])
    else:
        yield paper


def _inherit(paper: RawPaper, parent: RawPaper) -> RawPaper:
    """The entry with what it takes from the one that its crossref names."""
    original = paper.original
    if original and parent.original:
        original = _with_parent(original, parent.original)
    return replace(paper, venue=paper.venue or parent.title, year=paper.year or parent.year, original=original)


def _with_parent(original: Original, parent: Original) -> Original:
    """The entry with one that it needs, and with what that needs."""
    before = tuple(dict.fromkeys((*original.before, *parent.before)))
    return replace(original, before=before, after=tuple(dict.fromkeys((*original.after, parent.text, *parent.after))))


def _whole(block: model.Block) -> str:
    return str(block.raw or "")


def _definitions(value: str, state: _State) -> tuple[str, ...]:
    """The @string blocks of the abbreviations in a value, each after those that it uses itself."""
    if value.strip()[:1] in '{"' and "#" not in value:
        return ()
    names = (piece[0].lower() for piece in _PIECE.finditer(value) if piece[0][0] not in '{"')
    return tuple(dict.fromkeys(text for name in names for text in state.definitions.get(name, ())))


def _paper(key: str, values: dict[str, str]) -> RawPaper:
    title = with_subtitle(values.get("title", ""), values.get("subtitle", ""))
    venues = ("journal", "journaltitle", "booktitle", "publisher", "school", "institution")
    venue = next((plain(values[name]) for name in venues if values.get(name)), "")
    prefix = (values.get("archiveprefix") or values.get("eprinttype") or "arxiv").lower()
    doi_noted, pmid_noted = noted(values.get("note", ""))  # Zotero's "Extra"
    pmid = values.get("pmid") or (values.get("eprint", "") if prefix in ("pubmed", "pmid") else pmid_noted)
    doi = plain_address(values.get("doi", "")) or doi_noted
    year = plain(f"{values.get('year', '')} {values.get('date', '')}".strip())  # {in press}, and a date
    return RawPaper(
        id=key or clean_doi(doi) or digest_id("bibtex", title, year),  # Mendeley has entries without a key
        title=plain(title),
        abstract=plain(values.get("abstract", "")),
        year=year,
        authors=bibtex_names(values.get("author") or values.get("editor") or ""),
        venue=venue,
        doi=doi,
        arxiv=values.get("eprint") if prefix == "arxiv" else None,
        url=address_with_pmid(_address(values, venue or doi or values.get("eprint", "")), pmid, doi),
        references=[*in_bibtex({name: plain_address(value) for name, value in values.items() if name in CITING})],
        volume=plain(values.get("volume", "")),
        page=plain(next(filter(None, map(values.get, _PAGES)), "")),
    )


def _address(values: dict[str, str], published: str) -> str:
    """Where the work is: BibTeX's own styles have no field for it, so that many write it where they tell of the work.

    The note of what was `published` may have the address of something else, such as its data.
    """
    own = values.get("url", "")
    if own and not own.startswith("\\"):
        return plain_address(own)
    told = map(values.get, ("url", "howpublished", "" if published else "note"))
    found = next(filter(None, (_ADDRESS.search(value) for value in told if value)), None)
    return plain_address(found[1] or found[0].rstrip(".,;")) if found else ""


def _joined(value: str, strings: dict[str, str]) -> str:
    """A value with abbreviations resolved, pieces joined and its enclosing braces or quotes removed, not the blanks."""
    value = value.strip()
    pieces = _PIECE.findall(value) if "#" in value else []
    if len(pieces) < 2 or "#" not in _PIECE.sub("", value):
        enclosed = len(value) > 1 and value[0] + value[-1] in ("{}", '""')
        return value[1:-1] if enclosed else strings.get(value.lower(), value)
    joined = ""
    for piece in pieces:
        joined += piece[1:-1] if piece[0] in '{"' else strings.get(piece.lower(), piece)
        if len(joined) > _LONGEST_VALUE:  # abbreviations made of abbreviations can double with every line
            break
    return joined[:_LONGEST_VALUE]


BIBTEX = Reader(
    name="bibtex",
    description="BibTeX and BibLaTeX",
    endings=(".bib", ".bibtex"),
    detect=lambda head: head.is_plain and bool(_ENTRY.search(head.text)),
    read=_read,
    describes_references=True,
)
