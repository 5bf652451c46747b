"""Lists of references as BibTeX's styles write them."""

import re

import pytest
from latex_sources import document, of_project, words

from manuscripts.latex.printed import printed_entries

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


def test_titles_and_years_of_apacite_are_fields() -> None:
    doi = r"\begin{APACrefDOI} \doi{10.1000/Abc} \end{APACrefDOI}"
    listed = rf"\begin{{thebibliography}}{{}}{chr(10)}{APACITE}{doi}{chr(10)}\end{{thebibliography}}"
    (entry,) = of_project(main_tex=document(r"\cite{roe}\bibliography{lost}"), main_bbl=listed).cited
    assert [(paper.title, paper.year, paper.doi) for paper in entry.readings] == [
        ("How Trees grow beside the words of towns", 2016, "10.1000/abc")
    ]
    assert entry.source.count("words of towns") == 1


BABELBIB = r"""\bibitem {roe}
\btxnamefont {\btxlastnamefont {Roe}, Jane}, \btxnamefont {Ann van~der
  \btxlastnamefont {Doe}}\btxandcomma {} \btxandlong {}\ \btxnamefont {Karl
  \btxlastnamefont {M{\"u}ller}}\btxauthorcolon\ \btxtitlefont
  {\btxifchangecase {How {Trees} grow}{How {Trees} grow}}.
\newblock \Btxinlong {}\ \btxnamefont {\btxlastnamefont {Elm}, Cy}\
  (\btxeditorlong {}): \btxtitlefont {Handbook of Water}, \btxpageslong {}\
  1--20. \btxpublisherfont {Springer}, Berlin, 2005.
"""
OF_APACITE = r"""\bibitem [\protect \citeauthoryear {Roe, van~der Doe}{Roe \protect \BOthers {.}}{2005}]{roe}
\APACinsertmetastar {roe}%
\begin{APACrefauthors}%
Roe, J.%
, van~der Doe, A.%
\BCBL {}\ \BBA {} M{\"u}ller, K.%
\end{APACrefauthors}%
\unskip\
\newblock
\APACrefYearMonthDay{2005}{}{}.
\newblock
{\BBOQ}\APACrefatitle {How {Trees} Grow} {How {Trees} grow}.{\BBCQ}
"""


@pytest.mark.parametrize(
    ("item", "authors"),
    [
        (BABELBIB, ("Jane Roe", "Ann van der Doe", "Karl Müller")),
        (OF_APACITE, ("J. Roe", "A. van der Doe", "K. Müller")),
    ],
)
def test_people_and_titles_are_fields_where_a_style_has_its_own_commands(item: str, authors: tuple[str, ...]) -> None:
    listed = rf"\begin{{thebibliography}}{{}}{chr(10)}{item}\end{{thebibliography}}"
    (entry,) = of_project(main_tex=document(r"\cite{roe}\bibliography{lost}"), main_bbl=listed).cited
    (paper,) = entry.readings
    assert (paper.title, paper.authors, paper.year) == ("How Trees grow", authors, 2005)
    assert entry.source.count("How Trees grow") == 1


JURABIB = r"""\bibitem[{Roe\jbdy {2016}}%
         {Acta Botanica 3  \peryearformat {2016}}%
         {{0}{}{article}{2016}{}{}{}{101--112}{2016}}{{How {Trees} grow}{}{}{2}{}{}{}{}{}}%
        ]{roe}
 \jbbibargs {\bibnf {Roe} {Jane} {J.} {} {}} {Jane Roe} {aus} {\bibapifont {How {Trees}
  grow}\bibatsep\ \bibJTsep \bibjtfont {Acta Botanica}\ajtsep\
  \artvolumeformat {3} \artyearformat {2016}\artnumberformat {2}
  \jbPages{101--112}} {\bibartperiodhowcited} \jbdoitem {{Roe}{Jane}{J.}{}{}} {} {} \bibAnnoteFile {roe}
"""


def test_a_title_of_jurabib_is_one() -> None:
    (entry,) = printed_entries(rf"\begin{{thebibliography}}{{}}{chr(10)}{JURABIB}\end{{thebibliography}}")
    assert entry.readings[0].title == "How Trees grow"


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


@pytest.mark.parametrize(
    ("item", "title"),
    [
        (r"A.~Vaswani and N.~Shazeer." "\n" r"\newblock Attention is all you need, 2017.", "Attention is all you need"),
        (
            r"M.~Abadi.\newblock {TensorFlow}: Learning on systems, Nov. 2015.\newblock Software from tensorflow.org.",
            "TensorFlow: Learning on systems",
        ),
        (
            r"Donald Knuth.\newblock {\em The Art of Computer Programming}, volume~1.\newblock Addison, 3rd edition.",
            "The Art of Computer Programming",
        ),
        (
            r"Ricci, F. (Eds.) (2015).\newblock {\em Recommender Systems} (Second ed.).\newblock Boston: X.",
            "Recommender Systems",
        ),
        (r"C.~Elm, editor.\newblock \emph{Proceedings of Towns}, 2003. IEEE.", "Proceedings of Towns"),
        (r"Roe, J.\newblock Of trees and their words[J/OL].\newblock Acta, 2001, 3.", "Of trees and their words"),
        (r"J.~Roe.\newblock {\em Drosophila} in 1999.\newblock {\em Acta}, 3, 2001.", "Drosophila in 1999"),
        (r"J.~Roe.\newblock {\em Drosophila} (flies) in labs.\newblock Acta, 2001.", "Drosophila (flies) in labs"),
        (r"J.~Roe.\newblock Cancer statistics, 2019.\newblock {\em Acta}, 6(1):7, 2019.", "Cancer statistics, 2019"),
        (r"Roe, J. (2019).\newblock Cancer statistics, 2019.\newblock {\em Acta}, 6(1):7.", "Cancer statistics, 2019"),
        (r"J.~Roe.\newblock Children aged 5--9 in 1914--1918.\newblock Acta.", "Children aged 5–9 in 1914–1918"),
    ],
)
def test_the_title_of_a_block_has_neither_date_nor_edition(item: str, title: str) -> None:
    listed = rf"\begin{{thebibliography}}{{25}}\bibitem{{roe}} {item}{chr(10)}\end{{thebibliography}}"
    (entry,) = of_project(main_tex=document(rf"\cite{{roe}}{listed}")).cited
    assert entry.readings[0].title == title


YEAR = r"  \harvardyearleft 2016\harvardyearright "


@pytest.mark.parametrize(
    "rest",
    [
        rf"{YEAR}, `Of {{Trees}} and words', {{\em Acta}} {{\bf 3}}(2),~1--2.",
        rf"{YEAR}, Of {{Trees}} and words, {{\em in}} `Proceedings of Towns', ACM, Paris, pp.~5--6.",
        rf"{YEAR}, {{\em Of {{Trees}} and words}}, third edn, Press, Boston.",
        rf"{YEAR}.\newblock Of {{Trees}} and words, {{\em Acta}} {{\bf 3}}(2):~1--2.",
        rf"{YEAR}.\newblock {{\em Of {{Trees}} and words}}, PhD thesis, University of Bern.",
        r": 2016, Of {Trees} and words, {\em Acta} {\bf 3}, 1--2.",
    ],
)
def test_titles_of_harvard_styles_end_before_the_venue(rest: str) -> None:
    names = r"Roe, J., van~der Doe, A. \harvardand\ M{\"u}ller, K."
    item = (
        rf"\harvarditem[Roe et~al.]{{Roe, van~der Doe \harvardand\ M{{\"u}}ller}}{{2016}}{{roe}}{chr(10)}{names}{rest}"
    )
    listed = rf"\begin{{thebibliography}}{{xx}}{item}{chr(10)}\end{{thebibliography}}"
    (entry,) = of_project(main_tex=document(r"\cite{roe}\bibliography{lost}"), main_bbl=listed).cited
    assert entry.readings[0].title == "Of Trees and words"
    assert re.match(r"Roe, J., van der Doe, A. and Müller, K.(?: \(2016\)[.,]|: 2016,) ", entry.source)


@pytest.mark.parametrize(
    "item",
    [
        r"Roe J., Doe A., 2016, \emph{Acta Botanica}, 3, 101",
        r"Roe J., Doe A., 2016, {\em Acta Botanica}, {\bf 3}, 101",
        r"Roe J., Doe A., 2016, Acta Botanica, \emph{3}, 101",
        r"J.~Roe.\newblock {\em Acta Botanica}, 3:101, 2016.",
        r"Roe, J. (2016). Of trees and words. \textit{Acta Botanica}, \textit{3}(2), 101.",
        r"Roe, J. Children of Bern in 1914, \emph{Acta Botanica} \textbf{3}, 101.",
    ],
)
def test_a_journal_is_no_title(item: str) -> None:
    (entry,) = printed_entries(rf"\begin{{thebibliography}}{{25}}\bibitem{{roe}} {item}\end{{thebibliography}}")
    assert entry.readings[0].title == entry.source


@pytest.mark.parametrize(
    "title",
    [r"\enquote{Of {Trees} and words,}", r"\bibenquote{Of {Trees} and words}", r"{\og Of {Trees} and words\fg}"],
)
def test_a_title_in_the_quotes_of_a_package_is_one(title: str) -> None:
    item = rf"\bibitem{{roe}} Roe, J., 2001, {title}, \emph{{Acta}}, 3."
    listed = rf"\begin{{thebibliography}}{{25}}{item}\end{{thebibliography}}"
    (entry,) = of_project(main_tex=document(r"\cite{roe}\bibliography{lost}"), main_bbl=listed).cited
    assert "Of Trees and words" in {paper.title for paper in entry.readings}


@pytest.mark.parametrize("pages", ["(1), 1--2 (2001)", "(1--2), 117 (2001)", " (2001) 1--2", ", 1--2, 2001", ", p. 12"])
def test_volume_and_pages_are_no_title(pages: str) -> None:
    item = rf"Roe, J., Doe, A.: Of trees.\newblock Acta \textbf{{3}}{pages}.\newblock \doi{{10.1000/abc}}"
    listed = rf"\begin{{thebibliography}}{{25}}\bibitem{{roe}} {item}{chr(10)}\end{{thebibliography}}"
    (entry,) = of_project(main_tex=document(rf"\cite{{roe}}{listed}")).cited
    assert (entry.readings[0].title, entry.readings[0].doi) == ("", "10.1000/abc")


OF_BIBER = r"""\entry{roe}{article}{}
  \name{ROLE}{3}{}{%
    {{hash=bdea812935506778c291249971f80655}{%
       family={{World Wide Web Consortium}},
       familyi={W\bibinitperiod}}}%
    {{hash=47fbe2837893a84fb516e9e85ba7aa36}{%
       family={D{\"o}e},
       familyi={D\bibinitperiod},
       given={Ann\bibnamedelima Marie},
       giveni={A\bibinitperiod\bibinitdelim M\bibinitperiod},
       prefix={van\bibnamedelima der},
       prefixi={v\bibinitperiod\bibinitdelim d\bibinitperiod}}}%
    {{hash=9a8750ccdb2a4cf14d2655face1ce016}{%
       family={Roe},
       familyi={R\bibinitperiod},
       given={J.\bibnamedelimi K.}}}%
  }
  \list{publisher}{1}{%
    {Press}%
  }
  \strng{namehash}{x}
  \field{title}{Of trees}
\endentry"""


@pytest.mark.parametrize("role", ["author", "editor"])
def test_people_of_biber_are_those_of_its_bibliography(role: str) -> None:
    listed = OF_BIBER.replace("ROLE", role)
    (entry,) = of_project(main_tex=document(r"\cite{roe}\bibliography{lost}"), main_bbl=listed).cited
    assert entry.readings[0].authors == ("World Wide Web Consortium", "Ann Marie van der Döe", "J. K. Roe")


@pytest.mark.parametrize("role", ["author", "editor"])
def test_people_of_amsrefs_are_those_of_its_bibliography(role: str) -> None:
    item = (
        rf"\bib{{roe}}{{book}}{{{role}={{van der Doe, Ann}}, {role}={{Acta Group}}, title={{Of trees}}, date={{2001}}}}"
    )
    body = rf"\cite{{roe}}\begin{{bibdiv}}\begin{{biblist}}{item}\end{{biblist}}\end{{bibdiv}}"
    (entry,) = of_project(main_tex=document(body)).cited
    assert entry.readings[0].authors == ("Ann van der Doe", "Acta Group")


@pytest.mark.parametrize("long", ["\\" + "url" * 20_000, r"\href" + " " * 50_000, r"\hskip 1em plus" + " " * 50_000])
def test_a_long_command_takes_no_time(long: str) -> None:
    listed = rf"\begin{{thebibliography}}{{25}}\bibitem{{roe}} Roe, J. {long}.\end{{thebibliography}}"
    assert [entry.key for entry in printed_entries(listed)] == ["roe"]


@pytest.mark.parametrize(
    ("unclosed", "entries"),
    [(r"\bib{a}{b}{", 20_000), (r"\entry{a}{b}{}", 0), (r"\field{title}{", 1), (r"\verb{doi}\verb ", 1)],
)
def test_what_is_closed_nowhere_takes_no_time(unclosed: str, entries: int) -> None:
    listed = unclosed * 20_000
    if entries == 1:
        listed = rf"\entry{{roe}}{{book}}{{}}{listed}\endentry"
    assert len(list(printed_entries(listed))) == entries
