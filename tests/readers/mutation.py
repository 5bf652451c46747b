"""Damage of the kinds that real files suffer, and worse; and what must hold of whatever is still read."""

import bz2
import gzip
import json
import lzma
import random
from pathlib import Path

from archives import zipped
from backports import zstd

from common.errors import CitescoutError
from indexer.paper import Paper
from indexer.readers import ReadReport, read_papers
from indexer.readers.fields import MAX_ABSTRACT, MAX_ID, MAX_TITLE

from .samples import SAMPLES

TOKENS = [
    *[b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r", b"\n", b"\n\n", b"\t"],
    *[b"\\ud83d", b"\\u0000", b"NaN", b"1e999", b"-0", b"null", b"true", b"[]", b"{}", b'"', b"\\", b"NumberInt("],
    *[b"[" * 500, b'{"a":' * 300, b"9" * 5000, b"{" * 200, b"<a>" * 300, b"and " * 50],
    *[b"#index", b"#*", b"#", b" # ", b"TY  - ", b"ER  - ", b"@string{x = ", b"@article{", b"}", b"%"],
    *[
        b"\nPMID- 1\n",
        b"\nPT J\n",
        b"\nER\n",
        b"\n%0 X\n",
        b"\nCR ",
        b'""',
        b",,,",
        b";",
        b"N1  - References: ",
        b"</record>",
    ],
    *[b"$", b"\\begin{x}", b"\\frac{", b"10.1000/", b"&amp;", b"&a;", b"&#xFFFFFFF;", b"<i>"],
    *[b"<!ENTITY a 'b'>", b"<!DOCTYPE x [", b"]]>", b"<![CDATA[", b"</PubmedArticle>"],
]
CORPUS = {(name, path): text.encode() for name, files in SAMPLES.items() for path, text in files.items()}


def mutate(rng: random.Random, data: bytes) -> bytes:
    """The data with one to six random changes."""
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(data) + 1)
        to = min(len(data), at + rng.randrange(1, 40))
        kind = rng.randrange(8)
        if kind == 0:
            data = data[:at] + rng.randbytes(rng.randrange(1, 8)) + data[to:]
        elif kind == 1:
            data = data[:at] + rng.choice(TOKENS) + data[at:]
        elif kind == 2:
            data = data[:at] + rng.choice(TOKENS) + data[to:]
        elif kind == 3:
            data = data[:at] + data[to:]
        elif kind == 4:
            data = data[:at] + data[at:to] * rng.randrange(2, 20) + data[to:]
        elif kind == 5:
            other = rng.choice(list(CORPUS.values()))
            data = data[:at] + other[rng.randrange(len(other)) :][: rng.randrange(1, 300)] + data[to:]
        elif kind == 6:
            data = data[:at] if rng.random() < 0.3 else data[at:] + data[:at]
        else:
            data = _other_value(rng, data)
        data = data[:50_000]
    return data


def _other_value(rng: random.Random, data: bytes) -> bytes:
    """One JSON value replaced by one of another kind."""
    try:
        record = json.loads(data.splitlines()[0] if data[:2] == b'{"' else data)
    except (ValueError, IndexError, RecursionError):
        return data
    records = record if isinstance(record, list) else [record]
    target = rng.choice(records) if records else None
    for _ in range(rng.randrange(1, 4)):
        if not isinstance(target, dict) or not target:
            break
        key = rng.choice(list(target))
        inner = rng.choice(target[key]) if isinstance(target[key], list) and target[key] else target[key]
        if isinstance(inner, dict) and rng.random() < 0.7:
            target = inner
            continue
        odd = [None, True, 0, -1, 10**30, 1.5, "", "x", [], {}, [[]], [None], [{}], {"a": {}}, "\ud800", ["\udfff", 3]]
        target[key] = rng.choice(odd)
    return json.dumps(record).encode() + b"\n"


def pack(rng: random.Random, data: bytes) -> bytes:
    """Sometimes compressed, and then sometimes damaged again."""
    kind = rng.randrange(15)
    if kind > 4:
        return data
    packers = [gzip.compress, bz2.compress, lzma.compress, zstd.compress, lambda data: zipped({"member": data})]
    packed = packers[kind](data)
    return mutate(rng, packed) if rng.random() < 0.7 else packed


def read_damaged(folder: Path, rng: random.Random, name: str) -> int:
    """Damage one file of a sample, read it in one of the ways there are, and check every paper; returns how many."""
    files = SAMPLES[name]
    chosen = rng.choice(list(files))
    folder.mkdir(parents=True, exist_ok=True)
    for path in files:
        data = CORPUS[name, path]
        data = pack(rng, mutate(rng, data)) if path == chosen else data
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    source = folder if len(files) > 1 or rng.random() < 0.5 else folder / chosen
    forced = name if rng.random() < 0.6 else None
    return read_checked(str(source), forced, strict=rng.random() < 0.1)


def read_checked(source: str, forced: str | None, strict: bool = False) -> int:
    """Read a source; only CitescoutErrors may come of it, each one line, and only sound papers."""
    count = 0
    report = ReadReport()
    try:
        for paper in read_papers([source], format=forced, strict=strict, report=report):
            check(paper)
            count += 1
    except CitescoutError as error:
        assert str(error).strip()
        assert "\n" not in str(error).replace(source, "")
    assert report.read == count
    assert all(problem.reason for problem in report.problems)
    return count


def check(paper: Paper) -> None:
    """What the rest of the program relies on."""
    texts = [paper.id, paper.title, paper.abstract, paper.venue, paper.doi, paper.arxiv, paper.url]
    for text in [*texts, *paper.authors, *paper.citations]:
        assert isinstance(text, str)
        text.encode("utf-8")
        assert "\x00" not in text
        assert "\n" not in text
    assert paper.id.strip() == paper.id != ""
    assert len(paper.id) <= MAX_ID
    assert paper.title or paper.abstract
    assert len(paper.title) <= MAX_TITLE
    assert len(paper.abstract) <= MAX_ABSTRACT
    assert paper.year is None or 1000 <= paper.year <= 2100
    assert paper.doi == "" or paper.doi.startswith("10.")
    assert paper.url == "" or paper.url.lower().startswith("http")
    assert len(set(paper.citations)) == len(paper.citations)
    assert paper.id not in paper.citations
    assert all(paper.authors)
