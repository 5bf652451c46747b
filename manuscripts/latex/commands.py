"""What commands and environments of LaTeX and of the big classes mean for the text."""

from __future__ import annotations

_NOT_CITING = """
citestyle citetext citename citeindextrue citeindexfalse citereset citesetup citetrackertrue citetrackerfalse bibcite
newcites citecounter citeform citeleft citeright citepunct citedelim citemid citeprenote citedash citenumfont
nocitechapter mkbibcite defcitealias citeauthoryear setcitestyle ExecuteBibliographyOptions
"""

_NO_TEXT = """
author address affil affiliation affiliations institute institution email ead orcid date keywords keyword label ref
eqref autoref cref Cref vref pageref nameref subref hypersetup includegraphics bibliographystyle bibliography
addbibresource addglobalbib pagestyle thispagestyle pagenumbering vspace hspace title subtitle titlerunning
authorrunning shorttitle shortauthors markboth input include graphicspath usetikzlibrary tikzset lstset captionsetup
usepackage documentclass tableofcontents orcidlink icmltitle icmltitlerunning icmlauthor icmlaffiliation
icmlcorrespondingauthor icmlsetsymbol icmlkeywords ccsdesc acmConference acmYear acmISBN acmDOI acmJournal acmVolume
acmNumber acmArticle acmMonth copyrightyear setcopyright received city country state postcode streetaddress department
cortext corref fntext fnref tnotetext tnoteref journal geometry linespread IEEEauthorblockN IEEEauthorblockA
IEEEmembership thesistitle supervisor examiner degree university faculty group printbibliography bibitem color
phantomsection theoremstyle newtheorem hyphenation inst DeclareMathOperator crefname Crefname thesubject subject
"""

_NO_TEXT_TWICE = """
setlength addtolength setcounter addtocounter settowidth newtheorem addcontentsline definecolor rule fontsize
pagebreak markboth crefname Crefname hyperref
"""

LEVELS = {"part": 0, "chapter": 0, "section": 1, "subsection": 2, "subsubsection": 3, "paragraph": 4, "subparagraph": 5}

# Contain "cite" and cite nothing.
NO_CITATIONS = frozenset(_NOT_CITING.split())
# Cite, though their names do not say so.
MORE_CITATIONS = frozenset(("bibentry", "citetalias", "citepalias", "newblockcite", "notecite", "possessivecite"))

# Commands → how many arguments in braces are no text of the manuscript.
DROPPED: dict[str, int] = {
    **dict.fromkeys(
        _NO_TEXT.split(),
        1,
    ),
    **dict.fromkeys(
        _NO_TEXT_TWICE.split(),
        2,
    ),
    **dict.fromkeys(
        (
            "maketitle",
            "IEEEpeerreviewmaketitle",
            "IEEEmaketitle",
            "frontmatter",
            "mainmatter",
            "backmatter",
            "appendix",
        ),
        0,
    ),
}
# Commands → arguments before the one that is text.
SETTINGS: dict[str, int] = {
    "textcolor": 1,
    "colorbox": 1,
    "resizebox": 2,
    "multicolumn": 2,
    "multirow": 2,
    "rotatebox": 1,
    "scalebox": 1,
    "raisebox": 1,
    "parbox": 1,
    "captionof": 0,
    "foreignlanguage": 1,
}

# Their argument is a paragraph of its own.
ASIDES = frozenset(("footnote", "footnotetext", "thanks", "caption", "subcaption", "marginpar", "todo", "sidenote"))

# Environments that are no running text: only what they cite counts.
PICTURES = frozenset(
    (
        "tikzpicture",
        "pgfpicture",
        "forest",
        "algorithmic",
        "algorithmic*",
        "picture",
        "CCSXML",
        "comment",
        "keyword",
        "IEEEkeywords",
        "keywords",
    )
)
MATHEMATICS = frozenset(
    f"{name}{star}"
    for name in (
        "equation",
        "align",
        "gather",
        "multline",
        "eqnarray",
        "math",
        "displaymath",
        "flalign",
        "alignat",
        "split",
        "aligned",
        "cases",
        "array",
        "matrix",
        "pmatrix",
        "bmatrix",
        "gathered",
        "dcases",
        "vmatrix",
        "smallmatrix",
        "subequations",
    )
    for star in ("", "*")
)
# Environments → arguments in braces that are no text.
ENVIRONMENT_ARGUMENTS = {
    "tabular": 1,
    "tabular*": 2,
    "tabularx": 2,
    "tabulary": 2,
    "longtable": 1,
    "longtblr": 1,
    "tblr": 1,
    "array": 1,
    "minipage": 1,
    "wrapfigure": 2,
    "wraptable": 2,
    "multicols": 1,
    "adjustwidth": 2,
    "adjustbox": 1,
    "subfigure": 1,
    "subtable": 1,
    "list": 2,
    "otherlanguage": 1,
    "spacing": 1,
    "adjustwidth*": 2,
    "thebibliography": 1,
    "minipage*": 1,
    "resizebox": 2,
}
ABSTRACTS = ("abstract", "abstract*", "Abstract", "ABSTRACT", "onecolabstract")
ABSTRACT_COMMANDS = ("abstract", "Abstract", "ABSTRACT", "abstracttext")
TITLE_COMMANDS = ("title", "icmltitle", "Title", "TITLE", "thesistitle", "ttitle", "papertitle", "mytitle", "titel")
