"""Models by hub id and by name, from a server that plays the hub; every kind of refusal by its true cause."""

import logging
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from played_hub import PlayedHub
from safetensors.torch import load_file
from tiny import CLS, MEAN, copied, cut, declaring, evil, pickled, write
from transformers import AutoModel, AutoTokenizer

from cli.info import command as info
from common.errors import ModelError
from encoders import loading, models, published
from encoders.loading import assumed_of, encodes_queries_alike, warn_of_assumptions
from encoders.model import Model
from encoders.pretrained import find_model, load_pretrained
from encoders.text import Text
from encoders.transformer import TextEncoder
from indexer.builds import build_index
from indexer.paper import Paper

pytestmark = pytest.mark.usefixtures("one_thread")

TEXTS = [Text("graph neural", "a paper of the search network"), Text("citation", "ranking of the graph, a citation")]


def states(folder: Path, string: str) -> np.ndarray:
    """The last states of one text, straight from transformers, (tokens, 32)."""
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    with torch.no_grad():
        return model(**tokenizer(string, return_tensors="pt")).last_hidden_state[0].numpy()


def assert_is(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected / np.linalg.norm(expected), atol=1e-5)


def refusal(name: str) -> str:
    with pytest.raises(ModelError) as caught:
        TextEncoder(find_model(name), "torch")
    assert "\n" not in str(caught.value) and name in str(caught.value)
    return str(caught.value)


@pytest.fixture
def own(tiny_bert: Path, tmp_path: Path) -> Path:
    return copied(tiny_bert, tmp_path / "own")


@pytest.mark.parametrize(("pooling", "by"), [(MEAN, "mean"), ({"pooling_mode": "max"}, "max"), (CLS, "first")])
def test_a_hub_model_is_pooled_as_it_declares(hub: PlayedHub, own: Path, pooling: dict, by: str) -> None:
    hub.add("somebody/model", declaring(own, pooling, 40))
    encoder = TextEncoder(find_model("somebody/model"), "torch")
    separator = " [SEP] " if by == "first" else ". "
    found = states(own, separator.join(TEXTS[0]))
    expected = {"mean": found.mean(0), "max": found.max(0), "first": found[0]}[by]
    assert_is(encoder.encode(TEXTS)[0], expected)
    assert encoder.max_tokens == 40
    assert assumed_of(encoder) is None


def test_the_tokenizer_says_how_many_tokens_are_read_where_sentence_transformers_wrote_it_there(own: Path) -> None:
    write(declaring(own, MEAN), "tokenizer_config.json", {"model_max_length": 40})
    assert (find_model(str(own)).max_tokens, find_model(str(own)).assumed) == (40, None)
    write(own, "tokenizer_config.json", {"model_max_length": 10**30})
    assert "512 tokens" in str(find_model(str(own)).assumed)


def test_prompts_stand_before_documents_and_queries(hub: PlayedHub, own: Path) -> None:
    prompts = {"prompts": {"query": "search ", "passage": "paper "}, "default_prompt_name": None}
    hub.add("somebody/asking", declaring(own, MEAN, 40, prompts))
    encoder = TextEncoder(find_model("somebody/asking"), "torch")
    document, query = (states(own, prompt + ". ".join(TEXTS[0])).mean(0) for prompt in ("paper ", "search "))
    assert_is(encoder.encode(TEXTS)[0], document)
    assert_is(encoder.encode_queries(TEXTS)[0], query)
    assert not encodes_queries_alike("somebody/asking")


def test_what_no_file_says_is_assumed_and_told_once(
    hub: PlayedHub, own: Path, caplog: pytest.LogCaptureFixture
) -> None:
    hub.add("somebody/silent", own)
    loading.warn_once.cache_clear()
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            encoder = TextEncoder(find_model("somebody/silent"), "torch")
            warn_of_assumptions(encoder)
    (told,) = [record.getMessage() for record in caplog.records if "somebody/silent" in record.getMessage()]
    for part in ("[CLS]", "512 tokens", "title [SEP] abstract"):
        assert part in told and part in str(assumed_of(encoder))
    assert_is(encoder.encode(TEXTS)[0], states(own, " [SEP] ".join(TEXTS[0]))[0])


def test_the_manifest_has_what_was_assumed(
    hub: PlayedHub, own: Path, tmp_path: Path, small_papers: tuple[Paper, ...]
) -> None:
    hub.add("somebody/silent", own)
    manifest = build_index(small_papers, tmp_path / "index", "somebody/silent")
    assert manifest.encoder == "somebody/silent" and "[CLS]" in str(manifest.encoder_assumed)
    shown = CliRunner().invoke(info, ["--index", str(tmp_path / "index")]).stdout
    assert manifest.encoder_assumed and manifest.encoder_assumed in shown


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("1_Pooling/config.json", {"pooling_mode_lasttoken": True}, "lasttoken"),
        ("1_Pooling/config.json", {"pooling_mode": 3}, "pooled by 3"),
        ("1_Pooling/config.json", {**CLS, **{"pooling_mode_mean_tokens": True}}, "cls and mean"),
        ("modules.json", [{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}], "Dense"),
        ("modules.json", [{"type": "a.b.Transformer", "path": "0_Transformer"}], "folder of its own"),
        ("modules.json", {"a": 1}, "damaged"),
        ("modules.json", [{"a": 1}], "damaged"),
        ("sentence_bert_config.json", {"max_seq_length": "many"}, "damaged"),
        ("sentence_bert_config.json", {"max_seq_length": True}, "damaged"),
        ("config_sentence_transformers.json", {"prompts": ["query: "]}, "damaged"),
    ],
)
def test_a_use_that_is_not_done_here_is_refused(own: Path, file: str, content: object, words: str) -> None:
    declaring(own, MEAN, 40)
    write(own, file, content)
    assert words in refusal(str(own))


@pytest.mark.parametrize("legacy", [False, True])
def test_weights_published_as_a_pickle_are_read(hub: PlayedHub, own: Path, tiny_bert: Path, legacy: bool) -> None:
    hub.add("somebody/sci", pickled(own, legacy=legacy))
    found, expected = (TextEncoder(find_model(one), "torch").encode(TEXTS) for one in ("somebody/sci", str(tiny_bert)))
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_a_pickle_in_several_files_is_read(own: Path, tiny_bert: Path, hub: PlayedHub) -> None:
    tensors = list(load_file(own / "model.safetensors").items())
    (own / "model.safetensors").unlink()
    names = [f"pytorch_model-0000{part}-of-00002.bin" for part in (1, 2)]
    for name, part in zip(names, (tensors[::2], tensors[1::2]), strict=True):
        torch.save(dict(part), own / name)
    where = {key: names[place % 2] for place, (key, _) in enumerate(tensors)}
    write(own, "pytorch_model.bin.index.json", {"metadata": {}, "weight_map": where})
    hub.add("somebody/large", own)
    found, expected = (
        TextEncoder(find_model(one), "torch").encode(TEXTS) for one in ("somebody/large", str(tiny_bert))
    )
    np.testing.assert_allclose(found, expected, atol=1e-6)
    (own / names[1]).unlink()
    assert "no usable weights" in refusal(str(own))
    write(own, "pytorch_model.bin.index.json", {"weight_map": {"a": "../secret.bin"}})
    assert "own folder" in refusal(str(own))


def test_a_pickle_that_runs_code_is_refused_and_runs_none(hub: PlayedHub, own: Path, tmp_path: Path) -> None:
    hub.add("somebody/evil", evil(own, tmp_path / "ran"))
    message = refusal("somebody/evil")
    assert "pytorch_model.bin is a pickle that holds more than tensors" in message and "system" in message
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "content", [{"state_dict": {"a": torch.zeros(1)}}, {"a": 1}, torch.zeros(2), {}, {"a": torch.eye(2).to_sparse()}]
)
def test_a_pickle_of_anything_else_is_refused(own: Path, content: object) -> None:
    message = refusal(str(pickled(own, content)))
    assert "its weights do not fit" in message or "tensors are missing" in message


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize("keep", [0, 10, 1000, -200])
def test_a_cut_pickle_is_damaged(own: Path, keep: int, legacy: bool) -> None:
    message = refusal(str(cut(pickled(own, legacy=legacy), "pytorch_model.bin", keep)))
    assert f"are damaged: {own / 'pytorch_model.bin'} cannot be read" in message


@pytest.mark.parametrize("keep", [0, 4, 100, -10])
def test_cut_safetensors_are_damaged(hub: PlayedHub, own: Path, keep: int) -> None:
    hub.add("somebody/cut", cut(own, "model.safetensors", keep))
    assert "damaged" in refusal("somebody/cut")


def test_other_weights_than_the_configuration_are_refused(hub: PlayedHub, own: Path, tiny_roberta: Path) -> None:
    (own / "model.safetensors").write_bytes((tiny_roberta / "model.safetensors").read_bytes())
    hub.add("somebody/other", own)
    assert "of another shape" in refusal("somebody/other")  # as many tensors, of other sizes
    tensors = load_file(tiny_roberta / "model.safetensors")
    torch.save({f"transformer.{key}": tensor for key, tensor in tensors.items()}, own / "pytorch_model.bin")
    (own / "model.safetensors").unlink()
    assert "another architecture" in refusal(str(own))
    write(own, "config.json", {"model_type": "no-such-architecture"})
    assert "another architecture" in refusal(str(own))
    write(own, "config.json", {"model_type": "t5", "is_encoder_decoder": True})
    assert "another architecture" in refusal(str(own))
    write(own, "config.json", {"model_type": "evil", "auto_map": {"AutoModel": "evil.Model"}})
    assert "own code" in refusal(str(own))


def test_every_refusal_of_the_hub_names_its_cause(hub: PlayedHub, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "has no model" in refusal("somebody/nothing")
    hub.add("somebody/gated", own, gated=True)
    assert "accepted its terms" in refusal("somebody/gated")
    hub.add("somebody/spoiled", own, spoiled=frozenset({"model.safetensors"}))
    assert "arrived damaged" in refusal("somebody/spoiled")
    (own / "model.safetensors").rename(own / "tf_model.h5")
    hub.add("somebody/tensorflow", own)
    assert "no usable weights" in (message := refusal("somebody/tensorflow")) and "tf_model.h5" in message
    (own / "config.json").unlink()
    hub.add("somebody/data", own)
    assert "no config.json" in refusal("somebody/data")
    hub.add("allenai/specter", own, commit="0" * 40)
    with pytest.raises(ModelError, match="no commit c15597d"):
        TextEncoder(find_model("specter"))
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    assert "cannot be reached" in refusal("somebody/unreachable")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert "HF_HUB_OFFLINE" in refusal("somebody/offline")


def test_what_is_in_the_cache_needs_no_hub(hub: PlayedHub, own: Path) -> None:
    hub.add("somebody/model", declaring(own, MEAN, 40))
    first = TextEncoder(find_model("somebody/model"), "torch")
    asked = len(hub.asked)
    hub.add("somebody/model", copied(own, own.parent / "newer"), commit="f" * 40)
    second = TextEncoder(find_model("somebody/model"), "torch")
    assert second.digest == first.digest
    assert len(hub.asked) == asked


def test_a_cache_that_another_program_filled_is_completed(hub: PlayedHub, own: Path) -> None:
    """Others download weights without what says how they are pooled."""
    from huggingface_hub import hf_hub_download

    hub.add("somebody/model", declaring(own, MEAN, 40))
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"):
        hf_hub_download("somebody/model", name)
    assert find_model("somebody/model").pooling == "mean"


def test_a_name_is_its_commit_and_its_checksum(hub: PlayedHub, own: Path) -> None:
    """A tiny model is not what the authors of SPECTER published, however it is called."""
    hub.add("allenai/specter", pickled(own), commit=find_model("specter").revision)
    for name in ("specter", "allenai/specter"):
        with pytest.raises(ModelError, match=r"not what the authors of .* published"):
            load_pretrained(find_model(name), AutoModel)
    assert f"HEAD /allenai/specter/resolve/{find_model('specter').revision}/config.json" in hub.asked


def test_a_cased_model_that_does_not_say_so_is_read_with_its_case(hub: PlayedHub, own: Path) -> None:
    (own / "tokenizer.json").unlink()
    (own / "tokenizer_config.json").unlink()
    (own / "special_tokens_map.json").unlink(missing_ok=True)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "graph", "Graph"]
    (own / "vocab.txt").write_text("\n".join(words), "utf-8")
    ids = {}
    for case in (None, True, False):
        model = Model("cased", str(own), "cls", "sep", 512, "", lower_case=case)
        ids[case] = load_pretrained(model, AutoModel)[0]("Graph")["input_ids"][1]
    assert ids == {None: 5, True: 5, False: 6}


def test_published_facts_have_the_form_of_facts() -> None:
    table = [model for model in models.models() if "/" in model.source and not model.source.startswith("/")]
    assert len(table) > 10 and published
    for model in table:
        assert len(model.revision or "") == 40 and set(model.revision or "") <= set("0123456789abcdef"), model.name
        assert all(len(digest) == 64 for digest in model.files.values())
        assert model.megabytes and model.roles
