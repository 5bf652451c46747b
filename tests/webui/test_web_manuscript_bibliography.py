"""Papers that are picked for a sentence, and the bibliography that they are added to."""

import html
import re

import bibtexparser
import pytest
from archives import zipped
from web_manuscripts import MAIN, ONE, PROJECT, REFS, SENTENCES, keep, number_of, pick, shown_key
from web_pages import Text

from exports.bibliography import Bibliography
from indexer.paper import Paper
from indexer.readers import ReadReport
from indexer.readers.reading import papers_of_bytes
from manuscripts import read_manuscript
from manuscripts.manuscript import BibtexSource, Entry, Manuscript
from webui import create_app
from webui.opened_manuscript import file_name


@pytest.fixture
def client(recommender, tmp_path):
    return create_app(recommender, sessions=tmp_path / "sessions").test_client()


def test_a_picked_paper_is_in_the_basket_with_the_sentence_as_its_note(client):
    address = keep(client)
    number = number_of(client.get(address).text, "near neighbours")
    panel = client.get(f"{address}?sentence={number}&panel=1").text
    note = re.search(r'data-id="dense".*?<textarea[^>]*>\n(.*?)</textarea>', panel, re.DOTALL)[1]
    assert note == SENTENCES[2]
    answer = pick(client, address, "dense", note, sentence=str(number))
    assert answer.headers["Location"] == f"{address}?sentence={number}#s{number}"
    basket = client.get(f"{ONE}/basket").text
    assert "Dense passage retrieval" in basket
    assert SENTENCES[2] in basket
    pick(client, address, "dense", "my own words", keep="1")
    pick(client, address, "dense", note)  # on a page from before it was in the basket
    again = client.get(f"{address}?sentence={number}&panel=1").text
    assert "In the basket" in again
    assert "my own words" in again
    pick(client, address, "dense", remove="1")
    assert "Your basket is empty" in client.get(f"{ONE}/basket").text
    assert "my own words" in client.get(f"{address}?sentence={number}&panel=1").text
    pick(client, address, "dense", note)
    assert "my own words" in client.get(f"{ONE}/basket").text
    assert client.post(f"{address}/pick", data={"paper": "dense", "note": "x" * 2001}).status_code == 400
    assert client.post(f"{address}/pick", data={"note": "x"}).status_code == 400


def test_a_paper_without_its_bibliography_says_so_at_once(client):
    address = keep(client, {"main.tex": MAIN.encode()})
    pick(client, address, "dense")
    page = " ".join(Text(client.get(address).text).text.split())
    assert "cites 3 works, without a bibliography" in page
    assert page.index("Its bibliography was not found: refs.") < page.index(SENTENCES[0])
    assert "a new file of these papers alone: keep your own beside it." in page
    assert "Download added.bib with it" in page
    assert "Its bibliography was not found: " in client.get(f"{address}/review").text
    renamed = keep(client, {"main.tex": MAIN.encode(), "Library (1).bib": b"@misc{dense, title={Dense}}"})
    page = client.get(renamed).text
    assert "together, the bibliography named as the manuscript names it, or their folder" in page
    assert "not read: Library (1).bib" in page
    whole = keep(client)
    for place in (whole, f"{whole}/review"):
        assert "was not found" not in client.get(place).text


@pytest.mark.parametrize("key", ["smith2020.", "M&M*2020", "doi:10.1000/x(1)", "plain:2020"])
def test_what_is_offered_for_markdown_is_read_as_that_key(client, key):
    bib = f"@article{{{key}, title={{Dense passage retrieval}}, eprint={{2004.00001}}}}"
    text = f"---\nbibliography: refs.bib\ntitle: Reading passages\n---\n{SENTENCES[2]} Others [@other].\n"
    address = keep(client, {"a/main.md": text.encode(), "a/refs.bib": bib.encode()})
    number = number_of(client.get(address).text, "near neighbours")
    cites = html.unescape(shown_key(client, address, number, "dense"))
    assert cites == (f"[@{key}]" if key == "plain:2020" else f"[@{{{key}}}]")
    assert read_manuscript(f"# T\n\nTrees {cites} grow.".encode(), name="a.md").keys == (key,)


def test_a_key_that_latex_cannot_cite_is_not_offered(client):
    bib = "@article{10#5%, title={Dense passage retrieval}, eprint={2004.00001}}"
    address = keep(client, PROJECT | {"paper/refs.bib": bib.encode()})
    number = number_of(client.get(address).text, "near neighbours")
    panel = client.get(f"{address}?sentence={number}&panel=1").text
    assert "Its key 10#5% cannot be cited: change it in the bibliography." in panel
    assert "\\cite{10" not in panel


def test_a_manuscript_in_typst_is_shown_what_cites_in_typst(client):
    text = f"= Reading passages\n{SENTENCES[2]} Others read @ranking.\n"
    address = keep(client, {"paper.typ": text.encode()})
    number = number_of(client.get(address).text, "near neighbours")
    assert re.fullmatch(r"@[\w-]+", shown_key(client, address, number, "dense"))


def test_a_note_that_was_changed_counts_whichever_button_is_pressed(client):
    address = keep(client)
    pick(client, address, "dense", "first", was="first")
    pick(client, address, "dense", "second", was="first", remove="1")
    assert "Your basket is empty" in client.get(f"{ONE}/basket").text
    pick(client, address, "dense", "third", was="third", keep="1")
    pick(client, address, "dense", "fourth", was="fourth")
    assert "second" in client.get(f"{ONE}/basket").text, "the others are what a page offered"
    pick(client, address, "dense", "fifth", was="fourth")
    assert "fifth" in client.get(f"{ONE}/basket").text


def test_a_sentence_that_was_offered_as_a_note_does_not_follow_its_paper_to_another(client):
    address = keep(client)
    for words in ("Passages are retrieved", "Passages and queries"):
        number = number_of(client.get(address).text, words)
        page = client.get(f"{address}?sentence={number}&panel=1").text
        note = re.search(r'data-id="dense".*?<textarea[^>]*>\n(.*?)</textarea>', page, re.DOTALL)[1]
        pick(client, address, "dense", note, was=note, sentence=str(number))
        assert note.startswith(words)
        assert note in client.get(f"{ONE}/basket").text
        pick(client, address, "dense", remove="1")


def test_picked_papers_are_added_to_the_bibliography_and_nothing_else_of_it_changes(client):
    address = keep(client)
    number = number_of(client.get(address).text, "near neighbours")
    citing = shown_key(client, address, number, "dense")
    pick(client, address, "dense")
    pick(client, address, "neural")  # which the file has under another key
    page = client.get(address).text
    assert re.search(r'value="neural" disabled', page)
    assert '</bdi> · <code dir="auto">ranking</code>, in your file already' in page
    answer = client.post(f"{address}/bibliography", data={"papers": ["dense", "neural"]})
    assert answer.headers["Content-Disposition"] == 'attachment; filename="refs.bib"'
    assert answer.mimetype == "application/x-bibtex"
    assert answer.data.startswith(REFS + b"\r\n\r\n@")
    assert b"\n" not in answer.data.replace(b"\r\n", b"")
    entries = bibtexparser.parse_string(answer.text).entries
    assert [f"\\cite{{{entry.key}}}" for entry in entries][2:] == [citing]
    assert entries[2]["title"].replace("{", "").replace("}", "") == "Dense passage retrieval"
    assert client.post(f"{address}/bibliography", data={}).data == REFS
    assert client.post(f"{address}/bibliography", data={"path": "../../etc/passwd"}).status_code == 400
    assert client.post(f"{address}/bibliography", data={"papers": ["cooking"]}).data == REFS, "it is not in the basket"


MORE = b"@misc{nokey, title={Another work}}\n"
ODD, GERMAN = "my refs.bib", "Quellen für.bib"
UNLISTED = re.sub(r"\\citep\{.*?\}|\\bibliography\{refs\}", "", MAIN)
LISTED = MAIN.replace(
    r"\end{document}",
    r"\begin{thebibliography}{9}\bibitem{nokey} A. Roe. A title. 2019.\end{thebibliography}\end{document}",
)
CITING_BOTH = MAIN.replace("{refs}", "{refs,sub/more,my refs}").encode()


@pytest.mark.parametrize(
    ("files", "path", "name", "start"),
    [
        ({"main.tex": UNLISTED.encode()}, "refs.bib", "refs.bib", b"@"),
        ({"main.tex": MAIN.encode()}, "added.bib", "added.bib", b"@"),  # its own is called refs.bib
        ({"main.tex": LISTED.encode()}, "added.bib", "added.bib", b"@"),
        ({"main.tex": MAIN.encode(), "refs.bib": REFS.replace(b"\xc3\xa9", b"\xe9")}, "added.bib", "added.bib", b"@"),
        ({"main.tex": CITING_BOTH, "refs.bib": REFS, "sub/more.bib": MORE}, "sub/more.bib", "more.bib", MORE),
        ({"main.tex": CITING_BOTH, "refs.bib": REFS, ODD: MORE}, ODD, ODD, MORE),
        (
            {"main.tex": MAIN.replace("{refs}", "{refs,Quellen für}").encode(), "refs.bib": REFS, GERMAN: MORE},
            GERMAN,
            "added.bib",
            MORE,
        ),
    ],
)
def test_the_file_is_chosen_and_without_one_it_is_new(client, files, path, name, start):
    address = keep(client, {"paper.zip": zipped(files)})
    pick(client, address, "dense")
    answer = client.post(f"{address}/bibliography", data={"papers": "dense", "path": path})
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    assert answer.data.startswith(start)
    assert ("byte for byte" in client.get(address).text) == (start == MORE), "a new file has no rest"
    assert "Dense passage retrieval" in bibtexparser.parse_string(answer.text).entries[-1]["title"].replace("{", "")


TYPED = """Reading passages

Abstract
We retrieve passages with neural ranking models (Turing, 2020), which is a search (Spärck Jones, 2009).

References
Spärck Jones, K. (2009). The probabilistic relevance framework. Foundations and Trends in Information Retrieval, 3, 1-9.
Turing, A. (2020). Dense passage retrieval. arXiv.
"""


def test_beside_a_typed_list_the_file_is_compared_by_its_own_entries(client):
    """Such as of a Word document and the file of a reference manager, which are chosen together."""
    address = keep(client, {"paper.txt": TYPED.encode(), "refs.bib": REFS})
    for paper in ("neural", "bm25"):
        pick(client, address, paper)
    page = client.get(address).text
    assert '</bdi> · <code dir="auto">ranking</code>, in your file already' in page
    data = client.post(f"{address}/bibliography", data={"papers": ["neural", "bm25"]}).data
    assert data.startswith(REFS)
    titles = [entry["title"].replace("{", "") for entry in bibtexparser.parse_string(data.decode()).entries[2:]]
    assert [title.replace("}", "") for title in titles] == ["The probabilistic relevance framework"], "the text has it"


def test_a_file_in_another_encoding_is_named_and_left_alone(client):
    address = keep(client, {"main.tex": MAIN.encode(), "refs.bib": REFS.replace(b"\xc3\xa9", b"\xe9")})
    pick(client, address, "dense")
    pick(client, address, "neural")
    assert "refs.bib: not in UTF-8 (byte 8)" in client.get(address).text
    data = client.post(f"{address}/bibliography", data={"papers": ["dense", "neural"]}).data
    assert len(bibtexparser.parse_string(data.decode()).entries) == 1, "the other one is in refs.bib"


def test_markdown_cites_in_its_own_way(client):
    text = b"---\ntitle: Reading passages\nabstract: We retrieve passages.\n---\n\nPassages become vectors [@nokey].\n"
    address = keep(client, {"paper.md": text})
    number = number_of(client.get(address).text, "become vectors")
    assert shown_key(client, address, number, "dense") == "[@dense]"


def twin(number):
    return Paper(str(number), f"Deep nets, part {['one', 'two', 'three'][number]}", "", 2020, ("Ann Writer",))


def keys_of(data):
    return [entry.key for entry in bibtexparser.parse_string(data.decode()).entries]


def test_keys_are_shown_as_they_will_be_exported():
    first, second, third = map(twin, range(3))
    base = Bibliography(Manuscript(), []).key(first)
    nothing = Bibliography(Manuscript(), [])
    assert (nothing.key(first), nothing.key(second), nothing.key(first)) == (base, f"{base}-2", base)
    one = Bibliography(Manuscript(), [second])
    assert (one.key(second), one.key(first), one.key(third)) == (base, f"{base}-2", f"{base}-3")
    before = Bibliography(Manuscript(), [third], {"0": base})
    assert (before.key(third), before.key(first)) == (f"{base}-2", base), "it was given before"
    both = Bibliography(Manuscript(), [second, first])
    assert keys_of(both.with_papers("refs.bib", ["0", "1"])) == [base, f"{base}-2"]
    both = Bibliography(Manuscript(), [second, first])
    assert keys_of(both.with_papers("refs.bib", ["0"])) == [f"{base}-2"], "as it was shown, though it comes alone"


def test_an_entry_that_another_names_is_written_under_the_key_that_was_shown():
    text = (
        b"@inproceedings{child, title={A child of two}, author={Doe, A.}, year=2001, crossref={things}}\n"
        b"@proceedings{things, title={Proceedings of the things}, year=2001}\n"
    )
    papers = list(papers_of_bytes("a.bib", text, ReadReport()))
    found = Bibliography(Manuscript(), papers)
    assert {found.key(paper) for paper in papers} == {"child", "things"}
    for wanted in (["child", "things"], ["child"]):
        assert keys_of(found.with_papers("refs.bib", wanted)) == ["child", "things"]


def test_keys_are_new_to_all_files():
    paper = twin(0)
    key = Bibliography(Manuscript(), []).key(paper)
    files = (
        BibtexSource("a.bib", b"@misc{x, title={A work}}"),
        BibtexSource("b.bib", f"@misc{{{key}, title={{Another}}}}\n@misc{{y, title={{More}}}}".encode()),
    )
    entries = tuple(
        Entry(name, (Paper("", title),)) for name, title in [("x", "A work"), (key, "Another"), ("y", "More")]
    )
    found = Bibliography(Manuscript(bibtex=files, entries=entries), [paper])
    assert found.key(paper) == f"{key}-2"
    assert keys_of(found.with_papers("a.bib", ["0"])) == ["x", f"{key}-2"]


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_an_entry_ahead_of_a_file_has_the_abbreviations_that_stand_further_down(ends):
    journal = "@string{jacm = {Journal of the ACM}}"
    added = "@article{roe, title={Of trees and shades}, author={Roe, A.}, journal=jacm, year=1999}"
    (paper,) = papers_of_bytes("a.bib", f"{journal}\n{added}\n".encode(), ReadReport())
    own = f"{journal}{ends}@article{{poe, title={{Of shrubs}}, author={{Poe, B.}}, journal=jacm, year=2001}}{ends}"
    files, entries = (BibtexSource("a.bib", own.encode()),), (Entry("poe", (Paper("", "Of shrubs"),)),)
    text = Bibliography(Manuscript(bibtex=files, entries=entries), [paper]).added("roe", ahead=True)
    assert text == f"{journal}{ends}{added}{ends}{ends}"
    read = bibtexparser.parse_string(text + own).entries
    assert [(entry.key, entry["journal"]) for entry in read] == [(key, "Journal of the ACM") for key in ("roe", "poe")]


@pytest.mark.parametrize(
    ("path", "name"),
    [("a/My-refs_2.bib", "My-refs_2.bib"), ("x\r\nSet-Cookie: a.bib", "added.bib"), ("é.bib", "added.bib"),
     ("a/.bib", "added.bib"), ("x" * 200 + ".bib", "added.bib")],
)  # fmt: skip
def test_downloads_have_harmless_names(path, name):
    assert file_name(path) == name
