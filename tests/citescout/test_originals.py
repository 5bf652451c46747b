"""An entry that a user brought comes back as it was: .bib, .ris and CSL-JSON → index → export."""

import json
import os
import re
import sqlite3
import stat
from dataclasses import replace
from pathlib import Path

import pytest
import rispy

from citescout.recommendation import Recommendation
from common.errors import SourceError
from exports import written
from exports.appending import BibtexFile
from indexer.catalog import Catalog
from indexer.catalog_writing import add_to_catalog, build_catalog
from indexer.imprint import Imprint
from indexer.merging import MergeReport, merge_duplicates
from indexer.paper import Paper
from indexer.readers import read_papers
from retrieval.query import Query

BIB = r"""% my library
@preamble{"\newcommand{\noopsort}[1]{}"}
@string{jmlr = "J. Mach. Learn. Res."}
@String { jmlrx = jmlr # " (Extra)" }

@Article{Müller:2020a,
	author   = "M{\"u}ller, J{\"o}rg and de la Cruz, Ana and others",
	title    = {{BERT} for $O(n^2)$: an {\"U}bersicht \& more},
	journal  = jmlrx,
	volume   = 12, number = {3}, pages = {1--20},
	month    = jan,
	keywords = {a, b},
	annote   = {my own note, 100\% mine},
}
@inproceedings{child, crossref = {Proc20}, title = "The Child", author = {Doe, Jane}, pages="3-4"}
@misc(paren, title = {In parentheses}, howpublished = {\url{https://example.org/a%20b}}, year = 2001)
@proceedings{Proc20,
  title = {Proceedings of Things}, booktitle = {Proc. of Things}, year = 2020, editor = {Ed, An},
}
"""
RIS = (
    "TY  - CHAP\r\nTI  - A chapter of many words\r\nAU  - Doe, Jane\r\nT2  - A book\r\nED  - Ed, An\r\nPY  - 1999\r\n"
    "VL  - 7\r\nIS  - 2\r\nSP  - 10\r\nEP  - 20\r\nPB  - Printer\r\nN1  - my note\r\n over two lines\r\nID  - doe99\r\n"
    "ER  - \r\n\r\n"
)
CSL = [
    {
        "id": "zot1",
        "type": "report",
        "title": "A report on <i>things</i>",
        "author": [{"family": "Doe", "given": "Jane"}],
        "publisher": "Institute",
        "page": "1-9",
        "volume": 4,
        "issued": {"date-parts": [[2011, 5]]},
        "custom": {"x": [1, 2.5, None]},
    }
]


def indexed(text: str, name: str, folder: Path) -> list[Paper]:
    """The papers of a file as an index holds them."""
    file = folder / name
    file.write_bytes(text.encode())
    path = folder / f"{name}.sqlite"
    build_catalog(read_papers([str(file)]), path)
    catalog = Catalog(path)
    papers = catalog.papers(range(catalog.size))
    catalog.close()
    return papers


def exported(name: str, *papers: Paper) -> str:
    return written(name, [(Query("q"), [Recommendation(n, 1 / n, paper) for n, paper in enumerate(papers, 1)])])


def entries(text: str) -> dict[str, str]:
    """The blocks of a .bib file by key, byte for byte: each ends where its first brace or parenthesis is closed."""
    found = {}
    for start in re.finditer(r"^@(?!string|preamble)\w+\s*([{(])\s*([^,\s]+)", text, re.I | re.M):
        opening, closing = start[1], {"{": "}", "(": ")"}[start[1]]
        depth = place = 0
        for place in range(start.start(1), len(text)):
            depth += (text[place] == opening) - (text[place] == closing)
            if depth == 0:
                break
        found[start[2]] = text[start.start() : place + 1]
    return found


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
    assert (tmp_path / "all.bib").read_text().count("@string") == 4


def test_entries_of_two_files_under_one_key_get_two_keys(tmp_path: Path) -> None:
    (paper,) = indexed("@article{k, title={One of them}}", "a.bib", tmp_path)
    other = replace(
        paper, id="other", title="Another", original=replace(paper.original, text="@article{K, title={Another}}")
    )
    assert list(entries(exported("bibtex", paper, other))) == ["k", "K-2"]


def test_ris_records_and_csl_items_come_back(tmp_path: Path) -> None:
    assert exported("ris", *indexed(RIS, "a.ris", tmp_path)) == RIS
    assert json.loads(exported("csl-json", *indexed(json.dumps(CSL), "a.json", tmp_path))) == CSL


def test_items_of_crossref_are_items_of_csl(tmp_path: Path) -> None:
    work = {
        "DOI": "10.1000/a",
        "type": "journal-article",
        "title": ["On <i>Rana</i> &amp;amp; <scp>DNA</scp>"],
        "container-title": ["Acta &amp; Opera"],
        "abstract": "<jats:p>Below <jats:italic>p</jats:italic> &lt; 5</jats:p>",
        "author": [{"given": "Ann", "family": "Roe", "sequence": "first", "affiliation": []}],
        "issued": {"date-parts": [[2020, 9, 16]]},
        "updated-by": [{"DOI": "10.1000/r", "type": "retraction"}],
    }
    bare = {"DOI": "10.1000/b", "type": "book", "title": ["Undated"], "container-title": [], "author": []}
    works = [work, bare | {"issued": {"date-parts": [[None]]}}]
    answer = {"status": "ok", "message-type": "work-list", "message": {"items": works}}
    found = indexed(json.dumps(answer), "a.json", tmp_path)
    assert json.loads(exported("csl-json", *found)) == [
        {
            "id": "10.1000/a",
            "type": "article-journal",
            "title": "On <i>Rana</i> & DNA",
            "container-title": "Acta & Opera",
            "abstract": "Below p < 5",
            "author": [{"family": "Roe", "given": "Ann"}],
            "issued": {"date-parts": [[2020, 9, 16]]},
            "DOI": "10.1000/a",
            "note": "Retracted",
        },
        {"id": "10.1000/b", "type": "book", "title": "Undated", "DOI": "10.1000/b"},
    ]


@pytest.mark.parametrize(
    ("type", "csl", "bibtex", "ris"),
    [
        ("journal-article", "article-journal", "@article{", "JOUR"),
        ("posted-content", "article", "@misc{", "GEN"),
        ("monograph", "book", "@book{", "BOOK"),
        ("edited-book", "book", "@book{", "BOOK"),
        ("reference-book", "book", "@book{", "BOOK"),
        ("proceedings", "book", "@book{", "BOOK"),
        ("dissertation", "thesis", "@phdthesis{", "THES"),
        ("reference-entry", "entry", "@incollection{", "CHAP"),
        ("book-part", "chapter", "@incollection{", "CHAP"),
        ("report-component", "report", "@techreport{", "RPRT"),
        ("report", "report", "@techreport{", "RPRT"),
        ("standard", "standard", "@misc{", "STAND"),
        ("peer-review", "document", "@misc{", "GEN"),
        ("dataset", "dataset", "@misc{", "DATA"),
    ],
)
def test_types_of_crossref_are_kinds_of_every_format(
    tmp_path: Path, type: str, csl: str, bibtex: str, ris: str
) -> None:
    work = {"DOI": "10.1000/a", "type": type, "author": [{"family": "Roe"}], "publisher": "Printer", "title": "A"}
    found = indexed(json.dumps([work | {"title": ["A"]}]), "a.json", tmp_path)
    assert json.loads(exported("csl-json", *found))[0]["type"] == csl
    assert exported("bibtex", *found).startswith(bibtex)
    assert exported("ris", *found).startswith(f"TY  - {ris}\r\n")
    (of_resolver,) = indexed(json.dumps([work]), "b.json", tmp_path)
    assert json.loads(exported("csl-json", of_resolver)) == [work | {"id": "roe", "type": csl}]


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


WEB_OF_SCIENCE = """FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Hirsch, JE
TI An index to quantify an individual's scientific research output
SO PROCEEDINGS OF THE NATIONAL ACADEMY OF SCIENCES
DT Article
PY 2005
VL 102
IS 46
BP 16569
EP 16572
PU NATL ACAD SCIENCES
UT WOS:1
ER

PT B
AU Small, H
TI A chapter on maps
SO Handbook of Maps
DT Article; Book Chapter
PY 2001
BP 3
EP 9
PU Printer & Sons
UT WOS:2
ER

EF
"""


def test_what_a_database_tells_is_written_in_every_format(tmp_path: Path) -> None:
    article, chapter = indexed(WEB_OF_SCIENCE, "savedrecs.txt", tmp_path)
    text = exported("bibtex", article, chapter)
    fields = {
        "@article": {"volume": "102", "number": "46", "pages": "16569--16572"},
        "@incollection": {"booktitle": "Handbook of Maps", "publisher": r"Printer \& Sons", "pages": "3--9"},
    }
    for entry, (kind, known) in zip(text.split("\n\n"), fields.items(), strict=True):
        assert entry.startswith(f"{kind}{{")
        assert all(f"  {name} = {{{value}}},\n" in entry for name, value in known.items())
    first, second = rispy.loads(exported("ris", article, chapter))
    assert (first["volume"], first["number"], first["start_page"], first["end_page"]) == ("102", "46", "16569", "16572")
    assert (second["type_of_reference"], second["publisher"]) == ("CHAP", "Printer & Sons")
    items = json.loads(exported("csl-json", article, chapter))
    assert [(item["type"], item["page"]) for item in items] == [("article-journal", "16569-16572"), ("chapter", "3-9")]


def test_of_joined_records_the_one_that_tells_most_of_the_volume_is_written() -> None:
    imprints = (Imprint("article"), Imprint("article-journal", "7", "2"), None)
    papers = (Paper(f"p{n}", "A paper", doi="10.1000/a", imprint=one) for n, one in enumerate(imprints))
    (whole,) = merge_duplicates(papers, MergeReport())
    assert "  volume = {7},\n" in exported("bibtex", whole)


def test_what_a_record_tells_is_written_in_every_format(tmp_path: Path) -> None:
    (chapter,) = indexed(RIS, "a.ris", tmp_path)
    text = exported("bibtex", chapter)
    assert text.startswith("@incollection{doe1999chapter,")
    for line in (
        "booktitle = {A book}",
        "editor = {Ed, An}",
        "publisher = {Printer}",
        "volume = {7}",
        "number = {2}",
        "pages = {10--20}",
    ):
        assert f"  {line},\n" in text
    (item,) = json.loads(exported("csl-json", chapter))
    assert (item["type"], item["page"], item["editor"]) == ("chapter", "10-20", [{"family": "Ed", "given": "An"}])
    (report,) = indexed(json.dumps(CSL), "a.json", tmp_path)
    (record,) = rispy.loads(exported("ris", report))
    assert (record["type_of_reference"], record["publisher"], record["volume"]) == ("RPRT", "Institute", "4")
    article = next(paper for paper in indexed(BIB, "my.bib", tmp_path) if paper.id.startswith("M"))
    (record,) = rispy.loads(exported("ris", article))
    assert (record["volume"], record["number"], record["start_page"], record["end_page"]) == ("12", "3", "1", "20")


def test_editors_are_the_people_that_an_entry_names(tmp_path: Path) -> None:
    editors = "family=Vaart, given=Aad, prefix=van der and {World and Health} and others"
    (book,) = indexed(f"@book{{b, title={{A book}}, editor={{{editors}}}}}", "my.bib", tmp_path)
    (item,) = json.loads(exported("csl-json", book))
    vaart = {"family": "Vaart", "given": "Aad", "non-dropping-particle": "van der"}
    assert item["editor"] == [vaart, {"literal": "World and Health"}]


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
        ("Straße über Łódź", "Straße über Łódź"),
        ("Η πόλη και η ΠΟΛΙΤΕΙΑ", "Η πόλη και η {ΠΟΛΙΤΕΙΑ}"),
        ("From ηππ to ψ", r"From {\ensuremath{\eta}}{\ensuremath{\pi}}{\ensuremath{\pi}} to {\ensuremath{\psi}}"),
    ],
)
def test_mathematics_of_titles_survives(title: str, value: str) -> None:
    assert f"  title = {{{value}}},\n" in exported("bibtex", Paper("p", title))


def test_a_catalog_from_before_entries_were_kept_is_read_and_added_to(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    build_catalog([Paper("a", "An old paper")], path)
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE papers DROP COLUMN original")
        connection.execute("ALTER TABLE papers DROP COLUMN retracted")
    catalog = Catalog(path)
    assert catalog.papers([0]) == [Paper("a", "An old paper")]
    catalog.close()
    file = tmp_path / "new.bib"
    file.write_text("@article{b, title={A new paper}}")
    add_to_catalog(read_papers([str(file)]), path, 1)
    old, new = Catalog(path).papers([0, 1])
    assert (old.original, new.original.text) == (None, "@article{b, title={A new paper}}")


NEW = Paper("x", "Dense passage retrieval for questions", year=2020, authors=("Ann Writer",), doi="10.1000/dense")


def test_a_file_gets_what_it_lacks_and_nothing_else_of_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "refs.bib"
    file.write_bytes(BIB.rstrip("\n").encode())
    file.chmod(0o600)
    same = Paper("y", "The child", year=2020, authors=("Jane Doe",))
    assert BibtexFile(file).add([NEW, same, replace(NEW, id="again")]) == 1
    assert file.read_bytes().startswith(BIB.rstrip("\n").encode() + b"\n\n@misc{writer2020dense,\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    before = file.read_bytes()
    assert BibtexFile(file).add([NEW, same]) == 0
    assert file.read_bytes() == before


def test_keys_of_the_file_are_not_given_again_and_its_line_ends_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "refs.bib"
    file.write_bytes(b"@article{Writer2020Dense, title={Something else}}\r\n")
    assert BibtexFile(file).add([NEW]) == 1
    added = file.read_bytes().split(b"else}}\r\n")[1]
    assert added.startswith(b"\r\n@misc{writer2020dense-2,\r\n")
    assert b"\n" not in added.replace(b"\r\n", b"")


def test_a_file_that_is_not_there_is_made_and_a_link_is_followed(tmp_path: Path) -> None:
    assert BibtexFile(tmp_path / "new.bib").add([NEW]) == 1
    link = tmp_path / "link.bib"
    link.symlink_to(tmp_path / "new.bib")
    assert BibtexFile(link).add([replace(NEW, doi="10.1000/y", title="Sparse passage retrieval for questions")]) == 1
    assert link.is_symlink()
    assert len(entries((tmp_path / "new.bib").read_text())) == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"@article{a, title={\xff}}", "not in UTF-8"),
        (RIS.encode(), "in the format ris"),
        (b"Just text.", "neither empty nor BibTeX"),
    ],
)
def test_a_file_that_cannot_be_added_to_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "refs.bib"
    file.write_bytes(content)
    with pytest.raises(SourceError, match=message):
        BibtexFile(file)
    assert file.read_bytes() == content


def test_a_file_that_is_read_only_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "refs.bib"
    file.write_bytes(b"@article{a, title={First}}\n")
    file.chmod(0o444)
    with pytest.raises(SourceError, match="read-only"):
        BibtexFile(file)
    assert file.read_bytes() == b"@article{a, title={First}}\n"


def test_a_file_that_changes_meanwhile_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "refs.bib"
    file.write_bytes(b"@article{a, title={First}}\n")
    found, other = BibtexFile(file), BibtexFile(file)
    assert other.add([NEW]) == 1
    once = file.read_bytes()
    more = replace(NEW, id="y", doi="10.1000/y", title="Sparse passage retrieval for questions")
    assert found.add([NEW, more]) == 1
    assert file.read_bytes().startswith(once)
    assert list(entries(file.read_text())) == ["a", "writer2020dense", "writer2020sparse"]
    assert os.listdir(tmp_path) == ["refs.bib"]  # noqa: PTH208


def test_editors_that_stand_for_authors_are_editors_alone(tmp_path: Path) -> None:
    (book,) = indexed("@book{b, title={A}, editor={van der Berg, Ann}}", "my.bib", tmp_path)
    (again,) = indexed(exported("csl-json", book), "again.json", tmp_path)
    (record,) = indexed(exported("ris", again), "again.ris", tmp_path)
    assert book.authors == again.authors == record.authors == ("Ann van der Berg",)
    assert "  editor = {van der Berg, Ann},\n" in exported("bibtex", record)
    assert not any("author" in exported(name, record) for name in ("bibtex", "csl-json"))


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
