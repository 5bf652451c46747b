"""Title, abstract and authors of a LaTeX manuscript, and what stands beside them."""

import pytest
from archives import zipped
from latex_sources import DOCUMENT, document, of_project, words

from manuscripts.reading import read


def test_a_quantity_keeps_its_unit_in_title_and_text() -> None:
    found = read(rf"{DOCUMENT}\title{{At \SI{{5}}{{\km}}}}It is \qty{{3}}{{\GHz}} fast.\end{{document}}".encode())
    assert (found.title, [sentence.text for sentence in found.sentences()]) == ("At 5 km", ["It is 3 GHz fast."])


def test_what_notes_of_title_and_authors_cite_counts() -> None:
    front = r"\title{On \cite{k1}\thanks{As \cite{k2}.}}\author{Ada Lovelace\thanks{By \citep{k3}.}}"
    found = read((rf"\documentclass{{a}}{front}\begin{{document}}\maketitle Text \cite{{k4}}.").encode())
    assert (found.title, found.authors, found.keys) == ("On", ("Ada Lovelace",), ("k4", "k1", "k2", "k3"))


PARTS = r"\subsection*{Background} We study \cite{a}.\subsection*{Methods:} We count."


@pytest.mark.parametrize(
    "source",
    [
        rf"\section*{{Abstract}}{PARTS}\section{{One}}",
        rf"\chapter*{{Abstract}}{PARTS}\section*{{Keywords}} None.",
        rf"\section*{{Abstract}}{PARTS}\subsection{{One}}",
        rf"\begin{{abstract}}{PARTS}\end{{abstract}}",
    ],
)
def test_the_parts_of_an_abstract_belong_to_it(source: str) -> None:
    found = read((DOCUMENT + source + " More.").encode())
    assert found.abstract == "Background: We study.\n\nMethods: We count."
    assert [sentence.text for part in found.sections[0].paragraphs for sentence in part.sentences] == [
        "We study.",
        "We count.",
    ]


@pytest.mark.parametrize(
    "source",
    [
        r"\textbf{Keywords:} a, b\\[2pt] We study trees.",
        "\\noindent\\textit{Key words} -- a,\nb\n\nWe study trees.",
        r"\paragraph{Keywords} a, b\par We study trees. \textbf{Index terms:} c",
    ],
)
def test_keywords_above_an_abstract_are_no_part_of_it(source: str) -> None:
    found = read(document(rf"\begin{{abstract}}{source}\end{{abstract}}\section{{One}} They grow.").encode())
    assert found.abstract == "We study trees."


def test_of_several_titles_the_last_before_they_are_printed_counts() -> None:
    """As LaTeX keeps it: a template's title, or one of a draft, may stand above, and that of a supplement below."""
    titles = r"\title{Title of the Template}\title{What Ants Eat\thanks{Of us}}\title{}"
    found = read(rf"\documentclass{{article}}{titles}\begin{{document}}\maketitle\title{{More}}\maketitle".encode())
    assert found.title == "What Ants Eat"


def test_a_title_keeps_the_names_of_tex_and_its_kin() -> None:
    assert read((DOCUMENT + r"\title{Citing in \LaTeX{} and \TeX: \BibTeX\ again}").encode()).title == (
        "Citing in LaTeX and TeX: BibTeX again"
    )


@pytest.mark.parametrize("behind", ["\n\nA paragraph.", "\n\\author{A. Bee}", "\\date{}\n\\maketitle"])
@pytest.mark.parametrize("title", [r"\title{On {bees", r"\title[Bees]{On bees"])
def test_a_title_that_is_not_closed_ends_with_its_paragraph(title: str, behind: str) -> None:
    found = of_project(main_tex=document("One text.", title + behind))
    assert (found.title, words(found)) == ("On bees", "One text.")
    assert "not closed" in found.unread[0]


def test_lines_for_the_table_of_contents_are_no_abstract() -> None:
    body = r"\chapter*{Abstract}\addcontentsline{toc}{chapter}{\textbf{Abstract}} Bees fly.\chapter{One} They do."
    assert of_project(main_tex=document(body)).abstract == "Bees fly."


def test_the_abstract_of_a_thesis_goes_before_those_of_its_papers() -> None:
    paper = r"\chapter{One}\begin{abstract}Of one paper.\end{abstract} They do."
    assert of_project(main_tex=document(r"\chapter*{Abstract} Bees fly." + paper)).abstract == "Bees fly."
    one = r"\chapter*{Abstract}\begin{abstract}Bees fly.\end{abstract}"
    assert of_project(main_tex=document(one + paper)).abstract == "Bees fly."


def test_the_title_of_plos_template_is_read() -> None:
    source = rb"""\documentclass{article}
\begin{document}
\begin{flushleft}
{\Large
\textbf\newline{Cities and their trees} % sentence case
}
\newline
Jane Doe\textsuperscript{1}
\end{flushleft}
\section*{Abstract}
Trees grow.
\end{document}
"""
    assert read(source).title == "Cities and their trees"


@pytest.mark.parametrize(
    ("title", "read_as"),
    [
        (r"Trees*\\{\footnotesize \textsuperscript{*}Note: Sub-titles are not captured}\thanks{Funded.}", "Trees"),
        (r"Planning with A*\thanks{Funded.}", "Planning with A*"),
        (r"{\Large Trees {\small and graphs}}", "Trees and graphs"),
    ],
)
def test_a_note_below_a_title_is_none_of_it(title: str, read_as: str) -> None:
    assert read(zipped({"p.tex": rf"{DOCUMENT}\title{{{title}}}Text.\end{{document}}"})).title == read_as


def test_affiliations_are_no_text() -> None:
    body = r"\title{T}\begin{affiliations}\item University of X\end{affiliations}Text."
    found = read(zipped({"p.tex": rf"\documentclass{{nature}}\begin{{document}}{body}\end{{document}}"}))
    assert [sentence.text for sentence in found.sentences()] == ["Text."]


def test_ordinals_of_french_keep_their_ends() -> None:
    source = document(r"Le 1\ier{} mai du XX\ieme\ siècle.", r"\usepackage[french]{babel}\title{T}")
    assert words(read(source.encode())) == "Le 1er mai du XXe siècle."


@pytest.mark.parametrize(
    ("source", "title", "abstract"),
    [
        (r"\titulo{Sobre}\begin{document}\begin{resumoumacoluna}Crescem.\end{resumoumacoluna}", "Sobre", 1),
        (r"\title{On trees}\begin{document}\abst{They grow.}\maketitle", "On trees", 1),
        # A class that prints a note above the title, which its plain form does not have.
        (r"\title{\fbox{As in \citet{a}.}\\ On \pkg{trees}}\Plaintitle{On trees}\begin{document}", "On trees", 0),
        (r"\hypersetup{pdftitle={\@title}}\begin{document}Text.", "", 0),
    ],
)
def test_titles_and_abstracts_are_found_as_classes_call_them(source: str, title: str, abstract: int) -> None:
    found = read((rf"\documentclass{{a}}{source} Text \cite{{k}}.\end{{document}}").encode(), part=True)
    assert (found.title, bool(found.abstract)) == (title, bool(abstract))


@pytest.mark.parametrize(
    ("subtitle", "is_kind"),
    [
        *((kind, True) for kind in ("Dissertation", "Master's Thesis", "M.Sc. thesis", "Habilitationsschrift")),
        *(
            (kind, True)
            for kind in ("Technical Report No. 12", "Preprint", "Working paper", "Masterarbeit im Fach Physik")
        ),
        *((kind, True) for kind in ("PhD Thesis, submitted to the University of Bern", "Inauguraldissertation")),
        *((kind, False) for kind in ("A Case Report", "A Thesis on Trees", "Paper", "Report from the Woods")),
        *((kind, False) for kind in ("Report of two cases", "Draft by Lottery", "Arbeit im Wandel")),
    ],
)
def test_a_subtitle_that_says_what_kind_of_text_it_is_is_no_part_of_the_title(subtitle: str, is_kind: bool) -> None:
    above = rf"\documentclass{{scrreprt}}\title{{How Trees Fall}}\subtitle{{{subtitle}}}"
    found = read(rf"{above}\begin{{document}}\maketitle\section{{One}} They do.\end{{document}}".encode())
    assert found.title == ("How Trees Fall" if is_kind else f"How Trees Fall: {subtitle}")


def test_parts_of_an_abstract_begin_with_their_headings_and_lists_and_breaks_are_read_as_in_the_text() -> None:
    abstract = r"\section*{Aims.} We. \paragraph*{Methods:} We do: \begin{itemize}\item One. \item Two.\end{itemize}"
    source = rf"\title{{Of \\ trees}}\begin{{abstract}}{abstract}\end{{abstract}}\section{{Their \\ roots}}X."
    found = read(source.replace("} We.", "}\n\nWe.").encode())
    assert found.abstract == "Aims: We.\n\nMethods: We do:\n\nOne.\n\nTwo."
    assert (found.title, found.sections[-1].heading) == ("Of trees", "Their roots")
