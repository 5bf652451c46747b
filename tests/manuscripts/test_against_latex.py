"""What a project cites, against what LaTeX itself writes into its .aux files."""

import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from latex_projects import IEEE
from project_files import Project, write_files
from projects import OVERLEAF_FILES, PROJECTS
from tex import needs_tex, pdflatex, run

from manuscripts import Manuscript, read_manuscript
from manuscripts.latex.printed import printed_entries

pytestmark = [pytest.mark.slow, needs_tex]

_CITATION = re.compile(r"^\\(?:citation|abx@aux@cite\{\d+\}|abx@aux@nociteall?)\{([^{}]*)\}", re.MULTILINE)


def cited_by_latex(folder: Path, main: str) -> Counter[str]:
    """How often each key is cited, from one run."""
    log = pdflatex(main, folder)
    assert "Output written on" in log, log[-2000:]
    arguments = (
        found for aux in folder.rglob("*.aux") for found in _CITATION.findall(aux.read_text("utf-8", "replace"))
    )
    return Counter(key.strip() for argument in arguments for key in argument.split(","))


def cited_here(found: Manuscript) -> Counter[str]:
    return Counter([*(key for mark in found.marks() for key in mark.keys), *found.listed])


@pytest.mark.parametrize("project", [one for one in PROJECTS if one.latex], ids=lambda project: project.name)
def test_latex_cites_the_same(project: Project, tmp_path: Path) -> None:
    folder = project.write(tmp_path)
    expected = cited_by_latex(folder, project.main)
    expected.pop("REVTEX41Control", None)
    found = cited_here(read_manuscript(folder / project.main))
    if project.name == "biblatex":  # which writes every key of a \citetitle, and of tracked ones, as often as it likes
        assert set(found) == set(expected)
    else:
        assert found == expected


def test_latex_cites_the_same_in_an_overleaf_project(tmp_path: Path) -> None:
    write_files(OVERLEAF_FILES, tmp_path)
    assert cited_here(read_manuscript(tmp_path)) == cited_by_latex(tmp_path, "main.tex")


def test_the_reference_list_of_a_printed_paper_is_found(tmp_path: Path) -> None:
    folder = IEEE.write(tmp_path)
    main = folder / IEEE.main
    # Times may not be installed, and of bitmaps in its place no text is to be had.
    own_fonts = r"\renewcommand{\rmdefault}{cmr}\renewcommand{\ttdefault}{cmtt}\begin{document}"
    main.write_text(main.read_text().replace(r"\begin{document}", own_fonts))
    for _ in range(2):
        pdflatex(IEEE.main, folder)
    found = read_manuscript(folder / "paper.pdf")
    assert found.title.startswith("Low-Latency Citation Graphs: A Study of")
    assert found.unread == ()
    titles = [{paper.title.lower().strip("“”,?. ") for paper in entry.readings} for entry in found.cited]
    expected = (
        "networks of scientific papers",
        "citation indexes for science",
        "co-citation in the scientific literature",
        "how popular is your paper",
        "emergence of scaling in random networks",
        "network structure and minimum degree",
    )
    assert len(titles) == len(IEEE.keys)
    assert [title for title, read in zip(expected, titles, strict=False) if title not in read] == []


TEXT = r"""\title{Trees and how they grow}\author{Ann Doe$^1$ \and Bob Roe$^{2,3}$}\maketitle
\begin{abstract}We ask why trees grow.\end{abstract}
\section{Introduction}
Trees grow.\cite{a,b} They fall,\cite{c} and newer ones\cite{b,c,d} cover an area of 5\,m$^2$ with $10^3$ people and
$R^2=.9$. Here lines break somewhere, which they do in every paper that was ever written.\cite{e} Methods\cite{a,c,e}
are many.
\subsection{Related trees}
\begin{tabular}{ll}2 & Oaks\\3 & Elms\end{tabular}
\section{Methods and Results}
We water them."""
SURNAMES = {"a": ["Doe"], "b": ["Roe"], "c": ["Poe", "Moe"], "d": ["Low", "Doe", "Roe", "Poe", "Moe"], "e": ["Zoe"]}
NUMBERS = {"a": "1", "b": "2", "c": "3", "d": "4", "e": "5"}
LABELS = {"a": "Doe01", "b": "Roe02", "c": "PM03", "d": "LDR+04", "e": "Zoe05"}


@pytest.mark.parametrize(
    ("head", "style", "called"),
    [
        (r"\usepackage[super,sort&compress]{natbib}", "unsrtnat", NUMBERS),
        (r"\usepackage[numbers]{natbib}", "unsrtnat", NUMBERS),
        ("", "alpha", LABELS),
    ],
)
def test_marks_of_a_printed_paper_are_citations(head: str, style: str, called: dict[str, str], tmp_path: Path) -> None:
    entries = (
        f"@article{{{key}, title={{How {key} stands beside trees}}, journal={{Acta}}, year={{200{number}}}, "
        f"author={{{' and '.join(f'{name}, Ann' for name in SURNAMES[key])}}}}}"
        for number, key in enumerate("abcde", start=1)
    )
    (tmp_path / "refs.bib").write_text("\n".join(entries))
    (tmp_path / "paper.tex").write_text(
        rf"\documentclass[twocolumn]{{article}}{head}\begin{{document}}{TEXT}\bibliographystyle{{{style}}}"
        r"\bibliography{refs}\end{document}"
    )
    pdflatex("paper.tex", tmp_path)
    run("bibtex", "paper", folder=tmp_path)
    for _ in range(2):
        pdflatex("paper.tex", tmp_path)
    found = read_manuscript(tmp_path / "paper.pdf")
    assert {entry.key for entry in found.entries} == set(called.values())
    headings = [(section.heading, section.level) for section in found.sections]
    assert headings == [("Introduction", 1), ("Related trees", 2), ("Methods and Results", 1)]
    cited = [sorted(mark.keys) for mark in found.marks()]
    assert cited == [sorted(called[key] for key in keys) for keys in ("ab", "c", "bcd", "e", "ace")]


WORKS = r"""
@article{art, author={Roe, Jane and van der Doe, Ann and M{\"u}ller, Karl}, year=2016, volume=3, number=2,
  pages={1--12}, title={How {Trees} grow beside the words of towns}, journal={Acta Botanica}}
@inproceedings{inp, author={Zoe, Max and Kim, Ho}, year=2018, pages={55--66}, publisher={ACM}, address={Paris},
  title={Learning to read the old maps}, booktitle={Proceedings of the Conference on Maps}}
@book{book, author={Knuth, Donald}, year=1997, edition={Third}, address={Boston}, publisher={Addison},
  title={The Art of Long Programs}}
@incollection{inc, author={Pine, Ada and Oak, Bob}, year=2005, pages={1--20}, address={Berlin}, editor={Elm, Cy},
  title={Rivers in the memory of cities}, booktitle={Handbook of Water}, publisher={Springer}}
"""
STYLES = """
abbrv acm ACM-Reference-Format agsm alpha apacite apalike babplain cell chicago dcu elsarticle-harv jurabib kluwer
naturemag plain plainnat unsrt
"""
TITLES = {
    "art": "how trees grow beside the words of towns",
    "inp": "learning to read the old maps",
    "book": "the art of long programs",
    "inc": "rivers in the memory of cities",
}


@pytest.mark.parametrize(
    "style",
    STYLES.split(),
)
def test_titles_are_found_first_in_lists_that_bibtex_makes(style: str, tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(WORKS)
    (tmp_path / "paper.aux").write_text(f"\\citation{{*}}\n\\bibstyle{{{style}}}\n\\bibdata{{refs}}\n")
    run("bibtex", "paper", folder=tmp_path)
    found = printed_entries((tmp_path / "paper.bbl").read_text())
    assert {entry.key: entry.readings[0].title.lower() for entry in found} == TITLES


SENTENCES = (
    r"Readers have long asked how trees and words spread among the towns of a country \cite{a,b}.",
    "We therefore ask whether readers of a town follow its references, and how far they go.",
    r"The results of three experiments agree with each other \cite{c}.",
    r"Smaller towns show the same na\"{\i}ve effect, as M\"uller, Fran\c{c}ois and Dvo\v{r}\'ak say.",
)
ACCENTED = {r"\"{\i}": "ï", r"\"u": "ü", r"\c{c}": "ç", r"\v{r}": "ř", r"\'a": "á"}  # set as two characters each
SET = {
    "two columns": (r"\documentclass[twocolumn]{article}", ""),
    "wide lines": (r"\documentclass{article}\usepackage{setspace}\doublespacing", ""),
    "gaps": (r"\documentclass{article}\usepackage{parskip}", ""),
    "numbered lines": (r"\documentclass{article}\usepackage{lineno}\linenumbers", ""),
    "both margins": (r"\documentclass[twocolumn]{article}\usepackage[switch]{lineno}\linenumbers", ""),
    "llncs": (r"\documentclass{llncs}", ""),
    "revtex": (r"\documentclass[twocolumn]{revtex4-1}", r"\maketitle"),
}


@pytest.mark.parametrize("how", SET)
def test_paragraphs_of_a_printed_paper_are_those_of_its_source(how: str, tmp_path: Path) -> None:
    head, behind = SET[how]
    random = Random(5)
    written = [[random.choice(SENTENCES) for _ in range(random.randint(3, 9))] for _ in range(16)]
    sections = {
        f"Section of {name}": written[4 * place : 4 * place + 4]
        for place, name in enumerate(("Words", "Trees", "Towns", "Roads"))
    }
    text = "\n".join(
        rf"\section{{{heading}}}" + "\n" + "\n\n".join(" ".join(paragraph) for paragraph in paragraphs)
        for heading, paragraphs in sections.items()
    )
    abstract = r"\begin{abstract}" + 8 * "We ask how trees spread and find that they do so. " + r"\end{abstract}"
    opening = rf"{abstract}{behind}" if behind else rf"\maketitle{abstract}"
    entries = "".join(
        rf"\bibitem{{{key}}} Ann Doe. How {key} stands beside trees of many towns. Acta, 200{number}."
        for number, key in enumerate("abc", 1)
    )
    (tmp_path / "paper.tex").write_text(
        rf"{head}\begin{{document}}\title{{How trees and words spread in towns}}\author{{Ann Doe}}{opening}"
        rf"{text}\begin{{thebibliography}}{{9}}{entries}\end{{thebibliography}}\end{{document}}"
    )
    for _ in range(3):
        pdflatex("paper.tex", tmp_path)
    found = read_manuscript(tmp_path / "paper.pdf")
    assert (len(found.entries), found.title) == (3, "How trees and words spread in towns")
    assert found.abstract == " ".join(["We ask how trees spread and find that they do so."] * 8)
    assert [section.heading.lower() for section in found.sections] == [heading.lower() for heading in sections]
    plain = [[_without_commands(" ".join(one)) for one in some] for some in sections.values()]
    assert [[re.sub(r"- (?=[a-z])", "", one.text) for one in section.paragraphs] for section in found.sections] == plain


def _without_commands(paragraph: str) -> str:
    for command, letter in ACCENTED.items():
        paragraph = paragraph.replace(command, letter)
    return re.sub(r" \\cite\{[abc,]+\}", "", paragraph)
