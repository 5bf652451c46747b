import csv
import io
import json
from dataclasses import replace

import bibtexparser
import pytest
import pytrec_eval
from bibtexparser import middlewares
from pylatexenc.latex2text import LatexNodes2Text

from citescout.recommendation import CitedTogether, MatchedTerm, Reasons, Recommendation, SourceRank
from common.errors import QueryError
from exports import FORMATS, write, written
from exports.reason_sentences import why
from indexer.paper import Paper
from retrieval.query import Query

NO_LISTS: dict[str, object] = {
    "recommendations": [],
    "beyond": [],
    "unknown": [],
    "named_already": [],
    "did_you_mean": {},
    "same_title": [],
}
KIPF = Paper("kipf", "Semi-supervised classification with GCNs", "Graphs.", 2017, ("Thomas N. Kipf", "Max Welling"))
REASONS = Reasons(
    matched_terms=(MatchedTerm("graph", 3.5), MatchedTerm("kernel", 1.25)),
    sources=(SourceRank("bm25", 3, 17.5), SourceRank("dense", 1, 0.8)),
    cited_by=(KIPF,),
    reranker_score=0.75,
    cited_by_count=4,
    cites=(Paper("hop", "Compilers", authors=("Grace Hopper",)),),
    cited_with=CitedTogether(Paper("ada", "Notes", year=1843, authors=("Ada Lovelace",)), 5),
    close_in_meaning=True,
)
IN_WORDS = (
    "Close in meaning. Shared terms: graph, kernel. Cited by 4 of the best matches, such as Kipf and Welling (2017). "
    "Cites Hopper; often cited together with Lovelace (1843)."
)
HOSTILE = "50% of {braces} & _under_ #1 $x$ \\emph ~tilde^ }{ <b> a|b"


def recommended(*papers, scores=None):
    scores = scores or [1.0 / (place + 1) for place in range(len(papers))]
    return [
        Recommendation(place, score, paper, REASONS)
        for place, (paper, score) in enumerate(zip(papers, scores, strict=True), start=1)
    ]


def exported(name, *answers):
    return written(name, answers)


def bibtex_entries(*papers):
    text = exported("bibtex", (Query("t", id="q"), recommended(*papers)))
    library = bibtexparser.parse_string(text, append_middleware=[middlewares.SeparateCoAuthors()])
    assert not library.failed_blocks
    assert len(library.blocks) == len(library.entries)
    return library.entries


def plain(latex):
    return LatexNodes2Text(math_mode="text").latex_to_text(latex)


def test_formats_are_those_of_the_command_line():
    assert {"table", "jsonl", "csv", "trec", "bibtex"} <= set(FORMATS)
    with pytest.raises(QueryError, match="choose one of: bibtex, csl-json, csv"):
        write("word", [], io.StringIO())


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_answers_are_written_as_they_come(name):
    stream = io.StringIO()
    lengths = []

    def answers():
        for number in range(3):
            lengths.append(len(stream.getvalue()))
            yield Query("t", id=f"q{number}"), recommended(replace(KIPF, id=f"p{number}"))

    write(name, answers(), stream)
    assert lengths[0] < lengths[1] < lengths[2]


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_list_without_a_paper_is_whole(name):
    text = exported(name, (Query("t", id="q"), []))
    if name in {"table", "markdown"}:
        assert "no paper found" in text.lower()
    elif name == "csv":
        assert len(text.splitlines()) == 1  # the header
    elif name == "jsonl":
        assert json.loads(text) == {"id": "q", "fit": None, **NO_LISTS}
    else:
        assert text.split() in ([], ["[]"])


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_control_characters_never_reach_the_file(name):
    paper = Paper("p\x1b[2J", "Red\x1b[31m\x07 \u202egnipyt", "", 2000, ("A\x00B C",), "V\nenue", url="http://a/\x1b")
    text = exported(name, (Query("t\x1b[2J", id="q"), recommended(paper)))
    assert not any(mark in text for mark in "\x1b\x07\x00")
    assert name == "jsonl" or "\u202e" not in text  # JSON keeps the text as it is


def test_jsonl_holds_everything():
    first, second = exported("jsonl", (Query("t", id="a"), recommended(KIPF)), (Query("u", id="b"), [])).splitlines()
    assert json.loads(second) == {"id": "b", "fit": None, **NO_LISTS}
    record = json.loads(first)
    assert record["id"] == "a"
    (entry,) = record["recommendations"]
    assert entry["rank"] == 1
    assert entry["score"] == 1.0
    assert entry["title"] == KIPF.title
    assert entry["retracted"] is False
    assert entry["authors"] == list(KIPF.authors)
    assert entry["reasons"] == {
        "why": why(REASONS),
        "matched_terms": [{"term": "graph", "weight": 3.5}, {"term": "kernel", "weight": 1.25}],
        "sources": [{"source": "bm25", "rank": 3, "score": 17.5}, {"source": "dense", "rank": 1, "score": 0.8}],
        "cited_by": [{"id": "kipf", "title": KIPF.title, "year": 2017}],
        "cited_by_count": 4,
        "cites": [{"id": "hop", "title": "Compilers", "year": None}],
        "cited_with": {"id": "ada", "title": "Notes", "year": 1843, "together": 5},
        "reranker_score": 0.75,
        "support": "",
    }


def test_trec_eval_reads_the_same_order():
    papers = [Paper(f"p{number}", "t") for number in range(6)]
    scores = [2.0, 1.0, 1.0, 1.0 + 1e-12, -0.5, -0.5]  # ties, and a difference that single precision cannot hold
    text = exported("trec", (Query("t", id="q"), recommended(*papers, scores=scores)))
    assert text.splitlines()[0] == "q Q0 p0 1 2 citescout"
    run = pytrec_eval.parse_run(io.StringIO(text))
    for place, paper in enumerate(papers, start=1):
        relevant = {"q": {paper.id: 1}}
        result = pytrec_eval.RelevanceEvaluator(relevant, {"recip_rank"}).evaluate(run)
        assert result["q"]["recip_rank"] == pytest.approx(1 / place)


def test_trec_columns_survive_spaces_in_ids():
    answers = [(Query("t", id="my query"), recommended(Paper("a b", "t"))), (Query("t"), recommended(KIPF))]
    lines = exported("trec", *answers).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["my%20query", "2"]
    assert [len(line.split(" ")) for line in lines] == [6, 6]


def test_csv_reads_back():
    paper = Paper("p", 'A "quoted", long\ntitle', "", 1999, ("A B", "C D"), "Venue", doi="10.1/x")
    text = exported("csv", (Query("t", id="q"), recommended(paper)))
    assert text.startswith("\ufeff")  # for Excel
    (row,) = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    assert row["title"] == 'A "quoted", long title'
    assert row["authors"] == "A B; C D"
    assert row["url"] == "https://doi.org/10.1/x"
    assert row["why"] == IN_WORDS
    assert (row["query"], row["rank"], row["score"], row["year"]) == ("q", "1", "1.0", "1999")


def test_the_address_of_a_doi_has_only_signs_of_addresses():
    paper = Paper("p", "Flow", doi="10.1175/1520-0469(1963)020<0130:dnf>2.0.co;2")
    (row,) = csv.DictReader(io.StringIO(exported("csv", (Query("t"), recommended(paper))).removeprefix("\ufeff")))
    assert row["doi"] == "10.1175/1520-0469(1963)020<0130:dnf>2.0.co;2"
    assert row["url"] == "https://doi.org/10.1175/1520-0469(1963)020%3C0130:dnf%3E2.0.co;2"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r\n=", " =", "＝", "\x00="])
def test_csv_cells_are_never_formulas(start):
    attack = start + 'HYPERLINK("http://evil","x")'
    paper = Paper(attack, attack, "", None, (attack,), attack, doi=attack, arxiv=attack, url=attack)
    (row,) = list(csv.reader(io.StringIO(exported("csv", (Query("t", id=attack), recommended(paper))))))[1:]
    assert not any(cell.startswith(tuple("=+-@\t\r＝")) for cell in row)


@pytest.mark.parametrize("link", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "http://[", "//x/y"])
def test_only_web_addresses_are_exported(link):
    paper = replace(KIPF, url=link)
    assert json.loads(exported("jsonl", (Query("t"), recommended(paper))))["recommendations"][0]["url"] == ""
    (entry,) = bibtex_entries(paper)
    assert "url" not in entry.fields_dict


def test_a_line_of_a_reference_list_has_the_doi_rather_than_another_address():
    paper = replace(KIPF, doi="10.1000/a", url="https://openalex.org/W1")
    answer = (Query("t"), recommended(paper))
    (entry,) = json.loads(exported("jsonl", answer))["recommendations"]
    assert entry["citation"].endswith(" https://doi.org/10.1000/a")
    assert entry["url"] == paper.url
    assert f"[{KIPF.title}](<https://doi.org/10.1000/a>)" in exported("markdown", answer)


def test_a_table_in_a_file_is_whole_and_shows_the_reasons():
    paper = Paper("p", "漢字" * 100, "", 2001, ("Ann van der Berg", "B C", "D E"), "V" * 200)
    text = exported("table", (Query("My paper", id="q1"), recommended(KIPF, paper)))
    lines = text.splitlines()
    assert lines[0] == "q1: My paper"
    assert lines[1].split()[:3] == ["1", "1.000", "2017"]
    assert f"Kipf and Welling · {IN_WORDS}"[:80] in lines[2]
    assert "van der Berg et al." in lines[4]
    assert lines[3].endswith("漢字" * 100)
    assert "V" * 200 in lines[4]
    assert "…" not in text


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("columns", [20, 40, 60, 200])
def test_table_fits_the_terminal(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    stream = Terminal()
    write("table", [(Query("word " * 50), recommended(replace(KIPF, title="word " * 50)))], stream)
    widest = max(len(line) for line in stream.getvalue().splitlines())
    assert max(columns, 40) - 6 <= widest <= max(columns, 40)


@pytest.mark.parametrize("name", ["table", "markdown", "csv"])
def test_a_retracted_paper_is_marked(name):
    marked = exported(name, (Query("t", id="q"), recommended(replace(KIPF, retracted=True))))
    other = exported(name, (Query("t", id="q"), recommended(KIPF)))
    assert ("Retracted. Close in meaning" in marked, "Retracted" in other) == (True, False)


@pytest.mark.parametrize(
    ("name", "field"),
    [("bibtex", "note = {Retracted}"), ("ris", "N1  - Retracted"), ("csl-json", '"note":"Retracted"')],
)
def test_bibliographies_say_that_a_paper_was_retracted(name, field):
    marked = exported(name, (Query("t", id="q"), recommended(replace(KIPF, retracted=True))))
    assert (field in marked, "etracted" in exported(name, (Query("t", id="q"), recommended(KIPF)))) == (True, False)


def test_word_that_makes_several_terms_is_named_once():
    reasons = replace(REASONS, matched_terms=(MatchedTerm("re-ranking", 2.0), MatchedTerm("re-ranking", 1.0)))
    assert "Shared terms: re-ranking. " in why(reasons)


def test_citing_papers_without_authors_go_by_their_titles():
    citing = (Paper("a", "Graphs, " * 20, year=2001), Paper("b", ""))
    cited_by = why(Reasons((), (), citing, None, cited_by_count=2)).removeprefix("Cited by ")
    assert cited_by.startswith("“Graphs, Graphs, ")
    assert cited_by.endswith("…” (2001) and b.")
    assert len(cited_by) < 80


def test_bibtex_says_what_latex_will_show():
    (entry,) = bibtex_entries(Paper("p", HOSTILE, "not exported", 2020, ("Jo_hn & S{on",), "50% Journal"))
    assert plain(entry["title"]).replace("ˆ", "^") == HOSTILE.replace("$x$", "x")  # mathematics
    assert entry["title"].count("{") == entry["title"].count("}")
    assert plain(entry["journal"]) == "50% Journal"
    assert plain(entry["author"][0]) == "Jo_hn & S{on"
    assert "abstract" not in entry.fields_dict


@pytest.mark.parametrize(
    "title", ["}", "{", "}{", "\\", "a\\", "%", "@article{x,", '"', "a = {b},\n@misc{c, d = 1}", "Ünï çødé 漢字"]
)
def test_bibtex_stays_one_entry_whatever_the_title(title):
    first, second = bibtex_entries(Paper("p", title), KIPF)
    assert plain(first["title"]) == " ".join(title.split())
    assert second["year"] == "2017"


def test_bibtex_braces_what_styles_would_lower():
    titles = {
        "BERT: pre-training": "{BERT}: pre-training",
        "(mRNA) and U-Net": "({mRNA}) and {U-Net}",
        "Attention Is All You Need": "Attention Is All You Need",
        "ALL IN CAPITALS": "ALL IN CAPITALS",
    }
    entries = bibtex_entries(*(Paper(title, title) for title in titles))
    assert [entry["title"] for entry in entries] == list(titles.values())


@pytest.mark.parametrize(
    ("author", "written", "last"),
    [
        ("Ada Lovelace", "Ada Lovelace", ["Lovelace"]),
        ("Lovelace, Ada", "Lovelace, Ada", ["Lovelace"]),
        ("Ludwig van Beethoven", "Ludwig van Beethoven", ["Beethoven"]),
        ("Martin Luther King, Jr.", "King, Jr., Martin Luther", ["King"]),
        ("Ministry of Food and Health", "{Ministry of Food and Health}", ["{Ministry of Food and Health}"]),
        ("AND Corporation", "{AND Corporation}", ["{AND Corporation}"]),
        ("Google, Inc., Research", "{Google, Inc., Research}", ["{Google, Inc., Research}"]),
        ("Anderson Brandt", "Anderson Brandt", ["Brandt"]),
        (",", "{,}", ["{,}"]),
    ],
)
def test_bibtex_names_stay_one_name(author, written, last):
    (entry,) = bibtex_entries(replace(KIPF, authors=(author, "Max Welling")))
    assert entry["author"] == [written, "Max Welling"]
    parts = middlewares.names.parse_single_name_into_parts(entry["author"][0])
    assert parts.last == last


def test_bibtex_keys_are_unique_and_plain():
    papers = [
        replace(KIPF, id="1"),
        replace(KIPF, id="2"),
        Paper("3", "The Überblick", year=1999, authors=("Karen Spärck Jones",)),
        Paper("4", "漢字", authors=("漢字",)),
        Paper("5", "漢字", authors=("漢字",)),
        Paper("漢", "漢"),
        Paper("6", "A study", authors=("Vincent van der Berg",)),
    ]
    keys = [entry.key for entry in bibtex_entries(*papers)]
    assert keys == [
        "kipf2017semisupervised",
        "kipf2017semisupervised-2",
        "jones1999uberblick",
        "4",
        "5",
        "paper",
        "vanderbergstudy",
    ]


@pytest.mark.parametrize(
    ("id_", "key"),
    [
        ("Kipf:2017", "Kipf:2017"),
        ("DBLP:conf/iclr/KipfW17", "DBLP:conf/iclr/KipfW17"),
        ("gcn_semi-supervised+classification", "gcn_semi-supervised+classification"),
        ("mykey2017", "mykey2017"),
        ("WOS:A2017GF69700001", "kipf2017semisupervised"),
        ("W2519887557", "kipf2017semisupervised"),
        ("2017kipf", "kipf2017semisupervised"),
        ("10.48550/arXiv.1609.02907", "kipf2017semisupervised"),
        ("36eff562f65125511b5dfab68ce7f7a943c27478", "kipf2017semisupervised"),
        ("ris-3d307200e09f5059", "kipf2017semisupervised"),
        ("https://example.org/kipf2017", "kipf2017semisupervised"),
        ("Kipf 2017", "kipf2017semisupervised"),
        ("kipf2017}", "kipf2017semisupervised"),
        ("kipf2017" + "x" * 60, "kipf2017semisupervised"),
    ],
)
def test_a_key_that_somebody_chose_is_kept_and_no_other_id(id_, key):
    (entry,) = bibtex_entries(replace(KIPF, id=id_))
    assert entry.key == key


def test_a_chosen_key_is_kept_apart_from_one_that_is_made():
    papers = [replace(KIPF, id="W1"), replace(KIPF, id="kipf2017semisupervised")]
    assert [entry.key for entry in bibtex_entries(*papers)] == ["kipf2017semisupervised", "kipf2017semisupervised-2"]


def test_bibtex_holds_each_paper_once():
    answers = [(Query("a", id="1"), recommended(KIPF)), (Query("b", id="2"), recommended(KIPF))]
    assert len(bibtexparser.parse_string(exported("bibtex", *answers)).entries) == 1


@pytest.mark.parametrize(
    ("venue", "kind", "field"),
    [
        ("SIGIR", "inproceedings", "booktitle"),
        ("NAACL-HLT 2019", "inproceedings", "booktitle"),
        ("Advances in Neural Information Processing Systems", "inproceedings", "booktitle"),
        ("Proceedings of the 2019 Conference on Things", "inproceedings", "booktitle"),
        ("ICML Workshop on Peer Reviewing", "inproceedings", "booktitle"),
        ("Journal of Machine Learning Research", "article", "journal"),
        ("Proceedings of the National Academy of Sciences", "article", "journal"),
        ("ACM Transactions on Information Systems", "article", "journal"),
        ("Cognition", "article", "journal"),
        ("arXiv preprint", "misc", "howpublished"),
        ("OpenAI Technical Report", "misc", "howpublished"),
    ],
)
def test_bibtex_type_follows_the_venue(venue, kind, field):
    (entry,) = bibtex_entries(replace(KIPF, venue=venue))
    assert entry.entry_type == kind
    assert entry[field] == venue


def test_bibtex_identifiers():
    paper = replace(
        KIPF, doi="10.1/a_b{c}", arxiv="1609.02907", url="https://a.example/x_y?a=1&b=%20{z}", venue="arXiv"
    )
    (entry,) = bibtex_entries(paper)
    assert entry.entry_type == "misc"
    assert (entry["eprint"], entry["archiveprefix"]) == ("1609.02907", "arXiv")
    assert entry["doi"] == "10.1/a_b%7Bc%7D"
    assert entry["url"] == "https://a.example/x_y?a=1&b=%20%7Bz%7D"
    assert "howpublished" not in entry.fields_dict
