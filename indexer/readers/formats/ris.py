"""RIS, the exchange format of reference managers.

Real exports differ from the description: an end (`ER`) may be missing, also the last one, and one space may stand
where two should be. rispy reads a file as a whole and drops or merges such records, so the lines are read here.
Most exports have no `ID`; then DOI, accession number, address, or a digest of title and year identifies the paper.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from indexer.original import Original
from indexer.readers import streams
from indexer.readers.base import Found, Malformed, RawPaper, Reader, register
from indexer.readers.fields import doi
from indexer.readers.head import Head
from indexer.readers.streams import TextFile

_TAG = re.compile(r"([A-Z][A-Z0-9]) {1,2}-(?: (.*)|\s*)$", re.DOTALL)
_START = re.compile(r"^TY {1,2}- ?[A-Z]{3,}", re.MULTILINE)

Record = dict[str, list[list[str]]]  # tag → values, each in the lines that it spans


def _detect(head: Head) -> bool:
    return bool(_START.search(head.text)) and not head.text.lstrip().startswith(("{", "[", "<"))


def _read(file: TextFile) -> Iterator[Found]:
    record: Record = {}
    source: list[str] = []  # its lines as they are
    last, size, first_line = "", 0, 1
    for number, line in file.lines():
        size += len(line or b"")
        if line is None or size > streams.MAX_BLOCK_BYTES:
            yield Malformed(f"line {number}", streams.too_long(streams.MAX_BLOCK_BYTES))
            record, source, last, size = {}, [], "", 0
            continue
        source.append(line.decode("utf-8", "replace"))
        text = source[-1].rstrip("\r\n")
        match = _TAG.match(text)
        tag = match.group(1) if match else ""
        if tag in ("TY", "ER"):
            if record:
                yield _paper(f"line {first_line}", record, source if tag == "ER" else source[:-1])
            record, source, last, size = {}, source[-1:], "", 0
            if tag == "ER":
                source = []
                continue
            first_line = number
        if not record and tag != "TY":
            source = []
        if match and (record or tag == "TY"):  # tags before the first TY belong to no record
            record.setdefault(tag, []).append([(match.group(2) or "").strip()])
            last = tag
        elif last and text.strip():
            record[last][-1].append(text.strip())
    if record:
        yield _paper(f"line {first_line}", record, source)


def _paper(where: str, record: Record, source: list[str]) -> Found:
    def every(*tags: str) -> list[str]:
        return [value for tag in tags for lines in record.get(tag, []) if (value := " ".join(lines))]

    def first(*tags: str) -> str:
        return next(iter(every(*tags)), "")

    title, year = first("TI", "T1", "CT", "BT"), first("PY", "Y1", "YR", "DA")
    if not title:
        return Malformed(where, "no title (TI or T1)")
    return RawPaper(
        where,
        id=first("ID") or doi(first("DO")) or first("AN", "UR") or _digest(title, year),
        title=title,
        abstract=first("AB", "N2"),
        year=year,
        authors=[_first_last(name) for name in every("AU", "A1")],
        venue=first("JO", "JF", "T2", "JA", "J2", "BT", "PB"),
        doi=first("DO") or first("UR"),
        arxiv=next((url for url in every("UR") if "arxiv.org" in url), None),
        url=first("UR", "L2", "L1"),
        original=Original("ris", "".join(source)),
    )


def _first_last(name: str) -> str:
    last, _, rest = name.partition(",")
    first, _, suffix = rest.partition(",")
    return " ".join(part.strip() for part in (first, last, suffix) if part.strip())


def _digest(title: str, year: str) -> str:
    return "ris-" + hashlib.sha256(f"{title}\n{year}".encode()).hexdigest()[:16]


register(
    Reader(
        name="ris",
        description="RIS, as exported by reference managers and publishers",
        endings=(".ris",),
        detect=_detect,
        read=_read,
    )
)
