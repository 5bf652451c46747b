"""The ablations of SPECTER, SciNCL and CTPE: what is declared, that variants differ as said, and what a run tells."""

import json
import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from command_line import refused
from command_line import run as run_command
from safetensors.numpy import load_file

from cli.main import citescout
from common.errors import SourceError
from demo import CORPUS
from encoders.ctpe.files import load_ctpe
from encoders.text import Text
from encoders.word_vectors import WordVectors, random_word_vectors
from eval.baselines.families.word_movers import WordMovers
from eval.experiments.ablation_corpora import Corpora, open_corpora
from eval.experiments.ablation_tables import (
    ABLATIONS,
    SCINCL_2,
    SCINCL_FIGURE_2,
    SCINCL_FIGURE_3,
    SPECTER_2,
    Ablation,
    Tuned,
)
from eval.experiments.ablations import Unmeasured, make, run, triplets_for
from eval.experiments.base import Inputs, experiments
from indexer.changes import reencode
from indexer.readers import read_papers
from training.triplets.node_embeddings import node_embeddings
from training.triplets.sampling import EASY, HARD
from training.triplets.scincl import Bands

TESTS = 12
BY_NAME = {ablation.name: ablation for ablation in ABLATIONS}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo corpus with its newest citing papers as test papers."""
    folder = tmp_path_factory.mktemp("corpora")
    shutil.copy(CORPUS, folder / "demo.jsonl")
    citing = [paper for paper in read_papers([str(CORPUS)]) if len(paper.citations) > 3]
    newest = sorted(citing, key=lambda paper: (-(paper.year or 0), paper.id))[:TESTS]
    (folder / "demo.test.ids").write_text("\n".join(paper.id for paper in newest), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder of results, so that the corpus is indexed once."""
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def inputs(folder: Path, results: Path, tiny_bert: Path) -> Inputs:
    return Inputs((), results, corpora=folder, base=str(tiny_bert), most_steps=2, channels=4, epochs=1)


@pytest.fixture(scope="module")
def corpora(folder: Path, inputs: Inputs) -> Corpora:
    return open_corpora(folder, inputs)


def test_an_index_that_eval_corpora_gave_vectors_is_taken(
    folder: Path, inputs: Inputs, corpora: Corpora, tmp_path: Path
):
    (directory,) = corpora.directories
    shutil.copytree(directory, tmp_path / "indexes" / "demo")
    reencode(tmp_path / "indexes" / "demo", inputs.base)
    (taken,) = open_corpora(folder, replace(inputs, out=tmp_path)).tested.values()
    assert taken.papers == corpora.tested["demo"].papers
    assert taken.tests == corpora.tested["demo"].tests


def making(ablation: Ablation, name: str) -> Tuned:
    found = ablation.variants[name]
    assert isinstance(found, Tuned)
    return found


# --- what is declared


def test_every_row_is_a_variant_of_its_own_and_every_table_is_an_experiment() -> None:
    for ablation in ABLATIONS:
        assert experiments()[ablation.name].paper == ablation.paper
        makings = list(ablation.variants.values())
        assert len(makings) > 1
        assert all(one not in makings[:place] for place, one in enumerate(makings)), ablation.name
        assert all(rows.keys() & ablation.variants.keys() for rows in ablation.published.values())


def test_rows_of_the_published_tables_are_variants_but_those_that_nothing_here_makes() -> None:
    elsewhere = {"Doc2VecC", "avg-Skip-thoughts"}
    elsewhere |= {f"{made}, Skip-thoughts" for made in ("avg", "CTPE0", "CTPE")}
    for ablation in ABLATIONS:
        for rows in ablation.published.values():
            assert rows.keys() - ablation.variants.keys() <= elsewhere, ablation.name
    ours = {name for one in ABLATIONS for name in one.variants} - {
        row for one in ABLATIONS for rows in one.published.values() for row in rows
    }
    assert {name for name in ours if "=" not in name} == {"No fine-tuning", "Without collisions", "CTPE-word2vec"}


# --- what the variants learn from


def test_variants_learn_from_what_their_names_say(corpora: Corpora, inputs: Inputs) -> None:
    found = {
        name: triplets_for(one, corpora, inputs)
        for name, one in SPECTER_2.variants.items()
        if isinstance(one, Tuned) and one.signals and not one.init
    }
    papers = {paper.title: paper for paper in read_papers([str(CORPUS)])}
    assert set(np.unique(found["SPECTER"].kinds)) == {EASY, HARD}
    assert set(np.unique(found["No hard negatives"].kinds)) == {EASY}
    assert len(found["No hard negatives"]) == 5 * len(found["No hard negatives"].queries)
    assert not any(text.abstract for text in found["- abstract"].texts)
    assert any(text.abstract for text in found["SPECTER"].texts)
    for text in found["SPECTER"].texts:
        assert text.abstract == papers[text.title].abstract
    for text in found["+ venue"].texts:
        paper = papers[text.title]
        assert text == Text(paper.title, ". ".join(part for part in (paper.venue, paper.abstract) if part))
    for text in found["+ author"].texts:
        assert text.abstract.startswith(", ".join(papers[text.title].authors))


def test_nothing_is_learnt_from_test_papers(corpora: Corpora, inputs: Inputs, folder: Path) -> None:
    ids = set((folder / "demo.test.ids").read_text(encoding="utf-8").split())
    titles = {paper.title for paper in read_papers([str(CORPUS)]) if paper.id in ids}
    assert len(titles) == TESTS
    co_cited = making(BY_NAME["specter-signals"], "SciBERT fine-tune on co-citation")
    of_titles = making(SPECTER_2, "- abstract")
    for one in (making(SPECTER_2, "SPECTER"), of_titles, making(SCINCL_2, "SciNCL"), co_cited):
        assert not titles & {text.title for text in triplets_for(one, corpora, inputs).texts}


@pytest.mark.parametrize("rank", [5, 25, 50])
def test_positives_are_at_the_ranks_that_are_asked(corpora: Corpora, inputs: Inputs, rank: int) -> None:
    triplets = triplets_for(making(SCINCL_FIGURE_2, f"k⁺ = {rank}"), corpora, inputs)
    (corpus,) = corpora.training
    vectors = node_embeddings(corpus.citations(), len(corpus.years), seed=inputs.seed)
    embedded = np.flatnonzero(vectors.any(axis=1))
    last = Bands.scaled(len(embedded), making(SCINCL_2, "SciNCL").mix, rank).positive
    docids = {text: number for number, text in enumerate(corpus.texts)}
    for query, positive, _ in triplets.rows[:300].tolist():
        cosines = vectors[embedded] @ vectors[docids[triplets.texts[query]]]
        cosines = np.sort(cosines[embedded != docids[triplets.texts[query]]])[::-1]
        own = vectors[docids[triplets.texts[positive]]] @ vectors[docids[triplets.texts[query]]]
        assert cosines[last - 1] - 1e-4 <= own <= cosines[last - 5] + 1e-4


def test_ranks_sampling_and_shares_differ_as_named(corpora: Corpora, inputs: Inputs) -> None:
    def of(name: str, ablation: Ablation = SCINCL_2):
        return triplets_for(making(ablation, name), corpora, inputs)

    full = of("SciNCL")
    assert of("Without collisions").collisions == 0
    near, far = (of(f"k⁻ = {rank}", SCINCL_FIGURE_3).collisions for rank in (1000, 4000))
    assert near > far
    for name in (
        "k of hard negatives 2000",
        "k of hard negatives 3000",
        "Random easy negatives",
        "SPECTER",
        "Without collisions",
    ):
        other = of(name)
        assert other.rows.shape != full.rows.shape or (other.rows != full.rows).any(), name
    with pytest.raises(Unmeasured, match="too few"):
        of("k⁺ = 2000", SCINCL_FIGURE_2)
    with pytest.raises(Unmeasured, match="--signal 'co-view=…'"):
        of("SciBERT fine-tune on co-view", BY_NAME["specter-signals"])


# --- what a run tells


def table_of(*arguments: str) -> dict[str, list[str]]:
    """Row → cells, and the notes below under ""."""
    lines = run_command("eval", "experiment", *arguments).out.splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("|")]
    return {row[0]: row[1:] for row in rows} | {"": [line for line in lines if not line.startswith("|")]}


@pytest.mark.long
def test_published_figures_stand_beside_the_measured_ones_and_no_verdict_is_claimed(
    folder: Path, results: Path, tiny_bert: Path, corpora: Corpora, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = ("- abstract", "No hard negatives", "Start with BERT-Large", "No fine-tuning")
    table = table_of(
        "specter-inputs", "--corpora", str(folder), "--base", str(tiny_bert), "--steps", "3",
        *(part for name in chosen for part in ("--variant", name)), "--out", str(results),
    )  # fmt: skip
    assert table["variant"][-1] == "SciDocs: CLS USR CITE REC Avg."
    assert table["SPECTER"][-1] == "0.842 0.884 0.915 0.369 0.800"
    assert table["- abstract"][-1] == "0.822 0.722 0.736 0.345 0.681"
    assert table["+ venue"][0] == "not measured"
    assert table["Start with BERT-Large"][0] == "not measured"
    notes = "\n".join(table[""])
    assert "no verdict" in notes
    assert "375 papers, at most 3 steps" in notes
    assert "Start with BERT-Large: not measured, it takes --init 'BERT-Large=…'" in notes
    record = json.loads((results / "specter-inputs.json").read_bytes())
    assert [row["name"] for row in record["rows"]] == ["SPECTER", "- abstract", "No hard negatives", "No fine-tuning"]
    assert record["queries"] == {"demo": TESTS}
    assert record["published"]["SciDocs"]["+ author"]["Avg."] == 0.673
    base = load_file(tiny_bert / "model.safetensors")
    models = [load_file(results / "specter-inputs" / str(number) / "model.safetensors") for number in (1, 2, 3)]
    for one, other in ((base, models[0]), (models[0], models[1]), (models[0], models[2])):
        assert any((one[name] != other[name]).any() for name in one)
    # Killed before it wrote its record, it has its models still.
    monkeypatch.setattr("training.encoder.trainer.train_encoder", lambda *_: pytest.fail("trained again"))
    inputs = Inputs((), results, corpora=folder, base=str(tiny_bert), variants=chosen, most_steps=3)
    again = run(SPECTER_2, inputs)
    assert [row.by_corpus for row in again.rows] == [row["by_corpus"] for row in record["rows"]]
    assert list(again.notes) == record["notes"]
    with pytest.raises(SourceError, match="models of an earlier run"):
        run(SPECTER_2, replace(inputs, most_steps=4))


@pytest.mark.long
def test_bitfit_changes_biases_only_and_a_share_is_one(
    inputs: Inputs, tiny_bert: Path, results: Path, corpora: Corpora
) -> None:
    findings = run(SCINCL_2, replace(inputs, variants=("BitFit", "10% training data")))
    assert [row.name for row in findings.rows] == ["SciNCL", "10% training data", "BitFit"]
    base = load_file(tiny_bert / "model.safetensors")
    full, bias = (load_file(results / "scincl-training" / number / "model.safetensors") for number in ("1", "3"))
    changed = {name for name in base if (base[name] != bias[name]).any()}
    assert changed
    assert all(name.endswith("bias") for name in changed)
    assert any((base[name] != full[name]).any() for name in base if name.endswith("weight"))
    queries = [note.split(" triplets of ")[1].split(" queries")[0] for note in findings.notes if "model" in note]
    assert int(queries[1]) == round(int(queries[0]) / 10)


@pytest.mark.long
def test_a_curve_is_drawn_by_rank_and_says_what_the_figure_shows(inputs: Inputs, corpora: Corpora) -> None:
    findings = run(SCINCL_FIGURE_2, replace(inputs, variants=("k⁺ = 5", "k⁺ = 2000")))
    assert [row.name for row in findings.rows] == ["k⁺ = 25", "k⁺ = 5"]
    assert findings.panels[0].places == ("5", "25")
    assert findings.panels[0].series["F1@20"][1] == findings.rows[0].figures["F1@20"]
    assert any("best at k⁺ = 25" in note for note in findings.notes)
    assert any(note.startswith("k⁺ = 2000: not measured") for note in findings.notes)


@pytest.fixture
def vectors(corpora: Corpora, tmp_path: Path) -> Path:
    """A file of the corpora's words."""
    words = {word for text in corpora.reading("title+abstract")[0].texts for word in text.joined().lower().split()}
    rng = np.random.default_rng(0)
    known = sorted(word for word in words if word.isalpha() and word.isascii())
    lines = (" ".join([word, *(f"{value:.4f}" for value in rng.normal(size=8))]) for word in known)
    (tmp_path / "glove.txt").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path / "glove.txt"


def test_word_movers_distance_is_over_the_words_of_its_row(
    inputs: Inputs, corpora: Corpora, vectors: Path, tmp_path: Path
) -> None:
    pytest.importorskip("ot")
    row = BY_NAME["ctpe-methods"].variants["WMD-GloVe"]
    with pytest.raises(Unmeasured, match="--words 'GloVe="):
        make(row, corpora, tmp_path, inputs)
    ranker = make(row, corpora, tmp_path, replace(inputs, words=(f"GloVe={vectors}",))).ranker
    assert isinstance(ranker, WordMovers)
    texts = corpora.reading("title+abstract")[0].texts[:6]
    ranker.fit(texts)
    (hits,) = ranker.rank(texts[2:3], np.ones((1, 6), np.bool_), 6)
    assert (hits.docids[0], hits.scores[0]) == (2, pytest.approx(0, abs=1e-6))


@pytest.mark.long
def test_word_vectors_of_ctpe_and_its_training_make_a_difference(inputs: Inputs, results: Path, vectors: Path) -> None:
    chosen = tuple(f"{made}, {words}" for words in ("word2vec", "word2vec(ran)", "GloVe") for made in ("avg", "CTPE"))
    given = replace(inputs, variants=(*chosen, "CTPE0, word2vec", "avg, ELMo"), words=(f"GloVe={vectors}",))
    findings = run(BY_NAME["ctpe-words"], given)
    assert [row.name for row in findings.rows] == [
        "avg, word2vec", "CTPE0, word2vec", "CTPE, word2vec", "avg, word2vec(ran)", "CTPE, word2vec(ran)",
        "avg, GloVe", "CTPE, GloVe",
    ]  # fmt: skip
    assert any(note.startswith("avg, ELMo: not measured, it takes --words") for note in findings.notes)
    places = {name: str(place) for place, name in enumerate(BY_NAME["ctpe-words"].chosen(given.variants), start=1)}
    texts = [Text("Neural ranking of papers", "A network ranks the citations of papers by their text.")]
    encoded = [
        load_ctpe(results / "ctpe-words" / places[name]).encode(texts)
        for name in ("CTPE0, word2vec", "CTPE, word2vec", "CTPE, word2vec(ran)", "CTPE, GloVe")
    ]
    assert all(np.abs(one - other).max() > 1e-4 for one, other in pairwise(encoded))


def test_passes_of_word2vec_are_those_that_are_asked_for(
    inputs: Inputs, corpora: Corpora, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what trains vectors of its own, and of the baselines beside it."""
    asked: list[int] = []
    trained = random_word_vectors([Text("networks of papers", "networks")], 0, 8)

    def train(_papers: object, _seed: int, _dimension: int = 8, epochs: int = 100) -> WordVectors:
        asked.append(epochs)
        return trained

    monkeypatch.setattr("encoders.word_vectors.train_word2vec", train)
    monkeypatch.setattr("eval.baselines.families.word_means.train_word2vec", train)
    mean = BY_NAME["ctpe-words"].variants["avg, word2vec"]
    for epochs in (None, 3):
        for each in (mean, "word2vec"):
            made = make(each, corpora, tmp_path, replace(inputs, word_epochs=epochs))
            made.ranker.fit([Text("networks", "papers")])
    assert asked == [100, 100, 3, 3]


# --- mistakes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--variant", "astrology"), "has no variant 'astrology': there are SPECTER; - abstract;"),
        (("--init", "BERT-Large"), "--init BERT-Large: expected NAME=VALUE"),
        (("--base", "/nowhere/model"), "/nowhere/model"),
        (("--corpus", "astrology"), "no corpus 'astrology'"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_mistakes_are_reported_in_one_line_before_any_training(
    arguments: tuple[str, ...], message: str, folder: Path, tmp_path: Path
) -> None:
    options = ("--corpora", folder, "--out", tmp_path, *arguments)
    assert message in refused("eval", "experiment", "specter-inputs", *options)
    assert not (tmp_path / "specter-inputs").exists()


def test_papers_come_from_one_source(tmp_path: Path, folder: Path) -> None:
    for given in ({}, {"corpora": folder, "dblp": (str(CORPUS),)}):
        with pytest.raises(SourceError, match="one source of papers"):
            run(BY_NAME["ctpe-split"], Inputs((), tmp_path, **given))


def test_the_sampling_can_be_chosen_when_an_encoder_is_trained(demo_index: Path) -> None:
    runner = CliRunner()
    base = ["train", "encoder", "--recipe", "scincl", "--index", str(demo_index), "--dry-run"]
    for more in ((), ("--easy-from", "random")):
        assert "collisions" not in runner.invoke(citescout, [*base, *more]).stdout
    drawn = runner.invoke(citescout, [*base, "--allow-collisions", "--k-positive", "10", "--k-negative", "16"])
    assert drawn.exit_code == 0
    assert " collisions" in drawn.stdout
