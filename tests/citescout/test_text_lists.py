"""Lists to learn from where no citation is known: of a whole index, and of libraries that are cut out of it."""

import numpy as np
import pytest

from indexer.builds import build_index
from indexer.generations import open_generation
from indexer.paper import Paper
from rerank.features import FEATURES, LINKS, NAMES
from retrieval.query import Query
from training.blend import without_citations as module
from training.blend.without_citations import libraries, text_lists
from training.queries import HeldOut

FIELDS = ("soils", "rivers", "verbs")
HELD_OUT = "The soils of plain 3"


def corpus() -> dict[str, Paper]:
    """Of each field twenty papers that cite nothing, and ten that cite eight of these each, by turns."""
    found = {}
    for field in FIELDS:
        for number in range(20):
            paper = f"{field}-{number}"
            found[paper] = Paper(paper, f"The {field} of plain {number}", f"What {field} are.", 1990 + number)
        for number in range(10):
            paper = f"{field}-new-{number}"
            cited = tuple(f"{field}-{(2 * number + step) % 20}" for step in range(8))
            found[paper] = Paper(
                paper, f"More on {field} {number}", f"Uses of {field}. And {number}.", 2015, citations=cited
            )
    return found


@pytest.fixture(scope="module")
def papers():
    return corpus()


@pytest.fixture(scope="module")
def directory(papers, tmp_path_factory):
    directory = tmp_path_factory.mktemp("fields") / "fields"
    build_index(papers.values(), directory, "static")
    return directory


@pytest.fixture(scope="module")
def cut(directory):
    with open_generation(directory) as generation:
        left_out = HeldOut([HELD_OUT]).left_out(generation)
        return list(libraries(generation, 30, 0, left_out))


def test_a_library_holds_what_its_queries_cite_and_no_citation(cut, papers):
    assert len(cut) > 10
    for library in cut:
        held = {paper.id for paper in library.papers}
        assert len(held) == len(library.papers) >= module.LEAST
        assert not any(paper.citations for paper in library.papers)
        for query, cited in library.queries:
            assert query == type(query)(papers[query.id].title, papers[query.id].abstract, query.id, 2015)
            assert set(cited) == set(papers[query.id].citations)
            assert held >= {paper for paper in cited if papers[paper].title != HELD_OUT}
        for paper in library.papers:
            assert (paper.title, paper.year) == (papers[paper.id].title, papers[paper.id].year)
            assert paper.abstract in {papers[paper.id].abstract, ""}


def test_what_is_held_out_is_in_none(cut):
    assert HELD_OUT not in {paper.title for library in cut for paper in library.papers}


def test_its_queries_share_references(cut, papers):
    several = [library.queries for library in cut if len(library.queries) > 1]
    assert len(several) > 5
    for (first, _), *others in several:
        shared = [len(set(papers[first.id].citations) & set(papers[other.id].citations)) for other, _ in others]
        assert min(shared) > 0
        assert shared == sorted(shared, reverse=True)


def test_some_libraries_are_of_one_topic_some_of_several_and_some_lack_abstracts(cut):
    topics = [[paper.id.split("-")[0] for paper in library.papers] for library in cut]
    main = [max(map(each.count, FIELDS)) / len(each) for each in topics]
    assert max(main) > 0.9
    assert min(main) < 0.6
    lacking = [np.mean([not paper.abstract for paper in library.papers]) for library in cut]
    assert 0 in lacking
    assert max(lacking) > 0.5


def test_lists_by_text_know_no_citation(directory, papers):
    found = text_lists(directory, 30, 0, HeldOut([HELD_OUT]), {}).lists
    links = [NAMES.index(feature.name) for feature in FEATURES if feature.group == LINKS]
    forms = [one.form for one in found]
    assert forms.count("abstract") > len(forms) / 3
    assert {"title", "by words"} <= set(forms)
    whole = [one for one in found if one.labelled.popular is not None]
    assert {one.query.id for one in whole} == {name for name in papers if "new" in name}
    assert len(whole) < len(found)  # the others are those of libraries
    for one in found:
        assert not np.nan_to_num(one.labelled.features[:, links]).any()
        assert one.labelled.cited.any()
        cosines = one.labelled.features[:, [NAMES.index("cosine"), NAMES.index("own_cosine")]]
        assert np.isnan(cosines).all() == (one.form == "by words")
        if one.form != "some cited":  # without a query map there is one cosine
            np.testing.assert_array_equal(cosines[:, 0], cosines[:, 1])
    with open_generation(directory) as generation:
        for one in whole:
            cited = set(generation.catalog.ids(np.sort(one.docids[one.labelled.cited])))
            gold = {paper for paper in papers[one.query.id].citations if papers[paper].title != HELD_OUT}
            assert cited <= gold
            assert cited == gold - set(one.query.already_cited) or len(one.docids) < 30


def test_only_libraries_say_by_their_words_what_fits(directory):
    foreign = (Query("Quantum chromodynamics on a lattice"), Query("Quarks and gluons"))
    text = text_lists(directory, 30, 0, HeldOut([HELD_OUT]), {"physics": foreign, "none": ()})
    own = [one.fit for one in text.lists if one.labelled.popular is None]
    assert all(one.fit is None for one in text.lists if one.labelled.popular is not None)
    assert set(text.foreign) == {"physics", "none"}
    assert not text.foreign["none"]
    for fits in (own, text.foreign["physics"]):
        assert len(fits) > 2
        assert np.isnan(np.asarray(fits)[:, 3:]).all()
    unknown = np.asarray(text.foreign["physics"])[:, 1]
    assert unknown.min() == 1.0  # no library holds a word of theirs
    assert np.asarray(own)[:, 1].max() < 1.0
