"""How many hidden works are named: the figures by hand, and the command end to end."""

import gzip

import numpy as np
import orjson
import pytest
from command_line import refused, run

from eval.beyond import Named, _validation, hidden_ids, measure, shown_papers, table
from eval.corpora import find_corpora
from indexer.generations import open_generation

WORDS = ["graph", "ranking", "neural", "citation", "passage", "walk", "topic", "author"]


def test_shares_by_hand():
    # Query 0 cites three hidden papers, query 1 two; all but one are cited by two of the pool.
    found = Named(
        "one",
        9,
        99,
        2,
        np.asarray([0, 0, 0, 1, 1]),
        np.asarray([1.0, 30.0, np.inf, 12.0, 50.0]),
        np.asarray([2, 5, 2, 1, 7]),
    )
    assert found.recall(10, 2).tolist() == [1 / 4]
    assert found.recall(50, 2).tolist() == [3 / 4]
    assert found.recall(50, 0).tolist() == [4 / 5]
    draws = found.recall(50, 2, draws=400)
    assert set(np.round(draws, 6)) == {np.round(2 / 3, 6), 0.75, 1.0}  # query 0 twice, both, query 1 twice
    assert "| one | 99 | 2 | 4 | 0.250 (" in table([found])


def test_there_is_no_share_of_nothing():
    """Query 1 alone cites what several papers of the pool cite: in samples without it nothing could be named."""
    ranks, citing = np.asarray([3.0, 4.0]), np.asarray([1, 2])
    found = Named("one", 9, 99, 2, np.asarray([0, 1]), ranks, citing)
    assert "| one | 99 | 2 | 1 | 1.000 (1.000–1.000) |" in table([found])
    few = Named("few", 9, 99, 2, np.asarray([0, 1]), ranks, np.asarray([1, 1]))
    assert "| few | 99 | 2 | 0 |  |  |  | 2 | 1.000 (1.000–1.000) |" in table([few])


@pytest.fixture
def corpora(tmp_path):
    """A corpus in two fields, each of which cites its own first papers."""
    generator = np.random.default_rng(1)
    papers = []
    for number in range(120):
        field = number % 2
        words = generator.choice(WORDS[4 * field : 4 * field + 4], 12)
        earlier = [f"p{other:03}" for other in range(field, number, 2)][:8]
        papers.append(
            {
                "id": f"p{number:03}",
                "title": f"{' '.join(words[:5])} {number}",
                "abstract": " ".join(words),
                "year": 1990 + number // 5,
                "citations": list(generator.permutation(earlier)[:6]),
            }
        )
    folder = tmp_path / "corpora"
    folder.mkdir()
    with gzip.open(folder / "one.jsonl.gz", "wb") as file:
        file.write(b"\n".join(map(orjson.dumps, papers)))
    (folder / "one.test.ids").write_text("\n".join(paper["id"] for paper in papers[-20:]), "utf-8")
    return folder


def test_hidden_papers_are_a_seeded_tenth_without_test_papers(corpora):
    (corpus,) = find_corpora(corpora)
    hidden = hidden_ids(corpus)
    assert len(hidden) == 10
    assert hidden == hidden_ids(corpus)
    assert hidden != hidden_ids(corpus, seed=1)
    assert hidden.isdisjoint(f"p{number:03}" for number in range(100, 120))
    shown = list(shown_papers(corpus, hidden))
    assert {paper.id for paper in shown}.isdisjoint(hidden)
    assert any(hidden & set(paper.citations) for paper in shown)


def test_what_a_validation_paper_cites_of_a_later_year_need_not_be_named(corpora):
    (corpus,) = find_corpora(corpora)
    years = {paper.id: paper.year for paper in corpus.papers()}
    papers = list(map(orjson.loads, gzip.decompress((corpora / "one.jsonl.gz").read_bytes()).splitlines()))
    for paper in papers[90:100]:  # the newest that are no test papers
        paper["citations"].append("p110")
    with gzip.open(corpora / "one.jsonl.gz", "wb") as file:
        file.write(b"\n".join(map(orjson.dumps, papers)))
    asked = _validation(corpus, frozenset(), 20, 0)
    assert {query.id for query in asked.queries} & {f"p{number:03}" for number in range(90, 100)}
    assert all(years[one] <= query.year for query in asked.queries for one in asked.qrels[query.id])


@pytest.mark.long
@pytest.mark.parametrize("option", [[], ["--validation"]])
def test_the_command_finds_hidden_papers_that_the_field_cites(corpora, tmp_path, option):
    work = tmp_path / "work"
    row = run("eval", "beyond", corpora, "--work", work, "--queries", 15, *option).out.splitlines()[-1].split(" | ")
    assert row[0] == "| one"
    assert int(row[1]) > 0
    assert float(row[6].split()[0]) >= 0.9  # every paper of a field cites the same few
    with open_generation(work / "indexes" / "one-beyond") as generation:
        (corpus,) = find_corpora(corpora)
        assert generation.catalog.docids(hidden_ids(corpus)) == {}


@pytest.mark.long
def test_a_measurement_that_was_killed_asks_only_what_it_had_not(corpora, tmp_path, asked):
    work = tmp_path / "work"
    asked.check_going_on(lambda: table(measure(corpora, work, (), 5)), work)
    assert len(asked) == 1


def test_a_corpus_in_which_nobody_cites_a_hidden_paper_is_told(tmp_path):
    folder = tmp_path / "corpora"
    folder.mkdir()
    papers = [{"id": f"p{n}", "title": f"Graph {n}", "citations": ["p1"] if n == 0 else []} for n in range(9)]
    (folder / "one.jsonl").write_bytes(b"\n".join(map(orjson.dumps, papers)))
    (folder / "one.test.ids").write_text("p0", "utf-8")
    said = refused("eval", "beyond", folder, "--work", tmp_path / "work", "--seed", 3)
    assert "no query of one cites a hidden paper" in said
