"""Questions made from citations, held against the definitions by brute force."""

from collections import Counter

import numpy as np
import pytest

from common.errors import SourceError
from eval.scidocs.encoder_protocol import CitationTasks, Sampling
from indexer.paper import Paper


def corpus(seed=0, count=400, mean=12):
    generator = np.random.default_rng(seed)
    papers = []
    for n in range(count):
        cited = generator.choice(max(n, 1), min(n, generator.integers(0, 2 * mean)), replace=False)
        # A citation of itself, one twice, and one of what is not there.
        extra = (f"{n:04d}", f"{cited[0]:04d}", "elsewhere") if len(cited) else ()
        papers.append(
            Paper(f"{n:04d}", f"Paper {n}" if n % 17 else " ", citations=(*(f"{c:04d}" for c in cited), *extra))
        )
    return papers


def relations(papers):
    titled = {paper.id for paper in papers if paper.title.strip()}
    cites = {p.id: set(p.citations) & titled - {p.id} for p in papers if p.id in titled}
    together = {
        i: Counter(other for cited in cites.values() if i in cited for other in cited if other != i) for i in titled
    }
    return cites, together


def split(question):
    positives = [paper for paper, grade in question.relevance.items() if grade == 1]
    return positives, [paper for paper, grade in question.relevance.items() if grade == 0]


@pytest.mark.parametrize("task", ["cite", "co-cite"])
def test_positives_and_negatives_are_what_the_task_says(task):
    papers = corpus()
    cites, together = relations(papers)
    questions = CitationTasks(papers).questions(task, Sampling(queries=120))
    assert len({question.query for question in questions}) == 120
    for question in questions:
        positives, negatives = split(question)
        assert (len(positives), len(negatives)) == (5, 25)
        if task == "cite":
            assert set(positives) <= cites[question.query]
        else:
            counts = together[question.query]
            best = sorted(counts.values(), reverse=True)[:5]
            assert sorted((counts[paper] for paper in positives), reverse=True) == best
            assert min(best) >= 1
        for paper in negatives:
            assert paper in cites
            assert paper != question.query
            assert paper not in cites[question.query]
            assert question.query not in cites[paper]
            assert paper not in together[question.query]


def test_every_paper_with_enough_citations_is_asked_when_all_are_wanted():
    papers = corpus(count=150, mean=5)
    cites, together = relations(papers)

    def unrelated(query):
        related = {query, *cites[query], *together[query], *(p for p, cited in cites.items() if query in cited)}
        return len(cites) - len(related)

    expected = {query for query in cites if len(cites[query]) >= 5 and unrelated(query) >= 25}
    found = CitationTasks(papers).questions("cite", Sampling(queries=10_000))
    assert expected
    assert {question.query for question in found} == expected


def test_the_same_seed_gives_the_same_questions_in_any_order_of_the_file():
    papers = corpus()
    one = CitationTasks(papers).questions("co-cite", Sampling(50))
    other = CitationTasks(papers[::-1]).questions("co-cite", Sampling(50))
    assert [(q.query, list(q.relevance.items())) for q in one] == [(q.query, list(q.relevance.items())) for q in other]
    assert [q.query for q in one] != [q.query for q in CitationTasks(papers).questions("co-cite", Sampling(50, seed=1))]


def test_negatives_are_drawn_evenly():
    papers = [Paper(f"q{n}", "Query", citations=("p",)) for n in range(2)]
    papers += [Paper("p", "Cited"), *(Paper(f"n{n}", "Other") for n in range(40))]
    seen = Counter()
    for seed in range(400):
        for question in CitationTasks(papers).questions("cite", Sampling(2, 1, 10, seed)):
            seen.update(split(question)[1])
    assert set(seen) == {f"n{n}" for n in range(40)} | {"q0", "q1"}
    share = 400 * 2 * 10 / 41
    assert all(abs(seen[f"n{n}"] - share) < 5 * share**0.5 for n in range(40))


def test_only_allowed_papers_are_asked():
    papers = corpus()
    allowed = {f"{n:04d}" for n in range(300, 320)}
    found = {question.query for question in CitationTasks(papers).questions("cite", Sampling(1000), allowed)}
    assert found
    assert found <= allowed
    with pytest.raises(SourceError, match="no paper of the 1 that are allowed has 5 citations"):
        CitationTasks(papers).questions("cite", only={"0000"})


def test_a_corpus_without_enough_citations_is_an_error():
    papers = [Paper("a", "A", citations=("b",)), Paper("b", "B")]
    with pytest.raises(SourceError, match="has 5 citations and 25 unrelated papers"):
        CitationTasks(papers).questions("cite")
    with pytest.raises(SourceError, match="has 1 co-cited papers"):
        CitationTasks(papers).questions("co-cite", Sampling(1, 1, 1))
