"""LaTeX piece by piece: macros, files, conditions and citations as LaTeX itself treats them."""

import pytest
from archives import zipped
from latex_sources import DOCUMENT, document, expanded, of_project, words
from project_files import bib

from manuscripts.files import Files
from manuscripts.reading import read
from manuscripts.roots import root_of


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"\newcommand{\a}{x}\a b \a{} c \a\ d", "xb x{} c x\\ d"),
        (r"\newcommand\a[2][o]{#1-#2}\a{p} \a[q]{r} \a st", "o-p q-r o-st"),
        (r"\def\a#1#2{#2#1}\a{x}{y}\a xy", "yxyx"),
        (r"\def\a#1.{[#1]}\a x.", r"\a x."),
        (r"\newcommand{\a}{x}\let\b\a\renewcommand{\a}{y}\b\a", "xy"),
        (r"\newcommand{\a}{\b}\newcommand{\b}[1]{<#1>}\a{z}", "<z>"),
        (r"\NewDocumentCommand{\a}{m O{d} o}{#1#2}\a{x}\a{x}[y]", "xdxy"),
        (r"\NewDocumentCommand{\a}{o +m}{\IfNoValueTF{#1}{(#2)}{(#1 #2)}}\a{x}\a[p]{x}\a[]{x}", "(x)(p x)( x)"),
        (r"\NewDocumentCommand\a{o}{a\IfValueTF{#1}{[#1\IfNoValueF{#1}{!}]}{}\IfNoValueT{#1}{-}}\a[b]\a.", "a[b!]a-."),
        (r"\NewDocumentCommand\a{s O{} m}{\IfBooleanTF#1{S}{N}\IfBlankF{#2}{#2}#3}\a*{x}\a[o]{y}\a{z}", "SxNoyNz"),
        (r"\newenvironment{e}[1]{(#1}{)}\begin{e}{x}y\end{e}", "(xy)"),
        (r"\newcommand{\a}{\textbf{A}\xspace}\a is, \a, and", r"\textbf{A} is, \textbf{A}, and"),
        (r"\newif\ifx\newif\iflong\longtrue\iflong a\else b\fi\longfalse\iflong a\else b\fi", "ab"),
        (r"a\iffalse b \iffalse c\fi d\else e\fi f", "aef"),
        ("a % b\nc%d\n  e\n\nf%g\n\nh", "a ce\n\nf\n\nh"),
        (r"\verb|\cite{x}|\begin{comment}\cite{y}\end{comment}50\% z", "50\\% z"),
        (r"\url{http://a.b/%25}c", "c"),
        (r"\lstinline|\x|a\lstinline[o]!\x!b\Verb+\x+c\mintinline{python}|\x|d\lstinline{{\x}%}e", "abcde"),
        (r"\newcommand{\c}{\lstinline[o]}\c|\x|a\verb b", "a b"),
        (r"\excludecomment{l}\begin{l}\x\end{l}a\includecomment{l}\begin{l}b\end{l}", r"a\begin{l}b\end{l}"),
        (r"\MakeShortVerb{\|}a|\x % x|b|\x|\DeleteShortVerb\|c|d\DefineShortVerb[o]!e!\x!f", "abc|def"),
        (r"\lstMakeShortInline[o]|a|% \x|b\newmintinline{c}{}\cinline{\x % x}c\newmint[m]{c}{}\m[o]|%|d", "abcd"),
        (r"\lstMakeShortInline[language={[LaTeX]TeX}]|a|% \x|b [c] [d]", "ab [c] [d]"),
        (r"\begin{tcblisting}{o}\x % x\end{tcblisting}", ""),
        (r"\newtcblisting[o]{c}{}\begin{c}\x\end{c}\newminted{py}{}\begin{pycode}\x\end{pycode}", "{}"),
        (
            r"\lstnewenvironment{c}{}{}\begin{c}\x\end{c}\newenvironment{d}{\comment}{\endcomment}\begin{d}x\end{d}",
            "{}{}",
        ),
        (r"\if0 x\fi\if 0 x\else a\fi\if00b\fi\newcommand{\m}{1}\if1\m c\else x\fi\if0\m x\else d\fi", "abcd"),
        (r"\def\a{1}\ifdefined\a x\else y\fi\ifx\a\undefined x\else y\fi\ifdefined\b x\else y\fi", "xyxy"),
        (r"\let\a\undefined\def\b{}\ifdefined\a x\else y\fi\ifx\b\empty x\else y\fi\ifx\b\@empty x\else y\fi", "yxx"),
        (r"\newcommand{\a}{p}\newcommand{\b}{p}\newcommand{\c}{q}\ifx\a\b x\else y\fi\ifx\a\c x\else y\fi", "xy"),
        # Of a name that only TeX can make nothing is lost.
        (
            r"\def\a{p}\ifx\csname q\endcsname\a x\fi\ifx\a\csname q\endcsname y\fi",
            r"\csname q\endcsname pxp\csname q\endcsname y",
        ),
        (r"\def\a#1{\ifx#1\empty x\else#1\fi}\a{p}\def\b#1{\ifx&#1&x\else#1\fi}\b{p}\b{}", "ppx"),
        (
            r"\def\a#1{\ifx\relax#1\relax x\else#1\fi}\a{pq}\a{}\newcommand{\b}[1]{\ifx\\#1\\x\else#1\fi}\b{pq}\b{}",
            "pqxpqx",
        ),
        (r"\def\a{0}\ifnum\a=0 x\else y\fi\ifnum 2>\a z\fi\ifnum\a<0 x\fi\ifnum\b=0x\else y\fi", r"xz\b=0xy"),
        (r"\renewcommand{\cite}[1]{never}\cite{x}", r"\cite{x}"),
        (r"\newcommand{\a}{\a more}\a", r"\a more"),
    ],
)
def test_macros_are_expanded_as_latex_expands_them(source: str, shown: str) -> None:
    assert expanded(source) == shown


def test_files_are_put_in_where_they_are_named() -> None:
    text = r"\newcommand{\dir}{s}1\input{\dir}2\input s 3\include{s.tex}"
    assert expanded(text, s="x%").split() == ["1x", "2x", "3x"]
    sub = r"\documentclass[main]{subfiles}\newcommand{\no}{}\begin{document}inner\end{document} not this"
    assert expanded(r"\documentclass{a}\subfile{s}outer", s=sub).replace(
        "\n", ""
    ) == r"\documentclass{a}innerouter".replace(r"\documentclass{a}", r"\documentclass{a}")
    assert expanded(r"a\input{s}c", s=r"b\endinput never").replace("\n", "") == "abc"


def test_a_subimport_begins_where_its_own_file_was_imported_from_also_below_the_top() -> None:
    """As the package has it: `\\subimport` adds its folder to that of the file around it, `\\import` names it anew."""
    files = {
        "thesis/main.tex": r"\documentclass{a}\title{T}\begin{document}\subimport{parts/}{one}\import{parts/}{one}",
        "thesis/parts/one.tex": r"\cite{one} \subimport{deep/}{two}",
        "thesis/parts/deep/two.tex": r"\cite{two} \import{parts/deep/}{three}",
        "thesis/parts/deep/three.tex": r"\cite{three}",
    }
    found = read(zipped(files))
    assert [key for one in found.sentences() for mark in one.marks for key in mark.keys] == ["one", "two", "three"] * 2
    assert not [note for note in found.notes if note.kind != "entry"]


def test_a_file_that_may_be_missing_is_put_in_behind_the_first_branch_or_else_the_second_is_read() -> None:
    text = r"1\newcommand{\dir}{s}\InputIfFileExists{\dir}{2}{never}4 "
    text += r"\InputIfFileExists{no.tex}{never}{5}\InputIfFileExists{}{}{6}"
    assert expanded(text, s="3").split() == ["123", "4", "56"]
    found = read(zipped({"main.tex": rf"{text}\title{{T}}\begin{{document}}\end{{document}}", "s.tex": ""}))
    assert found.unread == ()


def test_of_branches_for_a_file_that_is_there_or_not_the_right_one_is_read() -> None:
    text = r"\newcommand{\dir}{s}\IfFileExists{\dir}{1 \cite{k1}.}{\cite{k2}} \IfFileExists{s.tex}{2}{} "
    text += r"\IfFileExists{no.bbl}{\cite{k3}}{4} \IfFileExists{own.sty}{5}{6}\IfFileExists{a.pdf}{}{ 7}"
    assert expanded(text, s="never").split() == ["1", r"\cite{k1}.", "2", "4", "5", "6", "7"]


@pytest.mark.parametrize(
    ("files", "root"),
    [
        ({"main.tex": "x", "other.tex": DOCUMENT}, "other.tex"),
        ({"a.tex": DOCUMENT, "b/c.tex": "% !TEX root = ../z.tex", "z.tex": DOCUMENT}, "z.tex"),
        ({"a.tex": DOCUMENT, "b/c.tex": "%%% Local Variables:\n%%% TeX-master: \"../z\"", "z.tex": DOCUMENT}, "z.tex"),
        ({"main.tex": DOCUMENT, "z.tex": DOCUMENT + "%%% TeX-master: t\n"}, "main.tex"),
        ({"cover-letter.tex": DOCUMENT, "x.tex": DOCUMENT}, "x.tex"),
        ({"a.tex": DOCUMENT, "paper.tex": DOCUMENT}, "paper.tex"),
        ({"a.tex": DOCUMENT + r"\input{main}", "main.tex": DOCUMENT.replace("article", "standalone")}, "a.tex"),
        ({"README.md": "# Read", "text.md": "---\ntitle: T\n---\n"}, "text.md"),
        ({"README.md": "# Read [@me]"}, None),
        ({"draft.docx": "", "supplement.docx": ""}, "draft.docx"),
        ({"Abbott1999.pdf": "", "Proposal v3.docx": ""}, "Proposal v3.docx"),
        ({"cover letter.docx": "", "x.pdf": "", "forms/copyright.docx": ""}, "x.pdf"),
        ({"Title page.docx": "", "Recovery, a systematic review.docx": ""}, "Recovery, a systematic review.docx"),
        ({"Figure captions.docx": "as long as this", "Roe v1.docx": "x", "Roe v3.docx": "longer"}, "Roe v3.docx"),
        *(
            ({"trees.tex": DOCUMENT, f"{name}.tex": f"{DOCUMENT}, longer"}, "trees.tex")
            for name in ("TreesSupp", "treessupp", "suppdata", "ResponseToEditor", "replies", "myslides", "treesdiff")
        ),
        *(
            ({"trees.tex": DOCUMENT, f"{name}.tex": f"{DOCUMENT}, longer"}, f"{name}.tex")
            for name in ("Life forms", "Figures of speech", "Landslides", "Supply", "Appendicitis")
        ),
        ({"sample-sigconf.tex": DOCUMENT, "outline.md": "---\ntitle: T\n---\n"}, "sample-sigconf.tex"),
        ({"parts/1.tex": r"\chapter{One}", "outline.md": "---\ntitle: T\n---\n"}, "parts/1.tex"),
        ({"trees.md": "---\ntitle: T\n---\n", "x.tex": DOCUMENT + r"\title{$title$} $body$"}, "trees.md"),
        ({"trees.tex": DOCUMENT, "trees.Rmd": "# Code"}, "trees.tex"),
    ],
)  # fmt: skip
def test_the_main_file_is_found(files: dict[str, str], root: str | None) -> None:
    assert root_of(Files({path: text.encode() for path, text in files.items()})) == root


@pytest.mark.parametrize(
    ("source", "keys"),
    [
        (r"\cite<e.g.,>[p.~3]{a}", "a"),
        (r"\citeA<see>{a}", "a"),
        (r"\volcite{2}[12]{a}", "a"),
        (r"\pvolcite[see]{3}[4]{a}", "a"),
        (r"\Volcites{1}[2]{a}[see]{3}{b}", "ab"),
        (r"\Cites(see)()[2]{a}{b}", "ab"),
        (r"\cite{a,*b,* [{pre, }][post]c}", "abc"),
        (r"\cite{[{For a review, see, e.g., }]a,[][{, and more}]b, c}", "abc"),
        (r"\textcquote[see][3]{a}[.]{quoted}", "a"),
        (r"\blockcquote{a}{quoted \cite{b}}", "ab"),
        (r"\foreigntextcquote{german}[3]{a}{quoted}", "a"),
        (r"\hyphentextcquote*{german}{a}{quoted}", "a"),
        (r"\begin{displaycquote}[3]{a}quoted\end{displaycquote}", "a"),
        (r"\begin{comment}\end{comment}\begin{picture}\bibentry{a}\end{picture}", "a"),
    ],
)
def test_keys_are_told_from_the_other_arguments(source: str, keys: str) -> None:
    found = read((rf"{DOCUMENT}\begin{{abstract}}In {source}.\end{{abstract}}\title{{T}}Text {source} ends.").encode())
    assert found.keys == tuple(keys)
    apart = r"\begin" in source  # an environment is a paragraph of its own, behind which a stop alone is none
    assert found.abstract in (("In", "In\n\nquoted") if apart else ("In.", "In quoted."))
    assert found.sections[-1].paragraphs[-1].sentences[-1].text.replace("quoted ", "") in ("Text ends.", "ends.")


@pytest.mark.parametrize(("typed", "keys"), [("", "b"), ("a,", "ab"), ("{a", "b"), ("a}", "ab")])
def test_a_citation_that_is_being_typed_ends_with_its_paragraph(typed: str, keys: str) -> None:
    found = read(f"{DOCUMENT}We build on \\cite{{{typed}\n\nOthers do, and say so \\cite{{b}}.".encode(), part=True)
    assert found.keys == tuple(keys)
    assert [one.text for one in found.sentences()][1:] == ["Others do, and say so."]


def test_what_the_notes_of_citations_cite_is_cited_once() -> None:
    found = read(rf"{DOCUMENT}As \cite[{{see \cite[{{as \cite{{c}}}}]{{b}}}}]{{a}}.".encode(), part=True)
    assert [mark.keys for mark in found.marks()] == [("a",), ("b",), ("c",)]


def test_quotation_marks_and_letters_of_babels_german() -> None:
    german = r"\usepackage[english,main=ngerman]{babel}\title{\glqq Große\grqq{} "
    source = """Das "Ol der "`St"arke"' ist gro"s, Arbeits"-speicher "<so">, \\glq ja\\grq{}."""
    found = of_project(main_tex=document(source, german + """"`Bienen"'}"""))
    assert found.title == "„Große“ „Bienen“"
    assert words(found) == "Das Öl der „Stärke“ ist groß, Arbeitsspeicher «so», ‚ja‘."
    assert list(read(document(source, german + "Bienen}").encode()).sentences()) == list(found.sentences()), "one file"


@pytest.mark.parametrize(
    ("preamble", "german"),
    [
        (r"\documentclass[ngerman]{article}\usepackage{babel}", True),
        (r"\documentclass{article}\usepackage[english, ngerman]{babel}", True),
        (r"\documentclass{article}\usepackage{ngerman}", True),
        (r"\documentclass{article}\usepackage[ngerman,english]{babel}", False),
        (r"\documentclass{article}\usepackage[main=english,ngerman]{babel}", False),
        (r"\documentclass{article}", False),
    ],
)
def test_quotation_marks_are_letters_where_german_is_the_main_language(preamble: str, german: bool) -> None:
    source = (
        rf"""{preamble}\title{{T}}\begin{{document}}A "use" and \foreignquote{{ngerman}}{{Geld}}.\end{{document}}"""
    )
    assert words(of_project(main_tex=source)).startswith("A üse" if german else 'A "use" and Geld.')


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"\newtoggle{x}\toggletrue{x}\iftoggle{x}{A \cite{a}.}{B \cite{b}.}", "A."),
        (r"\newtoggle{x}\nottoggle{x}{A.}{B.}", "A."),
        (r"\newtoggle{x}\settoggle{x}{true}\nottoggle{x}{A.}{B.} C.", "B. C."),
        (r"\newboolean{x}\setboolean{x}{true}\ifthenelse{\boolean{x}}{A.}{B.}", "A."),
        (r"\newif\ifx\xtrue\ifthenelse{\NOT\boolean{x}}{A.}{B.}", "B."),
        (r"\newbool{x}\booltrue{x}\ifbool{x}{A.}{B.}\notbool{x}{C.}{D.}", "A.D."),
        (r"\ifthenelse{\equal{\jobname}{long}}{A.}{B.}", "A. B."),
    ],
)
def test_conditions_whose_branches_stand_in_braces(source: str, shown: str) -> None:
    assert words(of_project(main_tex=document(source))) == shown


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"\ifdraft{A \cite{a}.}{B.} \ifoptionfinal{C.}{D.}", "B. C."),
        (r"\ifdraft A.\else B.\fi \iffinal C.\else \ifdraft{D}{E}\ifdraft F\fi\fi G.", "B.C.G."),
        (r"\newif\ifdraft\drafttrue\ifdraft{A}.\else{B}.\fi C.", "A.C."),
        (r"\ifCLASSOPTIONcompsoc A.\else B.\fi \ifCLASSOPTIONtwoside C.\else D.\fi", "A.D."),
        (r"\newtoggle{draft}\ifdraft{\toggletrue{draft}}{\togglefalse{draft}}\iftoggle{draft}{A.}{B.} C.", "B. C."),
        (r"\newtoggle{long}\newcommand\iflong[2]{\iftoggle{long}{#1}{#2}}\iflong{A.}{B.} C.", "B. C."),
    ],
)
def test_what_is_shown_in_drafts_alone_is_not_read(source: str, shown: str) -> None:
    found = of_project(
        main_tex=rf"\documentclass[10pt, compsoc]{{IEEEtran}}\title{{T}}\begin{{document}}{source}\end{{document}}"
    )
    assert words(found) == shown


@pytest.mark.parametrize("preamble", [r"\Author[1][a@b.c]{Ada}{Doe}", r"\makeatletter\@ifnextchar[{\@one}{\@one[]}"])
def test_brackets_with_an_at_sign_make_no_markdown_of_latex(preamble: str) -> None:
    found = read(document("We write \\cite{a}.", preamble + r"\title{On trees}").encode())
    assert (found.title, found.keys, found.markup) == ("On trees", ("a",), "latex")


@pytest.mark.parametrize(("old", "new"), [("a/main.tex", "b/main.tex"), ("bees_v1.tex", "bees_v2.tex")])
def test_of_several_papers_it_is_said_which_was_read(old: str, new: str) -> None:
    written = (DOCUMENT + r"\title{%s}Bees.\end{document}").__mod__
    both = {old: written("Old"), new: written("New bees"), "letter.tex": written("Dear editor, we thank")}
    found = read(zipped(both))
    assert found.title == "New bees"
    assert found.unread == (f"{new} was read, though it may as well be {old}: name the file that is meant",)
    assert read(zipped({**both, "main.tex": written("Bees")})).unread == ()


@pytest.mark.parametrize("ending", ["tex", "md"])
def test_of_versions_of_one_text_the_last_is_read_though_it_is_shorter(ending: str) -> None:
    begin = DOCUMENT + r"\title{T}%s\end{document}" if ending == "tex" else "---\ntitle: T\n---\n\n%s\n"
    texts = {"a_v2": "Bees fly in towns. " * 9, "a_v10": "Bees fly.", "a_v9": "Bees fly far. " * 5, "note": "Bees"}
    files = {f"{name}.{ending}": begin % text for name, text in texts.items()}
    assert read(zipped(files)).unread[0].startswith(f"a_v10.{ending} was read, though")
    assert read(zipped({**files, f"a-final.{ending}": begin % "It is."})).unread[0].startswith(f"a-final.{ending} was")


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("reply.tex", DOCUMENT),
        ("bees_supp.tex", DOCUMENT + r"\title{Tables}"),
        ("SI.tex", DOCUMENT + r"\title{Tables}"),
        ("appendix.tex", DOCUMENT + r"\title{Proofs}"),
        ("title-page.tex", DOCUMENT + r"\title{Bees}"),
        ("editor.tex", r"\documentclass{letter}\begin{document}\title{Bees}"),
        ("tree.tex", r"\documentclass[tikz]{article}\usepackage{tikz}\begin{document}"),
        ("one.tex", DOCUMENT + r"\title{Hives}"),
    ],
)
def test_what_belongs_to_a_paper_is_not_taken_for_another(name: str, other: str) -> None:
    paper = DOCUMENT + r"\title{Bees}Bees.\subimport{./}{one}\end{document}"
    found = read(
        zipped({"bees.tex": paper, "one.tex": "Hives.", name: other + "It is longer. " * 9 + r"\end{document}"})
    )
    assert (found.title, found.unread) == ("Bees", ())


def test_a_footnote_that_only_cites_is_a_citation_in_its_place() -> None:
    first = r"First.\footnote{See \cite{a}, p.~3; \citep[cf.][]{b}.}"
    notes = rf"{first} Second.\footnote{{It was \citet{{c}}.}} Third\footnote{{No.}}."
    found = read(zipped({"p.tex": rf"{DOCUMENT}\title{{T}}{notes}\end{{document}}", "p.bib": bib("a", "b", "c")}))
    every = [(sentence.text.strip(" ."), [mark.keys for mark in sentence.marks]) for sentence in found.sentences()]
    assert every == [("First", [("a",), ("b",)]), ("Second", []), ("Third", []), ("It was", [("c",)]), ("No", [])]


@pytest.mark.parametrize("preamble", [r"\documentclass{beamer}", r"\documentclass{article}\usepackage{beamerarticle}"])
def test_slides_are_read_without_their_overlays(preamble: str) -> None:
    body = r"""\title{T}\begin{frame}<2->[fragile]{Trees}\begin{itemize}[<+->]\item<1-> Grow \cite<2->{a}.
        \item<2-|alert@2> Others \onslide<3->{stay}, $a<b$ and \textbf<.->{c > d}.\end{itemize}\end{frame}"""
    found = read(zipped({"p.tex": rf"{preamble}\begin{{document}}{body}\end{{document}}", "p.bib": bib("a")}))
    every = [sentence.with_marks() for sentence in found.sentences()]
    assert every[-2:] == ["Grow [CITATION].", "Others stay, a<b and c > d."]
    apacite = read(
        zipped({"p.tex": rf"{DOCUMENT}\title{{T}}So \cite<see>[p. 2]{{a}}.\end{{document}}", "p.bib": bib("a")})
    )
    assert apacite.keys == ("a",)


@pytest.mark.parametrize("line", [r"%\documentclass{beamer}", r"\usepackage{url} % \usepackage{beamerarticle}"])
def test_a_class_of_slides_in_a_comment_makes_none_of_a_text(line: str) -> None:
    found = of_project(main_tex=document(r"If $\alpha<b>\beta$.", f"{line}\n\\title{{T}}"))
    assert words(found) == "If α<b>β."
