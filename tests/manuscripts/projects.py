"""Ten projects as people have them on their disks, and what stands in them: counted by hand."""

# ruff: noqa: E501 - lines of these projects are as long as people write them

import json

from archives import zipped
from latex_projects import ACL, BIBLATEX, ELSEVIER, IEEE, LNCS, THESIS
from project_files import Project, bib
from word_files import document_with_citations

QUARTO = Project(
    "quarto",
    {
        "manuscript.qmd": r"""---
title: "Reading *Slowly*: a study of `attention`"
author:
  - name: Ada L.
    orcid: 0000-0000-0000-0000
abstract: |
  We read slowly [@wolf2018]. It helps.
bibliography: [references.bib, more.json]
format: pdf
nocite: |
  @silent2019
---

# Introduction {#sec-intro}

Reading is changing [see @carr2010, pp. 3-9; also @wolf2018], says -@birkerts1994. As @liu2005 [p. 700] found, screens
differ (@fig-eyes; @sec-intro). Mail me@example.org or \@nobody.

![Eyes, after @rayner1998.](eyes.png){#fig-eyes}

{{< include _method.qmd >}}

```{python}
x = "@notacitation"
```

# References

::: {#refs}
:::
""",
        "_method.qmd": "## Method\n\nWe follow @{doi:10.1000/x}'s protocol[^n] and `@code`.\n\n[^n]: Also [@delgado2018].\n<!-- [@hidden] -->\n",
        "references.bib": bib("wolf2018", "carr2010", "birkerts1994", "liu2005", "rayner1998", "doi:10.1000/x"),
        "more.json": json.dumps(
            [
                {"id": "delgado2018", "type": "article-journal", "title": "Don't throw away your printed books", "issued": {"date-parts": [[2018]]}},
                {"id": "silent2019", "type": "book", "title": "Silence", "issued": {"date-parts": [[2019]]}},
            ]
        ),
        "README.md": "# Build\n\nRun quarto.\n",
    },
    "Reading Slowly: a study of attention",
    "We read slowly. It helps.",
    7,
    ("wolf2018", "carr2010", "birkerts1994", "liu2005", "rayner1998", "doi:10.1000/x", "delgado2018", "silent2019"),
    main="manuscript.qmd",
    latex=False,
    text={"Reading is changing, says.": ("carr2010", "wolf2018", "birkerts1994")},
)  # fmt: skip


WORD = Project(
    "word",
    {"paper.docx": document_with_citations()},
    "Writing in Word",
    "Words are written. They stay.",
    7,
    ("AAAA1111", "BBBB2222", "u-1", "m2", "Doe2011#7", "Kay84", "Lic68"),
    ("no entry for the key Lic68",),
    main="paper.docx",
    latex=False,
)


OVERLEAF_FILES: dict[str, str | bytes] = {
    "response.tex": "\\documentclass{letter}\\begin{document}Dear editor, \\input{tex/method}\\end{document}",
    "main.tex": r"""\documentclass{article}
\usepackage{natbib}
\usepackage{tex/shortcuts}
\graphicspath{{figs/}}
\begin{document}
\title{Zipped \emph{Science}}
\date{\today}
\maketitle
\begin{abstract}\input{tex/abstract}\end{abstract}
\input{tex/method}
\bibliographystyle{abbrvnat}
\bibliography{refs/main.bib}
\end{document}
""",
    "tex/shortcuts.sty": "\\ProvidesPackage{tex/shortcuts}\n\\newcommand{\\zip}{\\textsf{zip}}\n\\newcommand{\\cc}[1]{\\citep{#1}}\n",
    "tex/abstract.tex": "We \\zip{} it.\n",
    "tex/method.tex": "\\section{Method}\r\nWe \\zip{} files \\cc{deutsch1996}, as \\citet{huffman1952} did.\r\n",
    "refs/main.bib": bib("deutsch1996", "huffman1952"),
    "figs/plot.pdf": b"%PDF-1.4 no manuscript",
    "__MACOSX/._main.tex": b"\0\1",
}
OVERLEAF = Project(
    "overleaf",
    {"Zipped Science.zip": zipped(OVERLEAF_FILES)},
    "Zipped Science",
    "We zip it.",
    2,
    ("deutsch1996", "huffman1952"),
    main="Zipped Science.zip",
    latex=False,  # its files are compared by the test of the archive
)

BROKEN = Project(
    "broken",
    {
        "main.tex": r"""\documentclass{article}
\newcommand{\self}{\self again}
\begin{document}
\title{Broken {in} five ways}
\begin{abstract}It is broken. \end{abstract}
\section{One}
A file is missing \input{sections/lost}. A key has no entry \cite{nowhere}.
An unclosed {\bf group and $math \cite{here}.

\section{Two}
\input{../../etc/passwd}
The bibliography is half there \cite{cut}, \self.
\bibliography{refs,gone}
""",
        "refs.bib": bib("here") + "@article{cut, title={Cut {off in the middle},\n",
    },
    "Broken in five ways",
    "It is broken.",
    3,
    ("nowhere", "here", "cut"),
    (
        r"not found: \input{sections/lost}",
        r"not read: \input{../../etc/passwd} leads out of the manuscript's folder",
        r"not found: \bibliography{gone}",
        "no entry for the key nowhere",
    ),
    latex=False,
)

PROJECTS = (ACL, IEEE, ELSEVIER, LNCS, THESIS, BIBLATEX, QUARTO, WORD, OVERLEAF, BROKEN)
