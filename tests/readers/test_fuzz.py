"""No damage to a file may end in anything but sound papers, a report, and at most one CitescoutError."""

import json
import random
import resource
import shutil
import signal
import time

import pytest
from growth import NEARLY_LINEAR, growth, that_ends
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.readers import streams

from .helpers import read, write
from .mutation import TOKENS, read_checked, read_damaged
from .samples import SAMPLES

FAST, SLOW = 60, 120_000  # inputs: a format; in all
MOST_SECONDS = 10.0  # for one input of some kilobytes
MOST_GROWTH_KIB = 150_000

JSON_KEYS = {
    name: sorted({key for text in files.values() if text[:2] == '{"' for key in json.loads(text.splitlines()[0])})
    for name, files in SAMPLES.items()
    if any(text[:2] == '{"' for text in files.values())
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
IN_A_FOLDER = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("name", SAMPLES)
def test_damaged_files(tmp_path, name):
    rng = random.Random(name)
    for number in range(FAST):
        read_damaged(tmp_path / str(number), rng, name)


@pytest.mark.long
@pytest.mark.parametrize("name", JSON_KEYS)
@IN_A_FOLDER
@given(data=st.data())
def test_json_records_with_fields_of_any_kind(tmp_path, name, data):
    record = data.draw(st.fixed_dictionaries({}, optional=dict.fromkeys(JSON_KEYS[name], JSON)))
    path = tmp_path / "records.jsonl"
    path.write_text(json.dumps(record) + "\n" + json.dumps([record]) + "\n", encoding="utf-8")
    read_checked(str(path), name)
    path.write_text(json.dumps([record, record]), encoding="utf-8")
    read_checked(str(path), name)


@pytest.mark.parametrize("name", SAMPLES)
@IN_A_FOLDER
@given(data=st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes(tmp_path, name, data):
    path = tmp_path / "bytes"
    path.write_bytes(data)
    read_checked(str(path), name)
    read_checked(str(path), None)


@pytest.mark.long
@pytest.mark.parametrize(
    "token", [*TOKENS, b" ", b"@", b"<", b"&", b"\\'{", b"<i ", b"a,", b"#\n", b"@a{b,\n", b"[1],"]
)
def test_repetition_of_anything_ends_soon(tmp_path, token):
    for start in (
        b"",
        b'[{"id": "',
        b'{"id": "1", "title": "',
        b"@article{a, title={",
        b"TY  - JOUR\nTI  - ",
        b"#*T\n#index1\n",
    ):
        path = tmp_path / "repeated"
        path.write_bytes(start + token * (100_000 // len(token)))
        with that_ends():
            read_checked(str(path), None)


@pytest.mark.parametrize(
    ("name", "begin", "unit", "end", "size"),
    [
        ("stops.nbib", "PMID- 1\nTI  - ", "(.", "x\n", 1_500),
        ("commands.bib", "@article{a, title={T}, year={2001}, journal={", "\\", "x}}\n", 12_000),
        ("lines.yaml", "references:", "\n", "x: y\n", 2_500),
        (
            "references.txt",
            "PT\tAU\tTI\tSO\tPY\tCR\tUT\nJ\tA\tA title\tS\t2001\t",
            *("A; ", "\tWOS:1\n", 20_000),
        ),
        ("initials.csv", "authors,title,year,source title,eid,references\nA,T,2001,S,2-s2,S ", "A.", "x, T\n", 1_490),
    ],
)
def test_a_value_that_all_but_matches_a_pattern_ends_soon(tmp_path, name, begin, unit, end, size):
    def read_one(size):
        read_checked(str(write(tmp_path / name, begin + unit * size + end)), None)

    assert growth(read_one, size) < NEARLY_LINEAR


@pytest.mark.slow
def test_a_hundred_thousand_damaged_files(tmp_path):
    def stop(*_):
        raise TimeoutError(f"input {number} of {name} takes more than {MOST_SECONDS} s")

    names, papers, slowest = list(SAMPLES), 0, 0.0
    signal.signal(signal.SIGALRM, stop)
    before = 0
    for number in range(SLOW):
        name = names[number % len(names)]
        started = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)
        try:
            papers += read_damaged(tmp_path / "x", random.Random(number), name)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        slowest = max(slowest, time.monotonic() - started)
        shutil.rmtree(tmp_path / "x")
        if number == 2_000:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    growth = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert papers > SLOW / 4
    assert growth < MOST_GROWTH_KIB


@pytest.mark.parametrize(
    ("start", "line"), [("TY  - JOUR\nTI  - T\n", "x\n"), ("#*T\n#index1\n", "#%1\n"), ("@article{a, title={", "x\n")]
)
def test_endless_block_of_lines_is_skipped_and_reported(tmp_path, monkeypatch, start, line):
    monkeypatch.setattr(streams, "MAX_BLOCK_BYTES", 50_000)
    _, report = read(write(tmp_path / "endless", start + line * 300_000))
    assert report.skipped > 0
    assert any("longer than" in problem.reason for problem in report.problems)
