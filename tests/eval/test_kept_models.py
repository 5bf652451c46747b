"""An experiment that was stopped trains only what it has not trained yet."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from common.errors import SourceError, TrainingError
from encoders.text import Text
from eval.experiments.kept_models import origin, trained
from training.checkpoints import FILE, alone_in
from training.encoder.settings import SPECTER


def never(_: bool) -> str:
    pytest.fail("trained again")


def test_what_is_trained_stays_and_what_was_stopped_is_resumed(tmp_path: Path) -> None:
    folder = tmp_path / "experiment" / "1"
    folder.mkdir(parents=True)
    resumed = []

    def train(resume: bool) -> str:
        resumed.append(resume)
        if not resume:
            (folder / FILE).write_bytes(b"after some steps")
            raise KeyboardInterrupt
        (folder / "config.json").write_text("{}", "utf-8")
        return "12 steps"

    with pytest.raises(KeyboardInterrupt):
        trained(folder, "a", train)
    assert trained(folder, "a", train) == "12 steps"
    assert resumed == [False, True]
    assert not (folder / FILE).exists()
    assert trained(folder, "a", never) == "12 steps"
    with pytest.raises(SourceError, match=f"{folder.parent} has models of an earlier run with other options"):
        trained(folder, "b", never)


def test_a_model_of_unknown_origin_is_not_taken_for_that_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", "utf-8")
    with pytest.raises(SourceError, match="models of an earlier run"):
        trained(tmp_path, "a", never)


def test_a_model_that_another_process_trains_is_left_to_it(tmp_path: Path) -> None:
    with alone_in(tmp_path), pytest.raises(TrainingError, match="another process is training into"):
        trained(tmp_path, "a", never)


def test_the_origin_depends_on_all_that_the_model_does(tiny_bert: Path, tmp_path: Path) -> None:
    texts = [Text("a", "b c"), Text("d", "")]
    base = str(shutil.copytree(tiny_bert, tmp_path / "bert"))

    def all_of() -> list[str]:
        return [
            origin(SPECTER, base, texts, "data"),
            origin(replace(SPECTER, seed=1), base, texts, "data"),
            origin(SPECTER, str(tiny_bert), texts, "data"),
            origin(SPECTER, base, [Text("a", "b"), Text("c d", "")], "data"),
            origin(SPECTER, base, texts, "other data"),
        ]

    found = all_of()
    assert len(set(found)) == len(found)
    assert all_of() == found
    (tmp_path / "bert" / "model.safetensors").write_bytes(b"trained again under the same name")
    assert all_of()[0] != found[0]
