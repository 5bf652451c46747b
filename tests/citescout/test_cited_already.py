"""Works that a query cites, likes or is told of in a file, found by any name."""

import json
from dataclasses import replace

from command_line import run
from mangled import EXPECTED

from citescout import Paper, Query, Recommender, Settings
from citescout.lookup import Lookup
from citescout.queries import read_works
from indexer.builds import build_index
from manuscripts.reference_lines import readings

QUERY = Query("Dense retrieval with hard negatives", "A dual encoder for passages.")


def ids(answer):
    return [entry.paper.id for entry in answer]


def test_citations_of_a_query_may_be_given_by_any_name(recommender):
    cited = (
        "https://doi.org/10.18653/v1/2020.emnlp-main.550",
        "arXiv:2007.00808v2",
        "ColBERT: Efficient and effective passage search via contextualised late interaction over BERT",
        "nobody2050nothing",
        "kingma2015adam",
        "10.48550/arXiv.1412.6980",
    )
    query = replace(QUERY, already_cited=cited)
    known = replace(
        QUERY,
        already_cited=("karpukhin2020dense", "xiong2021approximate", "khattab2020colbert", "kingma2015adam"),
    )
    assert recommender.resolved(query) == (known, ("nobody2050nothing",))
    answer = recommender.answer(query, Settings(k=200))
    assert (answer.query, answer.unknown) == (known, ("nobody2050nothing",))
    assert not set(known.already_cited) & set(ids(answer.recommendations))
    by_ids = recommender.answer(known, Settings(k=200))
    assert answer.recommendations == by_ids.recommendations != recommender.recommend(QUERY, Settings(k=200))
    assert list(recommender.answers([query], Settings(k=200))) == [answer]


def test_a_query_may_cite_lines_of_a_printed_reference_list(recommender):
    cited = (
        "[1] V. Karpukhin et al. Dense passage retrieval for open-domain question answering. EMNLP 2020.",
        "2. J. Roe, M.-W. Lee, Reading Wikipedia to answer open-domain questions, Comput. Linguist. 45 (2) (2017) 4–8.",
        "[4] A. Nobody. A paper that is not there at all in the index. Foo 2019.",
    )
    known, unknown = recommender.resolved(replace(QUERY, already_cited=cited))
    assert (known.already_cited, unknown) == (("karpukhin2020dense", "chen2017reading"), cited[2:])


def test_a_reference_is_looked_up_once(recommender, monkeypatch):
    cited = tuple(f"[{number}] A. Nobody. A paper that is not there, part {number}. 2019." for number in range(150))
    read = []
    monkeypatch.setattr("citescout.lookup.readings", lambda text: read.append(text) or readings(text))
    title = "Dense passage retrieval for open-domain question answering"
    asked = [recommender.resolved(Query(name, already_cited=(*cited, title))) for name in ("One", "Two")]
    assert [(query.already_cited, unknown) for query, unknown in asked] == [(("karpukhin2020dense",), cited)] * 2
    assert read == [*cited, title]


def test_a_query_does_not_cite_its_own_paper(recommender):
    own = replace(QUERY, id="kingma2015adam", already_cited=("kingma2015adam", "10.48550/arXiv.1412.6980"))
    assert recommender.resolved(own) == (replace(own, already_cited=()), ())


def test_a_title_of_the_corpus_is_not_recommended_to_itself(recommender):
    own = "karpukhin2020dense"
    title = "Dense Passage Retrieval for Open-Domain Question-Answering."
    assert own in ids(recommender.recommend(Query("Dense passage retrieval for questions"), Settings(k=100)))
    for query in (Query(title), Query(title, id="line-1"), Query(title, year=2020)):
        assert own not in ids(recommender.recommend(query, Settings(k=200)))
        assert ids(recommender.recommend(query)) == ids(recommender.recommend(replace(query, id=own)))
    assert own in ids(recommender.recommend(Query(title, year=2023), Settings(k=100))), "too far from 2020 to be it"


def test_a_short_title_is_no_reason_to_leave_a_paper_out(recommender):
    assert "breiman2001random" in ids(recommender.recommend(Query("Random forests"), Settings(k=100)))


def test_a_query_with_an_id_of_the_index_is_taken_at_that(recommender):
    title = "Dense passage retrieval for open-domain question answering"
    answer = recommender.recommend(Query(title, id="xiong2021approximate"), Settings(k=100))
    assert "karpukhin2020dense" in ids(answer)


def test_a_bibliography_is_applied_to_every_query(demo_index, references, tmp_path):
    queries = tmp_path / "queries.jsonl"
    queries.write_text(
        '{"id": "q1", "title": "bidirectional transformers", '
        '"already_cited": ["10.48550/arXiv.1412.6980", "none", "Bagging predictors"]}\n'
        '{"id": "devlin2019bert", "title": "deep bidirectional transformers"}\n'
    )
    options = ["--index", demo_index, "-k", 200, "--format", "jsonl"]
    done = run("recommend", queries, *options, "--cited", references)
    assert done.code == 0, done.err
    assert "Cited already: 10 of 18 found" in done.err
    assert "not found: k: Random forests (2001)" in done.err
    assert "2 of 3 entries of already_cited were not found in the index\n  not found: none\n" in done.err
    assert "not found: Bagging predictors (several papers may have so short a title: give an id or" in done.err
    cited = {paper for paper, _ in EXPECTED.values()}
    for line in done.out.splitlines():
        assert not cited & {entry["id"] for entry in json.loads(line)["recommendations"]}
    missing = run("recommend", queries, *options, "--cited", tmp_path / "no.bib")
    assert missing.code == 1
    assert missing.err == f"Error: {tmp_path / 'no.bib'}: no such file or folder\n"


def test_works_are_those_of_a_manuscripts_own_list_too(tmp_path):
    papers = [Paper("7", "Of snow"), Paper("hirsch", "An index of output", year=2005, authors=("Hirsch, J.",))]
    build_index(papers, tmp_path / "ix", None)
    listed = [
        *(f"Roe, A. ({year}). Of rain. Acta. https://doi.org/10.1000/{year}" for year in range(1990, 1998)),
        "Hirsch, J. E. (2005). An index of output. PNAS, 102(46), 16569-16572.",
    ]
    old = tmp_path / "old.md"
    old.write_text("\n\n".join(("# On rain", "It rains (Roe, 1990; Hirsch, 2005).", "## References", *listed)))
    resolved = run("resolve", old, "--index", tmp_path / "ix", "--format", "jsonl")
    records = [json.loads(line) for line in resolved.out.splitlines()]
    assert {one["reference"]: one["paper"] for one in records if one["paper"]} == {"Hirsch 2005": "hirsch"}
    assert len(records) == len(listed)
    asked = run("recommend", "-", "--index", tmp_path / "ix", "--cited", old, "--format", "jsonl", stdin="An index")
    assert "Cited already: 1 of 9 found: 1 by title" in asked.err
    assert "hirsch" not in {entry["id"] for entry in json.loads(asked.out)["recommendations"]}


def test_works_come_in_the_order_of_their_sources(tmp_path):
    (tmp_path / "draft").mkdir()
    for name in ("first.bib", "last.bib"):
        (tmp_path / name).write_text(f"@misc{{{name[:-4]}, title={{Of rain}}}}")
    (tmp_path / "draft" / "main.tex").write_text(
        r"\title{T}\cite{a}\begin{thebibliography}{1}\bibitem{own} Of snow.\end{thebibliography}"
    )
    works = read_works([str(tmp_path / name) for name in ("first.bib", "draft/main.tex", "last.bib")])
    assert [work.key for work in works] == ["first", "own", "last"]


def test_one_unknown_work_is_counted_as_one(demo_index, tmp_path):
    drafts = tmp_path / "drafts.jsonl"
    drafts.write_text(json.dumps({"title": QUERY.title, "already_cited": ["nobody"], "liked": ["none"]}))
    done = run("recommend", drafts, "--index", demo_index)
    assert "1 of 1 entry of already_cited was not found in the index\n" in done.err
    assert "1 entry of liked and disliked was not found in the index\n" in done.err


def test_ids_that_are_liked_or_disliked_and_unknown_are_named(demo_index, tmp_path):
    drafts = tmp_path / "drafts.jsonl"
    rated = {"liked": ["kingma2015adam", "none"], "disliked": ["10.1000/x"]}
    drafts.write_text(json.dumps({"title": QUERY.title, **rated}))
    done = run("recommend", drafts, "--index", demo_index)
    said = "2 entries of liked and disliked were not found in the index\n  not found: none\n  not found: 10.1000/x\n"
    assert said in done.err
    with Recommender.open(demo_index) as recommender:
        answer = recommender.answer(replace(QUERY, liked=("kingma2015adam", "none"), already_cited=("nobody",)))
    assert answer.unknown == ("nobody", "none")


def test_what_is_named_twice_and_not_in_the_index_is_told_once(recommender):
    query = replace(QUERY, already_cited=("nobody", "nobody", "none"), liked=("nobody", "bad"), disliked=("bad",))
    assert recommender.resolved(query)[1] == ("nobody", "none")
    assert recommender.answer(query).unknown == ("nobody", "none", "bad")


def test_what_is_liked_or_disliked_may_be_given_by_any_name(recommender):
    doi, arxiv = "https://doi.org/10.18653/v1/2020.emnlp-main.550", "arXiv:2007.00808v2"
    by_ids = replace(QUERY, liked=("karpukhin2020dense",), disliked=("xiong2021approximate",))
    for named in (replace(QUERY, liked=(doi,), disliked=(arxiv,)), by_ids):
        answer = recommender.answer(named, Settings(k=200))
        assert (answer.query, answer.unknown) == (by_ids, ())
        assert answer.recommendations == recommender.answer(by_ids, Settings(k=200)).recommendations
        assert "xiong2021approximate" not in ids(answer.recommendations)
    assert recommender.resolved(replace(QUERY, liked=("Of rain",), already_cited=("Of snow",)))[1] == ("Of snow",)


def test_a_work_of_openalex_may_be_named_by_its_address(tmp_path):
    build_index([Paper("W2741809807", "Whales dive"), Paper("https://openalex.org/W9", "Whales")], tmp_path, None)
    names = (
        *("W2741809807", "https://openalex.org/W2741809807", "openalex.org/w2741809807/"),
        *("https://api.openalex.org/works/W2741809807", "http://www.openalex.org/works/W2741809807"),
    )
    others = (
        "https://openalex.org/A2741809807",
        "https://example.org/W2741809807",
        "https://openalex.org/W27418098070",
    )
    with Recommender.open(tmp_path) as opened:
        for name in names:
            assert opened.resolved(Query("Whales", already_cited=(name,))) == (
                Query("Whales", already_cited=("W2741809807",)),
                (),
            )
            assert ids_of(opened.find_paper(name)) == ids_of(*opened.search_papers(name)) == ["W2741809807"]
        assert opened.resolved(Query("Whales", already_cited=others))[1] == others
        assert opened.find_paper("https://openalex.org/W9").title == "Whales"
        assert opened.find_paper("https://openalex.org/W9".ljust(501)) is None, "longer than what names a paper"


def ids_of(*papers):
    return [paper.id for paper in papers]


def test_each_line_of_json_has_what_is_unknown_of_its_own_query(demo_index, tmp_path):
    drafts, cited = tmp_path / "drafts.jsonl", tmp_path / "cited.bib"
    asked = (["kingma2015adam", "nobody", "10.1000/y"], ["kingma2015adam"], ["none"])
    queries = [{"title": QUERY.title, "already_cited": cites, "liked": ["bad"]} for cites in asked]
    drafts.write_text("".join(f"{json.dumps(query)}\n" for query in queries))
    cited.write_text("@misc{a, title={Of rain}}")
    done = run("recommend", drafts, "--index", demo_index, "--format", "jsonl", "--cited", cited)
    lines = done.out.splitlines()
    assert [json.loads(line)["unknown"] for line in lines] == [["nobody", "10.1000/y", "bad"], ["bad"], ["none", "bad"]]


def test_what_the_index_lacks_is_looked_for_once_however_many_works_these_are(demo_index, tmp_path, monkeypatch):
    drafts, looked_for, meant = tmp_path / "drafts.jsonl", [], Lookup._ids_meant
    cited = [f"10.1000/{number}" for number in range(4)]
    queries = [{"title": QUERY.title, "already_cited": [name]} for name in cited]
    drafts.write_text("".join(f"{json.dumps(query)}\n" for query in queries))
    monkeypatch.setattr("citescout.lookup._KEPT", 2)
    monkeypatch.setattr(Lookup, "_ids_meant", lambda self, names: looked_for.extend(names) or meant(self, names))
    done = run("recommend", drafts, "--index", demo_index, "--format", "jsonl", "-k", 1)
    assert looked_for == cited
    assert [json.loads(line)["unknown"] for line in done.out.splitlines()] == [[name] for name in cited]


def test_what_is_named_as_not_found_is_one_line_without_commands_for_the_terminal(demo_index, tmp_path):
    drafts = tmp_path / "drafts.jsonl"
    drafts.write_text(json.dumps({"title": QUERY.title, "already_cited": ["A title\nof \x1b]0;theirs\x07 two lines"]}))
    done = run("recommend", drafts, "--index", demo_index)
    assert "\n  not found: A title of ]0;theirs two lines (several" in done.err
