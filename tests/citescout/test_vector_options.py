"""`citescout index --vectors --search --memory`, and what `info` says of it."""

from pathlib import Path

import orjson
import pytest
from command_line import Ended, run

from cli.index import MEMORY_SIZE
from demo import CORPUS


def index(directory: Path, encoder: Path | str, *options: str) -> Ended:
    return run("index", CORPUS, "--index", directory, "--encoder", encoder, *options)


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ((), ("fp16", "flat")),  # untrained weights make vectors that nearly agree
        (("--vectors", "sq8"), ("sq8", "flat")),
        (("--memory", "1GB"), ("fp16", "flat")),
        (("--memory", "15kB"), ("sq8", "flat")),  # 375 papers of 32 dimensions
        (("--memory", "1GB", "--vectors", "fp32"), ("fp32", "flat")),
        (("--search", "hnsw"), ("fp16", "hnsw")),
    ],
)
def test_the_index_has_the_vectors_that_were_asked_for(
    tmp_path: Path, tiny_bert: Path, options: tuple[str, ...], kept: tuple[str, str]
) -> None:
    done = index(tmp_path / "ix", tiny_bert, *options)
    assert done.code == 0, done.err
    if options:
        assert f"Vectors are kept as {kept[0]} and searched by {kept[1]}" in done.out
    facts = orjson.loads(run("info", "--index", tmp_path / "ix", "--json").out)
    assert (facts["vectors"], facts["search"]) == kept
    said = run("info", "--index", tmp_path / "ix").out
    exact = kept[0] != "sq8" and kept[1] == "flat"
    assert (facts["recall"] is None) == exact
    taken = "--vectors" not in options and "--memory" not in options
    assert (facts["8 bits"] is not None) == taken
    for name, start in (("recall", "Dense search finds"), ("8 bits", "Vectors take 16 bits a coordinate, as 8 would")):
        if facts[name]:
            assert facts[name] | {"at": None} == {"at": None, "queries": 375, "papers": 375, "of": 375}
            nearest = f"{facts[name]['at']['10']:.4f} of the 10 nearest"
            assert nearest in said
            assert "(375 queries, 375 papers)" in said
            assert any(line.startswith(start) and nearest in line for line in done.out.splitlines())
    if taken:
        assert facts["8 bits"]["at"]["10"] < 0.99
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"id": "q", "title": "Dense retrieval"}\n{"id": "r", "title": "Citation networks"}\n')
    found = run("recommend", "--index", tmp_path / "ix", queries, "-k", "3", "--sources", "dense", "--format", "trec")
    assert found.code == 0, found.err
    assert len(found.out.splitlines()) == 2 * 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--memory", "1kB"), "--search auto, not the 1,000 of --memory: index with --memory 1MB or more"),
        (("--search", "ivfpq"), "--search ivfpq needs at least 10,000 papers, there are 375: take --search flat"),
    ],
)
def test_what_does_not_fit_is_one_line_and_no_index(
    tmp_path: Path, tiny_bert: Path, options: tuple[str, ...], said: str
) -> None:
    failed = index(tmp_path / "ix", tiny_bert, *options)
    assert failed.code == 1
    assert said in failed.err
    assert run("info", "--index", tmp_path / "ix").code == 1


@pytest.mark.parametrize("options", [("--vectors", "int4"), ("--search", "x"), ("--memory", "much"), ("--memory", "0")])
def test_what_cannot_be_read_is_a_usage_error(tmp_path: Path, options: tuple[str, ...]) -> None:
    assert index(tmp_path / "ix", "minilm", *options).code == 2
    assert index(tmp_path / "ix", "none", "--memory", "1GB").code == 2


@pytest.mark.parametrize(
    ("text", "size"),
    [("2GB", 2 * 10**9), ("2g", 2 * 10**9), ("1.5 GiB", 3 * 2**29), ("500 mb", 5 * 10**8), ("64KiB", 2**16), ("7", 7)],
)
def test_sizes(text: str, size: int) -> None:
    assert MEMORY_SIZE.convert(text, None, None) == size


def test_an_encoder_in_a_folder_is_kept_by_its_whole_path(
    tmp_path: Path, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tiny_bert.parent)
    assert index(tmp_path / "ix", tiny_bert.name).code == 0
    assert orjson.loads(run("info", "--index", tmp_path / "ix", "--json").out)["encoder"] == str(tiny_bert)


def test_a_folder_called_as_a_model_does_not_stand_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "static").mkdir()
    monkeypatch.chdir(tmp_path)
    assert index(tmp_path / "ix", "static").code == 0
    assert orjson.loads(run("info", "--index", tmp_path / "ix", "--json").out)["encoder"] == "static"
