"""Queries that are pasted with commands of LaTeX and tags of HTML are read as what these print."""

import pytest
from growth import NEARLY_LINEAR, growth

from common.front_matter import is_front_matter
from retrieval.plain_text import plain_text
from retrieval.query import Query

LATEX = (
    r"We \emph{rank} papers \citep[see][]{bhaga2018,cohan2020}. Our \textbf{bi-encoder} learns "
    r"$\mathcal{L} = \max(0, d_{+})$ on S2ORC~\cite{lo2020}, 3.2\,\% (Table~\ref{tab:main})\footnote{Code is online.}."
)
WORDS = "We rank papers . Our bi-encoder learns ℒ = max(0, d+) on S2ORC , 3.2 % (Table)[Code is online.]."


@pytest.mark.parametrize(
    ("pasted", "words"),
    [
        (r"CO$_2$, $CO_2$, $\mathrm{CO_2}$, PM$_{2.5}$, $\delta^{18}$O", "CO2, CO2, CO2, PM2.5, δ18O"),
        ("CO<sub>2</sub>, Ca<sup>2+</sup>, <i>E. coli</i> &amp; AT&T", "CO2, Ca2+, E. coli & AT&T"),
        (r"$\Lambda_c$ decays, $\alpha_i$, $\alpha$1, \ce{Ca^2+}, 5 $\upmu$m", "Λc decays, αi, α1, Ca2+, 5 μm"),
        ("the $k$k-means of $R$R-trees, $C_1$C1 of 对$y$的", "the k-means of R-trees, C1 of 对y的"),
        (r"10$^5$ or $10^5$", "10^5 or 10^5"),  # not 105
        (r"El Ni\~no, Schr\"odinger, {\'E}tat, Erd\H{o}s", "El Niño, Schrödinger, État, Erdős"),
        (r"{BERT}: {D}eep {\it transformers}", "BERT: Deep transformers"),
        (r"\emph{Two} words of $x_i$ for $5 million", "Two words of xi for $5 million"),
    ],
)
def test_what_is_printed_is_read(pasted: str, words: str) -> None:
    assert plain_text(pasted) == words


@pytest.mark.parametrize(
    ("pasted", "words"),
    [
        ("**Abstract.** Trees *in vitro* and _in vivo_ grow", "Abstract. Trees in vitro and in vivo grow"),
        ("***All*** trees (*Acer*), __too__.", "All trees (Acer), too."),
        ("5*3*2 trees, tree* and leaf*, tree_of_life, p < .05*, p < .01**", None),
        ("* trees * and a * b", None),
    ],
)
def test_emphasis_of_markdown_is_no_word(pasted: str, words: str | None) -> None:
    assert plain_text(pasted) == (words or pasted)


@pytest.mark.parametrize(
    ("pasted", "words"),
    [
        ("> Citations count,\n> where p > 5.\n\n> > Or not.", "Citations count,\nwhere p > 5.\n\nOr not."),
        ("> Citations count,\nwhere p > 5.", None),
        ("Citations count,\n> often.", None),
        (">\n>", None),
    ],
)
def test_marks_of_a_quoted_mail_are_no_words(pasted: str, words: str | None) -> None:
    assert plain_text(pasted) == (words or pasted)


@pytest.mark.parametrize(
    "prose",
    [
        r"in C:\Users\new or \\server\share, \d+ and \"quoted\" \n\nlines",
        "costs $5 and $10, US$5–US$10, A$ and B$, $HOME/foo_bar and $PATH",
        "snake_case, ~50 -- 60, {a, b} and f{2}, 100% of x^2",
        "p < 0.05 & q>3, a <b and c> d, AT&T",
    ],
)
def test_prose_stays_as_it_is(prose: str) -> None:
    assert plain_text(prose) == prose
    assert Query(prose, prose).text == (prose, prose)


def test_a_query_is_asked_without_commands_and_keys_and_kept_as_written() -> None:
    asked = Query(LATEX, LATEX, context=LATEX)
    assert (asked.title, asked.abstract, asked.context) == (LATEX, LATEX, LATEX)
    for text in (*asked.text, asked.wanted.abstract):
        assert " ".join(text.split()) == WORDS
    assert asked.sentence.count("[CITATION]") == 2


def test_numbers_in_brackets_are_words_of_an_abstract() -> None:
    text = "1H-[1,2,4]oxadiazolo, 22 [19, 29] as [@own2020] found [citation needed]"
    assert Query(text).text.title.split() == ["1H-[1,2,4]oxadiazolo,", "22", "[19,", "29]", "as", "found"]


@pytest.mark.parametrize("text", ["[?]", r"\label{own}", "<p>"])
def test_what_prints_nothing_is_asked_as_it_is(text: str) -> None:
    assert Query(text).text.title == text


@pytest.mark.parametrize("piece", ["$x_", "\\(", r"\emph{", r"\a[", "<a ", r"\ref{", "{a", r"\cite"])
def test_a_long_run_of_openings_is_read_at_once(piece: str) -> None:
    assert plain_text(piece * 10_000).strip()


def test_a_long_line_of_addresses_is_read_at_once() -> None:
    assert not is_front_matter("E-mail: " + ",".join(["a@b"] * 500) + " x")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_numbers_of_lines_may_stand_on_lines_of_their_own(end: str) -> None:
    assert Query(end.join(("1", "Trees of", "2", "our towns", "3", "and villages"))).title.split() == [
        *("Trees", "of", "our", "towns", "and", "villages"),
    ]
    assert Query(end.join("123")).title.split() == ["1", "2", "3"]  # nothing else is asked


def test_a_query_is_asked_without_the_numbers_of_its_lines() -> None:
    query = Query(title="Trees", abstract="23 We ask why trees grow in\n24 towns, and how tall they be-\n25 come.")
    assert query.abstract == "We ask why trees grow in\ntowns, and how tall they become."


@pytest.mark.parametrize(
    "printed",
    [
        "Abstract—{}",
        "ABSTRACT\n{}",
        "Journal of Trees 12 (2015) 123–145\nContents lists available at ScienceDirect\n{}",
        "journal homepage: www.elsevier.com/locate/trees\nA R T I C L E  I N F O\nArticle history:\n{}",
        "{} E-mail address: j.doe@uni.edu (J. Doe).",
        "Received 3 March 2014; received in revised form 1 May 2014; accepted 5 May 2014\n{}",
        "Received: March 3, 2014. Published online: 5 May 2014. {}",
        "0040-1625/© 2014 The Authors. Published by Elsevier Inc.\n{}",
        "{} Copyright © 2015 Elsevier Ltd. All rights reserved.",
        "{} (c) 2022 The Author(s). This is an open access article under the CC BY license (http://example.org/by/4.0/).",
        "{}& COPY; 2023 Elsevier B.V. All rights reserved.",
    ],
)
def test_what_publishers_print_around_an_abstract_is_not_asked(printed: str) -> None:
    text = "We ask why trees grow in towns (2014) and why they received 3 awards."
    assert Query(abstract=printed.format(text)).text.abstract.strip() == text


@pytest.mark.parametrize(
    "text",
    [
        "Abstract art of trees. (c) Trees, published 1 January 1945 and received with joy, are copyright.",
        "Trees were accepted in 2014. E-mail addresses of all holders of rights were available.",
        "© 2014 The Authors",
        "All rights reserved: a history of copyright",
        "The cohort was seen twice. (c) 2010 patients had new scans and we show that they did well.",
    ],
)
def test_an_abstract_about_such_things_stays(text: str) -> None:
    assert Query(abstract=text).text.abstract == text


@pytest.mark.parametrize(
    "piece", [". ", "(c) 2014 ", "Received 3 May 2014;", "E-mail: a@b ", "a 1 (2014) 1-", "\n", "e-mail:a@"]
)
def test_a_long_run_of_what_is_printed_is_read_at_once(piece: str) -> None:
    assert growth(lambda size: Query(abstract=f"{piece * size}.").text, 10_000) < NEARLY_LINEAR
