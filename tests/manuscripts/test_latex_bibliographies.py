"""Bibliographies of a LaTeX manuscript: where they are named, what stands in for them, which entries count."""

import pytest
from archives import zipped
from latex_sources import DOCUMENT, document, of_project, words
from projects import bib

from manuscripts.reading import read


def test_a_file_that_the_manuscript_itself_makes_is_read() -> None:
    source = (
        rf"\begin{{filecontents}}{{own.bib}}{bib('k1')}\end{{filecontents}}\title{{T}}\cite{{k1}}\bibliography{{own}}"
    )
    found = read(source.encode())
    assert [(entry.key, entry.readings[0].title) for entry in found.cited] == [("k1", "On the matter of k1")]
    assert found.unread == ()


BBL = r"""\begin{thebibliography}{1}
\bibitem[Writer(2020)]{a1} A.~Writer and B.~Other.
\newblock \href{https://doi.org/10.1000/a}{A title of several words}.
\newblock {\em J. Things}, 3\penalty0 (1), 2020. \doi{10.1000/a}.
\bibitem{b2} C.~Person, ``Another title in quotes,'' {\it Other J.}, 1999.
\end{thebibliography}"""
BIBER = r"""\entry{c3}{article}{}{}
  \name{author}{1}{}{{{hash=x}{family={Gödel},familyi={G\bibinitperiod},given={Kurt},giveni={K\bibinitperiod}}}}
  \strng{namehash}{x}
  \field{journaltitle}{Monatshefte}
  \field{title}{{\"U}ber formal unentscheidbare S{\"a}tze}
  \field{year}{1931}
  \verb{doi}
  \verb 10.1007/BF01700692
  \endverb
\endentry"""


def test_a_bibliography_that_bibtex_or_biber_made_stands_in_for_a_missing_one() -> None:
    document = r"\documentclass{a}\title{T}\begin{document}\cite{a1,b2,c3}\bibliography{lost}\end{document}"
    found = of_project(main_tex=document, main_bbl=BBL + BIBER)
    first, second, third = found.cited
    assert (first.readings[0].title, first.readings[0].doi) == ("A title of several words", "10.1000/a")
    assert "Another title in quotes" in {paper.title for paper in second.readings}
    assert third.readings[0].title == "Über formal unentscheidbare Sätze"
    assert (third.readings[0].authors, third.readings[0].year, third.readings[0].doi) == (
        ("Kurt Gödel",),
        1931,
        "10.1007/bf01700692",
    )
    assert found.unread == (r"not found: \bibliography{lost}",)


ACM = r"""\ifx \showDOI      \undefined \def \showDOI       #1{#1}\fi
\bibitem[Roe et~al\mbox{.}(2016)]%
        {roe}
\bibfield{author}{\bibinfo{person}{Jane Roe} {and} \bibinfo{person}{Ann Doe}.}
  \bibinfo{year}{2016}\natexlab{}.
\newblock \showarticletitle{How {Trees} grow beside
  the words of towns}. In \bibinfo{booktitle}{\emph{Proceedings}}.
\newblock
"""
APACITE = r"""\bibitem [\protect \citeauthoryear {%
Roe%
\ \BBA {} Doe%
}{%
{\protect \APACyear {2016}}%
}]{%
roe}
\APACinsertmetastar {%
roe}%
\begin{APACrefauthors}%
Roe, J.%
\BCBT {}\ \BBA {} Doe, A.%
\end{APACrefauthors}%
\unskip\
\newblock
\APACrefYearMonthDay{2016}{}{}.
\newblock
{\BBOQ}\APACrefatitle {How {Trees} Grow Beside the Words of Towns} {How {Trees} grow beside the words of towns}.{\BBCQ}
\newblock
\APACjournalVolNumPages{Acta}{3}{}{1--2}.
\PrintBackRefs{\CurrentBib}
"""
HARVARD = r"""\harvarditem[Roe \harvardand\ Doe]{Roe \harvardand\
  Doe}{2016}{roe}
Roe, J. \harvardand\ Doe, A.  \harvardyearleft 2016\harvardyearright , `How {Trees} grow beside the words of
  towns', {\em Acta} {\bf 3},~1--2.
"""
ACHEMSO = r"""\bibitem[Roe and Doe(2016)Roe, and Doe]{roe}
Roe,~J.; Doe,~A. How {Trees} grow beside the words of towns. \emph{Acta} \textbf{2016},
  \emph{3}, 1--2\relax
\mciteBstWouldAddEndPuncttrue
\mciteSetBstMidEndSepPunct{\mcitedefaultmidpunct}
{\mcitedefaultendpunct}{\mcitedefaultseppunct}\relax
\EndOfBibitem
"""
THOUSANDS = (
    rf"\bibitem[{{Roe et~al.(2016){', '.join(f'Doe{number}' for number in range(1000))}}}]{{roe}}"
    r"Roe, J., {et~al.} How {Trees} grow beside the words of towns. \emph{Acta} (2016)"
)


@pytest.mark.parametrize("item", [ACM, APACITE, HARVARD, ACHEMSO, THOUSANDS])
def test_what_a_style_writes_around_a_key_is_no_part_of_it(item: str) -> None:
    name = "mcitethebibliography" if item == ACHEMSO else "thebibliography"
    listed = rf"\begin{{{name}}}{{25}}{chr(10)}{item}{chr(10)}\end{{{name}}}"
    body = r"Trees grow \cite{roe}. "
    within = of_project(main_tex=document(body + listed))
    beside = of_project(main_tex=document(body + r"\bibliography{lost}"), main_bbl=listed)
    for found in (within, beside):
        (entry,) = found.cited
        assert "how trees grow beside the words of towns" in entry.source.lower()
        assert words(found) == "Trees grow."


REVTEX = r"""\bibitem [{\citenamefont {Roe}\ and\ \citenamefont {van~der Doe}(2016)}]{roe}%
  \BibitemOpen
  \bibfield  {author} {\bibinfo {author} {\bibfnamefont {J.}\ \bibnamefont
  {Roe}}\ and\ \bibinfo {author} {\bibfnamefont {A.}~\bibnamefont
  {van~der Doe}},\ }\bibfield  {title} {\enquote {\bibinfo {title} {How {Trees} grow:
  where to?},}\ }\href {\doibase 10.1000/Abc} {\bibfield  {journal} {\bibinfo  {journal}
  {Acta}\ }\textbf {\bibinfo {volume} {3}},\ \bibinfo {pages} {1--2} (\bibinfo
  {year} {2016})},\ \Eprint {https://arxiv.org/abs/hep-th/9711200} {arXiv:hep-th/9711200} \BibitemShut
  {NoStop}%
"""
ELSEVIER = r"""%Type = Article
\bibitem[{Roe and van~der Doe(2016)}]{roe}
\bibinfo{author}{Roe, J.}, \bibinfo{author}{van~der Doe, A.}, \bibinfo{year}{2016}.
\newblock \bibinfo{title}{How {Trees} grow: where to?}
\newblock \bibinfo{journal}{Acta} \bibinfo{volume}{3}, \bibinfo{pages}{1--2}.
\newblock \DOIprefix\doi{10.1000/Abc}, \href{http://arxiv.org/abs/hep-th/9711200}{{\tt arXiv:hep-th/9711200}}.
"""
OF_ACM = r"""\bibitem[Roe and van~der Doe(2016)]%
        {roe}
\bibfield{author}{\bibinfo{person}{J. Roe} {and} \bibinfo{person}{A. van~der Doe}.}
  \bibinfo{year}{2016}\natexlab{}.
\newblock \showarticletitle{How {Trees} grow: where to?}.
\newblock \bibinfo{journal}{\emph{Acta}} \bibinfo{volume}{3} (\bibinfo{year}{2016}), \bibinfo{pages}{1--2}.
\newblock
\urldef\tempurl%
\url{https://doi.org/10.1000/abc}
\showDOI{\tempurl}
\showeprint[arxiv]{hep-th/9711200}
"""
OF_ACM_BOOK = OF_ACM.replace(r"\showarticletitle{", r"\bibinfo{booktitle}{\emph{").replace("to?}", r"to?} (third ed.)}")
OF_EDITORS = OF_ACM_BOOK.replace("{author}", "{editor}")


@pytest.mark.parametrize("item", [REVTEX, ELSEVIER, OF_ACM, OF_ACM_BOOK, OF_EDITORS])
def test_parts_that_a_style_marks_are_the_fields_of_the_entry(item: str) -> None:
    listed = rf"\begin{{thebibliography}}{{25}}%{chr(10)}{item}\end{{thebibliography}}"
    (entry,) = of_project(main_tex=document(r"\cite{roe}\bibliography{lost}"), main_bbl=listed).cited
    (paper,) = entry.readings
    assert (paper.title, paper.authors) == ("How Trees grow: where to?", ("J. Roe", "A. van der Doe"))
    assert (paper.year, paper.doi, paper.arxiv) == (2016, "10.1000/abc", "hep-th/9711200")
    assert "How Trees grow: where to?" in entry.source
    assert paper.venue == "Acta"


PREAMBLES = r"""\providecommand \bibnamefont  [1]{#1}%
\providecommand \enquote  [1]{``#1''}%
\providecommand \href [0]{\begingroup \@sanitize@url \@href}%
\providecommand \Eprint [0]{\href }%
\providecommand \doibase [0]{https://doi.org/}%
\providecommand \bibinfo  [0]{\@secondoftwo}%
\providecommand \bibfield  [0]{\@secondoftwo}%
\providecommand \BibitemShut  [1]{\csname bibitem#1\endcsname}%
\ifx \showarticletitle \undefined \def \showarticletitle #1{#1}   \fi
\ifx \showDOI      \undefined \def \showDOI       #1{#1}\fi
\def\mn@doi{\begingroup\mn@urlcharsother \@ifnextchar [ {\mn@doi@}{\mn@doi@[]}}
\providecommand{\BIBentryALTinterwordspacing}{\spaceskip=\fontdimen2\font plus 4\fontdimen3\font\relax}
"""


@pytest.mark.parametrize("item", [REVTEX, ELSEVIER, OF_ACM])
def test_a_list_of_bibtex_that_was_copied_into_the_manuscript_is_read_as_beside_it(item: str) -> None:
    others = (
        r"\bibitem{doe} Doe A., 2001, \mn@doi [Acta] {10.1000/Doe}, 3 \bibitem{poe}\BIBentryALTinterwordspacing P.~Poe"
    )
    listed = rf"\begin{{thebibliography}}{{25}}%{chr(10)}{PREAMBLES}{item}{others}\end{{thebibliography}}"
    within = of_project(main_tex=document(rf"\cite{{roe,doe,poe}}{listed}")).cited
    beside = of_project(main_tex=document(r"\cite{roe,doe,poe}\bibliography{lost}"), main_bbl=listed).cited
    assert within == beside
    assert [entry.source for entry in within[1:]] == ["Doe A., 2001, Acta, 3 10.1000/doe", "P. Poe"]
    assert within[0].readings[0].title == "How Trees grow: where to?"


def test_a_work_without_a_title_in_print_is_known_by_its_identifier() -> None:
    item = REVTEX.replace("{title}", "{note}")
    listed = rf"\begin{{thebibliography}}{{25}}%{chr(10)}{item}\end{{thebibliography}}"
    (entry,) = of_project(main_tex=document(r"\cite{roe}\bibliography{lost}"), main_bbl=listed).cited
    (paper,) = entry.readings
    assert (paper.title, paper.doi, paper.authors[0], paper.year) == ("", "10.1000/abc", "J. Roe", 2016)


@pytest.mark.parametrize(
    ("item", "shown"),
    [
        (
            r"\BibitemOpen J.~Roe,\ \href@noop {} {\bibfield {journal} {\bibinfo {journal} {Acta}\ }\textbf {3}, 2} "
            r"\BibitemShut {NoStop}",
            "J. Roe, Acta 3, 2",
        ),
        (r"Roe J., 2001, \mn@doi [Acta] {10.1000/Abc}, 3, 2", "Roe J., 2001, Acta, 3, 2 10.1000/abc"),
        (
            r"Roe J., 2001, Acta, 3 (\mn@eprint {arXiv} {hep-th/9711200})",
            "Roe J., 2001, Acta, 3 (arXiv:hep-th/9711200)",
        ),
        (
            r"J.~Roe, ``Of trees,'' in \emph{Proc. of Trees}.\hskip 1em plus 0.5em minus 0.4em\relax Oxford, 2001.",
            "J. Roe, “Of trees,” in Proc. of Trees. Oxford, 2001.",
        ),
        (
            r"J.~Roe. Of trees. {\em Acta}, 3\penalty0 (1):\penalty0 1--2, 2001{\natexlab{a}}.",
            "J. Roe. Of trees. Acta, 3 (1): 1–2, 2001a.",
        ),
        (
            r"J.~Roe. Of trees at NASA\@. 2001.\newline\urlprefix\url{https://a.org/roe%20jane}, read in May.",
            "J. Roe. Of trees at NASA. 2001. https://a.org/roe%20jane, read in May.",
        ),
    ],
)
def test_macros_of_a_style_leave_nothing_in_what_is_shown(item: str, shown: str) -> None:
    listed = rf"\begin{{thebibliography}}{{25}}%{chr(10)}\bibitem{{roe}} {item}\end{{thebibliography}}"
    (entry,) = of_project(main_tex=document(r"\cite{roe}\bibliography{lost}"), main_bbl=listed).cited
    assert entry.source == shown


def test_each_chapter_may_have_the_list_that_bibtex_made_beside_that_of_the_whole() -> None:
    item = r"\begin{thebibliography}{1}\bibitem{%s} A. Roe. On %s. 2001.\end{thebibliography}"
    files = {f"{key}.bbl": item % (key, key) for key in ("b/two", "main", "old", "one", "other")}
    chapters = {f"{key}.tex": rf"\chapter{{C}}\cite{{{key}}}\bibliography{{lost}}" for key in ("one", "b/two")}
    main = DOCUMENT + r"\title{T}\cite{main}\include{one}\include{b/two}\bibliography{lost}"
    found = read(zipped({"main.tex": main, "other.tex": DOCUMENT, **files, **chapters}))
    assert [entry.key for entry in found.entries] == ["main", "one", "b/two"]


@pytest.mark.parametrize(
    "named",
    [
        r"\addbibresource{\subfix{b/own.bib}}",
        r"\begin{refsection}[b/own.bib]\end{refsection}",
        r"\newrefsection[b/own.bib, label]",
        r"\bibliography{b/\jobname}",
        r"\bibliography{IEEEabrv,b/own}",
        r"\begin{bibunit}[plain]\putbib[b/own]\end{bibunit}",
        r"\defaultbibliography{b/own}\putbib",
        r"\nobibliography*{b/own}",
        r"\bibliographyown{b/own}",
    ],
)
def test_a_bibliography_is_found_where_packages_and_tex_name_it(named: str) -> None:
    main = DOCUMENT + rf"\title{{T}}\cite{{k1}}\bibliography{{other}}{named}"
    found = read(zipped({"own.tex": main, "b/own.bib": bib("k1"), "other.bib": bib("k2")}))
    assert ([entry.key for entry in found.cited], found.unread, words(found)) == (["k1"], (), "")


def test_a_list_of_its_own_counts_before_a_bibliography_that_nothing_names() -> None:
    own = r"\begin{thebibliography}{9}\bibitem{k1} A. Roe. A work of its own. 2001.\end{thebibliography}"
    main = DOCUMENT + rf"\title{{T}}\cite{{k1, k2}}{own}"
    found = read(zipped({"own.tex": main, "old/thesis.bib": bib("k1", "k2")}))
    assert ["work of its own" in entry.source for entry in found.cited] == [True, False]


@pytest.mark.parametrize(("text", "keys"), [("Text.", []), (r"\autocite{k1}", ["k1"])])
def test_a_bibliography_that_nothing_names_is_taken_where_something_is_cited(text: str, keys: list[str]) -> None:
    found = read(zipped({"own.tex": DOCUMENT + rf"\title{{T}}{text}", "others/refs.bib": bib("k1", "k2")}))
    assert [entry.key for entry in found.cited] == keys


def test_nocite_star_cites_the_whole_bibliography() -> None:
    for command in (r"\nocite", r"\nociteown"):
        found = read((rf"\title{{T}}\begin{{document}}{command}{{*}}\bibliography{{x}}" + BBL).encode())
        assert (found.keys, words(found)) == (("a1", "b2"), "")


def test_what_a_class_or_a_style_is_told_is_no_citation_and_no_entry() -> None:
    told = r"\bstctlcite[x]{BIB:own}\nocite{IEEEexample:BSTcontrol}"
    author = r"\author{A. Roe\IEEEcompsocitemizethanks{\IEEEcompsocthanksitem A. Roe is in Atlanta, GA \cite{b}.}}"
    entries = "@IEEEtranBSTCTL{BIB:own, x=1}\n@Control{apsrev, title=1}\n@misc{c, note={A note}}\n" + bib("a", "b")
    body = rf"{told}{author}\maketitle We ask \cite{{a}}.\bibliography{{refs}}"
    found = of_project(main_tex=document(body), refs_bib=entries)
    assert ({*found.keys}, {entry.key for entry in found.entries}) == ({"a", "b"}, {"a", "b", "c"})
    assert (words(found), found.authors) == ("We ask.", ("A. Roe",))


def test_entries_without_a_title_have_their_identifiers_and_begin_anywhere() -> None:
    source = r"\title{T}\begin{document}\cite{bom,known}\bibliography{refs}\end{document}"
    entries = "\ufeff@article{bom, note={no title}} @article{known, doi={10.1000/x}}"
    found = of_project(main_tex=rf"\documentclass{{article}}{source}", refs_bib=entries)
    assert [(entry.key, [paper.doi for paper in entry.readings]) for entry in found.entries] == [
        ("bom", []),
        ("known", ["10.1000/x"]),
    ]


def test_other_keys_of_an_entry_cite_it() -> None:
    entries = "@book{own, ids = {old, older}, title={On the matter of bees}}"
    found = of_project(main_tex=document(r"One \cite{older}.\nocite{old}\bibliography{refs}"), refs_bib=entries)
    assert (found.keys, found.keys_without_entry) == (("own",), ())


def test_an_entry_that_an_abstract_names_is_none() -> None:
    entries = "@book{own, title={On the matter of bees}, abstract={As @article{fake, things} has it}}"
    found = of_project(main_tex=document(r"One \cite{own}.\bibliography{refs}"), refs_bib=entries)
    assert [entry.key for entry in found.entries] == ["own"]
