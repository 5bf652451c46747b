"""What packages of LaTeX add to manuscripts: acronyms, tables, slides, changes."""

import pytest
from latex_sources import document, expanded, of_project, words

from manuscripts.reading import read


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"\newacronym{n}{NN}{neural net}\gls{n} \gls{n} \glspl{n}", "neural net (NN) NN NNs"),
        (
            r"\newacronym{n}{NN}{neural net}\Gls{n}['s] \GLS{n} \acrlong{n} \acrfullpl{n}",
            "Neural net (NN)'s NN neural net neural nets (NNs)",
        ),
        (
            r"\newacronym[longplural={of n, m},sort=n]{n}{n}{n}\glspl*{n}\glsresetall\ \gls[x]{n}",
            "of n, m (ns)\\ n (n)",
        ),
        (
            r"\newglossaryentry{t}{name={\TeX}, plural=all,description={a, name=b}}\gls{t}, \glspl{t}, \gls{u}",
            r"\TeX, all, \gls{u}",
        ),
        (
            r"\longnewglossaryentry{t}{name=t, first={the t}}{\par x}\gls{t} \glsentryname{t} \glsentrylong{t}",
            "the t t t",
        ),
        (r"\loadglsentries[acronym]{more}\gls{m}", "\nmuch (M)"),
        (
            r"\newcommand{\g}{\gls}\newacronym{n}{NN}{neural net}\newcommand{\n}{\g{n}\xspace}\n and \g{n}",
            "neural net (NN) and NN",
        ),
        (
            r"\ac{n}, \acs{n}, \Aclp{n}, \acused{k}\ac{k}"
            r"\begin{acronym}[NN]\acro{n}[NN]{neural net}\acro{k}{kind}\end{acronym}",
            r"neural net (NN), NN, Neural nets, k\begin{acronym}[NN]\end{acronym}",
        ),
        (
            r"\DeclareAcronym{n}{short=NN, long = neural net, long-plural-form={nets, neural}}\acp{n} \acf{n} \ac*{n}",
            "nets, neural (NNs) neural net (NN) NN",
        ),
        (r"\newcommand{\ac}[1]{<#1>}\acrodef{n}{neural net}\ac{n}\acro{x} \acl{n}", r"<n>\acro{x} neural net"),
        ("% \\acrodef{n}{never}\n\\ac{n} \\acl", "\\ac{n} \\acl"),
    ],
)
def test_acronyms_are_printed_as_latex_prints_them(source: str, shown: str) -> None:
    assert expanded(source, more=r"\newacronym{m}{M}{much}") == shown


@pytest.mark.parametrize(
    "setting",
    [
        *(r"\setlength\parindent{0pt}", r"\setlength{\parskip}{\baselineskip}", r"\addtolength\x{-2\tabcolsep}"),
        *(r"\setcounter{page}{1}", r"\numberwithin{equation}{section}", r"\settowidth\x{Some words}"),
        *(r"\vspace*{2pt}", r"\vspace*\baselineskip", r"\vskip -.2in", r"\hskip 1em plus 0.5em minus 0.4em\relax"),
        *(r"\parskip=2pt plus 1pt", r"\parindent 0pt", r"\tolerance=1000", r"\baselineskip=1.2\baselineskip"),
        *(r"\hbox to3em{\hrulefill}", r"\hbox to .5\hsize{}", r"\vbox to 2.5cm{}", r"\hbox spread 1em{}"),
        *(r"\setstretch{1.5}", r"\enlargethispage*{2\baselineskip}", r"\rule\textwidth{1pt}", r"\medskip\penalty-100"),
    ],
)
def test_what_sets_lengths_and_counters_is_no_text(setting: str) -> None:
    body = rf"\begin{{abstract}}{setting} We ask.\end{{abstract}}{setting} Trees grow {setting} 5 cm \cite{{a}}."
    found = read(document(body).encode())
    assert (found.abstract, words(found), found.keys) == ("We ask.", "We ask. Trees grow 5 cm.", ("a",))


@pytest.mark.parametrize("defining", [r"\providecommand{\bysame}", r"\newcommand\bysame", r"\def\bysame"])
def test_by_the_same_author_is_a_dash(defining: str) -> None:
    preamble = rf"{defining}{{\leavevmode\hbox to3em{{\hrulefill}}\thinspace}}"
    items = r"\bibitem{a} A. Roe, \emph{On bees}, 2001. \bibitem{b} \bysame, \emph{On wasps}, 2002."
    listed = rf"{preamble}\begin{{thebibliography}}{{9}}{items}\end{{thebibliography}}"
    body = r"Bees sting \cite{a,b}."
    for found in (read(document(body + listed).encode()), of_project(main_tex=document(body), main_bbl=listed)):
        assert [entry.source for entry in found.entries] == ["A. Roe, On bees, 2001.", "———, On wasps, 2002."]


def test_acronyms_are_words_in_title_and_abstract() -> None:
    preamble = r"\newacronym{vwm}{VWM}{visual working memory}\newcommand{\vwm}{\gls{vwm}}\title{Attention in \vwm}"
    found = of_project(main_tex=document(r"\begin{abstract}We study \vwm{} and \glspl{vwm}.\end{abstract}", preamble))
    assert (found.title, found.abstract) == ("Attention in visual working memory (VWM)", "We study VWM and VWMs.")


def test_acronyms_of_a_single_file_may_be_defined_behind_their_use() -> None:
    assert words(read(document(r"We use \gls{n}.\newacronym{n}{NN}{neural net}").encode())) == "We use neural net (NN)."


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (
            r"Some\index{a!b} text is\linebreak[4] here\newline now: self-super\-vised.",
            "Some text is here now: self-supervised.",
        ),
        (
            r"A\\ \cmidrule[1pt](lr){2-3} B \cline{1-2} \rowcolor[gray]{0.9}[l] C \cellcolor{red!20}4\sisetup{a=b}.",
            "A B C 4.",
        ),
        (r"\begin{description}\item[Span \cite{a}] The task.\end{description}", "Span The task."),
        (r"One.\subfloat[List][Left \cite{a}.]{\includegraphics{x}} Two.", "One. Two. Left."),
        (r"\makebox[2cm][l]{A} \parbox[c][2cm]{3cm}{B} \multirow{2}{*}[2pt]{C} \textcolor[rgb]{1,0,0}{D}", "A B C D"),
        (
            r"\begin{frame}{On \emph{a}}{Sub}\begin{block}{B}C.\end{block}\frametitle{D}E.\end{frame}",
            "On a Sub B C. D E.",
        ),
        (r"\chapter{A}\chaptermark{B}\enquote*{C}\lstinputlisting[caption=D]{e.py}\inputminted{python}{e.py}.", "C. D"),
        (
            r"One.\begin{lstlisting}[label=l, caption={[Short \cite{b}]As in \cite{a}, \emph{sorted}.}]"
            "\n\\cite{b} x\n\\end{lstlisting} Two.",
            "One. Two. As in, sorted.",
        ),
        (r"One.\begin{lstlisting}[caption={A} \cite{a} and {B}]x\end{lstlisting} Two.", "One. Two. A and B"),
        (r"One.\begin{lstlisting}[caption=By \cite{a}]\cite{b}\end{lstlisting} Two.", "One. Two. By"),
        (r"One.\begin{verbatim}[caption=No]\cite{b}\end{verbatim} Two.", "One. Two."),
        (r"\begin{columns}\begin{column}{0.5\textwidth}A.\end{column}\column{.5\textwidth}B.\end{columns}", "A. B."),
        (
            r"See \mbox{\citep{a} }\hskip0ptthere. In \sectionref{sec:x}\titlebreak and \figureref{fig:x}.",
            "See there. In Section and Figure.",
        ),
        (
            r"\twocolumn[\begin{icmlauthorlist}\icmlauthor{A B}{x,y}\end{icmlauthorlist}"
            "\n]\n\\printAffiliationsAndNotice{\\x}\n\nA.",
            "A.",
        ),
        (r"A\sidenote[][-1cm]{Note.}.\nobibliography{refs} As \citefield{a}{title} says.", "A. As says. Note."),
        (r"\added[id=x]{New} and \deleted{old \cite{b}} \replaced{this}{that \cite{b}}.\nocite{a}", "New and this."),
    ],
)
def test_arguments_that_are_no_text_are_left_out_and_words_are_parted(source: str, shown: str) -> None:
    found = read(document(source).encode())
    assert words(found) == shown
    assert set(found.keys) <= {"a"}


def test_notes_and_citations_are_none_of_a_heading() -> None:
    found = read(document(r"\section{Data\footnote{At \url{x}.} \\ and tasks \cite{a}\index{x}}Text.").encode())
    assert ([section.heading for section in found.sections], found.keys) == (["Data and tasks"], ("a",))


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"\begin{spacing}{1.5}We ask\footnotemark[1].\end{spacing}", "We ask."),
        (
            r"See \hyperref[sec:x]{our method}, \rotatebox{90}{turned}, of Sections~\vref{x}.",
            "See our method, turned, of Sections.",
        ),
        (r"We ask.\keywords{a \and b}\PACS{12 \and 13}\subclass{MSC}", "We ask."),
        (r"\color{red}We\todo{Do we \cite{b}?} \multirow{2}{*}[2pt]{ask}\addlinespace[2pt].", "We ask."),
    ],
)
def test_arguments_that_are_no_text_are_none_of_the_abstract(source: str, shown: str) -> None:
    body = rf"\begin{{abstract}}{source}\end{{abstract}}\section{{On \color{{red}}trees~\vref{{x}}}}{source}"
    found = read(document(body).encode())
    assert (found.abstract, found.sections[-1].heading) == (shown, "On trees")
    assert found.sections[-1].paragraphs[0].text == shown


FRONT = r"""\pagerange{\pageref{a}--\pageref{b}}\preprint{APS/123}\author{A \\ \begin{tabular}{c}B\end{tabular}}
\homepage{x}\title{T\thanks{By \cite{b}.}}\dedicatory{To Bob}\subjclass[2020]{05C05}
\begin{highlights}\item We ask.\end{highlights}"""


@pytest.mark.parametrize("source", [rf"{FRONT}\maketitle ", rf"\begin{{frontmatter}}{FRONT}\end{{frontmatter}}"])
def test_what_a_class_is_told_above_the_title_is_no_text_but_its_environments_are(source: str) -> None:
    found = read(document(rf"{source}Trees \cite{{a}}.", "").encode())
    assert (found.title, words(found).strip(), set(found.keys)) == ("T", "We ask. Trees.", {"a", "b"})


def test_without_a_title_below_text_is_read_from_the_beginning() -> None:
    assert words(read(document(r"We ask.\section{On trees}Why?\maketitle").encode())) == "We ask. Why?"


@pytest.mark.parametrize(
    ("named", "source", "headings"),
    [
        ("copernicus", r"\introduction A.\conclusions[Outlook] B.", ["Introduction", "Outlook"]),
        ("sn-jnl", r"\bmhead{Funding} A.\section{C} B.", ["Funding", "C"]),
        (
            "llncs",
            r"\subsubsection{\ackname} A.\subsubsection{\discintname} B.",
            ["Acknowledgements", "Disclosure of Interests"],
        ),
    ],
)
def test_headings_of_a_class_are_headings(named: str, source: str, headings: list[str]) -> None:
    found = read(rf"\documentclass{{{named}}}\title{{T}}\begin{{document}}\maketitle {source}\end{{document}}".encode())
    assert [section.heading for section in found.sections] == headings
    assert words(found) == "A. B."


def test_the_title_of_a_title_page_is_what_is_largest() -> None:
    page = r"{\LARGE University}\par{\Large A thesis}\par{\huge\bfseries Trees of towns\par}{\LARGE Ada Doe}"
    found = read(document(rf"\begin{{titlepage}}{page}\end{{titlepage}}\chapter{{One}}Text.", "").encode())
    assert found.title == "Trees of towns"


def test_title_and_abstract_above_two_columns_are_told_by_their_sizes() -> None:
    title = r"\includegraphics{x} & \noindent\LARGE{\textbf{Zeolites in water$^\dag$}} \\ & \noindent\large{Ada Doe}"
    rows = rf"{title}\\ & \noindent\normalsize{{They swell \cite{{a}}.}}"
    table = rf"\begin{{tabular}}{{m{{4cm}} p{{9cm}}}}{rows}\end{{tabular}}"
    above = rf"\twocolumn[\begin{{@twocolumnfalse}}{table}\end{{@twocolumnfalse}}\vspace{{1em}}]"
    found = read(document(rf"{above}\section{{One}}Why?", "").encode())
    assert (found.title, found.abstract, words(found)) == ("Zeolites in water", "They swell.", "They swell. Why?")
    assert found.keys == ("a",)


def test_breaks_part_words_of_title_and_abstract() -> None:
    abstract = r"\begin{abstract}One\index{x}.\par Two\newline three.\end{abstract}"
    for line_break in (r"\linebreak[3] ", r"\titlebreak "):
        found = read(document(abstract, rf"\title{{On{line_break}bees}}").encode())
        assert (found.title, found.abstract) == ("On bees", "One.\n\nTwo three.")


@pytest.mark.parametrize(
    "keywords",
    [
        r"\fontsize{8}{11}\bfseries { \section{Keywords:} a, b}",
        r"\par\textbf{Key words}: a",
        r"\textit{Index terms---}a",
    ],
)
def test_keywords_are_none_of_the_abstract_and_a_part_of_it_may_have_no_name(keywords: str) -> None:
    for source in ("", r"\section{}"):
        found = read(
            document(rf"\begin{{abstract}}{source} The \emph{{keywords}} are. {keywords}\end{{abstract}}").encode()
        )
        assert (found.abstract, words(found)) == ("The keywords are.", "The keywords are.")


@pytest.mark.parametrize(
    ("preamble", "source"),
    [
        (r"\documentclass[trackchanges]{aastex631}", r"\replaced{Old \cite{b}}{New \cite{a}} words.\explain{Why.}"),
        (r"\documentclass{article}\usepackage{natbib, aastex}", r"\replaced{Old \cite{b}}{New \cite{a}} words."),
        (r"\documentclass{article}\usepackage{changes}", r"\replaced[id=x]{New \cite{a}}{Old \cite{b}} words."),
        (
            r"\documentclass{agujournal2019}\usepackage[inline]{trackchanges}",
            r"\change[me]{Old \cite{b}}{New} \add{words}\remove[me]{, old} \annote{\cite{a}}{Why.}\note[me]{Who.}.",
        ),
        (
            r"\documentclass{article}\usepackage[normalem]{ulem}\usepackage{soul}",
            r"\sout{Old \cite{b}}New\xout{ish} \cite{a} words\st{, old}.",
        ),
        (
            r"\documentclass{article}",
            r"\DIFdelbegin \DIFdel{Old }\DIFdelend\DIFaddbegin\DIFadd{New \cite{a}}\DIFaddend words.",
        ),
    ],
)
def test_changes_are_read_as_accepted_in_the_way_of_their_package(preamble: str, source: str) -> None:
    found = read((preamble + r"\title{T}\begin{document}" + source + r"\end{document}").encode())
    assert (words(found), found.keys) == ("New words.", ("a",))


_AMSREFS = r"""\documentclass{amsart}
\usepackage{amsrefs}
\begin{document}
\title{On sums}
\maketitle
A result \cite{fermat}*{Theorem 3.1} was extended \citelist{\cite{euler}*{p.~2} \cite{gauss}} and used
\cites{euler,lost}.
\begin{bibdiv}
\begin{biblist}
\bib{fermat}{article}{
  author={de Fermat, Pierre},
  author={Doe, Jane},
  title={Observations on {$n$} squares},
  journal={J. Old Math.},
  date={1998-05},
  review={\MR{123}},
  doi={10.1000/abc},
}
\bib{euler}{book}{author={Euler, L.}, title={Algebra}, subtitle={Elements}, date={1770}}
\bib*{gauss}{article}{author={Gauss}, title={Disquisitiones}, eprint={arXiv:1502.00001}}
\end{biblist}
\end{bibdiv}
The end.
\end{document}
"""


def test_lists_of_amsrefs_are_read():
    manuscript = read(_AMSREFS.encode())
    assert words(manuscript) == "A result was extended and used. The end."
    assert manuscript.keys == ("fermat", "euler", "gauss", "lost")
    works = [entry.readings[0] for entry in manuscript.entries]
    assert [(work.id, work.title, work.year, work.authors) for work in works] == [
        ("fermat", "Observations on n squares", 1998, ("Pierre de Fermat", "Jane Doe")),
        ("euler", "Algebra: Elements", 1770, ("L. Euler",)),
        ("gauss", "Disquisitiones", None, ("Gauss",)),
    ]
    assert (works[0].venue, works[0].doi, works[2].arxiv) == ("J. Old Math.", "10.1000/abc", "1502.00001")
    assert [entry.place.line for entry in manuscript.entries if entry.place] == [10, 19, 20]
    assert [note.text for note in manuscript.notes] == ["no entry for the key lost"]


@pytest.mark.parametrize("between", ["a" * 200_000, " " * 200_000])
def test_what_is_no_field_of_amsrefs_takes_no_time(between: str) -> None:
    found = read(_AMSREFS.replace("  review=", f"  {between}!\n  review=").encode())
    works = [entry.readings[0] for entry in found.entries]
    assert [(work.id, work.year) for work in works] == [("fermat", 1998), ("euler", 1770), ("gauss", None)]


def test_abbreviations_of_the_styles_of_cvpr_are_text() -> None:
    """Their style defines them beside the manuscript by primitives, which are not read of it."""
    text = r"As Doe \etal~\cite{a}, \ie us, show \vs them, \eg, ants, \etc. It is \wrt\ us."
    style = r"\def\etal{\emph{et al}\onedot}"
    found = of_project(main_tex=document(text, r"\usepackage[review]{cvpr}\title{T}"), cvpr_sty=style)
    assert words(found) == "As Doe et al., i.e. us, show vs. them, e.g., ants, etc. It is w.r.t. us."


@pytest.mark.parametrize(
    "defined",
    [
        r"\usepackage{iccv}",
        r"\makeatletter\DeclareRobustCommand\onedot{\futurelet\@let@token\@onedot}"
        r"\def\@onedot{\ifx\@let@token.\else.\null\fi\xspace}"
        r"\def\eg{\emph{e.g}\onedot} \def\etc{\emph{etc}\onedot} \def\etal{\emph{et al}\onedot}\makeatother",
        r"\def\eg{\emph{e.g}\bmvaOneDot}\def\etc{\emph{etc}\bmvaOneDot}\def\etal{\emph{et al}\bmvaOneDot}",
    ],
)
def test_abbreviations_have_one_full_stop_wherever_they_are_defined(defined: str) -> None:
    """Their macro, which looks at what follows, is often copied into a manuscript; BMVC's class has one of its own."""
    text = r"As Doe \etal say, \eg, ants, moths \etc and bees eat. So do Roe \etal. They fly, as \eg~\cite{a} say."
    found = of_project(main_tex=document(text, rf"{defined}\title{{T}}"))
    shown = "As Doe et al. say, e.g., ants, moths etc. and bees eat. So do Roe et al. They fly, as e.g. say."
    assert words(found) == shown
