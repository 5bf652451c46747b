"""What commands and environments of LaTeX and of the big classes mean for the text."""

from manuscripts.manuscript import Form


def _counted(*names: str) -> dict[str, int]:
    """Name → 0 for the first words, 1 for the next ones, and so on."""
    return {name: count for count, some in enumerate(names) for name in some.split()}


def _names(names: str) -> frozenset[str]:
    return frozenset(names.split())


def _starred(names: str) -> frozenset[str]:
    return _names(names) | {f"{name}*" for name in names.split()}


_NO_TEXT = """
author address affil affiliation affiliations institute institution email ead orcid date keywords keyword label ref
eqref autoref cref Cref vref pageref nameref subref hypersetup includegraphics bibliographystyle bibliography
addbibresource addglobalbib pagestyle thispagestyle pagenumbering hspace title subtitle titlerunning authorrunning
shorttitle shortauthors input include graphicspath usetikzlibrary tikzset lstset captionsetup usepackage documentclass
tableofcontents orcidlink icmltitle icmltitlerunning icmlkeywords printAffiliationsAndNotice ccsdesc acmConference
acmYear acmISBN acmDOI acmJournal acmVolume acmNumber acmArticle acmMonth copyrightyear setcopyright received city
country state postcode streetaddress department cortext corref fntext fnref tnotetext tnoteref journal geometry
IEEEauthorblockN IEEEauthorblockA IEEEmembership thesistitle supervisor examiner degree university faculty group
printbibliography bibitem color phantomsection theoremstyle hyphenation inst DeclareMathOperator thesubject subject
index cline rowcolor cellcolor columncolor arrayrulecolor sisetup acsetup hhline tnote missingfigure glsadd column pacs
PACS MSC subjclass subclass correspondingauthor altaffiliation nocollaboration tablenum tablewidth plotone figurenum
epsscale gridline credit bio Description authornote titlenote chaptermark sectionmark markright lstinputlisting tag
SweaveOpts IEEEcompsocitemizethanks bstctlcite sectionref figureref tableref equationref algorithmref appendixref
"""

_NO_TEXT_TWICE = """
newtheorem definecolor inputminted fontsize pagebreak markboth crefname Crefname pdfbookmark icmlauthor icmlaffiliation
icmlcorrespondingauthor icmlsetsymbol
"""

# Environments by the number of their arguments.
_ONE_ARGUMENT = """
tabular longtable longtblr tblr array minipage multicols adjustbox subfigure subtable otherlanguage spacing
thebibliography mcitethebibliography minipage* column
"""
_TWO_ARGUMENTS = "tabular* tabularx tabulary wrapfigure wraptable adjustwidth list adjustwidth* resizebox"

LEVELS = {"part": 0, "chapter": 0, "section": 1, "subsection": 2, "subsubsection": 3, "paragraph": 4, "subparagraph": 5}

REFERENCE_LISTS = _names("thebibliography mcitethebibliography bibdiv biblist")

# Contain "cite" and cite nothing.
NO_CITATIONS = _names("""
citestyle citetext citename citeindextrue citeindexfalse citereset citesetup citetrackertrue citetrackerfalse bibcite
newcites citecounter citeform citeleft citeright citepunct citedelim citemid citeprenote citedash citenumfont
nocitechapter mkbibcite defcitealias citeauthoryear setcitestyle ExecuteBibliographyOptions bstctlcite
IEEEcompsocitemizethanks
""")
# Cite, though their names do not say so.
MORE_CITATIONS = _names("bibentry citetalias citepalias newblockcite notecite possessivecite")
# Citations that are part of their sentence, in lower case → how they are printed.
FORMS: dict[str, Form] = {
    **dict.fromkeys(("citet", "textcite", "textcites", "newcite", "citea"), "text"),
    **dict.fromkeys(("citeauthor", "citefullauthor"), "author"),
    **dict.fromkeys(("citeyear", "citeyearpar"), "year"),
}

# Commands → how many arguments in braces are no text of the manuscript.
DROPPED = _counted(
    "maketitle IEEEpeerreviewmaketitle IEEEmaketitle frontmatter mainmatter backmatter appendix printglossary "
    "printglossaries printacronyms lipsum addlinespace footnotemark cormark fnmark tnotemark endbio "
    "putbib newrefsection newrefsegment",
    _NO_TEXT,
    _NO_TEXT_TWICE,
    "rowcolors specialrule",
)
# Commands → arguments before the one that is text.
SETTINGS = _counted(
    "makebox framebox hyperref",
    "captionof "
    "textcolor colorbox rotatebox scalebox raisebox parbox foreignlanguage foreignquote hyphenquote "
    "foreigntextquote hyphentextquote foreignblockquote hyphenblockquote hybridblockquote",
    "resizebox multicolumn multirow",
)

# Their argument is a paragraph of its own.
ASIDES = _names("footnote footnotetext thanks caption subcaption tablecaption tablecomments marginpar todo sidenote")

# Their last option is one, and what stands in braces goes on.
FLOATS = _names("subfloat subfigure")
# Slides: their argument, or those of the environment, are headings apart from the text.
TITLES = _names("frametitle framesubtitle minisec")
TITLED = {"frame": 2, "block": 1, "exampleblock": 1, "alertblock": 1}
BREAKS = _names("newline linebreak titlebreak")

# Environments that are no running text: only what they cite counts.
PICTURES = _names("""
tikzpicture pgfpicture forest algorithmic algorithmic* picture CCSXML comment keyword IEEEkeywords keywords
affiliations IEEEbiography IEEEbiographynophoto
""")
# Formulas on lines of their own.
DISPLAYS = _starred("equation align gather multline eqnarray displaymath flalign alignat")
MATHEMATICS = DISPLAYS | _starred(
    "math split aligned cases array matrix pmatrix bmatrix gathered dcases vmatrix smallmatrix subequations"
)
# References that print what they refer to, by the beginnings of labels: "sec:method", "tab-results".
NAMING_REFERENCES = _names("autoref cref Cref sectionref figureref tableref equationref algorithmref appendixref")
NOUNS = {
    **dict.fromkeys(("sec", "section", "subsec"), "Section"),
    **dict.fromkeys(("ch", "chap", "chapter"), "Chapter"),
    **dict.fromkeys(("fig", "figure"), "Figure"),
    **dict.fromkeys(("tab", "tbl", "table"), "Table"),
    **dict.fromkeys(("eq", "eqn", "equation"), "Equation"),
    **dict.fromkeys(("alg", "algo", "algorithm"), "Algorithm"),
    **dict.fromkeys(("app", "appendix"), "Appendix"),
}
# Environments → arguments in braces that are no text.
ENVIRONMENT_ARGUMENTS = _counted("", _ONE_ARGUMENT, _TWO_ARGUMENTS)
_OTHER_ABSTRACTS = (
    "zusammenfassung kurzfassung resume resumen resumo resumoumacoluna riassunto sommario samenvatting streszczenie"
)
ABSTRACTS = (
    *("abstract", "abstract*", "Abstract", "ABSTRACT", "onecolabstract"),  # before those in other languages
    *(form for name in _OTHER_ABSTRACTS.split() for form in (name, name.capitalize())),
)
ABSTRACT_COMMANDS = ("abstract", "Abstract", "ABSTRACT", "abstracttext", "abst")
TITLE_COMMANDS = (
    *("Plaintitle", "title", "icmltitle", "Title", "TITLE", "thesistitle", "ttitle", "papertitle", "mytitle"),
    *("titel", "titulo", "titre", "titolo"),
)
