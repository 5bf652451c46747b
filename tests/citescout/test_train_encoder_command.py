"""`citescout train encoder` from an index to an index, and what it leaves out or refuses."""

import json
import re
import shutil

import numpy as np
import pytest
from command_line import Ended, refused, run
from interrupted import ending_at

from encoders.transformer import TextEncoder
from indexer.builds import build_index
from indexer.generations import open_generation
from indexer.paper import Paper
from training.encoder.from_index import base_vectors, training_corpus
from training.queries import HeldOut
from training.triplets.files import read_triplets

WORDS = ("graph", "neural", "ranking", "search", "citation", "network")
TEST, TWIN = "Learning to rank what authors of a paper cite", "Learning to rank what authors of the paper cite"


def corpus(count=90):
    """Papers of six subjects that cite their own subject's, a test paper without its citations and its twin."""
    generator = np.random.default_rng(0)
    papers = []
    for number in range(count):
        older = [other for other in range(number) if other % 6 == number % 6]
        cited = generator.permutation(older)[:3].tolist()
        title = f"{WORDS[number % 6]} {' '.join(generator.choice(list('bcdefghij'), 6))} {number}"
        citations = [f"p{other:03}" for other in cited] + (["hidden", "twin"] if number > count - 4 else [])
        papers.append(Paper(f"p{number:03}", title, "a paper of the", 2000 + number // 6, citations=tuple(citations)))
    first = tuple(f"p{number:03}" for number in range(5))
    return [*papers, Paper("hidden", TEST, year=2010), Paper("twin", TWIN, year=2010, citations=first)]


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    directory = tmp_path_factory.mktemp("encoder") / "index"
    build_index(corpus(), directory, None)
    return directory


def train(*arguments: object, code: int = 0) -> Ended:
    ended = run("train", "encoder", *arguments)
    assert ended.code == code, ended.err
    return ended


@pytest.mark.parametrize("recipe", ["specter", "scincl"])
def test_a_dry_run_counts_and_writes_nothing(directory, tmp_path, recipe):
    output = train("--recipe", recipe, "--index", directory, "--dry-run", "--out", tmp_path / "out").out
    with open_generation(directory) as generation:
        citing = int((np.diff(generation.graph.cites.offsets) > 0).sum())
    assert output.startswith(f"{citing - 1} queries, 0 of them without a positive")
    assert f"1 of {citing} possible queries left out because their titles leak" in output
    assert re.search(r"^\d+ triplets of \d+ queries \(\d+ easy, \d+ hard\); \d+ triplets for validation$", output, re.M)
    assert ("link prediction on" in output) == (recipe == "scincl")
    assert not (tmp_path / "out").exists()


def test_a_twin_of_a_test_paper_is_no_query_and_held_out_titles_are_nowhere(directory, tmp_path):
    held_out = tmp_path / "held.jsonl"
    held_out.write_text(json.dumps({"id": "x", "title": TEST}))
    for name, options in (("plain", []), ("strict", ["--held-out", held_out])):
        train("--recipe", "specter", "--index", directory, "--write-triplets", tmp_path / name, *options)
    titles = {}
    for name in ("plain", "strict"):
        triplets = read_triplets(tmp_path / name)
        titles[name] = [{triplets.texts[place].title for place in triplets.rows[:, end]} for end in range(3)]
    assert {TEST, TWIN}.isdisjoint(titles["plain"][0])
    assert titles["plain"][1] & {TEST, TWIN}
    assert all({TEST, TWIN}.isdisjoint(ends) for ends in titles["strict"])
    # A file of triplets goes through the same filter.
    output = train("--recipe", "specter", "--triplets", tmp_path / "plain", "--held-out", held_out, "--dry-run").out
    leaking = int(re.match(r"(\d+) triplets left out because a title leaks", output)[1])
    assert leaking > 0


def test_training_does_not_know_what_a_twin_cites(directory):
    corpus = training_corpus(directory, HeldOut())
    with open_generation(directory) as generation:
        (twin,) = generation.catalog.docids(["twin"]).values()
        cited = int(np.diff(generation.graph.cites.offsets)[twin])
    assert cited == 5
    assert np.diff(corpus.cites.offsets)[twin] == 0
    assert twin in corpus.cites.neighbours


@pytest.mark.parametrize("recipe", ["specter", "scincl", "neighbourhood"])
def test_a_trained_encoder_makes_an_index(directory, tiny_bert, tmp_path, recipe):
    options = ["--recipe", recipe, "--base", tiny_bert, "--index", directory, "--steps", 3, "--out", tmp_path / "out"]
    output = train(*options, "--precision", "fp32")
    assert output.out.startswith(f"Wrote the encoder to {tmp_path / 'out'}: 3 steps")
    assert all(file.stat().st_mode & 0o044 for file in (tmp_path / "out").iterdir())  # others may use it
    manifest = build_index(corpus()[:20], tmp_path / "index", str(tmp_path / "out"))
    assert manifest.dimension == 32
    assert "holds a model already" in refused("train", "encoder", *options)


def test_how_an_encoder_was_made_stands_beside_its_weights(directory, tiny_bert, tmp_path):
    options = ["--recipe", "scincl", "--base", tiny_bert, "--index", directory, "--steps", 1, "--seed", 7]
    ended = train(*options, "--out", tmp_path / "out", "--write-triplets", tmp_path / "triplets.jsonl")
    *said, written = ended.err.splitlines()
    assert written.endswith(f" to {tmp_path / 'triplets.jsonl'}")
    record = json.loads((tmp_path / "out" / "training.json").read_bytes())
    assert record["options"] | {"recipe": "scincl", "index": ["index"], "seed": 7} == record["options"]
    assert record["options"]["base"] == tiny_bert.name, "a model is given away, and names no folder of its owner"
    assert str(tmp_path) not in json.dumps(record)
    assert (record["settings"]["learning_rate"], record["settings"]["weight_decay"]) == (2e-5, 0.01)
    assert record["data"] == said[-len(record["data"]) :]
    assert ended.out == f"Wrote the encoder to {tmp_path / 'out'}: {record['result']}\n"


def test_more_tokens_than_the_base_reads_are_refused(directory, tiny_bert, tmp_path):
    options = ("--recipe", "specter", "--base", tiny_bert, "--index", directory, "--out", tmp_path / "out")
    said = refused("train", "encoder", *options, "--tokens", 100_000)
    assert re.search(r"reads \d+ tokens: give no more than these as --tokens", said)
    assert not (tmp_path / "out").exists()


def test_of_an_encoder_that_was_moved_it_is_said_how_the_index_finds_it(tiny_bert, tmp_path):
    index = tmp_path / "index"
    build_index(corpus()[:20], index, str(shutil.copytree(tiny_bert, tmp_path / "model")))
    (tmp_path / "model").rename(tmp_path / "moved")
    (tmp_path / "new.jsonl").write_text('{"id": "new", "title": "graph"}')
    for command in (("recommend", "-"), ("add", tmp_path / "new.jsonl")):
        said = refused(*command, "--index", index, stdin="graph ranking")
        assert f"no model folder at '{tmp_path / 'model'}'" in said
        assert f"`citescout re-encode --index {index} --encoder FOLDER`" in said
    assert run("re-encode", "--index", index, "--encoder", tmp_path / "moved").code == 0
    assert run("recommend", "-", "--index", index, stdin="graph ranking").code == 0


def test_training_on_few_tokens_does_not_see_what_stands_behind_them(directory, tiny_bert, tmp_path):
    same, other = tmp_path / "same.jsonl", tmp_path / "other.jsonl"
    train("--recipe", "specter", "--index", directory, "--write-triplets", same)
    other.write_text(same.read_text().replace("a paper of the", "neural ranking of papers"))

    def trained(triplets, *options):
        out = tmp_path / "-".join(map(str, (triplets.stem, *options)))
        train("--recipe", "specter", "--triplets", triplets, "--base", tiny_bert, "--steps", 2, *options, "--out", out)
        return (out / "model.safetensors").read_bytes()

    assert trained(same, "--tokens", 8) == trained(other, "--tokens", 8)
    assert trained(same) != trained(other)


def test_triplets_that_are_written_train_the_same_encoder(directory, tiny_bert, tmp_path):
    common = ["--recipe", "specter", "--base", tiny_bert, "--share", 0.5, "--bitfit", "--loss", "in-batch"]
    train(*common, "--index", directory, "--write-triplets", tmp_path / "t.jsonl.gz")
    output = train(*common, "--triplets", tmp_path / "t.jsonl.gz", "--epochs", 0.5, "--out", tmp_path / "out")
    assert "Wrote the encoder" in output.out
    assert (tmp_path / "out" / "1_Pooling" / "config.json").exists()


def test_vectors_of_the_index_are_used_if_the_base_made_them(tiny_bert, tmp_path):
    papers = corpus()[:30]
    build_index(papers, tmp_path / "same", str(tiny_bert))
    build_index(papers, tmp_path / "none", None)
    encoder = TextEncoder.load(str(tiny_bert))
    found = {}
    for name in ("same", "none"):
        found[name] = base_vectors(tmp_path / name, training_corpus(tmp_path / name, HeldOut()), encoder)
    np.testing.assert_allclose(found["same"], found["none"], atol=2**-11)  # 16 bits, and not the codes' 8
    assert not np.array_equal(found["same"], found["none"])


def test_mistakes_end_in_one_line_before_any_work(directory, tiny_bert, tmp_path):
    base = ["--recipe", "specter", "--base", tiny_bert]
    out = ["--out", tmp_path / "out"]
    assert "nowhere" in refused("train", "encoder", *base, "--index", tmp_path / "nowhere", *out)
    assert "no.jsonl" in refused("train", "encoder", *base, "--triplets", tmp_path / "no.jsonl", *out)
    elsewhere = ("--recipe", "specter", "--base", tmp_path / "no", "--index", directory)
    assert "no" in refused("train", "encoder", *elsewhere, *out)
    train(*base, *out, code=2)
    train(*base, "--index", directory, "--triplets", tmp_path / "t", *out, code=2)
    train(*base, "--index", directory, code=2)
    train("--recipe", "neighbourhood", "--triplets", tmp_path / "t", *out, code=2)
    path = tmp_path / "t.jsonl"
    paper = {"title": "graph", "abstract": ""}
    path.write_text(json.dumps({"query": paper, "positive": paper, "negative": {"title": ""}}))
    assert f"{path} line 1: the negative has neither" in refused("train", "encoder", *base, "--triplets", path, *out)
    path.write_text("")
    output = train(*base, "--triplets", path, *out, code=1)
    assert "zero triplets: the files hold none" in output.err
    assert not (tmp_path / "out").exists()


def test_an_index_without_citations_has_zero_triplets(tiny_bert, tmp_path):
    papers = [Paper(f"p{number}", f"Paper {number}") for number in range(5)]
    build_index(papers, tmp_path / "index", None)
    for recipe, message in (
        ("specter", "zero triplets"),
        ("scincl", "no citations to learn from"),
        ("neighbourhood", "no training queries"),
    ):
        output = train("--recipe", recipe, "--base", tiny_bert, "--index", tmp_path / "index", "--dry-run", code=1)
        assert message in output.err


def test_an_unfinished_run_is_resumed(directory, tiny_bert, tmp_path):
    options = ["--recipe", "specter", "--base", tiny_bert, "--index", directory, "--steps", 4, "--checkpoint-every", 2]
    train(*options, "--out", tmp_path / "whole")
    with ending_at(3):
        train(*options, "--out", tmp_path / "parts", code=130)
    line = refused("train", "encoder", *options, "--out", tmp_path / "parts")
    assert "unfinished run" in line and "--resume" in line
    record = (tmp_path / "parts" / "training.json").read_bytes()
    train(*options, "--out", tmp_path / "parts", "--resume", "--seed", 9, code=1)
    assert (tmp_path / "parts" / "training.json").read_bytes() == record, "what has to be given stays known"
    train(*options, "--out", tmp_path / "parts", "--resume")
    one, other = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("whole", "parts"))
    assert one == other
    shutil.rmtree(tmp_path / "parts")
