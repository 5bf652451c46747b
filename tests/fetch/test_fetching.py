"""What is asked of the API, and what comes into the file."""

import gzip
import json

import pytest
from fake_openalex import CORPUS, MERGED, doi_of, selected, short

from common.errors import FetchError
from fetch.client import Access
from fetch.download import download
from fetch.selection import Selection
from indexer.readers import ReadReport, read_papers

FIELDS = {
    "id", "doi", "title", "publication_year", "authorships", "abstract_inverted_index", "referenced_works",
    "is_retracted", "cited_by_count",
}  # fmt: skip


def access(fake, **options):
    usual = {"api_key": "KEY", "requests_per_second": 1000, "backoff": 0, "timeout": 5, "tries": 4}
    return Access(fake.url, **{**usual, **options})


def fetch(fake, path, restart=False, **selection):
    return download(Selection(**selection), path, access(fake), restart=restart)


def works_of(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def ids_of(path):
    return [short(work["id"]) for work in works_of(path)]


def ids(works):
    return [short(work["id"]) for work in works]


def test_every_page_of_a_search_is_fetched_by_cursor_and_in_the_api_s_order(fake, tmp_path):
    out = tmp_path / "out.jsonl"
    fetched = fetch(fake, out, search="paper,  about")
    assert ids_of(out) == ids(CORPUS)
    assert fetched.works == len(CORPUS)
    assert set(fake.filters()) == {"title_and_abstract.search:paper about"}
    asked = [parameters for _, parameters, _ in fake.seen]
    assert asked[0]["cursor"] == "*"
    assert len({parameters["cursor"] for parameters in asked}) == len(asked) == 6  # 437 works and the empty last page
    assert all(parameters["per_page"] == "100" and "sort" not in parameters for parameters in asked)
    assert all(set(parameters["select"].split(",")) >= FIELDS for parameters in asked)


def test_criteria_are_combined_and_sent_in_the_api_s_syntax(fake, tmp_path):
    out = tmp_path / "out.jsonl"
    fetch(
        fake,
        out,
        search="ranking",
        topics=("T10001", "https://openalex.org/T10002"),
        venues=("Journal of Graphs",),
        from_year=1995,
        to_year=2010,
    )
    sources, works = fake.seen[0], fake.seen[1]
    assert (sources[0], sources[1]["search"]) == ("/sources", "Journal of Graphs")
    assert works[1]["filter"] == (
        "title_and_abstract.search:ranking,topics.id:T10001|T10002,primary_location.source.id:S20002,"
        "from_publication_date:1995-01-01,to_publication_date:2010-12-31"
    )
    assert sorted(ids_of(out)) == sorted(ids(selected(works[1]["filter"]))) != []


def test_a_topic_is_fetched_most_cited_first_and_a_limit_ends_it(fake, tmp_path):
    out = tmp_path / "out.jsonl"
    fetch(fake, out, topics=("Graph Neural Networks",), limit=120)
    expected = sorted(selected("topics.id:T10002"), key=lambda work: -work["cited_by_count"])
    assert ids_of(out) == ids(expected[:120])
    assert [parameters["sort"] for path, parameters, _ in fake.seen if path == "/works"] == ["cited_by_count:desc"] * 2


def test_a_name_that_is_another_s_beginning_means_the_exact_one(fake, tmp_path):
    fetch(fake, tmp_path / "out.jsonl", topics=("information retrieval",), limit=1)
    assert fake.filters() == ["topics.id:T10001"]


@pytest.mark.parametrize(
    ("name", "parts"),
    [("Information", ["several topics", "T10001", "T10003", "Ethics"]), ("Astrology", ["no topic", "Astrology"])],
)
def test_a_name_that_fits_several_or_none_is_refused_with_the_candidates(fake, tmp_path, name, parts):
    with pytest.raises(FetchError) as error:
        fetch(fake, tmp_path / "out.jsonl", topics=(name,))
    assert all(part in str(error.value) for part in parts)
    assert list(tmp_path.iterdir()) == []


def neighbourhood(*numbers):
    """By brute force: the works themselves, what they cite and who cites them."""
    own = {f"W{number}" for number in numbers}
    cited = {short(c) for work in CORPUS if short(work["id"]) in own for c in work["referenced_works"]}
    citing = {short(work["id"]) for work in CORPUS if own & set(map(short, work["referenced_works"]))}
    return own | cited | citing


def test_around_brings_the_works_what_they_cite_and_who_cites_them_once_each(fake, tmp_path):
    out = tmp_path / "out.jsonl"
    numbers = [30, 31, 100, 2]  # 30 and 100 have a comma in their DOIs, which no filter can hold
    fetch(fake, out, around=tuple(doi_of(number) for number in numbers))
    got = ids_of(out)
    assert len(got) == len(set(got))
    assert set(got) == neighbourhood(*numbers)
    assert got[:4] == ["W30", "W31", "W100", "W2"]
    assert not any("," in value for value in fake.filters())
    assert all(set(parameters["select"].split(",")) >= FIELDS for _, parameters, _ in fake.seen)


def test_criteria_choose_among_the_neighbours_but_not_among_the_works_named(fake, tmp_path):
    out = tmp_path / "out.jsonl"
    fetch(fake, out, around=(doi_of(41),), from_year=2002, to_year=2013)
    years = {short(work["id"]): work["publication_year"] for work in CORPUS}
    assert years["W41"] not in range(2002, 2014)
    expected = {work for work in neighbourhood(41) if 2002 <= years[work] <= 2013} | {"W41"}
    assert set(ids_of(out)) == expected != {"W41"}


def test_many_dois_are_asked_for_in_addresses_that_the_api_accepts(fake, tmp_path):
    out = tmp_path / "out.jsonl"
    numbers = [number for number in range(1, 400) if number % 10]
    fetch(fake, out, around=tuple(doi_of(number) for number in numbers))
    assert set(ids_of(out)) == neighbourhood(*numbers)
    assert sum(filters.startswith("doi:") for filters in fake.filters()) == 4
    assert len(fake.seen) < 40


def test_references_are_asked_for_in_batches_and_only_those_not_there_yet(fake, tmp_path):
    out = tmp_path / "out.jsonl"
    numbers = [number for number in range(201, 437) if number % 2]
    fetch(fake, out, around=tuple(doi_of(number) for number in numbers))
    assert set(ids_of(out)) == neighbourhood(*numbers)
    asked = [f.removeprefix("ids.openalex:").split("|") for f in fake.filters() if f.startswith("ids.openalex:")]
    assert len(asked) > 1
    assert not {f"W{number}" for number in numbers} & {identifier for batch in asked for identifier in batch}


def test_a_doi_that_the_api_does_not_take_is_named_and_ends_nothing(fake, tmp_path, caplog):
    fake.faults = {2: "403"}  # after the list of the others
    out = tmp_path / "out.jsonl"
    fetch(fake, out, around=(doi_of(20), doi_of(21)))
    assert "W21" in ids_of(out)
    assert f"1 of 2 DOIs are not in OpenAlex: {doi_of(20)}" in caplog.text


def test_a_doi_of_a_merged_work_is_found_and_unknown_ones_are_named(fake, tmp_path, caplog):
    out = tmp_path / "out.jsonl"
    fetch(fake, out, around=(MERGED, "10.9999/nowhere", doi_of(7)))
    assert ids_of(out)[0] == "W7"
    assert set(ids_of(out)) == neighbourhood(7)
    assert "1 of 3 DOIs" in caplog.text
    assert "10.9999/nowhere" in caplog.text


def test_nothing_found_is_an_error_and_leaves_nothing_behind(fake, tmp_path):
    with pytest.raises(FetchError, match="no work"):
        fetch(fake, tmp_path / "out.jsonl", search="astrology")
    with pytest.raises(FetchError, match="none of the DOIs"):
        fetch(fake, tmp_path / "out.jsonl", around=("10.9999/nowhere",))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz"])
def test_the_file_is_read_as_the_works_that_were_served(fake, tmp_path, name):
    out = tmp_path / name
    fetch(fake, out, search="paper")
    assert out.read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")
    report = ReadReport()
    papers = {paper.id: paper for paper in read_papers([str(out)], strict=True, report=report)}
    assert list(papers) == ids(CORPUS)
    assert report.skipped == 0
    for work in CORPUS:
        paper = papers[short(work["id"])]
        assert paper.title == work["title"]
        assert paper.abstract.startswith(work["title"] + " and neural café")
        assert paper.year == work["publication_year"]
        assert paper.venue == "Journal"
        assert paper.url == work["primary_location"]["landing_page_url"]
        assert paper.authors == (work["authorships"][0]["author"]["display_name"],)
        assert set(paper.citations) == set(ids_of_references(work))
        assert "," in paper.doi or paper.doi == work["doi"].removeprefix("https://doi.org/")


def ids_of_references(work):
    return [short(cited) for cited in work["referenced_works"]]


def test_only_the_query_the_key_and_the_address_given_are_sent(fake, tmp_path, monkeypatch):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login someone password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    download(Selection("graphs", limit=1), tmp_path / "plain.jsonl", access(fake, api_key=""))
    with_key = access(fake, api_key="KEY123", email="me@example.org")
    download(Selection("graphs", limit=1), tmp_path / "known.jsonl", with_key)
    plain, known = ({name.lower(): value for name, value in headers.items()} for _, parameters, headers in fake.seen)
    assert set(plain) <= {"host", "user-agent", "accept", "accept-encoding", "connection"}
    assert plain["user-agent"].startswith("citescout")
    assert known["authorization"] == "Bearer KEY123"
    assert "mailto:me@example.org" in known["user-agent"]
    assert set(fake.seen[0][1]) == {"filter", "select", "per_page", "page"}
    assert set(fake.seen[1][1]) == {"filter", "select", "per_page", "cursor"}
    assert "KEY123" not in str(fake.seen[1][1])


def test_without_a_key_pages_are_asked_for_by_number(fake, tmp_path):
    out = tmp_path / "out.jsonl"
    download(Selection("paper"), out, access(fake, api_key=""))
    assert ids_of(out) == ids(CORPUS)
    assert [parameters.get("page") for _, parameters, _ in fake.seen] == ["1", "2", "3", "4", "5"]
    assert not any("cursor" in parameters for _, parameters, _ in fake.seen)


def test_a_key_that_is_gone_does_not_end_a_download(fake, tmp_path):
    out = tmp_path / "out.jsonl"
    fake.faults[3] = "400"
    with pytest.raises(FetchError, match="400"):
        fetch(fake, out, search="paper")
    download(Selection("paper"), out, access(fake, api_key=""))
    assert ids_of(out) == ids(CORPUS)


def test_more_than_ten_thousand_works_need_a_key(fake, tmp_path, monkeypatch):
    monkeypatch.setattr("fetch.openalex._MOST_PAGES", 3)
    out = tmp_path / "out.jsonl"
    with pytest.raises(FetchError, match="free key"):
        download(Selection("paper"), out, access(fake, api_key=""))
    fetch(fake, out, search="paper")
    got = ids_of(out)
    assert len(got) == len(set(got)) == len(CORPUS)
