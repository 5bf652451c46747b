"""What is read of the first page of a PDF, which matplotlib prints or lines of known sizes make up."""

import contextlib
import io
import random
import textwrap

import pytest
from pdf_files import pdf_of_lines, raised
from title_and_abstract import ABSTRACT, TITLE, read_draft

from common.errors import SourceError
from manuscripts import pdf_page, pdf_paper, read_manuscript
from manuscripts.draft import Draft
from manuscripts.pdf_runs import Run
from manuscripts.text_building import PARAGRAPH

pytest.importorskip("pypdf")


def printed_pdf(heading="Abstract", title=TITLE, metadata=None):
    """A first page as matplotlib, which knows nothing of pypdf, prints it; with arXiv's upright stamp."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("pdf")
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(8.27, 11.69))
    lines = textwrap.wrap(title, 40)
    figure.text(0.5, 0.9, "\n".join(lines), size=18, ha="center")
    figure.text(0.5, 0.82, "Ada Lovelace and Grace Hopper", size=11, ha="center")
    figure.text(0.02, 0.3, "arXiv:2401.00001v1 [cs.IR] 1 Jan 2024", size=24, rotation=90)
    figure.text(0.15, 0.7, heading, size=11)
    figure.text(0.15, 0.55, "\n".join(textwrap.wrap(ABSTRACT, 70)), size=10)
    figure.text(0.15, 0.48, "1 Introduction", size=12)
    figure.text(0.15, 0.4, "Citations matter, and there are many of them in this paragraph.", size=10)
    stream = io.BytesIO()
    figure.savefig(stream, format="pdf", metadata=metadata)
    pyplot.close(figure)
    return stream.getvalue()


def test_first_page_of_a_pdf_gives_title_and_abstract():
    assert read_draft(printed_pdf()) == Draft(TITLE, ABSTRACT)


def printed_trees(heading="Abstract"):
    """A paper whose lines have the sizes and heights of a printed one."""
    listed = ("Doe J. How trees grow. Acta. 2001;1:1.", "Roe C. Why they fall. Acta. 2002;2:2.", "Poe E. Bark. 2003.")
    texts = (
        f"Ann Doe{raised(1)} and Bob Roe{raised(2)}. At homes.",
        heading,
        "We ask why trees grow.",
        "1 Introduction",
        f"Trees do grow{raised('1,2')} and fall.{raised(3)} They do in 10{raised(3)} towns of 5 m{raised(2)}.",
        f"What is small is below{raised(1, rise=-3)} or large{raised(1, size=10)}.",
        "4 Oaks and elms",
        "1.1 Related work",
        "Others ask, too.",
        "2. Methods of growing",
        "We water them.",
        "References",
        *(f"{number}. {entry}" for number, entry in enumerate(listed, start=1)),
    )
    lines = [(10, 740 - 15 * place, text) for place, text in enumerate(texts)]
    return read_manuscript(pdf_of_lines((18, 760, "Trees and how they grow in towns"), *lines))


def test_raised_numbers_of_a_pdf_are_citations():
    found = printed_trees()
    assert [mark.keys for mark in found.marks()] == [("1", "2"), ("3",)]
    text = found.sections[0].paragraphs[0].text
    assert text.startswith("Trees do grow and fall. They do in 10³ towns of 5 m². What is small is below1 or large1.")


def test_without_a_heading_of_the_abstract_raised_numbers_of_the_first_page_may_be_those_of_institutions():
    found = printed_trees("")
    assert not list(found.marks())
    assert "Ann Doe1 and Bob Roe2." in " ".join(paragraph.text for paragraph in found.sections[0].paragraphs)


def test_numbered_headings_of_a_pdf_part_its_text():
    assert [(one.heading, one.level, one.paragraphs[0].text[-25:]) for one in printed_trees().sections] == [
        ("Introduction", 1, "r large1. 4 Oaks and elms"),
        ("Related work", 2, "Others ask, too."),
        ("Methods of growing", 1, "We water them."),
    ]


def test_title_of_a_pdf_that_is_not_set_larger_is_the_declared_one():
    runs = [Run("A line of text as long as others", 10, 700), Run("and another line", 10, 680)]
    assert pdf_page.largest(runs, 800) == ""
    assert pdf_page.largest([Run("The paper's own title", 14, 720), *runs], 800) == "The paper's own title"
    assert pdf_page.largest([Run("W", 40, 700), Run("A large note below", 14, 90), *runs], 800) == ""
    banner = [Run("HHS Public Access", 20, 780), Run("Author manuscript\n", 14, 760)]
    runs.append(Run("and lines of the text that follow", 10, 660))
    assert pdf_page.largest([*banner, Run("The paper's own title", 14, 720), *runs], 800) == "The paper's own title"
    journal = Run("European Journal of Trees & Bark\n", 20, 780)
    assert pdf_page.largest([journal, Run("The paper's own title", 14, 720), *runs], 800) == "The paper's own title"


@pytest.mark.parametrize("begins", ["© 2020 The Authors.", "Copyright © 2020 The Authors.", "COPYRIGHT 2020 Acta."])
def test_a_notice_of_rights_is_no_abstract_and_no_part_of_one(begins):
    text, notice = "Trees grow in towns and along streets.", begins + " Whoever names the authors may copy it all." * 9
    assert pdf_page.abstract_on([f"Trees\n{PARAGRAPH}\n{notice}\n{PARAGRAPH}\n{text}"]) == text
    abstract = f"Trees\nAbstract\n{text}\n{PARAGRAPH}\n{notice}\n{PARAGRAPH}\nIntroduction\nThey do."
    assert pdf_page.abstract_on([abstract]) == text
    named = f"Trees\nAbstract\nFrom Acta. Copyright\n© 2020 Acta.\n{PARAGRAPH}\n{text}\n{PARAGRAPH}\nIntroduction\n"
    assert pdf_page.abstract_on([named]).endswith(text)


def test_a_list_of_contents_is_no_abstract():
    contents = "".join(f"{number} How trees of this kind grow. They do . . . . . . {number}\n" for number in range(9))
    text = "Trees grow in towns and along streets."
    assert pdf_page.abstract_on([f"Trees\n{PARAGRAPH}\n{contents}{PARAGRAPH}\n{text}"]) == text
    quoting = "They say that trees grow . . . . So do we. " * 8
    assert pdf_page.abstract_on([f"Trees\n{PARAGRAPH}\n{quoting}{PARAGRAPH}\n{text * 20}"]) == quoting.strip()


def test_broken_pdfs_are_refused_or_read_and_never_crash():
    whole = printed_pdf()
    rng = random.Random(4)
    for _ in range(60):
        broken = bytearray(whole)
        for _ in range(rng.randint(1, 40)):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        with contextlib.suppress(SourceError):
            assert isinstance(pdf_paper.read(bytes(broken[: rng.randrange(500, len(broken))]))["title"], str)
