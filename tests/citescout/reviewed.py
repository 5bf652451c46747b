"""A small index, and manuscripts about what it holds: one without a fault, and one with each fault planted once."""

from collections import Counter
from pathlib import Path

from citescout.review import Review, ReviewOptions
from indexer.paper import Paper

OPTIONS = ReviewOptions(authors=("A. Lovelace",), year=2020)
PAPERS = (
    Paper("graphs", "Walking on citation graphs to find related work", "Walks find papers.", 2015,
          ("Ada Lovelace", "Grace Hopper"), "Journal of Graph Walks", "10.1000/graphs"),
    Paper("fused", "Fusing ranked lists on a table top at room temperature", "Lists are fused.", 2011,
          ("Emil Nobody",), "Journal of Fused Lists", "10.1000/fused", retracted=True),
    Paper("preprint", "Passages as vectors for questions without answers", "Passages become vectors.", 2019,
          ("Grace Hopper",), "Conference on Passages", "10.1000/passages", "1801.00001"),
    Paper("dated", "A sentence tells what it cites when it is read slowly", "Sentences tell.", 2012,
          ("Karen Reader",), "Reading Letters", "10.1000/dated"),
    Paper("named", "Names of authors in bibliographies that nobody checks", "Names are spelt.", 2016,
          ("Karen Reader",), "Transactions on Bibliographies", "10.1000/named"),
    Paper("placed", "Where in a paragraph the citation mark belongs", "Marks have places.", 2018,
          ("Ada Lovelace",), "Annals of Typesetting", "10.1000/placed"),
    Paper("twice", "Everything is cited twice in very long theses", "Theses are long.", 2017,
          ("Emil Nobody",), "Thesis Review Quarterly", "10.1000/twice"),
)  # fmt: skip

_RIGHT = """\
@article{graphs, title={Walking on citation graphs to find related work}, author={Lovelace, Ada and Hopper, Grace},
  year={2015}, journal={J. Graph Walks}, doi={10.1000/graphs}}
@article{named, title={Names of authors in bibliographies that nobody checks}, author={Reader, Karen},
  year={2016}, journal={Trans. Bibliogr.}, doi={https://doi.org/10.1000/NAMED}}
"""
_MORE_RIGHT = """\
@inproceedings{preprint, title={Passages as vectors for questions without answers}, author={Hopper, Grace},
  year={2019}, booktitle={Proceedings of the 3rd Conference on Passages}, doi={10.1000/passages}}
@article{dated, title={A sentence tells what it cites when it is read slowly}, author={Reader, Karen}, year={2012}}
@article{placed, title={Where in a paragraph the citation mark belongs}, author={Lovelace, Ada}, year={2018}}
@article{twice, title={Everything is cited twice in very long theses}, author={Nobody, Emil}, year={2017}}
"""
# What the index knows nothing of is no fault.
_OUTSIDE = "@book{elsewhere, title={A book that this index does not hold}, author={Far, A.}, year={1999}}\n"

_FAULTY = """\
@article{fused, title={Fusing ranked lists on a table top at room temperature}, author={Nobody, Emil}, year={2011}}
@misc{preprint, title={Passages as vectors for questions without answers}, author={Hopper, Grace}, year={2018},
  eprint={1801.00001}, archiveprefix={arXiv}}
@article{dated, title={A sentence tells what it cites when it is read slowly}, author={Reader, Karen}, year={2013}}
@article{placed, title={Where in a paragraph the citation mark belongs}, author={Lovelace, Ada}, year={2018},
  journal={Proceedings of the Symposium on Volcanoes}, doi={10.1000/typo}}
@article{twice, title={Everything is cited twice in very long theses}, author={Nobody, Emil}, year={2017}}
@article{again, title={Everything is cited twice, in very long theses}, author={Emil Nobody}, year={2017}}
@article{idle, title={An entry that no sentence of the text needs}, author={Far, A.}, year={2000}}
@misc{blank, note={in preparation}}
@book{idle, title={Another work under a key that is taken}, author={Far, A.}, year={2001}}
"""

_CLEAN_TEXT = r"""Walks on graphs are widely used \cite{graphs,named}. We do not.
Several studies have shown this \cite{preprint,dated,placed,twice,elsewhere}."""
_FAULTY_TEXT = r"""Walks on graphs are widely used \cite{graphs,named}. We do not.
Several studies have shown this \cite{preprint,dated,placed,twice,again,elsewhere,blank}.
The lists are fused as others did \cite{fused}, and a key is wrong \cite{nowhere}.

Citation graphs have been used for decades by several authors to find related papers."""
CLAIM = "Citation graphs have been used for decades by several authors to find related papers."

_TEX = r"""\documentclass{article}
\title{What a review of bibliographies finds}
\begin{document}
\begin{abstract}
Bibliographies are reviewed. Many authors have been known to forget them.
\end{abstract}
\section{Introduction}
%s
\section{Conclusion}
Several studies have shown what a conclusion repeats.
\bibliography{refs}
\end{document}
"""


def clean(folder: Path) -> Path:
    """A manuscript without a fault, which cites every paper of the index but the one that was retracted."""
    return _written(folder, _CLEAN_TEXT, _RIGHT + _MORE_RIGHT + _OUTSIDE)


def faulty(folder: Path) -> Path:
    """A manuscript with each fault once."""
    return _written(folder, _FAULTY_TEXT, _RIGHT + _FAULTY + _OUTSIDE)


def _written(folder: Path, text: str, bibliography: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "main.tex").write_text(_TEX % text, encoding="utf-8")
    (folder / "refs.bib").write_text(bibliography, encoding="utf-8")
    return folder


def found(review: Review) -> Counter[tuple[str, tuple[str, ...], str]]:
    return Counter((finding.kind, finding.keys, finding.field or "") for finding in review.findings)


def line_of(path: Path, text: str) -> int:
    whole = path.read_text(encoding="utf-8")
    return whole[: whole.index(text)].count("\n") + 1
