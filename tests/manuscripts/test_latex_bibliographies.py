"""Bibliographies of a LaTeX manuscript: where they are named, what stands in for them, which entries count."""

import pytest
from archives import zipped
from latex_sources import DOCUMENT, document, of_project, words
from project_files import bib

from manuscripts.reading import read


def test_a_file_that_the_manuscript_itself_makes_is_read() -> None:
    source = (
        rf"\begin{{filecontents}}{{own.bib}}{bib('k1')}\end{{filecontents}}\title{{T}}\cite{{k1}}\bibliography{{own}}"
    )
    found = read(source.encode())
    assert [(entry.key, entry.readings[0].title) for entry in found.cited] == [("k1", "On the matter of k1")]
    assert found.unread == ()


@pytest.mark.parametrize(
    ("cited", "named", "keys"),
    [
        (r"\cite{ROE2001}", r"\bibliography{refs}", ("Roe2001",)),
        (r"\cite{roe2001,Li2002}\cite{Roe2001}\nocite{LI2002}", r"\bibliography{refs}", ("Roe2001", "Li2002")),
        (r"\cite{ROE2001}", r"\addbibresource{refs.bib}", ("ROE2001",)),
        (r"\cite{A1}\cite{a1}", r"\begin{thebibliography}{1}\bibitem{a1}Of trees.\end{thebibliography}", ("A1", "a1")),
    ],
)
def test_bibtex_takes_a_key_whatever_its_capitals_and_neither_biber_nor_latex_does(
    cited: str, named: str, keys: tuple[str, ...]
) -> None:
    found = of_project(main_tex=document(cited + named), refs_bib=bib("Roe2001") + bib("Li2002"))
    assert found.keys == keys


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
    assert found.unread == (r"not found: \bibliography{lost}; main.bbl was read",)


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
    notes = '@CONTROL{REVTEX41Control}@FOOTNOTE{Note1, key="Note1", note="We thank C. Poe."}'
    found = read(zipped({"own.tex": main, "ownNotes.bib": notes}))  # as this class leaves it
    assert [entry.key for entry in found.entries] == ["k1"]


@pytest.mark.parametrize(("text", "keys"), [("Text.", []), (r"\autocite{k1}", ["k1"])])
def test_a_bibliography_that_nothing_names_is_taken_where_something_is_cited(text: str, keys: list[str]) -> None:
    found = read(zipped({"own.tex": DOCUMENT + rf"\title{{T}}{text}", "others/refs.bib": bib("k1", "k2")}))
    assert [entry.key for entry in found.cited] == keys


def test_nocite_star_cites_the_whole_bibliography() -> None:
    for command in (r"\nocite", r"\nociteown", r"\cite"):
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


def test_a_set_of_entries_cites_each_of_them() -> None:
    entries = "@set{all, entryset = {bees, wasps}}\n@misc{bees, title={Of bees}}\n@misc{wasps, title={Of wasps}}\n"
    found = of_project(main_tex=document(r"One \cite{bees,all}.\bibliography{refs}"), refs_bib=entries)
    assert (found.keys, found.keys_without_entry) == (("bees", "wasps"), ())


def test_an_entry_that_an_abstract_names_is_none() -> None:
    entries = "@book{own, title={On the matter of bees}, abstract={As @article{fake, things} has it}}"
    found = of_project(main_tex=document(r"One \cite{own}.\bibliography{refs}"), refs_bib=entries)
    assert [entry.key for entry in found.entries] == ["own"]
