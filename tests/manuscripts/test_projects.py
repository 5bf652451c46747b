"""Ten projects of the shapes that people have, against what was counted by hand."""

import re
import unicodedata
from base64 import b64encode
from pathlib import Path

import pytest
from archives import zipped
from projects import OVERLEAF_FILES, PROJECTS, Project, bib, write_files
from word_files import ENDNOTE_XML, ZOTERO, endnote_field, field, mark, packed_document, paragraph, run, style

from manuscripts import read_manuscript
from manuscripts.bibliographies import with_entries, without_note_on
from manuscripts.limits import MAX_BYTES
from manuscripts.manuscript import BibtexSource
from manuscripts.packing import packed_files
from manuscripts.reading import read

# Those with a given and a family name.
AUTHORS = {
    "acl": ("First Author", "Second Author"),
    "ieee": ("Ada L.",),
    "elsevier": ("José Álvarez",),
    "lncs": ("Anna Ä. Bauer",),
    "thesis": ("A. Candidate",),
    "quarto": ("Ada L.",),
}


@pytest.mark.long
@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_a_project_is_read_right(project: Project, tmp_path: Path) -> None:
    found = read_manuscript(
        project.write(tmp_path) if not project.main.endswith(".zip") else project.write(tmp_path) / project.main
    )
    assert found.title == project.title
    assert found.abstract == project.abstract
    assert found.keys == project.keys
    assert len(list(found.marks())) == project.marks
    assert found.unread == project.unread
    assert found.authors == AUTHORS.get(project.name, ())
    missing = {line.rpartition(" ")[2] for line in found.unread if line.startswith("no entry")}
    assert {entry.key for entry in found.cited} == set(project.keys) - missing
    sentences = {
        sentence.text: tuple(key for mark in sentence.marks for key in mark.keys) for sentence in found.sentences()
    }
    assert {text: sentences.get(text) for text in project.text} == project.text


@pytest.mark.long
@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_a_folder_and_its_main_file_are_read_alike(project: Project, tmp_path: Path) -> None:
    folder = project.write(tmp_path)
    of_file = read_manuscript(folder / project.main)
    if not project.main.endswith(".zip"):
        assert of_file == read_manuscript(folder)
    assert of_file.keys == project.keys


def test_a_zip_archive_is_read_as_the_folder_that_it_holds(tmp_path: Path) -> None:
    write_files(OVERLEAF_FILES, tmp_path)
    assert read_manuscript(tmp_path) == read_manuscript(str(tmp_path)) == read_manuscript(zipped(OVERLEAF_FILES))
    assert read_manuscript(zipped({f"project/{path}": content for path, content in OVERLEAF_FILES.items()})).keys


@pytest.mark.parametrize("kept_as", ["folder", "archive", "archive that does not say its encoding"])
def test_files_with_names_as_macos_writes_them_are_found(tmp_path: Path, kept_as: str) -> None:
    main = r"\documentclass{article}\title{T}\begin{document}\input{übung}\bibliography{bücher}"
    files = {"entwürfe.tex": main, "übung.tex": r"As \cite{a} says.", "bücher.bib": bib("a")}
    files = {unicodedata.normalize("NFD", path): content for path, content in files.items()}
    for path, content in files.items():
        (tmp_path / path).write_text(content, "utf-8")
    archive = zipped(files)
    if kept_as != "archive":
        for signature, place in ((b"PK\3\4", 7), (b"PK\1\2", 9)):  # of the headers of members, and their flags
            archive = re.sub(
                re.escape(signature) + b"." * (place - 4) + b"\x08",
                lambda header: header[0][:-1] + b"\0",
                archive,
                flags=re.DOTALL,
            )
    found = read_manuscript(tmp_path if kept_as == "folder" else archive)
    assert ([entry.key for entry in found.cited], found.unread) == (["a"], ())


@pytest.mark.parametrize("forms", [("NFC", "NFD"), ("NFD", "NFC"), ("NFD", "NFD")])
def test_a_key_is_one_in_either_normal_form(forms: tuple[str, str]) -> None:
    main = r"\title{T}\begin{abstract}A.\end{abstract}\cite{Müller2019}\bibliography{refs}"
    files = {"main.tex": main, "refs.bib": bib("Müller2019")}
    texts = zip(files, forms, files.values(), strict=True)
    found = read_manuscript(zipped({path: unicodedata.normalize(form, text) for path, form, text in texts}))
    assert ([entry.key for entry in found.cited], found.unread) == (["M\u00fcller2019"], ())
    assert len(found.entries) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("main.tex", r"\title{T}\cite{a}\bibliography{../shared}"),
        ("main.md", "---\ntitle: T\nbibliography: ../shared.bib\n---\n"),
    ],
)
def test_a_bibliography_outside_of_the_folder_is_refused_with_what_helps(name: str, text: str) -> None:
    (first, *_) = read_manuscript(zipped({name: text})).unread
    assert first.startswith("not read: ")
    assert first.endswith("leads out of the manuscript's folder; copy it there")


def test_bibtex_files_come_along_those_of_the_most_entries_first(monkeypatch: pytest.MonkeyPatch) -> None:
    main = rb"\title{T}\begin{abstract}A.\end{abstract}\cite{a,b,c}\bibliography{one,two}"
    few, more = b"@misc{a, title={A}}\r\n% \xe9", b"@misc{b, title={B}}\n@misc{c, title={C}}"
    files = {
        "main.tex": main,
        "one.bib": few,
        "sub/two.bib": b"",
        "two.bib": more,
        "sample.bib": b"@misc{x, title={X}}",
    }
    found = read_manuscript(packed_files({f"paper/{name}": data for name, data in files.items()}))
    assert found.bibtex == (BibtexSource("two.bib", more), BibtexSource("one.bib", few))
    assert found.markup == "latex"
    monkeypatch.setattr("manuscripts.bibliographies.MAX_BIBTEX", len(more))
    bounded = read(packed_files(files))
    assert [one.path for one in bounded.bibtex] == ["two.bib"]
    assert "too large or too many to add entries to: one.bib" in bounded.unread


@pytest.mark.parametrize(
    ("name", "main", "files", "expected"),
    [
        ("main.tex", r"\cite{a}\bibliography{refs}", {"refs.bib": "@misc{a, title={A}}"}, ["refs.bib"]),
        ("main.tex", r"\cite{a}\bibliography{refs}", {"refs.bib": ""}, ["refs.bib"]),
        ("main.tex", r"\cite{a}\bibliography{refs}", {}, []),
        (
            "main.tex",
            r"\cite{a}\addbibresource{z.bib}\addbibresource{b.bib}",
            {"z.bib": "", "b.bib": ""},
            ["z.bib", "b.bib"],
        ),
        ("main.tex", r"\cite{a}", {}, ["example.bib"]),
        ("main.md", "---\ntitle: T\nbibliography: refs.bib\n---\n@a\n", {"refs.bib": "% mine\n"}, ["refs.bib"]),
        ("main.md", "---\ntitle: T\nbibliography: refs.json\n---\n@a\n", {"refs.json": "[]"}, []),
        ("main.md", "---\ntitle: T\nbibliography: refs.yaml\n---\n@a\n", {"refs.yaml": "references: []\n"}, []),
        ("main.typ", '= T\nWords @a.\n#bibliography("refs.bib")', {"refs.bib": ""}, ["refs.bib"]),
        ("main.typ", '= T\nWords @a.\n#bibliography("refs.yml")', {"refs.yml": "b: {title: B}\n"}, []),
    ],
)
def test_bibtex_that_the_manuscript_does_not_name_is_not_added_to(
    name: str, main: str, files: dict[str, str], expected: list[str]
) -> None:
    """An example of a template, or a copy with the same entries: where a file is named, no other one is read by it."""
    text = rf"\title{{T}}\begin{{abstract}}A.\end{{abstract}}{main}" if name == "main.tex" else main
    others = {"example.bib": "@misc{x, title={X}}\n@misc{a, title={A}}", **files}
    found = read_manuscript(zipped({name: text, **others}))
    assert [one.path for one in found.bibtex] == expected


def base64(data: bytes) -> str:
    return b64encode(data).decode()


LONG = ENDNOTE_XML.replace("Ends", "Ünds" + " and ends" * 20).encode()
CUT = LONG.index("Ü".encode()) + 1  # within a character
WHOLE, FIRST, LAST = base64(LONG + bytes(2)), base64(LONG[:CUT]), base64(LONG[CUT:] + bytes(1))
MADE = "<w:r><w:instrText>ADDIN EN.REFLIST</w:instrText></w:r>"
LIST_OF_ENDNOTE = (
    paragraph("berschrift1", run("References")),
    paragraph("", mark("begin"), MADE, mark("separate"), run("Doe, J. (2011). Ends and notes. 10.1000/printed")),
    paragraph("", run("Another of several words."), mark("end")),
)


@pytest.mark.parametrize(
    ("own", "nested"),
    [(WHOLE, [WHOLE]), (WHOLE, []), ("", [WHOLE]), (LAST, [FIRST, LAST]), (FIRST, [LAST])],
    ids=["both", "own", "nested", "in pieces", "goes on"],
)
def test_a_citation_of_endnote_is_read_from_the_data_of_its_fields_once(own: str, nested: list[str]) -> None:
    cited = paragraph("", run("Many say so "), endnote_field(own, nested, "(Doe 2011)"), run("."))
    found = read_manuscript(packed_document(paragraph("Titel", run("Data")) + cited + "".join(LIST_OF_ENDNOTE)))
    assert [sentence.with_marks() for sentence in found.sentences()] == ["Many say so [CITATION]."]
    assert [sentence.marks[0].keys for sentence in found.sentences()] == [("Doe2011#7",)]
    assert [(entry.readings[0].title[:8], entry.readings[0].doi) for entry in found.cited] == [
        ("Ünds and", "10.1000/end")
    ]
    assert found.unread == ()


BILLION = '<!DOCTYPE EndNote [<!ENTITY a "aaaa">]><EndNote><Cite><Author>&a;</Author></Cite></EndNote>'


@pytest.mark.parametrize(
    "data", ["", "no base64 é", "AAA", FIRST, base64(b"<EndNote><Cite></EndNote>"), base64(BILLION.encode())]
)
def test_damaged_data_of_endnote_is_noted_and_the_printed_list_is_read(data: str) -> None:
    cited = paragraph("", run("Many say so "), endnote_field(data, [data], "(Doe 2011)"), run("."))
    found = read_manuscript(packed_document(paragraph("Titel", run("Data")) + cited + "".join(LIST_OF_ENDNOTE)))
    assert found.unread == ("not read: 1 citation of EndNote, whose data is missing or damaged",)
    assert [(sentence.text, sentence.marks[0].keys) for sentence in found.sentences()] == [
        ("Many say so.", ("Doe 2011",))
    ]
    assert [entry.key for entry in found.entries] == ["Doe 2011", "2"]
    assert [entry.readings[0].doi for entry in found.entries] == ["10.1000/printed", ""]


def test_a_structured_abstract_of_word_holds_the_text_below_its_headings() -> None:
    body = (
        paragraph("Titel", run("Structured")),
        paragraph("berschrift1", run("Abstract")),
        paragraph("berschrift2", run("Background")),
        paragraph("", run("Networks are known.")),
        paragraph("berschrift2", run("Results")),
        paragraph("", run("They grow.")),
        paragraph("", run("Key words: growth")),
        paragraph("berschrift1", run("Methods")),
        paragraph("berschrift2", run("Data")),
        paragraph("", run("We count.")),
    )
    found = read_manuscript(packed_document("".join(body)))
    assert found.abstract == "Networks are known.\n\nThey grow."
    assert [section.heading for section in found.sections] == ["Abstract", "", "Methods", "Data"]


def test_styles_of_templates_stand_for_headings_and_titles_of_word() -> None:
    styles = (
        style("kind", "MDPI_1.1_article_type"),
        style("title", "MDPI_1.2_title"),
        style("summary", "Abstract"),
        style("head", "MDPI_2.1_heading1", level="0"),
        style("sub", "My section", based_on="head"),
        style("toc", "TOC Heading", based_on="head", level="9"),
        style("round", "Round", based_on="round"),
    )
    texts = "kind Article, title Ants, summary Abstract—First., summary Second., head Data, round One., toc Two., sub B"
    body = [paragraph(name, run(text)) for name, _, text in (one.partition(" ") for one in texts.split(", "))]
    found = read_manuscript(packed_document("".join((*body, paragraph("", run("Three.")))), styles="".join(styles)))
    assert (found.title, found.abstract) == ("Ants", "First.\n\nSecond.")
    below = [(part.heading, [text.text for text in part.paragraphs]) for part in found.sections[-2:]]
    assert below == [("Data", ["One.", "Two."]), ("B", ["Three."])]


def test_a_paragraph_whose_end_is_deleted_goes_on_in_the_next_one() -> None:
    style = '<w:pStyle w:val="berschrift1"/>'
    deleted = '<w:rPr><w:del w:id="1" w:author="A"/></w:rPr>'
    body = (
        paragraph("Titel", run("Tracked")),
        f"<w:p><w:pPr>{style}{deleted}</w:pPr>{run('Ants are ')}</w:p>",
        f"<w:p><w:pPr>{deleted}</w:pPr></w:p>",
        paragraph("", run("many.")),
        f"<w:p><w:pPr>{deleted}</w:pPr>{run('The last one.')}</w:p>",
    )
    found = read_manuscript(packed_document("".join(body)))
    assert [text.text for part in found.sections for text in part.paragraphs] == ["Ants are many.", "The last one."]


def test_hidden_text_of_word_is_not_read_and_hidden_codes_of_fields_are() -> None:
    hide = "<w:rPr><w:vanish/></w:rPr>"
    styled, shown = (
        '<w:rPr><w:rStyle w:val="mt"/></w:rPr>',
        '<w:rPr><w:rStyle w:val="mt"/><w:vanish w:val="0"/></w:rPr>',
    )

    def looking(look: str, text: str) -> str:
        return run(text).replace("<w:r>", f"<w:r>{look}")

    mt = style("mt", "MTEquationSection").replace("</w:style>", f"{hide}</w:style>")
    cited = field(ZOTERO, "(Smith, 2019)").replace("<w:r>", f"<w:r>{hide}")
    text = (
        run("Ants "),
        looking(hide, "TODO "),
        looking(styled, "Section 1"),
        looking(shown, "build"),
        cited,
        run("."),
    )
    body = (paragraph("title", run("Ants")), paragraph("", looking(hide, "Aside.")), paragraph("", *text))
    found = read_manuscript(packed_document("".join(body), styles=style("title", "Title") + mt))
    (sentence,) = found.sentences()
    assert (sentence.text, len(sentence.marks), len(found.cited)) == ("Ants build.", 1, 2)


HEADINGS = "References and Notes, Literaturverzeichnis, Literatur, Bibliographie, WORKS CITED, 7. Literature Cited"


@pytest.mark.long
@pytest.mark.parametrize("style", ["", "berschrift1"])
@pytest.mark.parametrize("heading", HEADINGS.split(", "))
def test_a_typed_list_of_word_goes_from_its_heading_to_the_next(heading: str, style: str) -> None:
    listed = (
        paragraph("Titel", run("Typed")),
        paragraph(style, run(heading)),
        paragraph("", run("Turing, A. On computable numbers. 1936.")),
        paragraph("", run("Shannon, C. A mathematical theory of communication. 1948.")),
    )
    for behind, of_style in (("Figure legends", ""), ("Thanks", "berschrift2"), ("Figure 1. Before.", "")):
        more = (paragraph(of_style, run(behind)), paragraph("", run("Figure 2. Things that grow.")))
        found = read_manuscript(packed_document("".join((*listed, *more))))
        assert [entry.source[:6] for entry in found.entries] == ["Turing", "Shanno"]
        assert "Figure 2. Things that grow." in [text.text for part in found.sections for text in part.paragraphs]


def test_a_bibliography_that_is_too_large_is_noted_once(tmp_path: Path) -> None:
    (tmp_path / "main.tex").write_text(
        r"\documentclass{article}\title{Bees}\begin{document}Bees \cite{refs}.\bibliography{refs,other}\end{document}"
    )
    with (tmp_path / "refs.bib").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert read_manuscript(tmp_path).unread == (
        "not read: refs.bib (larger than 12 MB)",
        r"not found: \bibliography{other}",
        "no entry for the key refs",
    )


def test_a_bibliography_that_was_named_is_not_asked_for(tmp_path: Path) -> None:
    (folder := tmp_path / "paper").mkdir()
    (folder / "main.tex").write_text(
        r"\documentclass{article}\title{Bees}\begin{document}\cite{a,b}\bibliography{../shared}\end{document}"
    )
    (shared := tmp_path / "elsewhere/shared.bib").parent.mkdir()
    shared.write_text("@misc{a, title={Of bees}}\n@misc{b, doi={10.1000/b}}\n@misc{c, title={C}}\n")
    manuscript = read_manuscript(folder)
    assert "there is no such file" in manuscript.unread[0]
    for other in ("folder.bib", "file.bib", "shared.old.bib"):
        assert without_note_on(manuscript, other) == manuscript
    whole = with_entries(manuscript, str(shared))
    assert [(entry.key, entry.readings[0].doi) for entry in whole.entries] == [("a", ""), ("b", "10.1000/b")]
    assert "no entry for the key a" in manuscript.unread
    assert whole.unread == ()
