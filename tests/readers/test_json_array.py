import io
import json

import pytest

from indexer.readers import streams
from indexer.readers.base import Malformed
from indexer.readers.json_array import elements

RECORDS = [{"id": str(i), "title": f"Títle “{i}” \\ ] }}", "authors": [{"name": "A", "id": i}]} for i in range(500)]


def read(text):
    return list(elements(io.BytesIO(text.encode())))


@pytest.mark.parametrize("indent", [None, 1])
def test_elements_equal_those_of_the_whole(indent):
    text = json.dumps(RECORDS, indent=indent, ensure_ascii=False)
    assert read(text) == json.loads(text)


def test_elements_larger_than_a_chunk():
    records = [{"id": str(i), "text": 'é\\"' * 200_000} for i in range(3)]
    assert read(json.dumps(records)) == records


@pytest.mark.parametrize("text", ["", "[]", " [ ] ", "[ , ]"])
def test_empty_arrays_have_no_elements(text):
    assert read(text) == []


def test_arrays_one_after_the_other():
    assert read('[{"a": 1}]\n[{"a": 2}, 3]\n') == [{"a": 1}, {"a": 2}, 3]


@pytest.mark.parametrize(
    "damage",
    [
        '"id": "7" "x"',
        '"id": ',
        '"id": "7]',
        '"id": nul',
        '"id"',
        "]",
        "}",
        '"id": ' + "9" * 5000,
        '"id": ' + "[" * 5000,
    ],
)
def test_damage_costs_only_the_elements_that_it_touches(damage):
    text = json.dumps(RECORDS).replace('"id": "7"', damage, 1)
    found = read(text)
    damages = [item for item in found if isinstance(item, Malformed)]
    assert damages
    assert len(damages) <= 3
    assert not any("nothing after it" in item.reason for item in damages)
    good = [item for item in found if not isinstance(item, Malformed)]
    assert good[:7] == RECORDS[:7]
    assert good[-490:] == RECORDS[-490:]


def test_objects_in_a_row_need_no_array():
    text = "\n".join(json.dumps(record, indent=2) for record in RECORDS)
    assert list(elements(io.BytesIO(text.encode()), None)) == RECORDS
    damaged = text.replace('"id": "7"', '"id": ', 1)
    assert list(elements(io.BytesIO(damaged.encode()), None))[-490:] == RECORDS[-490:]


def test_text_that_breaks_off_is_reported():
    found = read(json.dumps(RECORDS)[:-200])
    assert isinstance(found[-1], Malformed)
    assert found[-1].reason.endswith("; nothing after it could be read")
    assert found[:-1] == RECORDS[: len(found) - 1]
    assert isinstance(read(json.dumps(RECORDS)[:-1])[-1], Malformed)


def test_endless_element_is_stopped(monkeypatch):
    monkeypatch.setattr(streams, "MAX_RECORD_BYTES", 100_000)
    found = read('[{"id": "a"}, {"id": "' + "x" * 5_000_000 + '"}, {"id": "b"}]')
    assert found[0] == {"id": "a"}
    assert "longer than" in found[1].reason
    assert found[-1] == {"id": "b"}


def test_hopeless_text_ends_soon():
    assert len(read("[" + '{"a":' * 200_000)) == 1
