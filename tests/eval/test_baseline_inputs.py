"""Names, files and errors of the baselines, and their command."""

import gzip
import json
import sys

import numpy as np
import pytest
from command_line import printed_by, refused, run, run_alone
from tiny_corpus import PAPERS, VECTORS, fitted, made

from common.errors import ModelError, SourceError
from encoders.text import Text
from encoders.word_vectors import load_word_vectors
from encoders.words import all_words
from eval.baselines.base import Setup
from eval.baselines.registry import baselines, find_baselines

pytest.importorskip("sklearn")


def test_every_baseline_of_the_papers_has_a_name():
    wanted = {"random", "tf-idf", "lsa", "lda", "word2vec", "glove", "doc2vec", "sif", "wmd", "relaxed-wmd", "minilm"}
    every_one = baselines()
    assert wanted <= {one.name for one in every_one}
    assert all(one.description for one in every_one)
    assert [one.name for one in find_baselines(["sif", "lsa", "sif"])] == ["sif", "lsa"]
    by_default = {one.name for one in find_baselines()}
    assert by_default == wanted - {"glove"} | {"static"}
    assert {one.name for one in find_baselines(glove=True)} - by_default == {"glove", "sif-glove", "wmd-glove"}


@pytest.mark.parametrize("name", ["bm26", "encoder:", ""])
def test_an_unknown_name_is_reported_with_the_known_ones(name):
    with pytest.raises(SourceError, match=r"no baseline .*tf-idf.*encoder:NAME"):
        find_baselines(["tf-idf", name])


def test_a_model_that_is_not_there_is_an_error_before_any_work(tmp_path):
    with pytest.raises(ModelError, match="no model folder"):
        made(f"encoder:{tmp_path / 'nothing'}")
    with pytest.raises(SourceError, match="--glove FILE"):
        made("glove")
    with pytest.raises(SourceError, match="no file of word vectors"):
        made("sif-glove", Setup(glove=tmp_path / "nothing.txt"))


@pytest.mark.parametrize(("module", "name"), [("gensim", "word2vec"), ("gensim", "doc2vec"), ("ot", "wmd")])
def test_a_missing_library_is_reported_with_what_installs_it(monkeypatch, module, name):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ModelError, match=r"pip install 'citescout\[eval\]'"):
        made(name)


@pytest.mark.parametrize("name", ["tf-idf", "lsa", "lda", "word2vec", "doc2vec"])
def test_a_corpus_without_words_is_an_error(name):
    if name in {"word2vec", "doc2vec"}:
        pytest.importorskip("gensim")
    with pytest.raises(SourceError, match="no words to learn from"):
        fitted(name, papers=[Text("§", "!"), Text("…", "")])


def test_word_vectors_are_read_from_text_and_gzip_with_or_without_a_header(glove, tmp_path):
    plain = load_word_vectors(glove, PAPERS)
    wanted = {word for paper in PAPERS for word in all_words(paper)} & set(VECTORS)
    assert set(plain.places) == wanted
    for word in wanted:
        assert plain.matrix[plain.places[word]] == pytest.approx(VECTORS[word])
    content = f"{len(VECTORS)} 3\n. . . 1 2 3\n" + glove.read_text(encoding="utf-8") + "graph 5 5 5\n"
    packed = tmp_path / "vectors.txt.gz"
    packed.write_bytes(gzip.compress(content.encode()))
    again = load_word_vectors(packed, PAPERS)
    assert again.places == plain.places
    assert np.array_equal(again.matrix, plain.matrix)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"graph 1 2 3\npapers 1 2\n", "line 2: not a word and 3 numbers"),
        (b"graph 1 2 three\n", "line 1: not a word and 3 numbers"),
        (b"graph 1 2 nan\n", "line 1: a number that is not finite"),
        (b"graph\n", "line 1: not a word"),
        (b"", "no word of the corpus"),
        (b"alien 1 2 3\n", "no word of the corpus"),
        (b"graph 1 2 \xff\n", "cannot read word vectors"),
    ],
)
def test_a_damaged_file_of_vectors_is_reported_with_its_place(tmp_path, content, message):
    path = tmp_path / "vectors.txt"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=message):
        load_word_vectors(path, PAPERS)


def test_a_cut_archive_of_vectors_is_an_error(tmp_path):
    path = tmp_path / "vectors.txt.gz"
    path.write_bytes(gzip.compress(b"graph 1 2 3\n" * 1000)[:-10])
    with pytest.raises(SourceError, match="cannot read word vectors"):
        load_word_vectors(path, PAPERS)


@pytest.fixture(scope="module")
def corpora_folder(tmp_path_factory):
    from demo import CORPUS

    folder = tmp_path_factory.mktemp("corpora")
    lines = CORPUS.read_text(encoding="utf-8").splitlines(keepends=True)[:150]
    papers = [json.loads(line) for line in lines]
    (folder / "demo.jsonl").write_text("".join(lines), encoding="utf-8")
    citing = [paper["id"] for paper in sorted(papers, key=lambda paper: -paper["year"]) if paper["citations"]]
    (folder / "demo.test.ids").write_text("\n".join(citing[:8]), encoding="utf-8")
    return folder


@pytest.mark.long
def test_the_command_prints_one_table_and_keeps_the_runs_beside_those_of_eval_corpora(corpora_folder, tmp_path):
    pytest.importorskip("ir_measures")
    arguments = (corpora_folder, "--work", tmp_path, "--systems", "tf-idf,lsa,random", "--queries", 5)
    done = run_alone("eval", "baselines", *arguments)  # Gensim after Java in one process would end it
    assert done.code == 0, done.err
    rows = [line for line in done.out.splitlines() if line.startswith("| demo | 5 |")]
    assert [row.split("|")[3].strip() for row in rows] == ["BM25", "tf-idf", "lsa", "random"]
    sample = "demo-5-queries-seed-0"
    scores = json.loads((tmp_path / "baselines.json").read_bytes())[sample]
    assert scores["random"]["mrr"] < scores["tf-idf"]["mrr"]
    years = {paper["id"]: paper["year"] for paper in map(json.loads, (corpora_folder / "demo.jsonl").open())}
    for system in ("BM25", "tf-idf", "lsa", "random"):
        lines = (tmp_path / "runs" / sample / f"{system}.trec").read_text(encoding="utf-8").splitlines()
        pairs = [line.split()[:3:2] for line in lines]
        assert len({query for query, _ in pairs}) == 5
        assert all(query != paper and years[paper] <= years[query] for query, paper in pairs)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--systems", "bm26"], "Error: no baseline 'bm26'"),
        (["--systems", "glove"], "Error: no GloVe vectors"),
        (["--systems", "random", "--corpus", "alien"], "Error: no corpus 'alien'"),
    ],
)
def test_a_wrong_choice_is_one_line(corpora_folder, tmp_path, arguments, message):
    assert refused("eval", "baselines", corpora_folder, "--work", tmp_path, *arguments).startswith(message)


def test_the_list_names_every_baseline_without_loading_them():
    listed = run("eval", "baselines", "--list").out.splitlines()
    assert [line.split()[0] for line in listed] == [one.name for one in baselines()]
    code = "import sys, eval.baselines.registry as r, cli.eval; r.baselines(); print(*sys.modules)"
    assert {"torch", "sklearn", "gensim", "scipy", "ot"}.isdisjoint(printed_by(code).split())
