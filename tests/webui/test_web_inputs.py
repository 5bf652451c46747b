import textwrap

import pytest
from growth import NEARLY_LINEAR, growth
from stand_in import StandIn

from citescout.recommendation import Answer
from citescout.settings import Settings
from common.errors import QueryError
from indexer.paper import Paper
from manuscripts.draft import split_title
from retrieval.query import Query
from webui import inputs
from webui.answers import Answers, Limits
from webui.examples import DEMO
from webui.highlight import segments
from webui.inputs import BEYOND, split_ids
from webui.presentation import author_line
from webui.text_field import taken_apart

PARAGRAPH = "We study how passages are retrieved, and we measure what reading them in order adds to the list. " * 4


def from_form(form, **others):
    return inputs.from_form(form, lambda _system: Settings(), **others)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Title\n\n{PARAGRAPH}", ("Title", PARAGRAPH.strip())),
        (f"  Title  \n{PARAGRAPH}", ("Title", PARAGRAPH.strip())),
        ("We show a system for the\nexploration of trajectories.", None),
        (
            "Phone traces\nWe present a system for trajectories.",
            ("Phone traces", "We present a system for trajectories."),
        ),
        ("One sentence.\nAnother one that is a good deal longer than the first.", None),
        ("Only one line", ("Only one line", "")),
        (
            "TensorFlow: A system for large-scale machine learning\n",
            ("TensorFlow: A system for large-scale machine learning", ""),
        ),
        ("A sentence that ends.", None),
        ("Title: Phone traces\nAbstract: We present\na system.", ("Phone traces", "We present\na system.")),
        ("TITLE: Phone traces\n\nABSTRACT:\nShort.", ("Phone traces", "Short.")),
        ("title: Phone traces", ("Phone traces", "")),
        ("Title: Phone traces.\nwe present", ("Phone traces.", "we present")),
        ("Phone traces\nSummary: We.", ("Phone traces", "We.")),
        ("Abstract: We.", ("", "We.")),
        (f" Abstract \n{PARAGRAPH}", ("", PARAGRAPH.strip())),
        (f"ABSTRACT\n\n{PARAGRAPH}", ("", PARAGRAPH.strip())),
        ("Zusammenfassung\nPhone traces\nWe present a system.", ("", "Phone traces\nWe present a system.")),
        ("Abstract", ("Abstract", "")),
        (f"Abstract art\n\n{PARAGRAPH}", ("Abstract art", PARAGRAPH.strip())),
        (PARAGRAPH, ("", PARAGRAPH.strip())),
        ("We study how passages\nare retrieved from\nlarge collections.", None),  # wrapped by hand
        ("We study how passages of text\nBERT has read are found.", None),
        ("Passages of text are read with\nBERT, which finds those that are wanted\nby readers.", None),
        (
            "Passages of long texts are read slowly by all\nGermans and by most French readers of books\nof all kinds.",
            None,
        ),
        ("Passages are what readers and\nwriters of all kinds of books\nwant. The end.", None),
        (f"{'x' * 301}\n\nmore", None),
        ("", ("", "")),
    ],
)
def test_title_on_the_first_line(text, expected):
    assert split_title(text) == (expected or ("", text))


@pytest.mark.parametrize("width", [60, 72, 80, 100])
def test_a_title_above_a_paragraph_in_lines_is_told_from_its_first_line(width):
    for title in (
        "Phone traces",
        "Finding passages in large collections of texts",
        "BERT: Pre-training for all",
        "T" * width,
    ):
        for abstract in (PARAGRAPH, PARAGRAPH.replace("We study", "Phones are studied to see", 1)):
            wrapped = textwrap.fill(abstract, width)
            if title != "T" * width or abstract == PARAGRAPH:
                assert split_title(f"{title}\n{wrapped}") == (title, wrapped)
            assert split_title(wrapped) == ("", wrapped)


def test_both_parts_may_stand_in_either_field():
    for field in ("title", "abstract"):
        query = from_form({field: f"Title\n\n{PARAGRAPH}"}).query
        assert (query.title, query.abstract) == ("Title", PARAGRAPH.strip())


def test_parted_words_of_a_pasted_text_are_whole():
    parted = "Neural ma-\nchine trans-\nlation by jointly learn-\ning to align"
    for fields in (taken_apart({"text": parted.replace("\n", "\r\n")}), {"title": parted}):
        query = from_form({**fields, "already_cited": "vec\u00adtors"}).query
        assert (query.title, query.abstract) == ("Neural machine translation by jointly learning to align", "")
        assert query.already_cited == ("vectors",)
    query = from_form(
        taken_apart({"text": "Vec\u00adtors\n\nWe learn rep\u00adre\u00adsen\u00ad\ntations of words."})
    ).query
    assert (query.title, query.abstract) == ("Vectors", "We learn representations of words.")


def test_ids_are_separated_by_spaces_commas_or_lines():
    assert split_ids(" a,b\nc\td , a ") == ["a", "b", "c", "d"]
    assert split_ids(" \n") == []
    assert split_ids("doi: 10.1000/a, PMID: 7 x1 y2 z3") == ["doi:10.1000/a", "PMID:7", "x1", "y2", "z3"]
    assert split_ids("pmid 7 doi 10.1000/a, arXiv 2001.00001") == ["pmid:7", "doi:10.1000/a", "arXiv:2001.00001"]
    assert split_ids("PMID: 7 [PubMed - indexed for MEDLINE]\narXiv:2001.00001v2 [cs.DL] a") == [
        *("PMID:7", "arXiv:2001.00001v2", "a")
    ]


def test_of_more_ids_than_are_taken_no_more_are_looked_up():
    asked = []
    with pytest.raises(QueryError, match="may hold at most 2,000 entries, not 9,000"):
        from_form({"title": "T", "already_cited": "\n".join(map("a{}".format, range(9_000)))}, is_id=asked.append)
    assert len(asked) == 2_001
    split_ids("a\n" * 9_000, asked.append)
    assert len(asked) == 2_002  # once for each line


def test_references_of_any_number_of_lines_are_taken_apart_soon():
    def read(size):
        return split_ids("[1] Roe. On a title\n[2] Roe. On a second title\n" + "c d e\n" * size)

    assert growth(read, 100_000) < NEARLY_LINEAR
    first, second = read(1_000)
    assert first == "[1] Roe. On a title"
    assert second.startswith("[2] Roe. On a second title c d e c d e ")


def test_a_line_that_is_an_id_with_spaces_is_that_paper():
    lines = ["Doe 2001", "a b", "Doe 2001 b", "[1] Doe 2001. On x. Acta", "[2] Roe 2002. On y."]
    is_id = {"Doe 2001", "a"}.__contains__
    assert split_ids("\n".join(lines[:3]), is_id) == ["Doe 2001", "a", "b", "Doe", "2001"]
    assert split_ids("\n\n".join(lines[:2]), is_id) == ["Doe 2001", "a", "b"]
    assert split_ids("\n".join(lines[3:]), is_id) == lines[3:]


def test_a_title_that_is_cited_already_stands_on_a_line_of_its_own():
    lines = ["Neural ranking, models, and retrieval", "smith2020 jones2021 lee2022 wang2023", "one two three four"]
    assert split_ids("\n".join(lines)) == [lines[0], *lines[1].split(), *lines[2].split()]
    assert split_ids("attention is all you need") == ["attention is all you need"]
    assert split_ids("D³ Data-Driven Documents") == ["D³ Data-Driven Documents"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[1] A. Doe. How trees grow in the\nnorth of all pla-\nces. Acta 2001.\n"
            "[2] B. Roe. Bark. Acta 2002.\nroe2002",
            [
                "[1] A. Doe. How trees grow in the north of all places. Acta 2001.",
                "[2] B. Roe. Bark. Acta 2002.",
                "roe2002",
            ],
        ),
        (
            "roe2002, doe2003\n\n[1] A. Doe. How trees grow. Acta 2001.\n[2] B. Roe. Bark of trees. Acta\n2002.",
            ["roe2002", "doe2003", "[1] A. Doe. How trees grow. Acta 2001.", "[2] B. Roe. Bark of trees. Acta 2002."],
        ),
        (
            "Doe, A. (2001). How trees\ngrow in the north. Acta.\n\nvan Roe, B. 2002. Waldes Rinde.\nActa.",
            ["Doe, A. (2001). How trees grow in the north. Acta.", "van Roe, B. 2002. Waldes Rinde. Acta."],
        ),
        (
            "How trees grow North\nWhy they fall South\n\nroe2002\ndoe",
            ["How trees grow North", "Why they fall South", "roe2002", "doe"],
        ),
    ],
)
def test_a_printed_reference_is_one_entry_wherever_its_lines_end(text, expected):
    assert split_ids(text) == expected


def test_empty_fields_mean_the_defaults():
    asked = from_form({"title": "x", "year": "", "k": " ", "already_cited": ""})
    assert asked.settings == Settings(beyond=BEYOND)
    assert asked.query == Query("x")


def test_what_the_page_has_no_field_for_is_not_taken_from_its_form():
    form = {"title": "x", "depth": "7", "blend": "", "sources": "bm25", "beyond": "3"}
    assert from_form(form) == from_form({"title": "x"})


def test_a_large_number_is_called_too_large_and_not_none():
    with pytest.raises(QueryError, match=r"must be from 0 to 1000000000, not 2000000000$"):
        from_form({"title": "x", "min_citations": "2000000000"})


def test_segments_join_to_the_text():
    text = "Retrieving passages; pre-trained Modèles, RETRIEVAL."
    found = segments(text, dict.fromkeys(["retrieval", "pre-training", "modèles"], 1.0))
    assert "".join(part.text for part in found) == text
    assert [part.text for part in found if part.marked] == ["Retrieving", "pre", "trained", "Modèles", "RETRIEVAL"]
    assert [part.text for part in segments("Nino, CO2 and CO₂", {"Niño": 1.0, "CO₂": 1.0}) if part.marked] == [
        "Nino",
        "CO2",
        "CO₂",
    ]
    assert segments("", {"x": 1.0}) == ()
    assert [part.marked for part in segments("nothing shared", {})] == [False]


def test_formulas_are_marked_where_they_print_a_shared_word():
    text = r"MoS$_2$-layers, $\mathrm{CO}_2$ by $\beta$-catenin, \ce{H2O}, PM$_{2.5}$, 10$^3$ $x$, S$_2$"
    found = segments(text, dict.fromkeys(["MoS2", "CO2", "β", "H2O", "PM2.5", "103"], 1.0))
    assert "".join(part.text for part in found) == text
    marked = [part.text for part in found if part.marked]
    assert marked == ["MoS$_2$", r"$\mathrm{CO}_2$", r"$\beta$", r"\ce{H2O}", "PM$_{2.5}$"]


def test_long_author_lists_are_cut():
    paper = Paper("p", "t", authors=tuple(f"Author {number}" for number in range(20)))
    assert author_line(paper).endswith("Author 1 and 18 more")


@pytest.mark.parametrize("read", [split_title, split_ids])
@pytest.mark.parametrize("unit", ["Article\n", "[1] a\n", "(2001) "])
def test_repetition_in_a_field_nearly_as_large_as_a_request_ends_soon(read, unit):
    assert growth(lambda size: read(unit * (size // len(unit)) + "é"), 1_500_000) < NEARLY_LINEAR


@pytest.mark.parametrize("example", DEMO)
def test_examples_can_be_asked(example):
    assert from_form({"title": example.title, "abstract": example.abstract}).query.title == example.title


class Counting(StandIn):
    """A recommender that counts its questions."""

    count = 0

    def answer(self, query, settings):
        self.count += 1
        return Answer(query, ())


def test_the_latest_answers_are_kept(recommender):
    counting = Counting(recommender)
    answers = Answers(counting, Limits(at_once=1))
    for _ in range(3):
        answers.answer(Query("one"), Settings())
    assert counting.count == 1
    answers.answer(Query("one"), Settings(k=5))
    assert counting.count == 2
    for number in range(40):
        answers.answer(Query(str(number)), Settings())
    answers.answer(Query("one"), Settings())
    assert counting.count == 43
