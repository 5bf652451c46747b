"""The training of encoders: its batches, what it learns, and that it resumes exactly."""

import math
import shutil
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from command_line import files_of_at_most
from interrupted import ending_at
from safetensors.torch import save_file
from transformers import AutoModel

from common.errors import ModelError, TrainingError
from encoders.pretrained import find_model
from encoders.text import Text
from encoders.transformer import TextEncoder
from training.checkpoints import FILE
from training.encoder.batches import TripletBatches
from training.encoder.model import load_trainable
from training.encoder.settings import SPECTER, EncoderSettings
from training.encoder.trainer import train_encoder
from training.triplets.sampling import UNSAID, Triplets

pytestmark = pytest.mark.usefixtures("one_thread")

FAST = EncoderSettings(learning_rate=1e-3, precision="fp32", batch_size=8, chunk=4, epochs=1)
WORDS = ("graph", "neural", "ranking", "search", "citation", "network")


@pytest.fixture(params=["cls", "mean"])
def base(request, tiny_bert, tmp_path):
    """A tiny BERT, pooled in either way."""
    folder = shutil.copytree(tiny_bert, tmp_path / "base")
    if request.param == "mean":
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
        (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 40}')
    return str(folder)


@pytest.fixture
def own_bert(tiny_bert, tmp_path):
    return shutil.copytree(tiny_bert, tmp_path / "own")


def topics(count=40, seed=0):
    """Texts that are near if they have their first word in common, and triplets of them."""
    generator = np.random.default_rng(seed)
    texts = [
        Text(WORDS[number % 6], " ".join(generator.choice(["of", "the", "a", "paper"], 3)) + f" {number}")
        for number in range(count)
    ]
    rows = []
    for query in range(count):
        for _ in range(4):
            near = [other for other in range(count) if other % 6 == query % 6 and other != query]
            far = [other for other in range(count) if other % 6 != query % 6]
            rows.append([query, generator.choice(near), generator.choice(far)])
    rows = np.asarray(rows)
    return Triplets(texts, rows, np.full(len(rows), UNSAID, np.int8), np.zeros(0, np.int64))


def train(base, out, settings, resume=False, batches=None, triplets=None):
    triplets = topics() if triplets is None else triplets
    batches = TripletBatches(triplets, settings) if batches is None else batches
    return train_encoder(str(base), triplets.texts, batches, triplets.rows[::3], out, settings, resume)


def weights(folder):
    return AutoModel.from_pretrained(folder).state_dict()


def differing(one, other):
    return {name for name, tensor in one.items() if not torch.equal(tensor, other[name])}


def test_softmax_batches_mask_what_is_linked():
    triplets = topics(12)
    rows = np.asarray([[0, 6, 1], [2, 8, 0], [3, 9, 8]])
    linked = np.asarray([0 << 32 | 9])
    settings = EncoderSettings(loss="in-batch", batch_size=3, scale=2.0)
    batches = TripletBatches(Triplets(triplets.texts, rows, np.full(3, UNSAID, np.int8), linked), settings)
    (chunk,) = batches.step(0)
    vectors = torch.nn.functional.normalize(torch.randn(12, 5, generator=torch.Generator().manual_seed(1)), dim=1)
    negatives = {0: [1, 2, 3, 8], 2: [0, 1, 3, 6, 9], 3: [0, 1, 2, 6, 8]}
    expected = []
    for query, positive in ((0, 6), (2, 8), (3, 9)):
        exp = {other: math.exp(2 * float(vectors[query] @ vectors[other])) for other in [positive, *negatives[query]]}
        expected.append(-math.log(exp[positive] / sum(exp.values())))
    assert chunk.documents.tolist() == [0, 1, 2, 3, 6, 8, 9]
    assert chunk.loss(vectors[chunk.documents]).item() == pytest.approx(np.mean(expected), 1e-5)


def test_every_triplet_is_seen_once_a_pass_in_another_order():
    triplets = topics()
    batches = TripletBatches(triplets, FAST)
    assert batches.steps(2) == 40

    def seen(steps):
        return [
            chunk.documents.tolist() for step in steps for chunk in TripletBatches(triplets, FAST).step(step)
        ]  # fmt: skip

    assert seen(range(20)) == seen(range(20)) != seen(range(20, 40))
    rows = triplets.rows
    for first in (0, 20):
        generator = np.random.default_rng([FAST.seed, first // 20])
        order = generator.permutation(len(rows))
        expected = [np.unique(rows[order[start : start + 4]]).tolist() for start in range(0, len(rows), 4)]
        assert seen(range(first, first + 20)) == expected


@pytest.mark.long
def test_an_encoder_learns_and_stays_what_it_is(base, tmp_path):
    before = find_model(base)
    settings = replace(FAST, epochs=8, batch_size=16, chunk=16, learning_rate=5e-3, dropout=0.0)
    report = train(base, tmp_path / "out", settings)
    assert report.after > max(report.before, 0.9)
    assert report.validated == 54
    preset = find_model(str(tmp_path / "out"))
    assert (preset.pooling, preset.joint) == (before.pooling, before.joint)
    assert min(preset.max_tokens, 64) == min(before.max_tokens, 64)
    encoder = TextEncoder(preset, "torch", unit=False)
    texts = topics().texts[:5]
    ours = encoder.encode(texts)
    st = pytest.importorskip("sentence_transformers")
    separator = " [SEP] " if preset.joint == "sep" else ". "
    theirs = st.SentenceTransformer(str(tmp_path / "out"), device="cpu").encode([separator.join(t) for t in texts])
    assert np.allclose(ours, theirs, atol=1e-4)


def test_accumulated_gradients_are_those_of_the_whole_batch(tiny_bert, tmp_path):
    whole = replace(FAST, dropout=0.0, chunk=8, steps=3, learning_rate=1e-3, betas=(0.0, 0.0))
    train(tiny_bert, tmp_path / "whole", whole)
    train(tiny_bert, tmp_path / "parts", replace(whole, chunk=3))
    one, other = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    start = weights(tiny_bert)
    name = "encoder.layer.1.output.dense.weight"
    moved = (one[name] - start[name]).norm()
    assert moved > 0
    assert (one[name] - other[name]).norm() < 0.05 * moved


@pytest.mark.long
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_run_that_was_interrupted_ends_with_the_same_bits(tiny_bert, tmp_path, precision):
    settings = replace(FAST, batch_size=16, chunk=8, epochs=2, checkpoint_every=7, precision=precision, dropout=0.2)
    whole = train(tiny_bert, tmp_path / "whole", settings)
    with ending_at(16), pytest.raises(KeyboardInterrupt):
        train(tiny_bert, tmp_path / "parts", settings)
    assert (tmp_path / "parts" / FILE).exists()
    with pytest.raises(TrainingError, match="other settings"):
        train(tiny_bert, tmp_path / "parts", replace(settings, learning_rate=2e-3), resume=True)
    # How often checkpoints are made may change.
    resumed = train(tiny_bert, tmp_path / "parts", replace(settings, checkpoint_every=5), resume=True)
    assert resumed == whole
    assert not differing(weights(tmp_path / "whole"), weights(tmp_path / "parts"))
    assert not (tmp_path / "parts" / FILE).exists()
    # The dropout matters, or the test would not see a generator that was not restored.
    train(tiny_bert, tmp_path / "other", replace(settings, dropout=0.0))
    assert differing(weights(tmp_path / "whole"), weights(tmp_path / "other"))


def test_a_run_of_other_weights_under_the_same_name_is_not_resumed(tiny_bert, tmp_path):
    base, settings = tmp_path / "base", replace(FAST, steps=4, checkpoint_every=2)
    shutil.copytree(tiny_bert, base)
    with ending_at(3), pytest.raises(KeyboardInterrupt):
        train(base, tmp_path / "out", settings)
    before = weights(base)
    name = next(name for name in before if name.endswith("bias"))
    save_file({**before, name: before[name] + 1}, base / "model.safetensors", {"format": "pt"})
    with pytest.raises(TrainingError, match="another base"):
        train(base, tmp_path / "out", settings, resume=True)
    save_file(before, base / "model.safetensors", {"format": "pt"})
    assert train(base, tmp_path / "out", settings, resume=True).steps == 4


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
@pytest.mark.parametrize(("room", "what"), [(100, "the tokens of all texts"), (10_000, "")])
def test_a_full_disk_is_one_line_that_names_the_folder(tiny_bert, tmp_path, room, what):
    with files_of_at_most(room), pytest.raises(TrainingError, match=f"cannot write {what} ?into {tmp_path}: "):
        train(tiny_bert, tmp_path, FAST)
    assert not (tmp_path / "config.json").exists()


def test_a_folder_that_holds_a_model_or_is_a_file_is_refused(tiny_bert, tmp_path):
    train(tiny_bert, tmp_path / "out", replace(FAST, steps=2))
    with pytest.raises(TrainingError, match="holds a model already"):
        train(tiny_bert, tmp_path / "out", FAST, resume=True)
    (tmp_path / "file").write_text("")
    with pytest.raises(TrainingError, match="is a file"):
        train(tiny_bert, tmp_path / "file", FAST)


def test_bitfit_trains_biases_only_and_embeddings_can_be_frozen(tiny_bert, tmp_path):
    assert SPECTER.with_bitfit().learning_rate == 1e-4
    start = weights(tiny_bert)
    train(tiny_bert, tmp_path / "bitfit", replace(FAST, bias_only=True, steps=5))
    moved = differing(weights(tmp_path / "bitfit"), start)
    assert moved
    assert all(name.endswith("bias") for name in moved)
    train(tiny_bert, tmp_path / "frozen", replace(FAST, freeze_embeddings=True, steps=5))
    moved = differing(weights(tmp_path / "frozen"), start)
    assert moved
    assert not any(name.startswith("embeddings.") for name in moved)


def test_attention_has_no_dropout_and_hidden_states_have_the_recipes(tiny_bert):
    encoder = load_trainable(str(tiny_bert), replace(FAST, dropout=0.25))
    config = encoder.module.model.config
    assert (config.hidden_dropout_prob, config.attention_probs_dropout_prob) == (0.25, 0.0)


def test_a_tokenizer_with_more_tokens_than_the_model_is_refused(own_bert, tmp_path):
    tokenizer = (own_bert / "tokenizer.json").read_text("utf-8")
    last = AutoModel.from_pretrained(own_bert).config.vocab_size
    (own_bert / "tokenizer.json").write_text(tokenizer.replace('"graph":', f'"paper!":{last + 1},"graph":', 1))
    tokenizer = (own_bert / "tokenizer.json").read_text("utf-8").replace('"paper!"', '"zz"')
    (own_bert / "tokenizer.json").write_text(tokenizer, "utf-8")
    triplets = topics()
    triplets.texts[3] = Text("zz", "")
    with pytest.raises(ModelError, match=f"its tokenizer knows {last + 1} tokens, its weights {last}"):
        train(own_bert, tmp_path / "out", FAST, triplets=triplets)
    assert not (tmp_path / "out").exists()


def test_a_vocabulary_of_another_language_is_refused(tiny_bert, tmp_path):
    triplets = topics()
    triplets.texts[:] = [Text("引文推荐", f"基于图的 {number}") for number in range(40)]
    with pytest.raises(TrainingError, match="of their tokens are unknown"):
        train(tiny_bert, tmp_path / "out", FAST, triplets=triplets)


def test_a_text_of_which_no_token_is_left_is_refused(tiny_bert, tmp_path):
    triplets = topics()
    triplets.texts[5] = Text("\u200b", "")
    with pytest.raises(TrainingError, match="a paper without text"):
        train(tiny_bert, tmp_path / "out", FAST, triplets=triplets)


def test_a_base_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(ModelError, match="no-such-model"):
        train(tmp_path / "no-such-model", tmp_path / "out", FAST)
