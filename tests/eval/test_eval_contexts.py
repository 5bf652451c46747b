"""Measuring and learning lists for single sentences, on sentences made of the demo corpus."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from command_line import refused

from cli.main import citescout
from common.errors import SourceError
from demo import CORPUS
from eval.contexts import FORMS, MEASURES, measure, table
from indexer.builds import build_index
from indexer.paper import Paper
from indexer.readers import read_papers
from rerank.blend import CONTEXT, DEFAULT, Blend
from rerank.context_features import CONTEXT_FEATURES, CONTEXT_NAMES, TEXT_CONTEXT_NAMES
from rerank.features import LINKS
from training.contexts.fitting import labelled_lists
from training.contexts.libraries import labelled_libraries, sentence_libraries
from training.contexts.sentences import PARTS, CitingSentences, part_of

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def papers():
    return {paper.id: paper for paper in read_papers([str(CORPUS)])}


@pytest.fixture(scope="module")
def sentences(tmp_path_factory, papers) -> Path:
    """Of each paper that cites three or more: a sentence with half of the words of a cited title."""
    path = tmp_path_factory.mktemp("contexts") / "sentences.jsonl"
    lines = []
    for paper in papers.values():
        cited = [one for one in paper.citations if one in papers]
        if len(cited) >= 3:
            words = papers[cited[0]].title.split()[::2]
            text = f"Earlier work on {' '.join(words)} [CITATION] is close."
            lines.append({"id": f"{paper.id}#0", "citing": paper.id, "text": text, "cited": [cited[0]]})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_no_two_parts_share_a_citing_paper_and_all_have_some(sentences):
    known = CitingSentences(CORPUS, sentences)
    of = {part: {one.citing for one in known.of(part)} for part in PARTS}
    assert all(of.values())
    assert sum(map(len, of.values())) == len(set.union(*of.values()))
    assert np.mean([part_of(f"paper {number}") == "train" for number in range(2000)]) == pytest.approx(0.6, abs=0.05)


def test_what_held_out_papers_cite_is_not_indexed(sentences, papers):
    known = CitingSentences(CORPUS, sentences)
    hidden = {one.citing for one in known.of("test")}
    indexed = {paper.id: paper for paper in known.papers(("test",))}
    assert all(not indexed[one].citations for one in hidden)
    assert all(indexed[one] == paper for one, paper in papers.items() if one not in hidden)


def test_queries_tell_what_their_form_says_and_never_the_answer(sentences, papers):
    known = CitingSentences(CORPUS, sentences)
    for one in known.sentences[:20]:
        paper = papers[one.citing]
        alone, title, abstract, citations = (known.query(one, form) for form in FORMS)
        assert (alone.title, alone.abstract, alone.already_cited) == ("", "", ())
        assert (title.title, title.abstract) == (paper.title, "")
        assert abstract is None or abstract.abstract == paper.abstract
        assert set(citations.already_cited) == set(paper.citations) - one.cited
        assert all(query.id == paper.id and query.year == paper.year for query in (alone, title, citations))
        assert known.query(one, "title, no year").year is None


@pytest.fixture(scope="module")
def measured(sentences, tmp_path_factory):
    return measure(CORPUS, sentences, tmp_path_factory.mktemp("work"), sample=12, encoder=None)


def test_figures_lie_in_their_intervals_and_the_ratio_is_that_of_the_figures(measured):
    assert [one.form for one in measured] == list(FORMS)
    for one in measured:
        for name in MEASURES:
            for each in (one.bm25[name], one.ours[name], one.ratio[name]):
                assert each.low <= each.value <= each.high
            assert one.ratio[name].value == pytest.approx(one.ours[name].value / one.bm25[name].value)
    assert table(measured).count("\n") == 1 + 3 * len(measured)


def test_a_measurement_that_was_killed_asks_only_the_sentences_that_it_had_not(sentences, tmp_path, asked):
    asked.check_going_on(lambda: table(measure(CORPUS, sentences, tmp_path, sample=3, encoder=None)), tmp_path)
    assert len({query.id for query in asked}) == 1, "the last sentence alone"


@pytest.mark.filterwarnings("error")
def test_where_bm25_finds_nothing_there_is_no_ratio(papers, tmp_path):
    """Of sentences that name other papers than they cite, and of one that names the right one."""
    citing = [paper for paper in papers.values() if sum(one in papers for one in paper.citations) >= 3][:4]
    lines = [
        {"id": paper.id, "citing": paper.id, "text": "Xyzzy [CITATION] plugh.", "cited": [paper.citations[0]]}
        for paper in citing
    ]
    for right in (0, 1):
        if right:
            lines[0]["text"] = f"See {papers[citing[0].citations[0]].title} [CITATION]."
        (tmp_path / "sentences.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        found = measure(CORPUS, tmp_path / "sentences.jsonl", tmp_path / "work", encoder=None)
        assert bool(found[0].ratio) == bool(right)
        row = next(line for line in table(found).splitlines() if "| the sentence | 4 | ratio |" in line)
        assert ("| – | – | – | – |" in row) != bool(right)
        assert "nan" not in row
        assert "inf" not in row


def test_sentences_of_one_paper_have_no_range(sentences, tmp_path):
    first = json.loads(sentences.read_text(encoding="utf-8").splitlines()[0])
    lines = [json.dumps(first | {"id": name}) for name in ("one", "other")]
    (tmp_path / "sentences.jsonl").write_text("\n".join(lines), encoding="utf-8")
    shown = table(measure(CORPUS, tmp_path / "sentences.jsonl", tmp_path / "work", encoder=None))
    assert "| the sentence | 2 | citescout | 1.000 |" in shown
    assert "(" not in shown


def test_sentences_find_what_they_cite(measured):
    """What shares half of the words of a title is found, if not as surely as by BM25, which sees nothing else."""
    by_form = {one.form: one for one in measured}
    assert by_form["sentence"].bm25["R@10"].value > 0.9
    assert by_form["sentence"].ours["R@10"].value > 0.8


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "line 2"),
        ('{"id": "a", "citing": "b", "text": "c"}', "'cited'"),
        ('{"id": "a", "citing": "b", "text": " ", "cited": ["d"]}', "must be text"),
        ('{"id": "a", "citing": "b", "text": "[CITATION]", "cited": ["d"]}', "no words beside the mark"),
        ('{"id": "a", "citing": "b", "text": "c", "cited": "d"}', "list of ids"),
    ],
)
def test_a_line_that_is_no_citing_sentence_is_named(tmp_path, sentences, line, says):
    path = tmp_path / "bad.jsonl"
    path.write_text(sentences.read_text(encoding="utf-8").splitlines()[0] + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(SourceError, match="no citing sentence") as error:
        CitingSentences(CORPUS, path)
    assert "line 2" in str(error.value)
    assert says in str(error.value)


def test_sentences_that_are_left_out_are_counted_and_those_of_papers_with_numbers_are_not(tmp_path, caplog):
    papers = [{"id": 1, "title": "Passage retrieval"}, {"id": 2, "title": "Citations", "citations": [1]}]
    lines = [{"id": 7, "citing": 2, "text": "As known [CITATION].", "cited": [1]}]
    lines += [{"id": f"lost {place}", "citing": "3", "text": "Lost [CITATION].", "cited": ["1"]} for place in range(2)]
    corpus, path = tmp_path / "papers.jsonl", tmp_path / "sentences.jsonl"
    for file, records in ((corpus, papers), (path, lines)):
        file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    (one,) = CitingSentences(corpus, path).sentences
    assert (one.id, one.citing, one.cited) == ("7", "2", frozenset({"1"}))
    assert f"{path}: 2 sentences are left out, such as lost 0: {corpus} lacks the paper that cites" in caplog.text


def test_sentences_of_other_papers_are_refused(tmp_path):
    path = tmp_path / "other.jsonl"
    path.write_text('{"id": "a", "citing": "nobody", "text": "c", "cited": ["none"]}\n', encoding="utf-8")
    with pytest.raises(SourceError, match="holds no sentence whose papers are in"):
        CitingSentences(CORPUS, path)


def test_an_order_that_is_learned_is_measured_and_used(sentences, tmp_path):
    run = CliRunner()
    work, out = tmp_path / "work", tmp_path / "order.json"
    options = ["--work", str(work), "--encoder", "none", "--part", "test", "--sample", "2"]
    first = run.invoke(citescout, ["-q", "eval", "contexts", str(CORPUS), str(sentences), *options])
    assert first.exit_code == 0, first.output
    assert "| the sentence | " in first.output
    index = work / "indexes" / "all-but-train"
    training = ["--index", str(index), "--every", "4", "--out", str(out)]
    trained = run.invoke(citescout, ["-q", "train", "contexts", str(CORPUS), str(sentences), *training])
    assert trained.exit_code == 0, trained.output
    assert Blend.load(out).orders_contexts
    learned = Blend.load(out).without_citations
    assert learned.order.names == TEXT_CONTEXT_NAMES
    assert learned.to_record() != Blend.load(CONTEXT).without_citations.to_record()
    folds = labelled_lists(index, CORPUS, sentences, every=2)
    citing = [{one.query.id for one in lists} for lists in folds]
    assert len(set.union(*citing)) == sum(map(len, citing))  # no two folds share a paper
    assert {part_of(id_) for id_ in set.union(*citing)} == {"validation"}
    command = ("eval", "contexts", CORPUS, sentences, "--work", tmp_path / "none", "--blend", DEFAULT)
    assert "orders lists for whole papers, and sentences are asked" in refused(*command)
    assert not (tmp_path / "none").exists()
    options += ["--blend", str(out)]
    again = run.invoke(citescout, ["-q", "eval", "contexts", str(CORPUS), str(sentences), *options])
    assert again.exit_code == 0, again.output
    assert "| the sentence | 2 | citescout |" in again.output


def test_an_index_that_knows_the_answers_or_other_papers_is_refused_at_once(sentences, demo_index, papers, tmp_path):
    known = CitingSentences(CORPUS, sentences)
    build_index(known.papers(("validation",)), tmp_path / "untested", None)
    build_index([Paper("other", "Another corpus")], tmp_path / "other", None)
    command = ("train", "contexts", CORPUS, sentences, "--out", tmp_path / "order.json", "--index")
    for index, said in [
        (demo_index, "holds what papers of the part for validation cite"),
        (tmp_path / "untested", "holds what papers of the part for test cite"),
        (tmp_path / "other", f"holds no paper of {CORPUS}"),
    ]:
        assert said in refused(*command, index)
    # Another record of a paper, which is of no part, may cite in its stead.
    first = next(iter(known.of("validation"))).citing
    twin = replace(papers[first], id="twin", doi=papers[first].doi or "10.1/twin")
    held_out = known.papers(("validation", "test"))
    merged = [*(replace(one, doi=twin.doi) if one.id == first else one for one in held_out), twin]
    build_index(merged, tmp_path / "merged", None)
    assert labelled_lists(tmp_path / "merged", CORPUS, sentences, every=20)


def test_libraries_hold_what_their_sentences_cite(sentences, papers):
    known = CitingSentences(CORPUS, sentences)
    asked = known.of("validation")
    found = list(sentence_libraries(known, asked, 0))
    assert len(found) > 5
    for library in found:
        assert 12 <= len(library.papers) < len(papers)
        assert library.sentences
        assert set(library.sentences) <= set(asked)
        for one in library.sentences:
            assert library.papers >= set(papers[one.citing].citations) & set(papers)
    assert {len(library.sentences) for library in found} > {1}


def test_lists_of_libraries_know_no_citation(sentences):
    folds = labelled_libraries(CORPUS, sentences, None)
    citing = [{one.query.id for one in lists} for lists in folds]
    assert len(set.union(*citing)) == sum(map(len, citing))  # no two folds share a paper
    assert {part_of(id_) for id_ in set.union(*citing)} == {"validation"}
    lists = [one for some in folds for one in some]
    assert {bool(one.query.title) for one in lists} == {True, False}
    assert any(one.query.already_cited for one in lists)
    assert np.mean([one.labelled.cited.any() for one in lists]) > 0.95
    # Without votes, papers are as often cited as each other, and nothing says which was cited lately.
    votes = [
        CONTEXT_NAMES.index(feature.name)
        for feature in CONTEXT_FEATURES
        if feature.group == LINKS and not feature.name.startswith("often_cited")
    ]
    assert not any(np.nan_to_num(one.labelled.features[:, votes]).any() for one in lists)
