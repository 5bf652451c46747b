"""An index directory serves the old index or the new one, whatever happens to the build."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import orjson
import pytest

from common.errors import EmptyIndexError, IndexDirectoryError, IndexLockedError, ModelError
from common.files import sha256
from indexer.builds import build_index
from indexer.changes import add_papers, remove_papers
from indexer.generations import open_generation
from indexer.layout import CURRENT, LAYOUT, LOCK, PARTIAL, data_files
from indexer.manifest import Manifest
from indexer.paper import Paper

ROOT = Path(__file__).parents[2]


@pytest.fixture
def directory(tmp_path: Path, small_papers: tuple[Paper, ...]) -> Path:
    build_index(small_papers, tmp_path / "index", encoder=None)
    return tmp_path / "index"


def titles(directory: Path) -> list[str]:
    generation = open_generation(directory)
    found = [paper.title for paper in generation.catalog.all_papers()]
    generation.close()
    return found


def entries(directory: Path) -> set[str]:
    """What stands in the directory, apart from the lock, which some platforms keep."""
    return {path.name for path in directory.iterdir()} - {LOCK}


def test_index_opens_as_what_was_indexed(directory: Path, small_papers: tuple[Paper, ...]) -> None:
    generation = open_generation(directory)
    by_number = sorted(small_papers, key=lambda paper: paper.id)
    assert list(generation.catalog.all_papers()) == by_number
    assert generation.years.tolist() == [paper.year or 0 for paper in by_number]
    assert (generation.manifest.papers, generation.manifest.citations) == (6, len(generation.graph.cites.neighbours))
    assert len(generation.graph.cites.neighbours) == 6
    assert generation.manifest.encoder is None
    assert not (generation.folder / LAYOUT.vectors).exists()
    assert entries(directory) == {CURRENT, "gen-000001"}


def test_vectors_are_those_of_the_encoder(tmp_path: Path, tiny_bert: Path, small_papers: tuple[Paper, ...]) -> None:
    from encoders.transformer import TextEncoder
    from indexer.vectors import open_index

    manifest = build_index(small_papers, tmp_path / "index", str(tiny_bert))
    assert (manifest.encoder, manifest.dimension) == (str(tiny_bert), 32)
    generation = open_generation(tmp_path / "index")
    found = open_index(generation.folder / LAYOUT.vectors).reconstruct_n(0, 6)
    expected = TextEncoder.load(str(tiny_bert)).encode([text for _, text in generation.catalog.all_texts()])
    assert (found * expected).sum(1).min() > 0.99


def test_building_again_serves_the_new_index_alone(directory: Path) -> None:
    reader = open_generation(directory)
    build_index([Paper("a", "first"), Paper("a", "last")], directory, None)
    assert titles(directory) == ["last"]
    assert entries(directory) == {CURRENT, "gen-000001", "gen-000002"}
    # Who opened the old index keeps reading it; the next writer deletes what nobody reads any more.
    assert len(list(reader.catalog.all_papers())) == 6
    reader.close()
    build_index([Paper("a", "again")], directory, None)
    assert entries(directory) == {CURRENT, "gen-000003"}


def failing_papers() -> Iterator[Paper]:
    yield Paper("new", "new")
    raise RuntimeError("disk on fire")


def test_papers_that_fail_leave_the_old_index_served(directory: Path) -> None:
    before = titles(directory)
    with pytest.raises(RuntimeError, match="disk on fire"):
        build_index(failing_papers(), directory, None)
    assert titles(directory) == before
    assert entries(directory) == {CURRENT, "gen-000001"}


@pytest.mark.parametrize(
    "step",
    [
        "encoders.transformer.TextEncoder.encode",
        "indexer.assembly.labels",
        "indexer.directory.sync_tree",
        "indexer.directory.write_atomically",
    ],
)
def test_any_step_that_fails_leaves_the_old_index_served(
    directory: Path, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    before = titles(directory)
    monkeypatch.setattr(step, interrupted)
    with pytest.raises(KeyboardInterrupt):
        build_index([Paper("new", "new")], directory, str(tiny_bert))
    assert titles(directory) == before
    assert entries(directory) - {PARTIAL} == {CURRENT, "gen-000001"}  # what was encoded is not encoded again


def test_unknown_encoder_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        build_index(failing_papers(), tmp_path / "index", "/no/such/model")
    assert not (tmp_path / "index").exists()


def test_no_papers_at_all_is_an_error(directory: Path, tmp_path: Path) -> None:
    for target in (directory, tmp_path / "other"):
        with pytest.raises(IndexDirectoryError, match="no paper to index"):
            build_index([], target, None)
    assert len(titles(directory)) == 6
    assert not (tmp_path / "other").exists() or entries(tmp_path / "other") == set()


def test_leftovers_of_a_dead_build_are_removed_by_the_next(directory: Path) -> None:
    (directory / "gen-000009").mkdir()
    (directory / "gen-000009" / "catalog.sqlite").write_text("half")
    (directory / ".CURRENT.abc").write_text("half")
    assert len(titles(directory)) == 6
    build_index([Paper("new", "new")], directory, None)
    assert titles(directory) == ["new"]
    assert entries(directory) == {CURRENT, "gen-000002"}


KILLED = """
import sys, time
from pathlib import Path
from indexer.builds import build_index
from indexer.changes import add_papers, remove_papers
from indexer.paper import Paper
def papers():
    for number in range(20000):
        yield Paper(str(number), "title")
    print("reading", flush=True)
    time.sleep(60)
build_index(papers(), Path(sys.argv[1]), None)
"""


def test_a_killed_build_leaves_the_old_index_and_no_lock(directory: Path) -> None:
    builder = subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", KILLED, str(directory)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert builder.stdout is not None
        assert builder.stdout.readline() == "reading\n"
        assert entries(directory) == {CURRENT, "gen-000001", "gen-000002"}
        with pytest.raises(IndexLockedError, match="another process"):
            build_index([Paper("new", "new")], directory, None)
        assert entries(directory) == {CURRENT, "gen-000001", "gen-000002"}
    finally:
        os.kill(builder.pid, signal.SIGKILL)
        builder.wait()
    assert len(titles(directory)) == 6
    build_index([Paper("new", "new")], directory, None)
    assert titles(directory) == ["new"]
    assert entries(directory) == {CURRENT, "gen-000002"}


@pytest.mark.parametrize("name", ["thesis.tex", "gen-draft", ".git", "gen-"])
def test_folder_with_other_content_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("precious")
    with pytest.raises(IndexDirectoryError, match=rf"other content \({name}\)"):
        build_index([Paper("new", "new")], tmp_path, None)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {name: "precious"}


def test_what_a_system_leaves_in_an_index_directory_keeps_nobody_from_changing_it(directory: Path) -> None:
    (directory / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    (directory / "lost+found").mkdir()
    add_papers([Paper("new", "new")], directory)
    remove_papers(["new"], directory)
    build_index([Paper("other", "other")], directory, None)
    assert titles(directory) == ["other"]
    assert {path.name for path in directory.iterdir()} > {".DS_Store", "lost+found"}


def test_an_empty_folder_stays_where_a_first_build_fails(tmp_path: Path) -> None:
    for name in (tmp_path / "new", tmp_path):
        with pytest.raises(EmptyIndexError):
            build_index([], name, None)
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_no_index_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    for target in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(IndexDirectoryError):
            build_index([Paper("new", "new")], target, "./a model that is looked for later")
        with pytest.raises(IndexDirectoryError):
            open_generation(target)
    assert (tmp_path / "file").read_text() == "precious"


def test_a_path_that_sqlite_cannot_open_is_refused_as_such(tmp_path: Path, small_papers: tuple[Paper, ...]) -> None:
    long = tmp_path.joinpath(*["x" * 50] * 6)
    longest = long / ("y" * (468 - len(os.fsencode(long))))
    build_index(small_papers, longest, None)
    open_generation(longest).close()
    with pytest.raises(IndexDirectoryError, match="too long a path"):
        build_index(small_papers, Path(f"{longest}z"), None)
    moved = longest.rename(longest.with_name("z" * 200))
    with pytest.raises(IndexDirectoryError, match="its path is shorter than 512 bytes"):
        open_generation(moved).catalog.papers([0])


def test_a_path_that_is_no_utf_8_is_refused_before_java_takes_it_for_another(
    tmp_path: Path, small_papers: tuple[Paper, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    build_index(small_papers, Path("index"), None)  # Java was started elsewhere
    assert open_generation(Path("index")).manifest.papers == len(small_papers)
    try:
        (tmp_path / os.fsdecode(b"caf\xe9")).mkdir()
    except OSError:
        pytest.skip("this file system holds no such names")
    monkeypatch.chdir(os.fsdecode(b"caf\xe9"))
    with pytest.raises(IndexDirectoryError, match=r"caf\?.index holds bytes that are not UTF-8"):
        build_index(small_papers, Path("index"), None)
    assert {os.fsencode(path.name) for path in tmp_path.iterdir()} == {b"index", b"caf\xe9"}


@pytest.mark.parametrize("content", [b"gen-000007\n", b"", b"..\n", b"../index/gen-000001", b"\xff\xfe", b"a\0b"])
def test_current_that_names_no_generation_is_refused(directory: Path, content: bytes) -> None:
    (directory / CURRENT).write_bytes(content)
    with pytest.raises(IndexDirectoryError):
        open_generation(directory)


def test_a_current_that_cannot_be_read_costs_no_generation(directory: Path) -> None:
    (directory / CURRENT).unlink()
    (directory / CURRENT).symlink_to(CURRENT)
    with pytest.raises(IndexDirectoryError, match=f"cannot read .*{CURRENT}"):
        open_generation(directory)
    with pytest.raises(EmptyIndexError):
        build_index([], directory, None)
    assert "gen-000001" in entries(directory)


def test_missing_directory_and_missing_index_are_reported_apart(tmp_path: Path) -> None:
    with pytest.raises(IndexDirectoryError, match="no index directory"):
        open_generation(tmp_path / "nowhere")
    with pytest.raises(IndexDirectoryError, match="not an index"):
        open_generation(tmp_path)


def test_an_index_whose_current_is_lost_says_so_and_can_be_built_again(directory: Path) -> None:
    (directory / CURRENT).unlink()
    with pytest.raises(IndexDirectoryError, match=f"{CURRENT} is missing, .*: build the index again"):
        open_generation(directory)
    build_index([Paper("new", "new")], directory, None)
    assert titles(directory) == ["new"]


def test_every_file_of_a_generation_is_guarded(directory: Path) -> None:
    generation = directory / "gen-000001"
    files = [*data_files(generation), generation / LAYOUT.manifest, directory / CURRENT]
    assert len(files) >= len(LAYOUT.required(False))
    for file in files:
        data = file.read_bytes()
        flipped = bytearray(data)
        if data:
            flipped[len(data) // 2] ^= 0x40
        for damaged in {None, b"", data[:-1], bytes(flipped), data + b"\n"} - {data}:
            file.unlink(missing_ok=True)
            if damaged is not None:
                file.write_bytes(damaged)
            with pytest.raises(IndexDirectoryError) as caught:
                open_generation(directory)
            assert "\n" not in str(caught.value)
        file.write_bytes(data)
    assert len(titles(directory)) == 6


def test_an_index_of_another_format_is_reported_as_such_and_can_be_built_again(directory: Path) -> None:
    manifest = directory / "gen-000001" / LAYOUT.manifest
    for version, advice in ((5, "install the citescout that wrote it, or a newer one"), (1, "build the index again")):
        manifest.write_text(f'{{"papers": 6, "format_version": {version}, "files": {{}}}}')
        with pytest.raises(IndexDirectoryError, match=f"index format {version}, this program reads 4: {advice}"):
            open_generation(directory)
    build_index([Paper("new", "new")], directory, None)
    assert titles(directory) == ["new"]
    assert entries(directory) == {CURRENT, "gen-000002"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"vectors": "int4"}, "int4.*this program knows sq8, fp16, fp32 and flat, hnsw"),
        ({"search": "annoy"}, "annoy.*this program knows sq8, fp16, fp32 and flat, hnsw"),
        ({"compression": "zstd"}, "manifest.json is damaged"),
        ({"files": []}, "manifest.json is damaged"),
        ({"files": None}, "manifest.json is damaged"),
        ({"files": {}}, "manifest.json lacks "),
    ],
)
def test_a_manifest_that_says_what_no_build_writes_is_refused(
    directory: Path, change: dict[str, object], said: str
) -> None:
    path = directory / "gen-000001" / LAYOUT.manifest
    write_manifest(path, orjson.loads(path.read_bytes()) | change)
    with pytest.raises(IndexDirectoryError, match=said):
        open_generation(directory)


def test_a_manifest_without_the_structure_that_it_names_is_refused(
    tmp_path: Path, tiny_bert: Path, small_papers: tuple[Paper, ...]
) -> None:
    build_index(small_papers, tmp_path / "index", str(tiny_bert))
    path = tmp_path / "index" / "gen-000001" / LAYOUT.manifest
    write_manifest(path, orjson.loads(path.read_bytes()) | {"search": "hnsw"})
    with pytest.raises(IndexDirectoryError, match=r"lacks dense/structure\.faiss"):
        open_generation(tmp_path / "index")


def write_manifest(path: Path, record: dict[str, object]) -> None:
    """As a writer of this content would have."""
    path.write_bytes(orjson.dumps(record))
    (path.parents[1] / CURRENT).write_text(f"{path.parent.name} {sha256(path)}\n")


def test_large_indexes_are_checked_by_size_and_fully_on_demand(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.manifest._CHECK_FULLY_BYTES", 0)
    folder = directory / "gen-000001"
    years = folder / LAYOUT.years
    np.save(years, np.load(years) + np.int16(1))
    manifest = Manifest.read(folder)
    manifest.check(folder)
    with pytest.raises(IndexDirectoryError, match=r"years\.npy"):
        manifest.check(folder, full=True)
    years.write_bytes(years.read_bytes()[:-2])
    with pytest.raises(IndexDirectoryError, match=r"years\.npy"):
        manifest.check(folder)
