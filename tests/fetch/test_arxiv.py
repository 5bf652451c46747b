"""Preprints at arXiv, of which a corpus wants the titles and what they were published as."""

from dataclasses import replace

import pytest
import world

from common.errors import FetchError
from fetch.corpus.sources.arxiv import preprints
from indexer.readers import read_papers


def test_arxiv_is_asked_for_many_preprints_at_once(api_options, answers, apis):
    ids = [paper["arxiv"] for paper in world.PAPERS if paper.get("arxiv")]
    found = preprints(api_options.client("arxiv", answers), [*ids, "1901.99999"])
    assert found.keys() == set(ids)
    assert len(apis.seen) == -(-(len(ids) + 1) // 100)
    one = next(paper for paper in world.PAPERS if paper.get("arxiv"))
    paper = found[one["arxiv"]]
    assert (paper.title, paper.year, paper.authors) == (one["title"], one["year"], tuple(one["authors"]))


def test_what_arxiv_answers_is_the_paper_that_its_reader_reads_from_a_file(api_options, answers, monkeypatch, tmp_path):
    entry = (
        "<entry><id>http://arxiv.org/abs/0704.0001v2</id><updated>2008-07-24T00:00:00Z</updated>"
        r"<title>At M\"unster</title><summary>A &lt; B.</summary><author><name>C. Bal\'azs</name></author>"
        "<arxiv:doi>10.1000/A</arxiv:doi><arxiv:journal_ref>Phys. Rev. D</arxiv:journal_ref></entry>"
    )
    error = "<entry><id>http://arxiv.org/api/errors#x</id><title>Error</title></entry>"
    feed = (
        '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">'
        f"<id>http://arxiv.org/api/x</id>{error}{entry}</feed>"
    )
    monkeypatch.setattr(world.Handler, "arxiv", lambda *_: (200, feed))
    (tmp_path / "feed.atom").write_text(feed)
    (of_the_reader,) = read_papers([str(tmp_path / "feed.atom")])
    assert of_the_reader.title == "At Münster"
    for _ in range(2):  # the second answer is the one that was kept
        found = preprints(api_options.client("arxiv", answers), ["0704.0001"])
        assert found == {"0704.0001": replace(of_the_reader, id="arXiv:0704.0001")}


@pytest.mark.parametrize(
    "answer",
    ["<html>busy</html>", "no XML", '<?xml version="1.0"?><feed/>', "<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>"],
)
def test_what_is_no_feed_is_tried_again_and_said(api_options, answers, monkeypatch, answer):
    monkeypatch.setattr(world.Handler, "arxiv", lambda *_: (200, answer))
    with pytest.raises(FetchError, match=r"no Atom feed.*3 tries"):
        preprints(api_options.client("arxiv", answers), ["1706.03762"])
