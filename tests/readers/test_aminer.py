import pytest

from .corpus_samples import AMINER_TEXT, AMINER_V10, AMINER_V11, AMINER_V12, AMINER_V13, AMINER_V14
from .helpers import of_format, read, write


def test_text_blocks(tmp_path):
    papers, report = read(of_format("aminer_text", tmp_path / "publications.txt", AMINER_TEXT))
    first, second = papers["25"], papers["26"]
    assert first.title == "Spatial Data Structures & Trees."
    assert first.abstract == "An overview of hierarchical structures."
    assert (first.authors, first.year) == (("Hanan Samet", "Marvin White"), 1995)
    assert (first.venue, first.citations) == ("Modern Database Systems", ("165", "356"))
    assert (second.title, second.authors) == ("Another order of the marks", ("Ann A.", "Bo B."))
    assert (second.year, second.venue, second.citations) == (2000, "VLDB", ("25",))
    assert report.skipped == 0


def test_text_of_early_versions_spells_marks_out(tmp_path):
    text = "#*T\n#@A\n#year1999\n#confVLDB\n#citation14\n#index1\n#arnetid9\n"
    paper = read(write(tmp_path / "a.txt", text))[0]["1"]
    assert (paper.year, paper.venue) == (1999, "VLDB")


def test_text_blocks_may_follow_without_a_blank_line(tmp_path):
    papers, _ = read(write(tmp_path / "a.txt", "#*One\n#index1\n#*Two\n#index2\n#%1\n"))
    assert {p.id: (p.title, p.citations) for p in papers.values()} == {"1": ("One", ()), "2": ("Two", ("1",))}


def test_text_block_without_id_or_title_is_reported(tmp_path):
    text = "#*One\n#index1\n\n#*No id\n#t1999\n\n#index3\n\n#*Four\n#index4\n"
    papers, report = read(write(tmp_path / "a.txt", text))
    assert list(papers) == ["1", "4"]
    assert [(p.where, p.reason) for p in report.problems] == [
        ("line 4", "no id"),
        ("line 7", "neither title nor abstract"),
    ]


@pytest.mark.parametrize(
    ("text", "paper_id", "title", "abstract", "venue", "citations"),
    [
        (
            AMINER_V10,
            "00127ee2-cb05-48ce-bc49-9de556b93346",
            "Preliminary Design of a Network",
            "This paper presents a design.",
            "international conference on systems",
            ("51c7e02e-f5ed-431a-8cf5-f761f266d4be",),
        ),
        (AMINER_V11, "100001334", "Ontologies in HYDRA", "We sensors wear", "Encyclopedia", ("200001",)),
        (AMINER_V12, "1091", "Array of lines", "Hello world", "ICSI", ("2005687710", "2018037215")),
        (
            AMINER_V13,
            "53e99784b7602d9701f3e3f5",
            "3GIO.",
            "A raw line break, and NumberInt(5) is a word.",
            "HOTI",
            ("53e99cf5b7602d97025aceda",),
        ),
        (AMINER_V14, "53e997ddb7602d9701fd3ad7", "Fourteen", "Plain again.", "NLDB", ("53e9",)),
    ],
    ids=["v10", "v11", "v12", "v13", "v14"],
)
def test_json_versions(tmp_path, text, paper_id, title, abstract, venue, citations):
    papers, report = read(of_format("aminer_json", tmp_path / "dblp.json", text))
    paper = papers[paper_id]
    assert (paper.title, paper.abstract, paper.venue, paper.citations) == (title, abstract, venue, citations)
    assert paper.authors
    assert paper.year is not None
    assert report.skipped == 0


def test_mongodb_numbers_across_chunks(tmp_path):
    record = '{ "_id" : "%d", "title" : "T", "n_citation" : NumberInt(%d), "year" : NumberInt(%d) }'
    text = "[\n" + ",\n".join(record % (i, i, 1900 + i % 100) for i in range(20_000)) + "\n]"
    papers, report = read(write(tmp_path / "v13.json", text))
    assert len(papers) == 20_000
    assert all(paper.year == 1900 + int(paper.id) % 100 for paper in papers.values())
    assert report.skipped == 0


def test_inverted_abstract_of_nonsense_is_no_abstract(tmp_path):
    for index in ('"{broken"', '"[1]"', "7", '{"InvertedIndex": {"a": "b", "c": [null, -1, 1e30, 999999999]}}'):
        text = f'{{"id": "1", "title": "T", "indexed_abstract": {index}}}'
        assert read(write(tmp_path / "v11.txt", text))[0]["1"].abstract == ""
