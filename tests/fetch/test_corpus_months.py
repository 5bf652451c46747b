"""Updates of a corpus over months: works that change or vanish at the source, papers that their owner removed."""

import pytest
import world
from bibliography import FAST, IDS, addresses, entry, of_paper
from command_line import run
from index_reading import papers_of
from local_server import Handler, serving
from test_corpus import build

from common.errors import FetchError
from fetch.client import Access, Client
from fetch.corpus.recipe import recipe_of
from indexer.changes import remove_papers
from indexer.generations import open_generation


def work_of(openalex, id_):
    return next(work for work in openalex.corpus if work["id"].endswith("/" + world.w(id_)))


@pytest.fixture
def directory(openalex, apis, tmp_path):
    """An index around ten entries."""
    (tmp_path / "refs.bib").write_text("".join(map(of_paper, IDS[:10])))
    build(tmp_path / "index", "--from", tmp_path / "refs.bib", *addresses(openalex, apis), size=60)
    return tmp_path / "index"


def test_a_retracted_work_that_the_source_lost_stays_marked(openalex, directory):
    work = work_of(openalex, IDS[5])
    work["is_retracted"] = True
    run("corpus", "update", "--index", directory, *FAST)
    openalex.corpus.remove(work)  # it was merged into another, which has its own id
    run("corpus", "update", "--index", directory, *FAST)
    assert papers_of(directory)[world.w(IDS[5])].retracted
    work["is_retracted"] = False
    openalex.corpus.append(work)
    run("corpus", "update", "--index", directory, *FAST)
    assert not papers_of(directory)[world.w(IDS[5])].retracted


@pytest.mark.parametrize("redirects", [True, False])
def test_works_that_were_merged_into_others_are_followed(openalex, directory, redirects):
    entry, beside = work_of(openalex, IDS[0]), work_of(openalex, IDS[5])
    for work, now in ((entry, "W7777"), (beside, "W8888")):
        if redirects:  # else the id of before is unknown
            openalex.merged[work["id"].rpartition("/")[2]] = now
        work["id"] = f"https://openalex.org/{now}"
    beside["is_retracted"] = True
    openalex.seen.clear()
    citing = dict(entry, id="https://openalex.org/W9999", doi="https://doi.org/10.5555/new", title="The newest")
    citing |= {"referenced_works": ["https://openalex.org/W7777"], "created_date": "2099-01-01"}
    openalex.corpus.append(citing | {"publication_year": 2099})
    assert "1 paper added" in run("corpus", "update", "--index", directory, *FAST).out
    papers = papers_of(directory)
    with open_generation(directory) as generation:
        docids = generation.catalog.docids([world.w(IDS[0]), "W9999"])
        assert [docids["W9999"], docids[world.w(IDS[0])]] in generation.catalog.links().edges.tolist()
    assert papers[world.w(IDS[5])].retracted
    assert {"W7777", "W8888"}.isdisjoint(papers)
    as_now = [p["filter"] for _, p, _ in openalex.seen if p.get("select") == "id,is_retracted" and "filter" in p]
    asked = [id_ for filter_ in as_now for id_ in filter_.removeprefix("ids.openalex:").split("|")]
    assert len(asked) == len(set(asked))
    (directory.parent / "refs.bib").write_text("".join(map(of_paper, IDS[:14])))  # around these are merged works, too
    assert "Found 4 of 4" in run("corpus", "update", "--index", directory, *FAST).out
    assert {"W7777", "W8888"}.isdisjoint(papers_of(directory))
    brought = next(id_ for id_ in world.BY_ID if id_ not in IDS and world.w(id_) in papers)
    work_of(openalex, brought)["id"] = "https://openalex.org/W6666"
    (directory.parent / "refs.bib").write_text(of_paper(brought))
    assert "Found 1 of 1" in run("corpus", "update", "--index", directory, *FAST).out
    papers = papers_of(directory)
    assert "W6666" not in papers and papers[world.w(brought)].original.text == of_paper(brought).strip()


def test_entries_with_other_keys_are_the_papers_that_they_were(openalex, apis, tmp_path):
    """One that was found and one that was not; later this one is found, too. A watched draft has seen both."""
    refs, draft, index = tmp_path / "refs.bib", tmp_path / "draft.md", tmp_path / "index"
    title = "Hedgehogs and the retrieval of ancient cooking recipes"
    refs.write_text("".join(map(of_paper, IDS[:3])) + entry("old2", title, ["Ann Nobody"], 2015))
    draft.write_text("# Hedgehogs and ancient cooking recipes\n\nRetrieval of cooking recipes of hedgehogs.\n")
    build(index, "--from", refs, *addresses(openalex, apis), size=20)
    run("watch", "add", draft, "--index", index, "-k", 5)
    refs.write_text(refs.read_text().replace(f"{{{IDS[0]},", "{new1,").replace("{old2,", "{new2,"))
    assert "0 papers added" in run("corpus", "update", "--index", index, *FAST).out
    papers = papers_of(index)
    assert papers[world.w(IDS[0])].original.text.startswith("@article{new1,")
    assert "new2" in papers and "old2" not in papers
    assert [known.key for known in recipe_of(index).entries] == ["new1", *IDS[1:3], "new2"]
    assert run("watch", "run", "--index", index).err == "Nothing new\n"
    work = work_of(openalex, IDS[5]) | {"id": "https://openalex.org/W5555", "title": title, "publication_year": 2015}
    openalex.corpus.append(work | {"authorships": [{"author": {"display_name": "Ann Nobody"}}], "referenced_works": []})
    run("corpus", "update", "--index", index, *FAST)
    papers = papers_of(index)
    assert papers["W5555"].original.text.startswith("@article{new2,") and "new2" not in papers
    assert {"old2", "new2"} <= set(papers["W5555"].other_ids)
    assert run("watch", "run", "--index", index).err == "Nothing new\n"


def test_keys_that_change_hands_are_of_the_works_that_have_them_now(openalex, apis, tmp_path):
    """Of works that are nowhere: one key goes to another entry, whose own goes to a third, which is new."""
    refs, index = tmp_path / "refs.bib", tmp_path / "index"
    titles = [
        "Hedgehogs and the retrieval of ancient recipes",
        "A study of nothing at all",
        "Tired bibliographies, part 1",
    ]

    def write(*keys):
        own = zip(keys, [*titles, "Tired bibliographies, part 2"], (2011, 2012, 2013, 2013), strict=True)
        entries = [entry(key, title, ["Ann Nobody"], year) for key, title, year in own if key]
        refs.write_text(of_paper(IDS[0]) + "".join(entries))

    write("a", "b", "c", "")
    refs.write_text(refs.read_text().replace("title = {A study", "abstract = {Of nothing.},\n  title = {A study"))
    build(index, "--from", refs, *addresses(openalex, apis), size=5)
    write("b", "d", "", "c")
    run("corpus", "update", "--index", index, *FAST)
    papers = papers_of(index)
    of_keys = {key: paper for key, paper in papers.items() if paper.authors == ("Ann Nobody",)}
    assert sorted(paper.title for paper in of_keys.values()) == sorted([*titles, "Tired bibliographies, part 2"])
    assert not any(paper.abstract == "Of nothing." for paper in papers.values())  # no other work got it with the key
    assert {paper.original.text[9:10] for paper in of_keys.values()} == {"b", "c", "d"}
    run("corpus", "update", "--index", index, *FAST)
    assert papers_of(index) == papers


def test_of_two_entries_of_a_work_the_nearest_is_exported_whichever_came_first(openalex, apis, tmp_path):
    refs, index = tmp_path / "refs.bib", tmp_path / "index"
    refs.write_text(of_paper(IDS[0]))
    build(index, "--from", refs, *addresses(openalex, apis), size=5)
    paper = world.BY_ID[IDS[0]]
    refs.write_text(of_paper(IDS[0]) + entry("second", paper["title"], paper["authors"], paper["year"] + 1))
    assert "Found 1 of 1" in run("corpus", "update", "--index", index, *FAST).out
    assert papers_of(index)[world.w(IDS[0])].original.text.startswith(f"@article{{{IDS[0]},")
    refs.write_text(refs.read_text().replace(of_paper(IDS[0]), ""))
    run("corpus", "update", "--index", index, *FAST)
    assert papers_of(index)[world.w(IDS[0])].original.text.startswith("@article{second,")


def test_a_retraction_is_withdrawn_of_an_entry_with_another_key(openalex, directory):
    work_of(openalex, IDS[5])["is_retracted"] = True
    run("corpus", "update", "--index", directory, *FAST)
    work_of(openalex, IDS[5])["is_retracted"] = False
    refs = directory.parent / "refs.bib"
    refs.write_text(refs.read_text().replace(f"{{{IDS[5]},", "{other,"))
    run("corpus", "update", "--index", directory, *FAST)
    paper = papers_of(directory)[world.w(IDS[5])]
    assert paper.original.text.startswith("@article{other,") and not paper.retracted


def test_a_work_that_semantic_scholar_lost_does_not_end_an_update(apis, tmp_path, monkeypatch):
    (tmp_path / "refs.bib").write_text("".join(map(of_paper, IDS[:2])))
    where = ["--source", "semantic-scholar", *addresses(apis=apis)]
    build(tmp_path / "index", "--from", tmp_path / "refs.bib", *where, size=3)
    lost, left = world.BY_ID[IDS[0]], world.BY_ID[IDS[1]]
    new = {**left, "id": "new2099", "title": "The newest", "year": 2099, "arxiv": None}
    monkeypatch.setattr(world, "PAPERS", [*(paper for paper in world.PAPERS if paper is not lost), new])
    for name, more in {
        "BY_ID": {new["id"]: new},
        "CITED": {new["id"]: [left["id"]]},
        "CITING": {left["id"]: [new["id"]], new["id"]: []},
        "NUMBER": {new["id"]: 9999},
    }.items():
        monkeypatch.setattr(world, name, {**getattr(world, name), **more})
    ended = run("corpus", "update", "--index", tmp_path / "index", *FAST)
    assert ended.code == 0, ended.err
    assert {world.sha(id_) for id_ in (IDS[0], new["id"])} <= papers_of(tmp_path / "index").keys()


def test_a_new_entry_loses_nothing_that_the_index_has_of_its_paper(openalex, directory, tmp_path):
    before = papers_of(directory)
    cited = next(
        id_
        for id_ in world.BY_ID
        if id_ not in IDS and world.w(id_) in before and world.CITED[id_] and world.BY_ID[id_].get("abstract")
    )
    work = work_of(openalex, cited)
    work |= {"abstract_inverted_index": None, "referenced_works": []}
    (tmp_path / "refs.bib").write_text((tmp_path / "refs.bib").read_text() + of_paper(cited))
    assert "Found 1 of 1 entry" in run("corpus", "update", "--index", directory, *FAST).out
    after = papers_of(directory)[world.w(cited)]
    assert after.original.text.startswith("@article{")
    assert (after.abstract, after.citations) == (before[after.id].abstract, before[after.id].citations)
    assert after.abstract


@pytest.mark.parametrize("plan", [True, False])
def test_what_was_removed_by_hand_is_not_brought_again(openalex, directory, tmp_path, plan):
    openalex.plan = plan
    citing = dict(work_of(openalex, IDS[0]), id="https://openalex.org/W9999", doi="https://doi.org/10.5555/new")
    citing |= {"title": "The newest", "referenced_works": [f"https://openalex.org/{world.w(IDS[0])}"]}
    openalex.corpus.append(citing | {"created_date": "2099-01-01", "publication_year": 2099})
    assert "1 paper added" in run("corpus", "update", "--index", directory, *FAST).out
    gone = ["W9999", next(id_ for id_ in papers_of(directory) if id_ not in map(world.w, IDS[:10]))]
    remove_papers(gone, directory)
    (tmp_path / "refs.bib").write_text((tmp_path / "refs.bib").read_text() + of_paper(IDS[12]))
    run("corpus", "update", "--index", directory, *FAST)
    assert papers_of(directory).keys() & gone == set()
    assert world.w(IDS[12]) in papers_of(directory)


def test_what_came_since_an_update_by_a_clock_that_was_ahead_is_brought(openalex, directory, monkeypatch):
    openalex.plan = True
    with monkeypatch.context() as patch:
        patch.setattr("fetch.corpus.answers.today", lambda: "2099-01-01")
        run("corpus", "update", "--index", directory, *FAST)
    built = recipe_of(directory).built
    citing = dict(work_of(openalex, IDS[0]), id="https://openalex.org/W9999", doi="https://doi.org/10.5555/new")
    citing |= {"title": "The newest", "referenced_works": [f"https://openalex.org/{world.w(IDS[0])}"]}
    openalex.corpus.append(citing | {"created_date": built})
    assert f"Since {built}: 1 paper added" in run("corpus", "update", "--index", directory, *FAST).out
    assert recipe_of(directory).updated < "2099"


def test_an_update_completes_what_searches_by_title_left_no_requests_for(openalex, tmp_path, monkeypatch, where):
    monkeypatch.setenv("OPENALEX_API_KEY", "KEY")  # which its cursors cost a request more for each list
    refs, index = tmp_path / "titles.bib", tmp_path / "short"
    refs.write_text("".join(of_paper(id_, False) for id_ in IDS))
    told = build(index, "--from", refs, "--calls", 35, *where, size=300)
    assert len([p for _, p, _ in openalex.seen if p.get("filter", "").startswith("title")]) == 32
    assert "Found 34 of 35" in told.out  # two are among the works around
    assert "goes on" in told.err
    assert len(papers_of(index)) > 35
    assert "Found 1 of 1" in run("corpus", "update", "--index", index, "--new", 20, *FAST).out
    assert not recipe_of(index).complete
    run("corpus", "update", "--index", index, *FAST)
    assert recipe_of(index).complete
    whole = tmp_path / "whole"
    build(whole, "--from", refs, *where, size=300)
    assert papers_of(index).keys() == papers_of(whole).keys()
    asked = len(openalex.seen)
    run("corpus", "update", "--index", index, *FAST)
    assert not [filter_ for _, p, _ in openalex.seen[asked:] if (filter_ := p.get("filter", "")).startswith("title")]


def test_entries_that_are_nowhere_do_not_keep_an_update_from_what_is_new(openalex, tmp_path, where):
    books = [f"A monograph that nobody has about regional history number {number}" for number in range(20)]
    lost = "".join(entry(f"book{n}", title, ["Ann Nobody"], 1950 + n) for n, title in enumerate(books))
    refs, index = tmp_path / "refs.bib", tmp_path / "index"
    refs.write_text(lost + of_paper(IDS[0]))
    build(index, "--from", refs, *where, size=60)
    work_of(openalex, IDS[0])["is_retracted"] = True
    refs.write_text(lost + of_paper(IDS[0]) + of_paper(IDS[1], False))
    citing = dict(work_of(openalex, IDS[0]), id="https://openalex.org/W9999", doi="https://doi.org/10.5555/new")
    citing |= {"title": "The newest", "referenced_works": [f"https://openalex.org/{world.w(IDS[0])}"]}
    openalex.corpus.append(citing | {"created_date": "2099-01-01", "publication_year": 2099})
    told = run("corpus", "update", "--index", index, "--calls", 8, *FAST)
    assert "1 retracted" in told.out
    papers = papers_of(index)
    assert papers[world.w(IDS[0])].retracted
    assert {"W9999", world.w(IDS[1])} <= papers.keys()
    told = run("corpus", "update", "--index", index, "--calls", 1, *FAST)
    assert "0 retracted" in told.out
    (tmp_path / "more.bib").write_text("".join(map(of_paper, IDS[:10])))
    build(tmp_path / "many", "--from", tmp_path / "more.bib", *where, size=150)
    told = run("corpus", "update", "--index", tmp_path / "many", "--calls", 1, *FAST)
    assert "retracted" not in told.out


class Elsewhere:
    """A server that notes the headers that it gets, and redirects where it is told to."""

    def __init__(self, to=""):
        self.to, self.headers = to, []


class Redirecting(Handler):
    def do_GET(self):
        self.server.played.headers.append(dict(self.headers))
        if self.server.played.to and self.path.endswith("/first"):
            return self.send(302, b"", {"Location": self.server.played.to})
        return self.send(200, b"{}")


@pytest.mark.parametrize("header", ["x-api-key: {}", "authorization: {}"])
def test_a_key_goes_to_the_api_alone(header):
    other = Elsewhere()
    with serving(Redirecting, other):
        for to in ("/second", f"{other.url}/login"):
            api = Elsewhere(to)
            with serving(Redirecting, api):
                client = Client(Access(api.url, api_key="secret", key_header=header, tries=1))
                assert client.get("first", {}) == {}
            assert all("secret" in headers.values() for headers in api.headers)
        assert len(other.headers) == 1
        assert "secret" not in other.headers[0].values()


def test_a_page_of_another_host_is_no_answer():
    class Login(Redirecting):
        def do_GET(self):
            self.send(200, b"<html>Sign in</html>")

    portal = Elsewhere()
    with serving(Login, portal):
        api = Elsewhere(portal.url)
        refused = pytest.raises(FetchError, match="truncated or no JSON object, 2 tries")
        with serving(Redirecting, api), refused:
            Client(Access(api.url, tries=2, backoff=0)).get("first", {})
