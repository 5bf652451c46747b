"""An entry that a user brought comes back as it was: .bib, .ris and CSL-JSON → index → export."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import rispy
from bibtexparser.entrypoint import parse_string
from entries_of_users import BIB, CSL, RIS, entries, exported, indexed
from growth import that_ends

from exports.appending import BibtexFile
from indexer.paper import Paper
from indexer.readers import read_papers


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_bibtex_entries_come_back_byte_for_byte_with_what_they_need(tmp_path: Path, ends: str) -> None:
    source = BIB.replace("\n", ends)
    papers = indexed(source, "my.bib", tmp_path)
    text = exported("bibtex", *papers)
    assert entries(text) == entries(source)
    for definition in ("@preamble", "@string{jmlr", "@String { jmlrx"):
        assert text.count(definition) == 1
    assert text.index("@string{jmlr") < text.index("@String { jmlrx") < text.index("@Article")
    again = tmp_path / "again.bib"
    again.write_bytes(text.encode())
    without = {paper.id: replace(paper, original=None) for paper in papers}
    assert {paper.id: replace(paper, original=None) for paper in read_papers([str(again)])} == without


def test_an_entry_brings_the_one_that_its_crossref_names(tmp_path: Path) -> None:
    child = next(paper for paper in indexed(BIB, "my.bib", tmp_path) if paper.id == "child")
    assert list(entries(exported("bibtex", child))) == ["child", "Proc20"]


def test_an_abbreviation_that_two_files_define_keeps_its_meaning_in_each_entry(tmp_path: Path) -> None:
    papers = []
    for number, meaning in enumerate(("Acts of Chemistry", "Meeting of the ACL")):
        text = f'@string{{acl = "{meaning}"}}\n' + "".join(
            f"@misc{{{key}{number}, title={{Title {key} {number}}}, journal=acl}}\n" for key in "abc"
        )
        papers.append(indexed(text, f"{number}.bib", tmp_path))
    (a0, b0, c0), (a1, b1, _) = papers
    text = exported("bibtex", a0, a1, b1, b0)
    assert text.count("@string") == 3
    (tmp_path / "all.bib").write_text(text)
    assert BibtexFile(tmp_path / "all.bib").add([c0]) == 1
    BibtexFile(tmp_path / "all.bib").add([papers[1][2]])
    venues = {paper.id: paper.venue for paper in read_papers([str(tmp_path / "all.bib")])}
    assert venues == {paper.id: paper.venue for some in papers for paper in some}
    assert (tmp_path / "all.bib").read_text().count("@string") == 3


def test_abbreviations_of_a_file_keep_their_meaning_for_what_its_owner_adds_later(tmp_path: Path) -> None:
    source = (
        '@string{acl = "Meeting"}\n@string{full = acl # { of the ACL}}\n'
        "@proceedings{p, title={Proceedings of all}, publisher=acl}\n"
        '@misc{a, title={On acl, an abbreviation}, acl = {acl}, note = "acl {"} acl", journal=ACL # " in " # full}\n'
        "@inproceedings{b, title={Of its use}, crossref={p}}\n@article{c, title={Of its end}, journal = full}\n"
    )
    found = indexed(source, "theirs.bib", tmp_path)
    own = '@string{ACL = "Acts of Chemistry"}\n@misc{mine, title={Mine}, journal=acl}\n'
    path = tmp_path / "mine.bib"
    path.write_text(own)
    BibtexFile(path).add(found)
    text = path.read_text()
    path.write_text(text + "@misc{later, title={Later}, journal=acl}\n")
    assert text.startswith(own)
    assert (text.count("@string"), text.count("@string{full")) == (2, 1)
    assert 'title={On acl, an abbreviation}, acl = {acl}, note = "acl {"} acl", ' in text
    venues = {paper.id: paper.venue for paper in read_papers([str(path)])}
    assert venues["a"] == "Meeting in Meeting of the ACL"
    chemistry = dict.fromkeys(("mine", "later"), "Acts of Chemistry")
    assert venues == {**{paper.id: paper.venue for paper in found}, **chemistry}


def test_entries_of_two_files_under_one_key_get_two_keys(tmp_path: Path) -> None:
    (paper,) = indexed("@article{k, title={One of them}}", "a.bib", tmp_path)
    other = replace(
        paper, id="other", title="Another", original=replace(paper.original, text="@article{K, title={Another}}")
    )
    assert list(entries(exported("bibtex", paper, other))) == ["k", "K-2"]


def test_ris_records_and_csl_items_come_back(tmp_path: Path) -> None:
    assert exported("ris", *indexed(RIS, "a.ris", tmp_path)) == RIS
    assert json.loads(exported("csl-json", *indexed(json.dumps(CSL), "a.json", tmp_path))) == CSL


def test_what_an_item_leaves_empty_is_left_out(tmp_path: Path) -> None:
    """Pandoc refuses a file with a null in a list, or an empty list."""
    blank = {"DOI": "", "ISBN": None, "editor": [], "issued": {"date-parts": [[None]]}, "volume": 0}
    (item,) = json.loads(exported("csl-json", *indexed(json.dumps([CSL[0] | blank]), "a.json", tmp_path)))
    assert item == {name: value for name, value in CSL[0].items() if name != "issued"} | {"volume": 0}
    issued = {"date-parts": [[2001, None, 3], [None, 2]], "season": None}
    people = {"author": [{"family": "Doe", "given": None}, None, {"family": ""}], "editor": [{"family": None}]}
    within = {"issued": issued, "keyword": [None], **people}
    (item,) = json.loads(exported("csl-json", *indexed(json.dumps([CSL[0] | within]), "b.json", tmp_path)))
    assert item == CSL[0] | {"issued": {"date-parts": [[2001]]}, "author": [{"family": "Doe"}]}


@pytest.mark.parametrize("paper_id", ["10.1000/xyz", "doi:10.1000/XYZ", "https://doi.org/10.1000/xyz"])
def test_an_id_that_is_a_doi_is_one(paper_id: str) -> None:
    assert "doi = {10.1000/xyz}" in exported("bibtex", Paper(paper_id, "T"))


def test_authors_that_go_on_are_and_others() -> None:
    assert "author = {Ada Lovelace and others}" in exported(
        "bibtex", Paper("p", "T", authors=("Ada Lovelace", "et al."))
    )


@pytest.mark.parametrize(
    ("title", "value"),
    [
        (r"Bounds of $O(n^2)$ for $\alpha$", r"Bounds of {$O(n^2)$} for {$\alpha$}"),
        ("From $5 to $10", r"From \$5 to \$10"),
        (r"$\input{/etc/passwd}$", r"\$\textbackslash{}input$\lbrace$/etc/passwd$\rbrace$\$"),
        (r"$x^a^b$", r"\$x\textasciicircum{}a\textasciicircum{}b\$"),
        ("α-helices", r"{\ensuremath{\alpha}}-helices"),
        ("The root √s", r"The root {\ensuremath{\surd}}s"),
        ("Norms ‖u‖", r"Norms {\ensuremath{\Vert}}u{\ensuremath{\Vert}}"),
        ("Straße über Łódź", "Straße über Łódź"),
        ("Η πόλη και η ΠΟΛΙΤΕΙΑ", "Η πόλη και η {ΠΟΛΙΤΕΙΑ}"),
        ("From ηππ to ψ", r"From {\ensuremath{\eta}}{\ensuremath{\pi}}{\ensuremath{\pi}} to {\ensuremath{\psi}}"),
    ],
)
def test_mathematics_of_titles_survives(title: str, value: str) -> None:
    assert f"  title = {{{value}}},\n" in exported("bibtex", Paper("p", title))


@pytest.mark.parametrize("commands", [r"\alpha" * 24, r"\mathrm{SU}(2)\times" * 10 + " "])
def test_dollars_that_hold_no_mathematics_take_no_time(commands: str) -> None:
    with that_ends():
        assert r"Decays of \$" in exported("bibtex", Paper("p", f"Decays of ${commands}$5"))


@pytest.mark.parametrize(("name", "content", "field"), [("bibtex", BIB, "note"), ("ris", RIS, "notes")])
def test_an_entry_of_a_retracted_paper_says_so_once(tmp_path: Path, name: str, content: str, field: str) -> None:
    papers = [replace(paper, retracted=True) for paper in indexed(content, f"refs.{name[:3]}", tmp_path)]
    once = exported(name, *papers)
    found = [entry.fields_dict for entry in parse_string(once).entries] if name == "bibtex" else rispy.loads(once)
    assert found
    for entry in found:
        said = entry[field].value if name == "bibtex" else entry[field][-1]
        assert said == "Retracted"
    again = [replace(paper, retracted=True) for paper in indexed(once, f"again.{name[:3]}", tmp_path)]
    assert exported(name, *again) == once


COWAN = Paper("W1", "Magical number four in short-term memory", year=2001, authors=("Nelson Cowan",))
OWN = "@article{cowan2001magical, title={The magical mystery of attention}, author={Cowan, Nelson}, year=2001}"


def test_an_entry_keeps_its_key_though_one_made_for_a_paper_before_it_would_be_the_same(tmp_path: Path) -> None:
    (own,) = indexed(OWN, "own.bib", tmp_path)
    assert entries(exported("bibtex", COWAN, own))["cowan2001magical"] == OWN
    keys = ["cowan2001magical-2", "cowan2001magical"]
    assert re.findall("ID  - (.*)\r\n", exported("ris", COWAN, own)) == keys
    assert [item["id"] for item in json.loads(exported("csl-json", COWAN, own))] == keys
    file = tmp_path / "refs.bib"
    assert BibtexFile(file).add([COWAN, own]) == 2
    assert entries(file.read_text())["cowan2001magical"] == OWN


def test_comments_between_fields_as_biber_has_them_cost_no_field_and_stay(tmp_path: Path) -> None:
    entry = """@article{roe, % of Ann's
  title = {The 5 % of {"}lakes}, % Doe, 2001: odd
  % journal = {Old Journal},
  journal = "Acta % 3",
  volume = 7 % perhaps
  , year = 2001 % printed
}"""
    (paper,) = indexed(f"% my library\n{entry}\n", "a.bib", tmp_path)
    assert (paper.title, paper.venue, paper.year) == ('The 5 % of "lakes', "Acta % 3", 2001)
    assert exported("bibtex", paper).strip() == entry
    assert "VL  - 7" in exported("ris", paper)
