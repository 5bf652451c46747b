"""Six projects in LaTeX as people have them on their disks, and what stands in them: counted by hand."""

# ruff: noqa: E501 - lines of these projects are as long as people write them

from project_files import Project, bib

ACL = Project(
    "acl",
    {
        "main.tex": r"""% !TEX program = pdflatex
\documentclass[11pt]{article}
\usepackage[review]{acl}
\usepackage[T1]{fontenc}
\usepackage{xspace}
\input{macros}
\title{\ours: Retrieval that Reads\\ before it Ranks\thanks{~~Work done at home.}}
\author{First Author \\ Some University \\ \texttt{first@example.org} \And Second Author \\ Elsewhere}
\begin{document}
\maketitle
\begin{abstract}
Retrieval models match words \citep{robertson2009}. We present \ours, which reads.
It gains 4.5\% over BM25 on \textsc{Msmarco}, at half the cost---and without % a remark
labels.
\end{abstract}
\input{sections/intro}
\input{sections/related.tex}
\section{Experiments}
\begin{table}[t]
\centering
\begin{tabular}{lcc}
\toprule
Model & MRR & R@10 \\
\midrule
BM25 \citep{robertson2009} & 18.4 & 40.1 \\
DPR \citep{karpukhin2020} & 31.1 & 55.0 \\
\ours & \textbf{33.2} & 57.9 \\
\bottomrule
\end{tabular}
\caption{Results; baselines as in \citet{lin2021}.}
\label{tab:main}
\end{table}
\bibliography{anthology,custom}
\end{document}
""",
        "macros.tex": "\\newcommand{\\ours}{\\textsc{ReadRank}\\xspace}\n\\newcommand{\\eg}{e.g.,\\xspace}\n"
        "\\newcommand{\\seealso}[2][]{\\citep[see also][#1]{#2}}\n",
        "acl.sty": "\\NeedsTeXFormat{LaTeX2e}\n\\RequirePackage{natbib,booktabs}\n\\DeclareOption*{}\\ProcessOptions\n"
        "\\newcommand{\\newcite}{\\citet}\n\\def\\And{\\end{tabular}\\hfil\\begin{tabular}[t]{c}}\n"
        "\\bibliographystyle{plainnat}\n",
        "sections/intro.tex": r"""\section{Introduction}
\label{sec:intro}
Dense retrieval has changed search \citep{karpukhin2020,xiong2021}. As \newcite{lin2021} argue, \eg for questions,
it is not enough. \ours builds on BERT \citep[][inter alia]{devlin2019}.\footnote{See \citealp{rogers2020} for a primer.}

Others prune \seealso[Sec.~3]{zhao2022}. \iffalse Never \cite{dropped}. \fi
""",
        "sections/related.tex": r"""\section{Related Work}
\paragraph{Late interaction.} \citeauthor{khattab2020} (\citeyear{khattab2020}) keep all vectors.
% \citet{commented} is out
""",
        "anthology.bib": bib("karpukhin2020", "devlin2019", "khattab2020", "xiong2021", "unused1"),
        "custom.bib": bib("robertson2009", "lin2021", "rogers2020", "zhao2022"),
    },
    "ReadRank: Retrieval that Reads before it Ranks",
    "Retrieval models match words. We present ReadRank, which reads. It gains 4.5% over BM25 on Msmarco, at half the "
    "cost—and without labels.",
    11,
    ("robertson2009", "karpukhin2020", "xiong2021", "lin2021", "devlin2019", "rogers2020", "zhao2022", "khattab2020"),
    text={
        "Dense retrieval has changed search.": ("karpukhin2020", "xiong2021"),
        "As argue, e.g., for questions, it is not enough.": ("lin2021",),
        "See for a primer.": ("rogers2020",),
        "Others prune.": ("zhao2022",),
    },
)
IEEE = Project(
    "ieee",
    {
        "paper.tex": r"""\documentclass[conference]{IEEEtran}
\IEEEoverridecommandlockouts
\usepackage{cite}
\begin{document}
\title{Low-Latency Citation Graphs: A Study of $k$-Core Pruning\\
{\footnotesize \textsuperscript{*}Note: Sub-titles are not captured}
}
\author{\IEEEauthorblockN{1\textsuperscript{st} Ada L.}
\IEEEauthorblockA{\textit{dept.} \\ City, Country \\ a@example.org}}
\maketitle
\begin{abstract}
Graphs of citations grow~\cite{price1965}. We prune them to $k$-cores in $O(n \log n)$ time.
\end{abstract}
\begin{IEEEkeywords}
graphs, pruning
\end{IEEEkeywords}
\section{Introduction}
Citation networks are old \cite{price1965}, \cite{garfield1955}--\cite{small1973}. They follow power laws~\cite{redner1998,
  barabasi1999}.
\begin{itemize}
\item Cores were defined in \cite{seidman1983}.
\item They are found fast \cite[Alg.~1]{batagelj2003}.
\end{itemize}
\begin{equation}
k^* = \arg\max_k f(k) \label{eq:k}
\end{equation}
\section*{Acknowledgment}
We thank nobody.
\begin{thebibliography}{00}
\bibitem{price1965} D. J. de Solla Price, ``Networks of scientific papers,'' \emph{Science}, vol. 149, pp. 510--515, 1965.
\bibitem{garfield1955} E. Garfield, ``Citation indexes for science,'' \emph{Science}, vol. 122, pp. 108--111, 1955.
\bibitem{small1973} H. Small, ``Co-citation in the scientific literature,'' \emph{JASIS}, vol. 24, 1973.
\bibitem{redner1998} S. Redner, ``How popular is your paper?'' \emph{Eur. Phys. J. B}, vol. 4, 1998.
\bibitem{barabasi1999} A.-L. Barab\'asi and R. Albert, ``Emergence of scaling in random networks,'' \emph{Science}, 1999.
\bibitem{seidman1983} S. B. Seidman, ``Network structure and minimum degree,'' \emph{Social Networks}, 1983.
\bibitem{batagelj2003} V. Batagelj and M. Zaver\v{s}nik, ``An O(m) algorithm for cores decomposition of networks,'' 2003.
\end{thebibliography}
\end{document}
"""
    },
    "Low-Latency Citation Graphs: A Study of k-Core Pruning",
    "Graphs of citations grow. We prune them to k-cores in O(n log n) time.",
    7,
    ("price1965", "garfield1955", "small1973", "redner1998", "barabasi1999", "seidman1983", "batagelj2003"),
    main="paper.tex",
    text={"They follow power laws.": ("redner1998", "barabasi1999")},
)
ELSEVIER = Project(
    "elsevier",
    {
        "elsarticle-main.tex": r"""\documentclass[preprint,12pt,authoryear]{elsarticle}
\usepackage{amsmath}
\journal{Information Processing \& Management}
\newcommand\todo[1]{\textcolor{red}{#1}}
\usepackage{xcolor}
\begin{document}
\begin{frontmatter}
\title{Measuring recall {\`a} la carte: 100\% of what?\tnoteref{t1}}
\tnotetext[t1]{Supported by a grant.}
\author[inst1]{Jos\'e \'Alvarez\corref{cor1}}
\cortext[cor1]{Corresponding author}
\ead{j@example.org}
\affiliation[inst1]{organization={University},city={Town},country={Land}}
\begin{abstract}
We revisit recall \citep{cleverdon1967}.

A second paragraph names M\"uller's test.
\end{abstract}
\begin{keyword}
recall \sep evaluation
\end{keyword}
\end{frontmatter}
\section{Introduction}\label{sec1}
Recall is old \citep{cleverdon1967, rijsbergen1979}; \Citet{voorhees2001} and \citet*{buckley2004} differ.
\todo{cite \citep{sakai2007} here}
\include{method}
\appendix
\section{Proofs}
See \citet[Thm.~2]{moffat2008}.
\bibliographystyle{elsarticle-harv}
\bibliography{cas-refs}
\end{document}
""",
        "method.tex": "\\section{Method}\n\\begin{figure}\\centering\\fbox{x}\n\\caption[Short]{After \\citet{zobel1998}.}\\end{figure}\n"
        "We pool.\\footnote{As \\citet{zobel1998}, p.~3.}\n",
        "cas-refs.bib": bib(
            "cleverdon1967", "rijsbergen1979", "voorhees2001", "buckley2004", "sakai2007", "moffat2008", "zobel1998"
        ),
    },
    "Measuring recall à la carte: 100% of what?",
    "We revisit recall.\n\nA second paragraph names Müller's test.",
    8,
    ("cleverdon1967", "rijsbergen1979", "voorhees2001", "buckley2004", "sakai2007", "zobel1998", "moffat2008"),
    main="elsarticle-main.tex",
)
LNCS = Project(
    "lncs",
    {
        "samplepaper.tex": r"""\documentclass[runningheads]{llncs}
\usepackage[utf8]{inputenc}
\usepackage{hyperref}
\def\sys#1{\textsf{Sys-#1}}
\let\oldcite\cite
\begin{document}
\title{Indexing with \sys{X}\thanks{Funded.}}
\titlerunning{Short}
\author{Anna Ä. Bauer\inst{1}\orcidID{0000-0000-0000-0000} \and Bob\inst{2}}
\institute{Uni, Heidelberg, Germany \email{a@b.de} \and Other}
\maketitle
\begin{abstract}
Indexes are big. \sys{X} makes them small.
\keywords{indexing \and compression}
\end{abstract}
\section{Introduction}
Inverted files~\cite{zobel2006} are compressed \oldcite{witten1999}. \nocite{extra2000}
\subsubsection{Sample.} See Theorem~\ref{t}, \url{http://www.springer.com/100%25} and \cite{lemire2015,
zobel2006}.
\begin{theorem}[\cite{elias1975}]\label{t} Codes exist. \end{theorem}
\bibliographystyle{splncs04}
\bibliography{mybib}
\end{document}
Nothing here counts \cite{after}.
""",
        "mybib.bib": bib("zobel2006", "witten1999", "lemire2015", "elias1975", "extra2000"),
    },
    "Indexing with Sys-X",
    "Indexes are big. Sys-X makes them small.",
    4,
    ("zobel2006", "witten1999", "lemire2015", "elias1975", "extra2000"),
    main="samplepaper.tex",
)
THESIS = Project(
    "thesis",
    {
        "thesis.tex": r"""\documentclass[12pt,oneside]{book}
\usepackage[round]{natbib}
\newif\ifdraft\draftfalse
\newcommand{\thesistopic}{Scholarly Recommendation}
\newcommand{\chap}[1]{\include{chapters/#1}}
\title{Essays on \thesistopic}
\author{A. Candidate}
\begin{document}
\frontmatter
\maketitle
\chapter*{Abstract}
This thesis studies what to cite \citep{mcnee2002}. It has three essays.
\tableofcontents
\mainmatter
\chap{one}
\chap{two}
\input chapters/three
\ifdraft\include{chapters/notes}\else\input{chapters/end}\fi
\bibliographystyle{plainnat}
\bibliography{bib/thesis,bib/more}
\end{document}
""",
        "chapters/one.tex": "\\chapter{First Essay}\nIt began with \\citet{mcnee2002}.\n\\section{Data}\nWe use \\citep{tang2008}.\n\\input{chapters/one-detail}\n",
        "chapters/one-detail.tex": "Details are in \\citep{lo2020}.\n",
        "chapters/two.tex": "\\chapter{Second Essay}\nGraphs help \\citep{bhagavatula2018}\n\nand text \\citep{cohan2020}.\n",
        "chapters/three.tex": "\\chapter{Third}\nWe test \\citep{beel2016}.\n\\endinput\n\\citep{never}\n",
        "chapters/notes.tex": "\\chapter{Notes}\n\\citet{never}\n",
        "chapters/end.tex": "\\chapter{Conclusion}\nAs \\citet{farber2020} say.\n",
        "bib/thesis.bib": bib("mcnee2002", "tang2008", "lo2020", "bhagavatula2018"),
        "bib/more.bib": "@string{jcdl = {JCDL}}\n" + bib("cohan2020", "beel2016", "farber2020"),
    },
    "Essays on Scholarly Recommendation",
    "This thesis studies what to cite. It has three essays.",
    8,
    ("mcnee2002", "tang2008", "lo2020", "bhagavatula2018", "cohan2020", "beel2016", "farber2020"),
    main="thesis.tex",
)
BIBLATEX = Project(
    "biblatex",
    {
        "main.tex": r"""\documentclass{scrartcl}
\usepackage[backend=biber,style=authoryear]{biblatex}
\addbibresource{library.bib}
\addbibresource[location=local]{extra.bib}
\newcommand*{\fullref}[1]{\citeauthor*{#1}: \citetitle{#1} (\citeyear{#1})}
\title{Of Footnotes and Other Notes}
\subtitle{A History}
\begin{document}
\maketitle
\begin{abstract}Notes matter.\end{abstract}
\section{Notes}
\textcite[12]{grafton1997} is the classic \parencite[see][]{zerby2002}.\autocite{bowersock1984}
Many agree \autocites[see][10]{grafton1997}[and][]{mayer1974}. \Textcite{slights2001} and \textcites{jackson2001,genette1997} less so.
\footnote{But \fullref{lipking1977}, and \footcite{tribble1997}.}
\nocite{unseen2001}
\printbibliography
\end{document}
""",
        "library.bib": bib("grafton1997", "zerby2002", "bowersock1984", "mayer1974", "slights2001", "jackson2001"),
        "extra.bib": bib("genette1997", "lipking1977", "tribble1997", "unseen2001"),
    },
    "Of Footnotes and Other Notes: A History",
    "Notes matter.",
    10,
    ("grafton1997", "zerby2002", "bowersock1984", "mayer1974", "slights2001", "jackson2001", "genette1997", "lipking1977",
     "tribble1997", "unseen2001"),
    text={"Many agree.": ("grafton1997", "mayer1974")},
)  # fmt: skip
