"""A folder of PDFs as a corpus; the PDFs are printed by matplotlib, which knows nothing of pypdf."""

import io
import random
import textwrap
import zipfile

import pytest
from pdf_files import pdf_of_lines

from indexer.readers import ReadReport, read_papers
from indexer.readers.source import SourceError
from manuscripts import sandbox
from manuscripts.pdf_papers import PDFS

pytest.importorskip("pypdf")
ABSTRACT = "Given the title and abstract of a manuscript, we recommend papers to cite, and say why it should."


def printed(title, *notes, date="D:20110101000000", abstract=ABSTRACT, below="", author=None):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("pdf")
    from datetime import datetime

    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(8.27, 11.69))
    for place, note in enumerate(notes):
        figure.text(0.1, 0.96 - 0.02 * place, note, size=8)
    figure.text(0.5, 0.86, "\n".join(textwrap.wrap(title, 40)), size=18, ha="center")
    figure.text(0.15, 0.7, "Abstract", size=11)
    figure.text(0.15, 0.6, "\n".join(textwrap.wrap(abstract, 70)), size=10)
    figure.text(0.15, 0.5, "1 Introduction", size=12)
    figure.text(0.15, 0.4, "As Doe (1999) shows, https://doi.org/10.9999/cited is a DOI of another paper.", size=10)
    figure.text(0.1, 0.05, below, size=8)
    stream = io.BytesIO()
    made = datetime.strptime(date[2:10], "%Y%m%d")
    figure.savefig(stream, format="pdf", metadata={"CreationDate": made, "Author": author})
    pyplot.close(figure)
    return stream.getvalue()


def read(*sources, **options):
    report = ReadReport()
    papers = {p.title: p for p in read_papers([str(s) for s in sources], report=report, others=(PDFS,), **options)}
    return papers, report


def test_a_folder_of_pdfs_is_a_corpus(tmp_path):
    one = printed(
        "Where words and references meet", "Journal of Things 12 (2019) 3", "https://doi.org/10.1000/J.Things.7"
    )
    two = printed("Recommending papers to read", "arXiv:1706.03762v5 [cs.IR] 6 Dec 2017")
    three = printed("Nothing names it anywhere at all", "Published online: 3 May 2004", "© 2005 The Publisher")
    (tmp_path / "a.pdf").write_bytes(one)
    (tmp_path / "refs.bib").write_text("@article{key, title={Of the bibliography}}")
    (tmp_path / "broken.pdf").write_bytes(one[:2_000])
    with zipfile.ZipFile(tmp_path / "more.zip", "w") as archive:
        archive.writestr("b.pdf", two)
        archive.writestr("c.pdf", three)
    papers, report = read(tmp_path)
    assert (report.read, report.skipped, report.formats["pdf"]) == (4, 1, 4)
    assert report.problems[0].where == f"{tmp_path}/broken.pdf"
    first = papers["Where words and references meet"]
    assert (first.id, first.doi, first.year, first.abstract) == ("10.1000/j.things.7",) * 2 + (2019, ABSTRACT)
    second = papers["Recommending papers to read"]
    assert (second.arxiv, second.year) == ("1706.03762", 2017)
    assert papers["Nothing names it anywhere at all"].year == 2004


def test_a_paper_that_is_named_is_read_too_and_its_file_tells_the_year_at_last(tmp_path):
    (tmp_path / "paper").write_bytes(printed("A title of some length for it", date="D:20160101", abstract="Short."))
    (paper,) = read(tmp_path / "paper", format="pdf")[0].values()
    assert (paper.year, paper.doi) == (2016, "")
    assert paper.id.startswith("pdf-")


def test_a_doi_below_the_text_is_the_paper_s_own(tmp_path):
    (tmp_path / "a.pdf").write_bytes(printed("A title of some length for it", below="doi: 10.1000/below.1"))
    assert [paper.doi for paper in read(tmp_path)[0].values()] == ["10.1000/below.1"]


def test_other_commands_do_not_take_pdfs_for_papers(tmp_path):
    (tmp_path / "a.pdf").write_bytes(printed("Where words and references meet"))
    with pytest.raises(SourceError, match="a PDF, of which no paper is read"):
        list(read_papers([str(tmp_path / "a.pdf")]))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
def test_damaged_pdfs_are_counted_and_never_more(tmp_path, seed):
    rng = random.Random(seed)
    data = bytearray(printed("Where words and references meet"))
    for _ in range(rng.randint(1, 40)):
        at = rng.randrange(20, len(data))
        data[at : at + rng.randrange(1, 30)] = rng.randbytes(rng.randrange(0, 30))
    (tmp_path / "a.pdf").write_bytes(data)
    _, report = read(tmp_path)
    assert report.read + report.skipped == 1


def test_a_pdf_that_takes_too_long_is_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox, "PATIENCE", 0.001)
    (tmp_path / "a.pdf").write_bytes(printed("Where words and references meet"))
    papers, report = read(tmp_path)
    assert not papers
    assert report.problems[0].reason == "the file takes too long to read: try again when this computer is less busy"


def test_the_year_is_read_where_the_font_has_no_space(tmp_path):
    font = b"/Subtype/Type1/FirstChar 32/Widths[%s]/Encoding<</Differences[48/zero/one/two/three/four]>>"
    descriptor = b"<</Type/FontDescriptor/FontName/A/Flags 4>>"
    lines = [(18, 760, "How trees grow in towns"), (10, 720, ") Tj /F3 10 Tf [(Published) -221 (2004)] TJ /F1 1 Tf (")]
    data = pdf_of_lines(*lines, (10, 680, f"Abstract. {ABSTRACT}"), more=(descriptor,))
    own = b"<</Type/Font/BaseFont/A/FontDescriptor 5 0 R%s>>" % font % b" ".join([b"500"] * 95)
    (tmp_path / "a.pdf").write_bytes(data.replace(b"/F2 4 0 R>>", b"/F2 4 0 R/F3%s>>" % own))
    assert [paper.year for paper in read(tmp_path)[0].values()] == [2004]


@pytest.mark.parametrize(
    ("author", "line", "expected"),
    [
        ("Jane Doe; Jörg Müller", "Jane Doe1,2 and Jörg Müller2*", ("Jane Doe", "Jörg Müller")),
        ("Jane Doe, Jörg Müller", "J. DOE AND J. MÜLLER", ("Jane Doe", "Jörg Müller")),
        ("Jane Doe", "Jane Doe1, Bo Li, Jörg Müller", ("Jane Doe", "others")),
        ("Jane Doe", "Jane Doe", ("Jane Doe",)),
        ("Jane Doe", "Bo Li and Jörg Müller", ()),
        ("Papers", "Bo Li", ()),
        ("Windows Read", "Bo Li", ()),
        ("J. D. Doe", "Doe, Jane", ("J. D. Doe",)),
        (None, "Bo Li", ()),
    ],
)
def test_authors_that_the_file_names_count_where_they_are_printed(tmp_path, author, line, expected):
    (tmp_path / "a.pdf").write_bytes(printed("Recommending papers to read", line, author=author))
    (paper,) = read(tmp_path / "a.pdf")[0].values()
    assert paper.authors == expected
