"""AMiner citation networks up to version 8: blocks of lines that begin with a mark.

`#*` title, `#@` authors, `#t` (or `#year`) year, `#c` (or `#conf`) venue, `#index` id, `#%` one reference a line,
`#!` abstract. The order of the marks differs between versions, and a first line may hold the number of papers.
"""

import re
from collections.abc import Iterator

from indexer.readers import streams
from indexer.readers.base import Found, Malformed, RawPaper, Reader
from indexer.readers.head import Head
from indexer.readers.streams import TextFile

# Longer marks first: "#index" must not be read as an unknown mark, nor "#conf" as "#c".
_MARK = re.compile(r"#(index|arnetid|citation|year|conf|\*|@|t|c|%|!|o)(.*)", re.DOTALL)
_ALIASES = {"year": "t", "conf": "c"}
_ONCE = ("index", "*")  # a second one begins the next paper even without a blank line

Block = dict[str, list[list[str]]]  # mark → values, each in the lines that it spans


def _detect(head: Head) -> bool:
    marks = {line[:2] for line in head.lines if line.startswith("#")}
    return "#*" in marks and any(line.startswith("#index") for line in head.lines)


def _read(file: TextFile) -> Iterator[Found]:
    block: Block = {}
    last, size, first_line = "", 0, 1
    for number, line in file.lines():
        size += len(line or b"")
        if line is None or size > streams.MAX_BLOCK_BYTES:
            yield Malformed(f"line {number}", streams.too_long(streams.MAX_BLOCK_BYTES))
            block, last, size = {}, "", 0
            continue
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        match = _MARK.match(text)
        mark = _ALIASES.get(match.group(1), match.group(1)) if match else ""
        if not text.strip() or (mark in _ONCE and mark in block):
            if block:
                yield _paper(first_line, block)
            block, last, size = {}, "", len(line)
        if match:
            first_line = first_line if block else number
            block.setdefault(mark, []).append([match.group(2)])
            last = mark
        elif last and text.strip():
            block[last][-1].append(text)
    if block:
        yield _paper(first_line, block)


def _paper(line: int, block: Block) -> Found:
    where = f"line {line}"
    if block.keys() <= {"citation"}:
        return Malformed(where, "marks but no paper")

    def first(mark: str) -> str:
        return " ".join(block.get(mark, [[]])[0])

    authors = first("@")
    return RawPaper(
        where,
        id=first("index"),
        title=first("*"),
        abstract=first("!"),
        year=first("t"),
        authors=authors.split(";" if ";" in authors else ","),
        venue=first("c"),
        citations=[" ".join(lines) for lines in block.get("%", [])],
    )


AMINER_TEXT = Reader(
    name="aminer_text",
    description="AMiner (DBLP, ACM) citation network up to version 8: text with #*, #@, #t, #c, #index, #%, #!",
    endings=(".txt",),
    detect=_detect,
    read=_read,
)
