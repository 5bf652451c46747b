"""The text of a manuscript on the page: its citations, papers for each sentence, its parts."""

import html
import re

import pytest
from archives import zipped
from web_manuscripts import MAIN, ONE, PROJECT, SENTENCES, candidates, keep, number_of, pick, sentence_of
from web_pages import Text, listed, sent

from citescout import Query, Settings
from manuscripts.manuscript import Manuscript, Mark, Paragraph, Section, Sentence
from webui import create_app
from webui.app import STATIC
from webui.manuscript_text import PART, block_of, blocks, contents, parts


@pytest.fixture
def client(recommender, tmp_path):
    return create_app(recommender, sessions=tmp_path / "sessions").test_client()


def test_the_text_is_shown_with_its_citations(client):
    address = keep(client)
    assert address == f"{ONE}/manuscript/1"
    page = client.get(address).text
    read = " ".join(Text(page).text.split())
    assert "Reading passages" in read
    assert SENTENCES[0] in read
    assert "cites 2 works, 1 of them in this index" in read
    number = number_of(page, "others do not")
    assert sentence_of(page, number) == (
        "Neural rankers read passages (Lovelace and Hopper 2019; Somebody 2020° (not in this index)) and others do not "
        "(Somebody 2020° (not in this index))."
    )
    assert "(nokey? (no entry in the bibliography))." in read
    works = [(link["class"], text) for link, text in Text(page).links if "work" in link.get("class", "")]
    assert works[0] == ("work in-index", "Lovelace and Hopper 2019")
    assert works[-1][0] == "work missing"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"\citeauthor{ranking}'s rankers", "Lovelace and Hopper's rankers"),
        (r"\textcite{ranking} proposed", "Lovelace and Hopper (2019) proposed"),
        (r"As \Citet*[p. 3]{ranking} say", "As Lovelace and Hopper (2019) say"),
        (r"As \citeauthor{ranking} (\citeyear{ranking}) say", "As Lovelace and Hopper (2019) say"),
        (r"\citet{ranking,nokey} propose", "Lovelace and Hopper (2019), nokey? (no entry in the bibliography) propose"),
        (
            r"\citeauthor{ranking}-style rankers \citep{ranking}",
            "Lovelace and Hopper-style rankers (Lovelace and Hopper 2019)",
        ),
    ],
)
def test_citations_within_a_sentence_are_shown_as_they_are_printed(client, source, shown):
    main = MAIN.replace(SENTENCES[2], f"{source} of wombats.")
    page = client.get(keep(client, {**PROJECT, "paper/main.tex": main.encode()})).text
    assert sentence_of(page, number_of(page, "wombats")) == f"{shown} of wombats."


def test_citations_of_markdown_outside_brackets_belong_to_their_sentence(client):
    text = b"# Title\n\nAs @doe says [p. 3], wombats rank [@doe].\n"
    bib = b"@misc{doe, title={A work}, author={Doe, Jane}, year={2020}}"
    page = client.get(keep(client, {"a/main.md": b"---\nbibliography: refs.bib\n---\n" + text, "a/refs.bib": bib})).text
    shown = sentence_of(page, number_of(page, "wombats")).replace("° (not in this index)", "")
    assert shown == "As Doe (2020) says [p. 3], wombats rank (Doe 2020)."


def test_a_sentence_gets_the_papers_that_the_library_gives_it(client, recommender):
    address = keep(client)
    page = client.get(address).text
    number = number_of(page, "near neighbours")
    query = Query(
        "Reading passages",
        "We retrieve passages with neural ranking models.",
        context=SENTENCES[2],
        already_cited=("neural",),
    )
    expected = recommender.answer(query, Settings(k=10)).recommendations
    for panel in ("", "&panel=1"):
        shown = client.get(f"{address}?sentence={number}{panel}").text
        assert candidates(shown) == [entry.paper.id for entry in expected]
        assert "dense" in candidates(shown)
        assert "neural" not in candidates(shown), "it is cited already"
        supports = [entry.reasons.support for entry in expected if entry.reasons.support]
        assert supports
        assert all(support in html.unescape(shown) for support in supports)
    marked = number_of(page, "others do not")
    asked = "Neural rankers read passages [CITATION] and others do not [CITATION]."
    context = recommender.answer(
        Query(query.title, query.abstract, context=asked, already_cited=("neural",)), Settings(k=10)
    )
    assert candidates(client.get(f"{address}?sentence={marked}").text) == [
        entry.paper.id for entry in context.recommendations
    ]


def test_what_is_to_be_said_of_the_papers_for_a_sentence_stands_above_them(client):
    sentence = "Lovelace and Hopper (2019) read passages."
    address = keep(client, PROJECT | {"paper/main.tex": MAIN.replace(SENTENCES[2], sentence).encode()})
    page = client.get(address).text
    shown = client.get(f"{address}?sentence={number_of(page, sentence)}&panel=1").text
    said = "What the sentence names is cited already: Lovelace and Hopper 2019 (ranking)."
    assert said in shown[: shown.index('<ol class="candidates">')]
    assert "What the sentence names" not in client.get(f"{address}?sentence={number_of(page, SENTENCES[0])}").text


def test_what_is_cited_is_told(client):
    address = keep(client)
    page = client.get(f"{address}?sentence=3&cited=ranking").text
    assert "Neural rankers read the query and the passages together." in page
    assert "This index does not have it" in client.get(f"{address}?sentence=3&cited=elsewhere").text
    assert "no entry for this key" in client.get(f"{address}?sentence=5&cited=nokey").text
    assert client.get(f"{address}?cited=invented").status_code == 404


@pytest.mark.parametrize("query", ["?sentence=99", "?sentence=999999999"])
def test_what_is_no_sentence_is_no_page(client, query):
    assert client.get(keep(client) + query).status_code == 404


@pytest.mark.parametrize("query", ["?sentence=x", "?sentence=-1", "?part=99", "?part=x", "?at=99", "?sentence="])
def test_other_numbers_show_the_text(client, query):
    answer = client.get(keep(client) + query)
    assert (answer.status_code, SENTENCES[0] in answer.text) == (200, True)


def test_a_sentence_without_words_is_no_link(client):
    address = keep(client)
    page = client.get(address).text
    number = number_of(page, "1 + 1")
    assert "<a" not in re.search(rf'id="s{number}">(.*?)</span> ', page)[1]
    assert "no words to search for" in client.get(f"{address}?sentence={number}").text


ATTACK = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>"


def test_hostile_manuscripts_are_only_text(client):
    source = (
        f"---\ntitle: 'T {ATTACK.replace(chr(39), '')}'\nabstract: We retrieve passages.\n"
        f"bibliography: refs.bib\n---\n\n# H {ATTACK}\n\nPassages {ATTACK} become vectors [@a; @b].\n"
    )
    bib = f"@misc{{a, title={{Title {ATTACK}}}, author={{Name {ATTACK}}}, url={{javascript:alert(1)}}, year=2020}}"
    files = {"paper.md": source.encode(), "refs.bib": bib.encode(), "<script>.bib": b"@misc{a, title={T}}"}
    address = keep(client, {"<script>alert(1).zip": zipped(files)})
    pages = [client.get(address + query).text for query in ("", "?sentence=1", "?sentence=2", "?sentence=1&cited=a")]
    pick(client, address, "dense", ATTACK)
    pages += [client.get(f"{address}?sentence=1").text, client.get(f"{ONE}/history").text]
    assert "alert(1)" in pages[0]
    for page in pages:
        for tag, attributes in Text(page).elements:
            assert tag != "img"
            assert tag != "script" or attributes["src"].startswith(f"{STATIC}/")
            assert not any(name.startswith("on") or name == "style" for name in attributes)
            for name in ("href", "action", "formaction"):
                assert attributes.get(name, "/").startswith(("/", "?", "#", "https://", "http://"))


def long_manuscript(*sizes):
    """Sections of so many sentences, in paragraphs of five; their levels jump."""
    mark = (Mark(0, ("k",)),)
    sections = []
    for place, size in enumerate(sizes):
        sentences = tuple(Sentence(f"Sentence {place}.{number}", mark) for number in range(size))
        paragraphs = tuple(Paragraph(sentences[start : start + 5]) for start in range(0, size, 5))
        sections.append(Section(f"Section {place}", (0, 3, 1, 5, 2)[place % 5], paragraphs))
    return Manuscript("T", sections=tuple(sections))


@pytest.mark.parametrize("sizes", [(3,), (PART, 1), (300,) * 7, (3 * PART + 7, 0, 0, 5), (0,), ()])
def test_every_sentence_is_in_one_part(sizes):
    found = parts(blocks(long_manuscript(*sizes), {}))
    numbers = [one.number for part in found for block in part for one in block.sentences]
    assert numbers == list(range(1, sum(sizes) + 1))
    assert all(sum(len(block.sentences) for block in part) <= PART for part in found)
    for number in {1, PART, PART + 1, sum(sizes) // 2, sum(sizes)} & set(numbers):
        part = found[block_of(found, number).part - 1]
        assert number in [one.number for block in part for one in block.sentences]
    levels = [block.level for part in found for block in part if block.level]
    assert all(2 <= level <= 6 for level in levels)
    assert all(below <= above + 1 for above, below in zip([1, *levels], levels, strict=False))
    assert [heading.text for heading in contents(found)] == [f"Section {place}" for place in range(len(sizes))]


def test_one_paragraph_without_end_is_cut():
    every = tuple(Sentence(f"Sentence {number}") for number in range(PART + 1))
    found = parts(blocks(Manuscript("T", sections=(Section("", 1, (Paragraph(every),)),)), {}))
    assert [sum(len(block.sentences) for block in part) for part in found] == [PART, 1]


def test_long_manuscripts_are_shown_in_parts(client):
    sessions = client.application.extensions["citescout"].sessions
    sessions.manuscripts.keep("A" * 22, "thesis", long_manuscript(*(300,) * 4))
    address = f"{ONE}/manuscript/1"
    first, second = (client.get(f"{address}?part={part}").text for part in (1, 2))
    assert (len(re.findall('id="s[0-9]', first)), len(re.findall('id="s[0-9]', second))) == (600, 600)
    assert 'id="s601"' in second
    assert 'id="s601"' in client.get(f"{address}?sentence=601").text
    assert 'id="s601"' in client.get(f"{address}?at=601").text
    assert f'"{address}?part=2"' not in first
    assert '"?part=2#h4"' in first


def fields_of(form):
    found = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', form)
    return {name: html.unescape(value) for name, value in found}


def test_the_whole_paper_and_a_sentence_become_questions_with_addresses(client, recommender):
    address = keep(client)
    page = client.get(address).text
    form = re.search(r'<form class="actions".*?</form>', page, re.DOTALL)[0]
    asked = client.post(f"{ONE}/", data=fields_of(form))
    query = Query("Reading passages", "We retrieve passages with neural ranking models.", already_cited=("neural",))
    expected = [entry.paper.id for entry in recommender.recommend(query, Settings())]
    assert listed(client.get(asked.headers["Location"]).text) == expected
    number = number_of(page, "near neighbours")
    panel = client.get(f"{address}?sentence={number}&panel=1").text
    fields = fields_of(re.search(r'<form class="as-question".*?</form>', panel, re.DOTALL)[0])
    assert fields["context"] == SENTENCES[2]
    answer = client.post(f"{ONE}/", data={**fields, "k": "5"})
    shown = client.get(answer.headers["Location"]).text
    assert listed(shown) == candidates(panel)[:5]
    assert "to cite in this sentence" in shown
    assert SENTENCES[2] in client.get(f"{ONE}/history").text


def test_a_chapter_without_title_and_abstract_is_shown_asked_and_reviewed(client, recommender):
    chapter = rf"\chapter{{Related work}}\label{{ch:rw}} {SENTENCES[0]} {SENTENCES[2]}"
    for name, files in [
        ("ch.tex", {"ch.tex": chapter.encode()}),
        ("t", {"t/ch.tex": chapter.encode(), "t/refs.bib": PROJECT["paper/refs.bib"]}),
        ("ch.typ", {"ch.typ": f"{SENTENCES[0]} {SENTENCES[2]}".encode()}),
    ]:
        address = keep(client, files)
        page = client.get(address).text
        assert f'<h1 dir="auto">{name}</h1>' in page
        assert "\\" not in Text(page).text
        assert "Recommend for the whole paper" not in page
        assert "No title and no abstract was found in it" in page
        number = number_of(page, "near neighbours")
        expected = recommender.answer(Query(context=SENTENCES[2]), Settings(k=10)).recommendations
        assert candidates(client.get(f"{address}?sentence={number}").text) == [one.paper.id for one in expected]
        review = client.get(f"{address}/review")
        assert review.status_code == 200
    asked = client.post(f"{ONE}/", data=sent({"ch.tex": chapter.encode()}))
    assert asked.status_code == 400
    assert "no title and no abstract found in ch.tex: enter them" in asked.text.lower()
    typed = client.post(f"{ONE}/", data={**sent({"ch.tex": chapter.encode()}), "abstract": "Neural ranking"})
    assert typed.status_code == 200
    assert "ch.tex has no title and no abstract: yours stay." in typed.text


def test_a_sentence_alone_is_a_question_of_the_form(client, recommender):
    sentence = "Passages and queries become vectors [?]."
    expected = [entry.paper.id for entry in recommender.recommend(Query(context=sentence), Settings())]
    assert listed(client.post("/", data={"context": sentence}).text) == expected != []
    assert listed(client.get("/", query_string={"context": sentence}).text) == expected
    answer = client.post("/", data={"context": "[?]"})
    assert answer.status_code == 400
    assert "The sentence holds no words" in answer.text
    assert client.post("/", data={"context": "x" * 5001}).status_code == 400


def test_a_draft_with_typed_citations_shows_them_and_how_to_type_others(client):
    text = (
        "Reading passages\n\nAbstract\n\nWe retrieve passages with neural ranking models.\n\n"
        f"{SENTENCES[0]} Rankers read (Lovelace and Hopper, 2019; Roe, 2001), as Noe et al. (2007) say.\n\n"
        "References\n\nLovelace, A., & Hopper, G. (2019). Neural ranking models for passage retrieval. Acta.\n\n"
        "Roe, A. (2001). A work that no index has. Acta.\n"
    )
    address = keep(client, {"draft.txt": text.encode()})
    page = client.get(address).text
    assert sentence_of(page, number_of(page, "Rankers read")) == (
        "Rankers read (Lovelace and Hopper 2019; Roe 2001° (not in this index)), as "
        "Noe et al. 2007? (no entry in the bibliography) say."
    )
    panel = client.get(f"{address}?sentence={number_of(page, 'are retrieved')}&panel=1").text
    typed = {html.unescape(one) for one in re.findall(r'<code class="citing"[^>]*>([^<]*)</code>', panel)}
    assert "dense" in candidates(panel)
    assert "(Turing, 2020)" in typed
    assert not any("cite" in one for one in typed)
