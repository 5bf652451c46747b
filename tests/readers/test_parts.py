"""Large files of JSON lines, read in parts: by how many processes changes nothing."""

import bz2
import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.errors import RecordError
from indexer.paper import Paper
from indexer.readers import ReadReport, parts, read_papers, streams
from indexer.readers.head import Head
from indexer.readers.streams import TextFile
from indexer.readers.unicode import Utf8

from .corpus_samples import S2ORC
from .helpers import write
from .samples import OPENALEX_WORK


def records(make, count: int = 4000) -> Iterator[bytes]:
    """Lines of which some are damaged, blank, no UTF-8 or of no paper."""
    for number in range(count):
        line = json.dumps(make(number)).encode()
        damaged = {17: line[:40], 18: b"", 19: b"[]", 23: line.replace(b"e", b"\xe9", 1), 29: b'{"title": "no id"}'}
        yield damaged.get(number % 97, line) + (b"\r\n" if number % 5 == 0 else b"\n")


FORMATS = {
    "jsonl": lambda n: {"id": f"p{n}", "title": f"Title {n}", "year": 1900 + n % 100, "citations": [f"p{n - 1}", "p1"]},
    "openalex": lambda n: OPENALEX_WORK | {"id": f"https://openalex.org/W{n}"},
    "s2orc": lambda n: S2ORC | {"paper_id": str(n)},
}


def read(path: str, processes: int) -> tuple[list[Paper], ReadReport]:
    report = ReadReport()
    return list(read_papers([path], report=report, processes=processes)), report


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_PART_BYTES", 20_000)


@pytest.mark.long
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
@pytest.mark.parametrize("format", FORMATS)
def test_papers_and_problems_are_those_of_one_process(tmp_path: Path, format: str, pack) -> None:
    path = write(tmp_path / "papers.jsonl", pack(b"".join(records(FORMATS[format])).rstrip(b"\n")))
    alone, together = read(path, 1), read(path, 2)
    assert len(alone[0]) > 3000
    assert alone[1].skipped > 80
    assert alone[1].replaced_bytes > 30
    assert together == alone


def test_a_small_file_starts_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    in_processes = parts.in_processes
    monkeypatch.setattr(parts, "in_processes", lambda *given: asked.append(given[2]) or in_processes(*given))
    few = write(tmp_path / "few.jsonl", b"".join(records(FORMATS["jsonl"], 300)))
    assert read(few, 2) == read(few, 1)
    assert asked == [1]


def test_a_line_that_is_too_long_costs_that_line_wherever_a_part_ends(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(streams, "MAX_RECORD_BYTES", 3000)
    monkeypatch.setattr(parts, "_FEW", 10_000)  # processes of their own would have the usual limit
    for length in (2_900, 2_998, 2_999, 3_000, 3_001, 5_000, 30_000):
        lines = [b'{"id": "%d", "title": "%s"}' % (n, b"x" * (length if n % 7 == 3 else 100)) for n in range(900)]
        path = write(tmp_path / f"{length}.jsonl", b"\n".join(lines))
        assert read(path, 2) == read(path, 1)


def test_a_strict_reading_stops_at_the_first_malformed_line(tmp_path: Path) -> None:
    good = [line for number, line in enumerate(records(FORMATS["jsonl"])) if number % 97 not in {17, 18, 19, 23, 29}]
    path = write(tmp_path / "papers.jsonl", b"".join([*good[:3000], b"no JSON\n", *good[3000:], b"nor this\n"]))
    told = []
    for processes in (1, 2):
        with pytest.raises(RecordError) as caught:
            list(read_papers([path], strict=True, processes=processes))
        told.append(str(caught.value))
    assert told[0] == told[1]
    assert "line 3001: no valid JSON" in told[0]


@given(st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"")), max_size=40), st.integers(1, 60))
def test_parts_are_the_file_and_know_their_lines(lines: list[bytes], size: int) -> None:
    data = b"\n".join(lines)
    file = TextFile("f", Head("f", data), io.BytesIO(data), Utf8(io.BufferedReader(io.BytesIO())))
    found = [(part.before, part.body.read()) for part in file.parts(size)]
    assert b"".join(part for _, part in found) == data
    assert [before for before, _ in found] == [
        b"".join(part for _, part in found[:place]).count(b"\n") for place in range(len(found))
    ]
    assert all(part.endswith(b"\n") for _, part in found[:-1])
