"""LaTeX with code of R in it, as Sweave and knitr take it."""

from pathlib import Path

from archives import zipped
from project_files import bib, write_files

from manuscripts import read_manuscript
from manuscripts.reading import read

FRONT = r"\documentclass{article}\SweaveOpts{echo=TRUE, prefix.string=trees}\title{On trees}\begin{document}"
MAIN = rf"""<<setup, include=FALSE>>=
x <- "\\cite{{code}}" # 50% of
@
{FRONT}
\begin{{abstract}}They grow.\end{{abstract}}
\section{{Growth}}
Of \Sexpr{{sprintf("%.1f", nrow(trees))}} trees, one grows \cite{{one}}.
<<plot, fig.cap="Trees, as \\cite{{two}} has them.", echo=FALSE>>=
plot(trees) # as in \cite{{code}}
m@x
  <<>>= of knitr
lm(y ~ x)
  @ %def
It is so of all the others \cite{{three}}.

<<child=c('parts/more.Rnw', "parts/a (b).tex")>>=
@
\Sexpr{{knit_child("parts/end.Rnw")}}
\input{{parts/notes}}
\bibliography{{refs}}
\end{{document}}
"""
FILES = {
    "p.Rnw": MAIN,
    "parts/more.Rnw": r"\section{More}More \cite{four}.",
    "parts/a (b).tex": "Last.",
    "parts/end.Rnw": "The end.",
    "parts/notes.Rnw": "Notes.",
    "refs.bib": bib("one", "two", "three"),
}


def test_code_is_left_out_and_captions_and_children_are_read() -> None:
    found = read(zipped(FILES))
    assert (found.title, found.abstract, found.markup) == ("On trees", "They grow.", "latex")
    assert (found.keys, found.unread) == (("one", "three", "two", "four"), ("no entry for the key four",))
    assert [sentence.text for sentence in found.sentences()] == [
        "They grow.",
        "Of trees, one grows.",
        "It is so of all the others.",
        "Trees, as has them.",
        "More.",
        "Last.",
        "The end.",
        "Notes.",
    ]


def test_a_folder_has_its_source_rather_than_what_was_made_of_it(tmp_path: Path) -> None:
    made = {"p.tex": rf"{FRONT}Made of it.\end{{document}}", "p.pdf": "%PDF-1.5"}
    write_files(FILES | made, tmp_path)
    found = read_manuscript(tmp_path)
    assert found == read_manuscript(tmp_path / "p.Rnw")
    places = {sentence.text: sentence.place for sentence in found.sentences()}
    assert (place := places["It is so of all the others."]) and (place.file, place.line) == ("p.Rnw", 14)
