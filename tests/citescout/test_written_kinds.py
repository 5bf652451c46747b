"""What records of databases, RIS and CSL-JSON tell of a work is written in every format."""

import json
from pathlib import Path

import pytest
import rispy
from entries_of_users import BIB, CSL, RIS, exported, indexed, indexed_again

from indexer.merging import MergeReport, merge_duplicates
from indexer.paper import Imprint, Paper


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


@pytest.mark.parametrize(
    ("csl", "ris", "biblatex", "endnote", "zotero"),
    [
        ("legal_case", "CASE", "jurisdiction", "Case", "case"),
        ("legislation", "STAT", "legislation", "Statute", "statute"),
        ("bill", "BILL", "", "Bill", "bill"),
        ("hearing", "HEAR", "", "Hearing", "hearing"),
        ("regulation", "LEGAL", "", "Legal Rule or Regulation", ""),
        ("motion_picture", "MPCT", "movie", "Film or Broadcast", "film"),
        ("song", "SOUND", "audio", "", "audioRecording"),
        ("graphic", "ART", "artwork", "Artwork", "artwork"),
        ("map", "MAP", "", "Map", "map"),
        ("personal_communication", "PCOMM", "letter", "Personal Communication", "letter"),
        ("speech", "SLIDE", "", "", "presentation"),
        ("standard", "STAND", "standard", "Standard", "standard"),
    ],
)
def test_kinds_of_which_there_are_few_are_what_they_are(
    tmp_path: Path, csl: str, ris: str, biblatex: str, endnote: str, zotero: str
) -> None:
    files = {
        "a.json": json.dumps([{"id": "a", "type": csl, "title": "A title", "issued": {"date-parts": [[2001]]}}]),
        "a.ris": f"TY  - {ris}\nTI  - A title\nPY  - 2001\nER  - \n",
        "a.bib": biblatex and f"@{biblatex}{{a, title = {{A title}}, date = {{2001}}}}",
        "a.enw": endnote and f"%0 {endnote}\n%T A title\n%D 2001\n",
        "b.json": zotero and json.dumps({"items": [{"itemType": zotero, "key": "A1", "title": "A title"}]}),
        "a.csv": zotero and f"Key,Item Type,Author,Title,Abstract Note\nA1,{zotero},,A title,\n",
    }
    for name, text in files.items():
        for paper in indexed(text, name, tmp_path) if text else ():
            assert json.loads(exported("csl-json", paper))[0]["type"] == csl, name
            assert exported("ris", paper).startswith(f"TY  - {ris}\r\n"), name


def test_a_document_of_a_government_is_a_report(tmp_path: Path) -> None:
    (paper,) = indexed("TY  - GOVDOC\nTI  - Water\nT2  - Journal of Acts\nPB  - Office\nER  - \n", "a.ris", tmp_path)
    assert exported("bibtex", paper).startswith("@techreport{")
    assert json.loads(exported("csl-json", paper))[0]["type"] == "report"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.bib", "@misc{a, title = {Decisions}, publisher = {Journal \\& Data  Review}, year = {2019}}"),
        ("a.ris", "TY  - GEN\nTI  - Decisions\nPB  - Journal & Data Review\nER  - \n"),
        ("a.json", '[{"title": "Decisions", "author": [], "type": "", "publisher": "Journal & Data Review", "id": 1}]'),
    ],
)
def test_what_names_a_publisher_alone_is_no_article_of_a_journal(tmp_path: Path, name: str, text: str) -> None:
    (paper,) = indexed(text, name, tmp_path)
    assert exported("ris", paper).startswith("TY  - GEN\r\n")
    assert "PB  - Journal & Data Review\r\n" in exported("ris", paper)


def test_a_case_has_its_court_and_where_it_was_reported(tmp_path: Path) -> None:
    item = {
        "itemType": "case",
        "citationKey": "roe",
        "caseName": "Roe v. Wade",
        "court": "Supreme Court",
        "reporter": "U.S.",
        "reporterVolume": "410",
        "firstPage": "113",
        "dateDecided": "1973-01-22",
    }
    row = "Key,Item Type,Author,Title,Abstract Note,Court,Reporter,Volume,Pages,Publication Year\n"
    row += "roe,case,,Roe v. Wade,,Supreme Court,U.S.,410,113,1973\n"
    for name, text in (("a.json", json.dumps({"items": [item]})), ("a.csv", row)):
        (case,) = indexed(text, name, tmp_path)
        (found,) = json.loads(exported("csl-json", case))
        assert (found["type"], found["authority"]) == ("legal_case", "Supreme Court")
        assert (found["container-title"], found["volume"], found["page"]) == ("U.S.", "410", "113")
        text = exported("bibtex", case)
        for line in ("journal = {U.S.}", "institution = {Supreme Court}", "volume = {410}", "pages = {113}"):
            assert f"  {line},\n" in text
        (record,) = rispy.loads(exported("ris", case))
        assert (record["secondary_title"], record["publisher"], record["volume"]) == ("U.S.", "Supreme Court", "410")
    (unreported,) = indexed("%0 Case\n%T Roe v. Wade\n%I Supreme Court\n", "a.enw", tmp_path)
    assert "journal" not in exported("bibtex", unreported)


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


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.nbib",
            "PMID- 1\nTI  - No effect of aspirin\nPT  - Letter\nPT  - Comment\nJT  - Lancet\nVI  - 9\nDP  - 2018\n",
        ),
        ("b.nbib", "PMID- 1\nTI  - A talk on aspirin\nPT  - Interview\nJT  - Lancet\nVI  - 9\nDP  - 2018\n"),
        (
            "a.csv",
            "Authors,Title,Year,Source title,Volume,Art. No.,Document Type,EID\n"
            "Doe J.,No effect of aspirin,2018,Lancet,9,,Letter,2-s2.0-1\n",
        ),
    ],
)
def test_a_letter_to_a_journal_is_an_article_of_it(tmp_path: Path, name: str, text: str) -> None:
    (paper,) = indexed(text, name, tmp_path)
    entry = exported("bibtex", paper)
    assert entry.startswith("@article{")
    assert all(f"  {field} = {{{value}}},\n" in entry for field, value in (("journal", "Lancet"), ("volume", "9")))
    assert rispy.loads(exported("ris", paper))[0]["type_of_reference"] == "JOUR"
    assert json.loads(exported("csl-json", paper))[0]["type"] == "article-journal"


def test_a_journal_that_is_called_as_its_publisher_stays(tmp_path: Path) -> None:
    entry = "@article{a, title={A paper}, journal={PeerJ}, publisher={PeerJ}, volume={6}}"
    (paper,) = indexed(entry, "a.bib", tmp_path)
    assert rispy.loads(exported("ris", paper))[0]["secondary_title"] == "PeerJ"
    assert json.loads(exported("csl-json", paper))[0]["container-title"] == "PeerJ"


def test_of_joined_records_the_one_that_tells_most_of_the_volume_is_written() -> None:
    imprints = (Imprint("article"), Imprint("article-journal", "7", "2"), None)
    papers = (Paper(f"p{n}", "A paper", doi="10.1000/a", imprint=one) for n, one in enumerate(imprints))
    (whole,) = merge_duplicates(papers, MergeReport())
    assert "  volume = {7},\n" in exported("bibtex", whole)


NBIB = """PMID- 1
TI  - A paper of several records.
FAU - Roe, Ann
JT  - Journal of Records
DP  - 2010 Jun
VI  - 66
IP  - 6
PG  - 1234-45
AID - 10.1000/several [doi]
"""
FULL_RIS = """TY  - JOUR
TI  - A paper of several records
AU  - Roe, Ann
T2  - Journal of Records
PY  - 2010
VL  - 66
IS  - 6
SP  - 1234
EP  - 45
N1  - a note on this record
DO  - 10.1000/several
ER  -
"""
FULL_CSL = {"id": "c", "type": "article-journal", "title": "A paper of several records", "DOI": "10.1000/several"}
FULL_CSL |= {"volume": "66", "issue": "6", "page": "1234-45", "note": "a note on this record"}


def merged(entry: str, text: str, name: str, folder: Path) -> Paper:
    """An entry of BibTeX, joined with the record of the same paper that a file of that name holds."""
    records = [*indexed(entry, "my.bib", folder), *indexed(text, name, folder)]
    (whole,) = indexed_again(merge_duplicates(records, MergeReport()), folder)
    return whole


@pytest.mark.parametrize(
    ("name", "text"), [("a.nbib", NBIB), ("a.ris", FULL_RIS), ("a.json", json.dumps([FULL_CSL | {"author": []}]))]
)
def test_what_merged_records_tell_beyond_an_entry_of_bibtex_is_written(tmp_path: Path, name: str, text: str) -> None:
    entry = "@article{my, title={A paper of several records}, author={Roe, A.}, year={2010}, doi={10.1000/several}}"
    whole = merged(entry, text, name, tmp_path)
    (item,) = json.loads(exported("csl-json", whole))
    assert (item["volume"], item["issue"], item["page"]) == ("66", "6", "1234-45")
    assert "note" not in item
    (record,) = rispy.loads(exported("ris", whole))
    assert (record["volume"], record["number"], record["start_page"]) == ("66", "6", "1234")
    assert exported("bibtex", whole) == f"{entry}\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.nbib", NBIB),
        ("a.ris", FULL_RIS),
        ("a.json", json.dumps([FULL_CSL | {"author": [{"family": "Roe"}], "issued": {"date-parts": [[2010]]}}])),
    ],
)
@pytest.mark.parametrize("place", ["volume={abs/0901.00001}", "volume={5}, number={2}, pages={9--11}", "pages={9}"])
def test_a_reference_has_the_volume_and_the_pages_of_one_publication(
    tmp_path: Path, name: str, text: str, place: str
) -> None:
    entry = f"@article{{my, title={{A paper of several records}}, author={{Roe, Ann}}, year={{2010}}, {place}}}"
    (item,) = json.loads(exported("csl-json", merged(entry, text, name, tmp_path)))
    assert (item["DOI"], item["volume"], item["issue"], item["page"]) == ("10.1000/several", "66", "6", "1234-45")


CONFERENCE_RIS = FULL_RIS.replace("TY  - JOUR", "TY  - CONF")


@pytest.mark.parametrize(
    ("name", "text", "type", "ris"),
    [
        ("a.ris", CONFERENCE_RIS, "paper-conference", "CONF"),
        ("a.json", json.dumps([FULL_CSL | {"type": "paper-conference", "author": []}]), "paper-conference", "CONF"),
        ("a.nbib", NBIB, "article-journal", "JOUR"),
    ],
)
def test_what_an_entry_of_bibtex_is_is_said_by_records_merged_with_it(
    tmp_path: Path, name: str, text: str, type: str, ris: str
) -> None:
    entry = "@misc{my, title={A paper of several records}, author={Roe, A.}, number={6}, doi={10.1000/several}}"
    whole = merged(entry, text, name, tmp_path)
    assert json.loads(exported("csl-json", whole))[0]["type"] == type
    (record,) = rispy.loads(exported("ris", whole))
    assert (record["type_of_reference"], record["number"]) == (ris, "6")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.ris", FULL_RIS.replace("DO  -", "KW  - bees\nDO  -")),
        ("a.nbib", f"{NBIB}PT  - Journal Article\nOT  - bees\n"),
    ],
)
def test_a_thesis_that_became_an_article_has_its_keywords_and_no_volume(tmp_path: Path, name: str, text: str) -> None:
    entry = "@phdthesis{my, title={A paper of several records}, author={Roe, A.}, school={A School}, year={2010}}"
    whole = merged(entry, text, name, tmp_path)
    (item,) = json.loads(exported("csl-json", whole))
    assert (item["type"], item["publisher"], item["keyword"]) == ("thesis", "A School", "bees")
    assert not item.keys() & {"volume", "issue", "page", "ISSN"}


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


@pytest.mark.parametrize(("entry", "tag"), [("book", "A3"), ("incollection", "A2"), ("inproceedings", "A2")])
def test_editors_have_the_tags_of_the_specification_which_other_programs_read(
    tmp_path: Path, entry: str, tag: str
) -> None:
    book = "title={A}, author={Li, Na}, booktitle={B}, year={2001}, editor={Muster, Max}"
    (paper,) = indexed(f"@{entry}{{b, {book}}}", "my.bib", tmp_path)
    assert f"\r\n{tag}  - Muster, Max\r\n" in exported("ris", paper)


def test_of_an_edited_book_the_editor_is_not_that_of_its_series(tmp_path: Path) -> None:
    record = "TY  - BOOK\nTI  - A\nA2  - Of Series, Sue\nA3  - Muster, Max\nPY  - 2001\nER  - \n"
    (book,) = indexed(record, "my.ris", tmp_path)
    assert book.authors == ("Max Muster",)


def test_editors_that_stand_for_authors_are_editors_alone(tmp_path: Path) -> None:
    (book,) = indexed("@book{b, title={A}, editor={van der Berg, Ann}}", "my.bib", tmp_path)
    (again,) = indexed(exported("csl-json", book), "again.json", tmp_path)
    (record,) = indexed(exported("ris", again), "again.ris", tmp_path)
    assert book.authors == again.authors == record.authors == ("Ann van der Berg",)
    assert "  editor = {van der Berg, Ann},\n" in exported("bibtex", record)
    assert not any("author" in exported(name, record) for name in ("bibtex", "csl-json"))
