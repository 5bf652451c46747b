"""Models are converted once, whatever happens to the folder that keeps them."""

import logging
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from common.errors import ModelError
from encoders import converted as converted_module
from encoders.model import Model
from encoders.text import Text
from encoders.transformer import TextEncoder

TEXTS = [Text("neural ranking", "a network ranks the papers"), Text("citation graph", "")]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITESCOUT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "converted"


@pytest.fixture
def conversions(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Where models were converted."""
    counted: list[Path] = []
    made = converted_module._made
    monkeypatch.setattr(
        converted_module, "_made", lambda folder, convert: counted.append(folder) or made(folder, convert)
    )
    return counted


@pytest.fixture(scope="module")
def whole(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of conversions with that of the tiny model."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CITESCOUT_CACHE", str(folder))
        encoder(tiny_bert)
    return folder / "converted"


@pytest.fixture(scope="module")
def expected(tiny_bert: Path, whole: Path) -> np.ndarray:
    """What it says."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CITESCOUT_CACHE", str(whole.parent))
        return encoder(tiny_bert).encode_queries(TEXTS)


def encoder(folder: Path, pooling: str = "cls") -> TextEncoder:
    return TextEncoder(Model(str(folder), str(folder), pooling, "sep", 64, "of a test"), "openvino")  # type: ignore[arg-type]


def kept(cache: Path) -> list[Path]:
    return [path for path in cache.iterdir() if path.is_dir()]


def test_a_model_is_converted_once_and_again_for_other_weights_or_another_use(
    tiny_bert: Path, tiny_roberta: Path, cache: Path, conversions: list[Path]
) -> None:
    first = encoder(tiny_bert)
    again = encoder(tiny_bert)
    assert len(conversions) == 1
    assert np.array_equal(first.encode_queries(TEXTS), again.encode_queries(TEXTS))
    assert (first.digest, first.dimension, first.max_tokens) == (again.digest, again.dimension, again.max_tokens)
    assert len({first.digest, encoder(tiny_bert, "mean").digest, encoder(tiny_roberta).digest}) == 3
    assert len(conversions) == len(kept(cache)) == 3


def test_what_nobody_has_used_for_long_goes_when_another_model_is_converted(
    tiny_bert: Path, tiny_roberta: Path, cache: Path
) -> None:
    encoder(tiny_bert)
    (used,) = kept(cache)
    encoder(tiny_bert, "mean")
    (unused,) = {*kept(cache)} - {used}
    for folder in (used, unused):
        os.utime(folder, (0, 0))
    encoder(tiny_bert)
    encoder(tiny_roberta)
    assert used in kept(cache)
    assert unused not in kept(cache)
    assert len(kept(cache)) == 2


def test_what_a_killed_process_left_goes_when_the_model_is_converted(tiny_bert: Path, whole: Path, cache: Path) -> None:
    (folder,) = kept(whole)
    left = cache / f".{folder.name}.killed"
    (left / "filled").mkdir(parents=True)
    encoder(tiny_bert)
    assert [path.name for path in kept(cache)] == [folder.name]


def test_another_openvino_converts_for_itself(
    tiny_bert: Path, cache: Path, conversions: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder(tiny_bert)
    monkeypatch.setattr("openvino.__version__", "2027.0.0")
    encoder(tiny_bert)
    assert len(conversions) == len(kept(cache)) == 2


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("model.bin", "flipped"),
        ("model.xml", "cut"),
        ("tokenizer.json", "flipped"),
        ("converted.json", "flipped"),
        ("converted.json", "cut"),
        ("model.bin", "gone"),
    ],
)
def test_what_is_damaged_is_made_again(
    tiny_bert: Path, whole: Path, expected: np.ndarray, cache: Path, name: str, damage: str,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    (folder,) = kept(shutil.copytree(whole, cache))
    file = folder / name
    content = bytearray(file.read_bytes())
    if damage == "flipped":
        content[len(content) // 2] ^= 0x41
        file.write_bytes(content)
    elif damage == "cut":
        file.write_bytes(content[: len(content) // 2])
    else:
        file.unlink()
    with caplog.at_level(logging.WARNING):
        found = encoder(tiny_bert).encode_queries(TEXTS)
    assert "made again" in caplog.text
    np.testing.assert_array_equal(found, expected)


def test_without_a_place_to_keep_it_a_model_is_converted_for_the_process(
    tiny_bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("no folder", "utf-8")
    monkeypatch.setenv("CITESCOUT_CACHE", str(tmp_path / "file"))
    with caplog.at_level(logging.WARNING):
        assert encoder(tiny_bert).encode_queries(TEXTS).shape == (2, 32)
    assert re.search("cannot be kept in .*: name another folder with CITESCOUT_CACHE", caplog.text)


def test_a_full_disk_is_no_end(
    tiny_bert: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import openvino

    save = openvino.save_model

    def full(model: object, path: Path, **options: object) -> None:
        if path.is_relative_to(cache):
            raise RuntimeError("basic_ios::clear: iostream error")
        save(model, path, **options)

    monkeypatch.setattr("openvino.save_model", full)
    with caplog.at_level(logging.WARNING):
        assert encoder(tiny_bert).encode_queries(TEXTS).shape == (2, 32)
    assert re.search("cannot be kept in .*: name another folder with CITESCOUT_CACHE", caplog.text)
    assert kept(cache) == []


def test_where_nothing_can_be_kept_anywhere_is_one_line(
    tiny_bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder", "utf-8")
    monkeypatch.setenv("CITESCOUT_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "file"))  # as on a machine where nothing can be written
    with pytest.raises(ModelError, match="cannot write the converted model to a temporary folder"):
        encoder(tiny_bert)


_CONVERT = """
import sys
from encoders.transformer import TextEncoder
from encoders.model import Model
from encoders.text import Text
folder = sys.argv[1]
subject = TextEncoder(Model(folder, folder, "cls", "sep", 64, "of a test"), "openvino")
print(subject.encode_queries([Text("neural ranking", "of papers")]).tobytes().hex(), "torch" in sys.modules)
"""


@pytest.mark.slow
def test_processes_that_start_together_convert_once(tiny_bert: Path, cache: Path) -> None:
    ran = [
        subprocess.Popen(  # noqa: S603
            [sys.executable, "-c", _CONVERT, str(tiny_bert)], stdout=subprocess.PIPE, text=True, env=os.environ.copy()
        )
        for _ in range(3)
    ]
    said = [process.communicate()[0].split() for process in ran]
    assert all(process.returncode == 0 for process in ran)
    assert len({vector for vector, _ in said}) == 1
    assert sum(torch == "True" for _, torch in said) == 1
    assert len(kept(cache)) == 1
