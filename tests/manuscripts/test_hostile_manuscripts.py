"""Files that are made to harm, or that cannot be read: refused in one line, or read and the rest is said."""

import gzip
import io
import os
import random
import stat
import tarfile
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from archives import zipped
from growth import NEARLY_LINEAR, growth, that_ends
from latex_projects import ACL
from pdf_files import Set, pdf_of_pages
from projects import PROJECTS
from word_files import document_of_libreoffice, mark, packed_document, paragraph, run

from common.errors import SourceError
from manuscripts import read_manuscript
from manuscripts.files import Files
from manuscripts.holding import holds_manuscript
from manuscripts.latex.bibliographies import entries_of
from manuscripts.limits import MAX_FILES, MAX_UNPACKED
from manuscripts.reading import read
from manuscripts.unpacking import names_in

DOCUMENT = r"\documentclass{article}\title{T}\begin{document}%s\end{document}"


def linked() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("main.tex", DOCUMENT % "")
        link = zipfile.ZipInfo("refs.bib")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    return stream.getvalue()


def bomb() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("main.tex", DOCUMENT % "")
        for number in range(8):
            archive.writestr(f"{number}.tex", bytes(MAX_UNPACKED // 4))
    return stream.getvalue()


def in_tar(*members: tuple[str, bytes], kind: bytes = tarfile.REGTYPE, to: str = "") -> bytes:
    """An archive as arXiv gives it, with a main file and other members, links among them."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, content in (("main.tex", (DOCUMENT % "").encode()), *members):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            if name != "main.tex":
                info.type, info.linkname = kind, to
            archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def in_circle() -> bytes:
    return zipped({"main.tex": DOCUMENT % r"\input{a}", "a.tex": r"\input{b}", "b.tex": r"\include{a}"})


BILLION = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
REFUSED = {
    "path": (zipped({"main.tex": DOCUMENT, "../../home/x.bib": ""}), "leads out of it"),
    "absolute": (zipped({"main.tex": DOCUMENT, "/etc/x.bib": ""}), "leads out of it"),
    "link": (linked(), "symbolic link"),
    "bomb": (bomb(), "expands to more than 64 MB"),
    "tar path": (in_tar(("../x.bib", b"")), "leads out of it"),
    "tar absolute": (in_tar(("/etc/x.bib", b"")), "leads out of it"),
    "tar link": (in_tar(("refs.bib", b""), kind=tarfile.SYMTYPE, to="/etc/passwd"), "symbolic link"),
    "tar hard link": (in_tar(("fig.png", b""), kind=tarfile.LNKTYPE, to="main.tex"), "symbolic link"),
    "tar bomb": (in_tar(*((f"{n}.tex", bytes(MAX_UNPACKED // 4)) for n in range(8))), "expands to more than 64 MB"),
    "tar of many": (in_tar(*((f"{n}.png", b"") for n in range(MAX_FILES))), "more than 3,000 files"),
    "cut tar": (in_tar(("a.tex", random.Random(1).randbytes(9999)))[:-2000], "damaged"),
    "gzip bomb": (gzip.compress(bytes(2 * MAX_UNPACKED)), "expands to more than 64 MB"),
    "gzipped bibliography": (gzip.compress(b"@book{a, title={B}}"), "Unsupported file"),
    "circle": (in_circle(), "include each other in a circle: a.tex → b.tex → a.tex"),
    "markdown circle": (
        zipped({"p.qmd": "---\ntitle: T\n---\n{{< include _a.qmd >}}\n", "_a.qmd": "{{< include p.qmd >}}"}),
        "in a circle: p.qmd → _a.qmd → p.qmd",
    ),
    "macros": (DOCUMENT.replace("%s", r"\def\a{\b\b}\def\b{\c\c}\def\c{\d\d}" + "".join(
        rf"\def\{chr(letter)}{{\{chr(letter + 1)}\{chr(letter + 1)}}}" for letter in range(ord("d"), ord("z"))
    ) + r"\def\z{zzzz}\a").encode(), "expand without end"),
    "entities": (packed_document("<w:p/>", prolog=BILLION), "damaged"),
    "nothing": (zipped({"a.csv": "1,2"}), "no manuscript in the archive"),
    "archive in it": (zipped({"a/p\n.zip": zipped({"main.tex": DOCUMENT})}), "no manuscript .*; unpack a/p .zip first"),
    "cut": (zipped({"main.tex": DOCUMENT})[:-30], "zip"),
    "no title": (zipped({"main.tex": DOCUMENT.replace(r"\title{T}", "")}), "no title and no abstract"),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("name", REFUSED)
def test_what_would_harm_is_refused_in_one_line(name: str) -> None:
    data, message = REFUSED[name]
    with that_ends(), pytest.raises(SourceError, match=message) as error:
        read_manuscript(data)
    assert "\n" not in str(error.value)


def test_what_macos_adds_to_an_archive_is_no_second_text(tmp_path: Path) -> None:
    (tmp_path / "p.zip").write_bytes(zipped({"p/notes.md": "# Ranking\n\nWe rank.", "__MACOSX/p/._notes.md": b"\0\5"}))
    assert holds_manuscript(tmp_path / "p.zip")


def test_an_archive_beside_a_letter_is_named_as_not_read() -> None:
    letter = "Dear editor\n\nThis is our paper. It was not published before."
    found = read(
        zipped({"cover.txt": letter, "paper.zip": zipped({"main.tex": DOCUMENT}), "__MACOSX/._paper.zip": b"\0"}),
        part=True,
    )
    assert found.unread == ("not read: paper.zip",)
    assert not read(zipped({"main.tex": DOCUMENT, "data.zip": zipped({"a.csv": "1,2"})})).unread


@pytest.mark.filterwarnings("error")
def test_a_tar_archive_may_have_names_in_latin_1_and_one_name_twice() -> None:
    stream = io.BytesIO()
    texts = [
        ("main.tex", DOCUMENT % "old"),
        ("m\xf6glich.tex", "x"),
        ("main.tex", DOCUMENT.replace("{T}", "{New}") % ""),
    ]
    with tarfile.open(fileobj=stream, mode="w:gz", format=tarfile.GNU_FORMAT, encoding="latin-1") as archive:
        for name, text in texts:
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    assert read(stream.getvalue()).title == "New"


def with_pictures(archive: bytes, count: int) -> bytes:
    stream = io.BytesIO(archive)
    with zipfile.ZipFile(stream, "a") as opened:
        first = len(opened.filelist)
        for number in range(first, first + count):
            opened.writestr(zipfile.ZipInfo(f"media/{number}.png"), "")
    return stream.getvalue()


def test_the_members_of_an_archive_without_end_are_not_listed() -> None:
    archive = with_pictures(zipped({"refs.bib": ""}), 10 * MAX_FILES - 1)
    assert len(names_in(archive)) == 10 * MAX_FILES
    archive = with_pictures(archive, 1)
    assert names_in(archive) == []
    with pytest.raises(SourceError, match="more than 3,000 files"):
        read_manuscript(archive)


def test_a_document_may_have_more_pictures_than_a_manuscript_files() -> None:
    document = packed_document(paragraph("Title", run("Of maps")), paragraph("", run("Text.")))
    document = with_pictures(document, MAX_FILES)
    assert read_manuscript(document, part=True).title == "Of maps"
    assert read_manuscript(zipped({"paper.docx": document}), part=True).title == "Of maps"


def test_an_encrypted_archive_is_refused() -> None:
    data = bytearray(zipped({"main.tex": DOCUMENT % ""}))
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + place] |= 1
    with pytest.raises(SourceError, match="encrypted: unpack it first"):
        read_manuscript(bytes(data))


def test_links_out_of_a_folder_are_not_followed_and_said(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("@article{secret, title={A secret}}")
    folder = ACL.write(tmp_path / "paper")
    (folder / "custom.bib").unlink()
    (folder / "custom.bib").symlink_to(secret)
    (folder / "elsewhere").symlink_to(tmp_path)
    found = read_manuscript(folder)
    assert "secret" not in {entry.key for entry in found.entries}
    assert "not read: custom.bib is a link that leads out of the folder" in found.unread
    assert "not read: elsewhere is a link to a folder" in found.unread
    assert found.keys == ACL.keys


def test_a_linked_main_file_and_a_link_within_the_folder_are_followed(tmp_path: Path) -> None:
    folder = ACL.write(tmp_path / "paper")
    (folder / "real.bib").write_bytes((folder / "custom.bib").read_bytes())
    (folder / "custom.bib").unlink()
    (folder / "custom.bib").symlink_to("real.bib")
    assert read_manuscript(folder).unread == ()


def test_what_a_file_beside_a_manuscript_holds_does_not_stop_the_reading(tmp_path: Path) -> None:
    folder = ACL.write(tmp_path)
    (folder / "data.json").write_bytes(b"[" * 100_000)
    (folder / "broken.bib").write_bytes(b"\xff\xfe\x00@article{")
    (folder / "notes.md").write_text("---\n&a [*a]\n---\n")
    assert read_manuscript(folder).keys == ACL.keys


def test_links_in_a_circle_beside_a_manuscript_do_not_stop_the_reading(tmp_path: Path) -> None:
    folder = ACL.write(tmp_path)
    (folder / "circle.bib").symlink_to("circle.bib")
    assert holds_manuscript(folder)
    assert read_manuscript(folder).keys == ACL.keys
    assert read_manuscript(folder / "main.tex").keys == ACL.keys


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_what_others_keep_to_themselves_beside_a_manuscript_does_not_stop_the_reading(tmp_path: Path) -> None:
    folder = ACL.write(tmp_path)
    (folder / "private").mkdir(mode=0)
    (folder / "other.bib").write_text("@book{a, title={B}}")
    (folder / "other.bib").chmod(0)
    assert holds_manuscript(folder)
    assert read_manuscript(folder / "main.tex").keys == ACL.keys
    found = read_manuscript(folder)
    assert found.keys == ACL.keys
    assert {"not read: private (Permission denied)", "not read: other.bib (Permission denied)"} <= {*found.unread}
    (folder / "main.tex").chmod(0)
    with pytest.raises(SourceError, match=r"main\.tex: cannot be read \(Permission denied\)"):
        read_manuscript(folder / "main.tex")


@pytest.mark.parametrize("text", ["", "No title here", "[ ]", r"\begin{document}", "{" * 5000, r"\begin{a}" * 5000])
def test_latex_of_any_kind_ends(text: str) -> None:
    with suppress(SourceError):
        read((DOCUMENT % text).encode())


def test_many_deletions_are_read_at_once() -> None:
    def read_one(size: int) -> None:
        read(packed_document(paragraph("Title", run("A title"), "<w:r/><w:del/>" * size)))

    assert growth(read_one, 40_000) < NEARLY_LINEAR


@pytest.mark.parametrize("command", [r"\putbib[", r"\addbibresource["])
def test_brackets_behind_bibliographies_that_nothing_closes_are_read_at_once(command: str) -> None:
    assert entries_of(Files({}), "", command * 1_000) == ()
    assert growth(lambda size: entries_of(Files({}), "", command * size), 20_000) < NEARLY_LINEAR


MARKDOWN = "---\ntitle: T\nabstract: A\n---\n%s"
TYPST = "= T\n\n#set page(width: 1cm)\n\nSo it is @a. %s"
PLAIN = "A title\n\nAbstract\nIt is so.\n\n%s"
REPEATED: dict[str, tuple[str, str, str, str, int]] = {
    "blank lines": ("a.tex", DOCUMENT, "\n\n", "", 20_000),
    "lines of dashes": ("a.txt", PLAIN, "- {\n", "", 20_000),
    "open citations": ("a.tex", DOCUMENT, r"\cite{", "", 6_600),
    "titles in titles": ("a.tex", DOCUMENT, r"\title{", "}", 2_000),
    "open citations of Markdown": ("a.txt", PLAIN, "[@a ", "", 10_000),
    "open notes": ("a.md", MARKDOWN, "^[", "", 20_000),
    "open comments": ("a.md", MARKDOWN, "<!--", "", 30_000),
}


@pytest.mark.parametrize("name", REPEATED)
def test_what_repeats_without_end_is_read_at_once(name: str) -> None:
    called, frame, opening, closing, most = REPEATED[name]

    def read_one(size: int) -> None:
        read((frame % (opening * size + closing * size)).encode(), called, part=True)

    assert growth(read_one, most) < NEARLY_LINEAR


def test_a_long_line_of_a_pdf_is_read_at_once() -> None:
    def read_one(size: int) -> None:
        read(pdf_of_pages([Set(10, 700 - 12 * line, "a" * size) for line in range(20)]), "a.pdf", part=True)

    assert growth(read_one, 4_000) < NEARLY_LINEAR


@pytest.mark.parametrize(
    ("called", "text"),
    [
        ("a.tex", DOCUMENT % (r"\cite[{" * 24 + "x" + "}]{a}" * 24)),
        ("a.typ", TYPST % ("#footnote[Words @a " * 24 + "]" * 24)),
    ],
)
def test_citations_in_citations_and_footnotes_in_footnotes_are_read_at_once(called: str, text: str) -> None:
    with that_ends():
        read(text.encode(), called, part=True)


@pytest.mark.parametrize("encoding", ["big5", "unheard-of", "zip"])
def test_a_document_in_an_encoding_that_is_none_of_xml_is_damaged(encoding: str) -> None:
    part = f'<?xml version="1.0" encoding="{encoding}"?><a/>'
    with pytest.raises(SourceError, match="the document is damaged"):
        read(zipped({"word/document.xml": part}))
    with zipfile.ZipFile(io.BytesIO(packed_document(paragraph("", run("A title"))))) as whole:
        parts = {name: whole.read(name).decode() for name in whole.namelist()}
    assert read(zipped({**parts, "word/styles.xml": part})).title == "A title"


def test_a_field_in_a_field_that_ends_the_one_around_it_is_read() -> None:
    inner = f'<w:fldSimple w:instr="PAGE">{run("of fields")}{mark("end")}</w:fldSimple>'
    assert read(packed_document(paragraph("Titel", run("A title "), inner))).title == "A title of fields"


def test_numbers_of_any_length_may_stand_in_names_of_properties() -> None:
    properties = [("ZOTERO_BREF_a_" + "9" * 5_000, "")]
    assert read(document_of_libreoffice("<text:p>Text.</text:p>", properties)).title == "A title"


@pytest.mark.parametrize("box", [b"null", b"[]"])
def test_a_pdf_whose_pages_have_no_size_is_refused(box: bytes) -> None:
    data = pdf_of_pages([Set(18, 700, "A title of some length")])
    with pytest.raises(SourceError, match="the PDF cannot be read"):
        read(data.replace(b"/MediaBox[0 0 595 842]", b"/MediaBox" + box.ljust(13)))


def mutated(data: bytes, rng: random.Random) -> bytes:
    broken = bytearray(data)
    for _ in range(rng.randint(1, 12)):
        place = rng.randrange(len(broken) + 1)
        broken[place : place + rng.choice((0, 0, 1, 5, 40))] = rng.choice(
            (
                b"{",
                b"}",
                b"[",
                b"\\",
                b"%",
                b"$",
                b"\\input{main}",
                b"\\newcommand{\\x}[2][a]{#1\\x}",
                b"@",
                b"---\n",
                b"\0",
            )
        )
    return bytes(broken)


def broken_readings(rounds: int) -> None:
    """Every outcome is a manuscript or a SourceError."""
    rng = random.Random(7)
    for _ in range(rounds):
        project = rng.choice([one for one in PROJECTS if len(one.files) > 1 or not one.main.endswith(".zip")])
        files = {
            path: content if isinstance(content, bytes) else content.encode() for path, content in project.files.items()
        }
        victim = rng.choice(list(files))
        files[victim] = mutated(files[victim], rng)
        with suppress(SourceError):
            read(files[project.main] if project.main.endswith(".docx") else zipped(dict(files)), project.main)


def test_broken_manuscripts_are_refused_or_read_and_never_crash() -> None:
    broken_readings(60)


@pytest.mark.slow
def test_many_broken_manuscripts_are_refused_or_read_and_never_crash() -> None:
    broken_readings(6_000)


def test_a_document_of_word_without_fields_has_its_typed_list() -> None:
    body = (
        paragraph("Titel", run("Typed")),
        paragraph("", run("Abstract: All is typed.")),
        paragraph("berschrift1", run("1 References")),
        paragraph("", run("[1] A. Turing. On computable numbers. 1936. doi:10.1112/plms/s2-42.1.230")),
        paragraph("", run("[2] C. Shannon. A mathematical theory of communication. 1948.")),
    )
    found = read_manuscript(packed_document("".join(body)))
    assert (found.title, found.abstract) == ("Typed", "All is typed.")
    assert [entry.readings[0].doi for entry in found.cited][:1] == ["10.1112/plms/s2-42.1.230"]
    assert len(found.cited) == 2
