"""Questions with words of asking and signs of searches, and what they are about."""

import json

import pytest
from growth import NEARLY_LINEAR, growth

from citescout.settings import Settings
from demo import CORPUS
from retrieval.asking import question, what_is_asked
from retrieval.query import Query


@pytest.mark.parametrize(
    "text",
    [
        "papers on peer review",
        "Recent articles about peer review.",
        "Find me some recent papers about peer review, please",
        "Can you please recommend key references on peer review?",
        "Hi, I’m looking for literature in the field of peer review",
        "We need studies that deal with peer review",
        "I am writing a paper about peer review.",
        "I'm currently working on my PhD thesis on peer review!",
        "What papers should I cite on peer review?",
        "Which highly cited studies are there on peer review ?",
        "what is known about peer review",
        "What do we know about peer review?",
        '"peer review"',
        " “peer review” ",
        "TITLE-ABS-KEY(peer review)",
        'TS=("peer review")',
        "peer AND review",
        "(peer NEAR/3 review*)",
        "peer[tiab] AND review[Title/Abstract]",
        "peer.ti,ab. OR review:ti,ab",
        'papers on "peer review"',
        '(peer review*) AND NOT (open OR blind) NOT "of data" NOT code',
    ],
)
def test_the_question_is_about_peer_review(text):
    assert what_is_asked(text) == "peer review"


@pytest.mark.parametrize(
    "text",
    [
        "Peer review",
        "Research on the application of peer review",
        "A review of papers on peer review",
        "Papers, please",
        "Find me papers",
        "Classic articles on social work: a bibliometric analysis",
        "ORIGINS, HIGH NOON AND DECLINE of the c. 200 BC",
        "DESIGN OF AN AND GATE",
        "Which references matter?",
        "We need to talk about peer review",
        "What is known",
        "“Peer” and “review”",
        "(1) and (2)",
        f"{'Odds ratios (those of cohorts) are what they are. ' * 3}Adjusted (by sex), the pooled OR was 1.2 (of 2).",
        "AND",
        "",
    ],
)
def test_other_texts_are_as_they_were(text):
    assert what_is_asked(text) == text


@pytest.mark.parametrize(
    "listed",
    ["{}.", "{}?", " {} !\n", "{}:", "{}…", "{} 🙂", "1. {}", "(2) {};", "- {}", "• {}", "2) {}."],
)
def test_a_line_is_one_question_however_it_is_listed_or_ended(listed):
    for line in ("peer review", "C++", "peer review (open)", "α-helices at 5 %", "$O(n^2)$", "3D printing", "1.5 °C"):
        assert question(listed.format(line)) == line
    assert question(listed.format("“peer review”")) == "peer review"
    assert question(listed.format("papers on peer review")) == "peer review"
    assert Query(listed.format("peer review")).text.title == "peer review"


@pytest.mark.parametrize(
    "words",
    [
        "हिन्दी",
        "สวัสดี",
        "தமிழ்",
        "x̄",
        "Ca²⁺ and K⁺",
        "50 €",
        "9 ‰",
        "n → ∞",
        "»Wien«",
        "「自由」",
    ],
)
def test_signs_that_belong_to_words_stay(words):
    assert question(words) == question(f"{words}?") == words


@pytest.mark.parametrize(
    "text",
    [
        "...",
        "?",
        "",
        "-omics",
        "2. Weltkrieg",
        "20. století",
        "20. Juli 1944",
        "Peer review works. Does it?",
        "Peer review? No!",
    ],
)
def test_what_is_no_line_of_words_stays(text):
    assert question(text) == text


def test_titles_of_papers_are_no_questions():
    titles = [json.loads(line)["title"] for line in CORPUS.read_text().splitlines()]
    assert len(titles) > 200
    assert [title for title in titles if what_is_asked(title) != title] == []


@pytest.mark.parametrize(
    "piece",
    [
        "- ",
        "…",
        "find ",
        "the ",
        "paper ",
        "TITLE-",
        "[mesh ",
        "a AND ",
        "AND ",
        ". ",
        "?",
        " ",
        ", please",
        "“",
        ":ti,ab",
        ".ti,ab",
    ],
)
def test_long_texts_do_not_take_long(piece):
    def ask(size):
        for begin in ("", "papers on ", "I am writing a "):
            question(begin + piece * (size // len(piece)) + "x")
            question(begin + "x" + piece * (size // len(piece)))

    assert growth(ask, 20_000) < NEARLY_LINEAR


def test_only_a_text_alone_is_a_question():
    assert Query(title="Papers on peer review").text.title == "peer review"
    assert Query(abstract="I am writing a paper on peer review. It works.").text.abstract == "peer review. It works"
    both = Query(title="Papers on peer review", abstract="Find me papers on peer review")
    assert both.text == ("Papers on peer review", "Find me papers on peer review")


@pytest.mark.parametrize("asked", ["Can you find me papers on {}, please?", "TITLE-ABS-KEY({})", 'TI=("{}")'])
def test_lists_are_those_of_the_words_alone(recommender, asked):
    settings = Settings(depth=0)
    for words in ("random walks on graphs", "word embeddings", "community detection"):
        plain = recommender.rank(Query(title=words), settings)
        assert recommender.rank(Query(title=asked.format(words)), settings).ids(50) == plain.ids(50)
