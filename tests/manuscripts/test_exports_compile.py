"""Bibliographies as pdfLaTeX sets them, with BibTeX and with biber."""

from pathlib import Path

import pytest
from tex import needs_tex, pdflatex, run

from citescout.recommendation import Reasons, Recommendation
from exports import written
from indexer.paper import Paper
from indexer.readers import read_papers
from retrieval.query import Query

pytestmark = [pytest.mark.slow, needs_tex]

_AUTHORS = (
    "Ludwig van Beethoven",
    "World Health & Co. Organization",
    "Łukasz Žák",
    "Martin Luther King, Jr.",
    "et al.",
)
PAPERS = [
    Paper("a", r"Bounds of $O(n^2)$ and $\alpha$-cuts for 100% of #1 in_put", "", 2020, _AUTHORS, "Journal of A & B"),
    Paper("b", "α-helices ≤ β-sheets: CO₂ in ℝ, H₂O → ∞", "", 2019, ("Ann Writer",), "SIGIR", doi="10.1000/a_b%c"),
    Paper("c", r"$\input{/etc/passwd}$ costs $5 or $10 {unbalanced", "", 2018, ("Ann Writer",), arxiv="1801.00001"),
    Paper("d", r"Backslash \ tilde ~ caret ^ <tag> $x_{i}^{2}$ $\frac{a}{b}$ $\mathcal{O}(1)$", "", 2017),
]
OWN = r"""@string{jb = "Journal of Bibliographies"}
@article{own1, author = {M{\"u}ller, J. and others}, title = {{$\Omega$} and {\"o}ther} # " things",
  journal = jb, year = 2001}
@inproceedings{own2, crossref = {proc}, title = {A child}, author = {Doe, Jane}}
@proceedings{proc, title = {Proceedings of Things}, booktitle = {Proceedings of Things}, year = 2002, editor = {Ed, An}}
"""


def bibliography(folder: Path) -> list[str]:
    """Write refs.bib; gives the keys."""
    own = folder / "own.bib"
    own.write_text(OWN, "utf-8")
    papers = [*PAPERS, *(paper for paper in read_papers([str(own)]) if paper.id != "proc")]
    entries = [Recommendation(n, 1 / n, paper, Reasons((), (), (), None)) for n, paper in enumerate(papers, 1)]
    (folder / "refs.bib").write_text(written("bibtex", [(Query("q"), entries)]), "utf-8")
    return [paper.id for paper in papers]


@pytest.mark.parametrize("program", ["bibtex", "biber"])
def test_pdflatex_sets_what_is_exported(program: str, tmp_path: Path) -> None:
    keys = bibliography(tmp_path)
    use, listed = (
        (r"\bibliographystyle{plain}", r"\bibliography{refs}")
        if program == "bibtex"
        else (r"\usepackage[backend=biber]{biblatex}\addbibresource{refs.bib}", r"\printbibliography")
    )
    (tmp_path / "main.tex").write_text(
        r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{amssymb,url}"
        + (use if program == "biber" else "")
        + r"\begin{document}\nocite{*}"
        + (use if program == "bibtex" else "")
        + listed
        + r"\end{document}"
    )
    pdflatex("main.tex", tmp_path)
    said = run(program, "main", folder=tmp_path)
    assert "ERROR" not in said, said
    assert "error message" not in said, said
    pdflatex("main.tex", tmp_path)
    log = pdflatex("main.tex", tmp_path)
    assert "Output written on main.pdf" in log
    errors = [line for line in log.splitlines() if line.startswith("!")]
    assert errors == []
    listing = (tmp_path / "main.bbl").read_text("utf-8")
    assert listing.count(r"\bibitem") + listing.count(r"\endentry") >= len(keys)
