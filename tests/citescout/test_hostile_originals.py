"""Entries of a corpus that anybody may have written: what of them is written as it stands, and in which order."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from entries_of_users import entries, exported, indexed

from citescout.recommendation import Answer, Recommendation
from exports import written
from exports.appending import BibtexFile
from exports.private_fields import for_others, without_private
from indexer.merging import MergeReport, merge_duplicates
from indexer.readers import read_papers
from retrieval.query import Query

DEFINITIONS = (
    r'@preamble{"\newcommand{\noopsort}[1]{} " # "\providecommand*\bysame{\leavevmode\hbox to3em{\hrulefill}}"}',
    r"""@preamble{ "\def\cprime{$'$} \def\polhk#1{\setbox0=\hbox{#1}{\ooalign{\hidewidth\lower1.5ex\hbox{`}}}} " }""",
    r'@preamble{"\ifx \undefined \booktitle \def \booktitle #1{{{\em #1}}} \fi"}',
)


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_preambles_that_define_commands_are_kept(tmp_path: Path, definition: str) -> None:
    source = f"{definition}\n@misc{{a, title={{One}}}}\n"
    assert exported("bibtex", *indexed(source, "my.bib", tmp_path)) == source


@pytest.mark.parametrize(
    "preamble",
    [
        r'"\immediate\write18{touch /tmp/pwned}\input{/etc/passwd}"',
        r'"\newcommand{\x}{\input{/etc/passwd}}"',
        r'"\newcommand{\x}{\inp" # "ut{/etc/passwd}}"',
        r'"\def\x{\csname inp\endcsname}"',
        r'"\catcode`\%=12 "',
        r'"\newcommand{\x}{y} \x"',
        r'"^^5cinput x "',
        "jj",
    ],
)
def test_preambles_that_do_more_never_come_along(tmp_path: Path, preamble: str) -> None:
    source = f'@preamble{{{preamble}}}\n@string{{jj = "x"}}\n@misc{{a, title={{One}}}}\n'
    papers = indexed(source, "my.bib", tmp_path)
    assert exported("bibtex", *papers) == "@misc{a, title={One}}\n"
    mine = tmp_path / "mine.bib"
    BibtexFile(mine).add(papers)
    assert mine.read_text() == "@misc{a, title={One}}\n"


@pytest.mark.parametrize(
    "entry",
    [
        r"@misc{a, title={One}, note={\input{/etc/passwd}}}",
        r"@misc{a, title={\INPUT{/etc/passwd} One}}",
        r'@misc{a, title={One}, note="\wri" # "te18{x}"}',
        r"@misc{a, title={One}, note=cut # rest}",
        r"@misc{a, title={One}, note=jj}",
        r"@misc{a, title={One}, note={\begin{input}{x}\end{input}}}",
        r"@misc{a, title={One}, note={^^5cinput x}}",
        r"@misc{a, title={One}, note={\href{run:/bin/sh}{x}}}",
        r"@misc{a, title={One}, note={\let\cite\relax}}",
        "@misc{a, title={One}, note={\\in\u202eput{/etc/passwd}}}",
        r"@misc{a\input, title={One}}",
    ],
)
def test_entries_with_commands_that_act_are_written_anew(tmp_path: Path, entry: str) -> None:
    strings = '@string{jj = "\\input{/etc/passwd}"}\n@string{cut = "\\inp"}\n@string{rest = "ut{x}"}\n'
    written = exported("bibtex", *indexed(strings + entry + "\n", "my.bib", tmp_path))
    assert not re.search(r"@string|note|\\input|\\begin|\\let|\^\^|run:", written, re.IGNORECASE)
    assert re.search(r"title = \{.*One\}", written)


def test_what_only_looks_like_a_command_stays_byte_for_byte(tmp_path: Path) -> None:
    source = (
        r"@misc{a, title={\emph{One} {\"U}ber \textsc{x} \& $\alpha^2$}, file={C\:\\Users\\input\\read.pdf:PDF},"
        "\n\tabstract={\\begin{itemize}\\item a\\end{itemize}}, url = {https://example.org/a\\_b}, eprint=12}\n"
    )
    assert exported("bibtex", *indexed(source, "my.bib", tmp_path)) == source


def test_only_web_addresses_of_entries_are_exported_and_no_direction_marks(tmp_path: Path) -> None:
    source = "@misc{a, title={O\u202ene\x1b}, url={%s}, year=2000}\n"
    addresses = ("javascript:alert(1)", "{java script:x}", "data:text/html,x", "file:///etc/passwd")
    for number, address in enumerate(addresses):
        papers = indexed(source % address, f"{number}.bib", tmp_path)
        assert exported("bibtex", *papers) == "@misc{a, title={One}, year=2000}\n"
    ris = "TY  - JOUR\r\nTI  - O\u202ene\r\nUR  - javascript:alert(1)\r\nL1  - file:///a.pdf\r\nER  - \r\n\r\n"
    lines = exported("ris", *indexed(ris, "a.ris", tmp_path)).splitlines()[:4]
    assert lines == ["TY  - JOUR", "TI  - One", "L1  - file:///a.pdf", "ER  - "]
    kept = {"id": "a", "type": "book", "title": "One", "author": [{"family": "A", "given": "B"}]}
    csl = [kept | {"title": "O\u202ene\x01", "URL": "javascript:alert(1)"}]
    items = json.loads(exported("csl-json", *indexed(json.dumps(csl), "a.json", tmp_path)))
    assert items == [kept]


BIB = (
    "@article{a,\n  title={One}, volume={3},\n  annote={rejected by me as referee},\n"
    "  file={:/home/ada/Zotero/a.pdf:PDF},\n  bdsk-file-1 = {YnBsaXN0},\n  owner = {ada},\n  year=2000,\n"
    "  review={bad}\n}\n"
)


def test_private_fields_are_not_for_others(tmp_path: Path) -> None:
    papers = indexed(BIB, "my.bib", tmp_path)
    assert exported("bibtex", *papers) == BIB
    answer = for_others(Answer(Query("q"), [Recommendation(1, 1.0, *papers, note="mine")]))
    shown = "@article{a,\n  title={One}, volume={3},\n  year=2000,\n  annote = {mine}\n}\n"
    assert written("bibtex", [answer]) == shown
    ris = (
        "TY  - JOUR\r\nTI  - One\r\nN1  - rejected by\r\n me\r\nIL -6 was never measured\r\nL1  - file:///home/ada/a.pdf\r\n"
        "L2  - https://example.org/a\r\nVL  - 3\r\nER  - \r\n\r\n"
    )
    (paper,) = indexed(ris, "a.ris", tmp_path)
    lines = exported("ris", without_private(paper)).splitlines()
    assert lines == ["TY  - JOUR", "TI  - One", "L2  - https://example.org/a", "VL  - 3", "ER  - ", ""]
    kept = {"id": "a", "type": "book", "title": "One", "author": [{"family": "A", "given": "B"}], "volume": "3"}
    csl = [kept | {"note": "rejected", "annote": "x", "custom": {"file": "/home/ada/a.pdf"}}]
    (paper,) = indexed(json.dumps(csl), "a.json", tmp_path)
    assert json.loads(exported("csl-json", paper)) == csl
    assert json.loads(exported("csl-json", without_private(paper))) == [kept]
    both = [*read_papers([str(tmp_path / name) for name in ("a.ris", "a.json")])]
    (paper,) = merge_duplicates([replace(one, doi="10.1000/a") for one in both], MergeReport())
    (other,) = without_private(paper).original.others
    assert not re.search("rejected|/home/ada", other.text)


PARENT = (
    '@proceedings{aparent, title={Proceedings of X}, year=2000, editor={Ed, E}, publisher = p # "ess", doi={10.1/x}}'
)
CHILDREN = (
    "@inproceedings{c1, author={A, B}, title={Child one}, crossref={aparent}}",
    "@inproceedings{c2,\n  crossref = {aparent},\n  author={A, B}, title={Child two}\n}",
)
LIBRARY = '@string{p = "Pr"}\n' + "\n".join((*CHILDREN, PARENT)) + "\n"


@pytest.mark.parametrize("order", [("aparent", "c1", "c2"), ("c1", "aparent", "c2"), ("c1", "c2")])
def test_entries_that_crossref_names_stand_behind_all_that_name_them(tmp_path: Path, order: tuple[str, ...]) -> None:
    known = {paper.id: paper for paper in indexed(LIBRARY, "my.bib", tmp_path)}
    papers = [known[name] for name in order]
    found = entries(exported("bibtex", *papers))
    assert list(found.values()) == [*CHILDREN, PARENT]
    BibtexFile(tmp_path / "mine.bib").add(papers)
    assert list(entries((tmp_path / "mine.bib").read_text()).values()) == [*CHILDREN, PARENT]


def test_an_entry_whose_parent_stands_before_it_has_what_it_takes_from_it(tmp_path: Path) -> None:
    known = {paper.id: paper for paper in indexed(LIBRARY, "my.bib", tmp_path)}
    mine = tmp_path / "mine.bib"
    for name in ("aparent", "c1", "c2"):
        assert BibtexFile(mine).add([known[name]]) == 1
    parent, first, second = entries(mine.read_text()).values()
    taken = ("year = 2000", "editor = {Ed, E}", 'publisher = p # "ess"', "booktitle = {Proceedings of X}")
    assert parent == PARENT
    assert first == f"@inproceedings{{c1, author={{A, B}}, title={{Child one}}, {', '.join(taken)},}}"
    fields = ",\n  ".join((*taken, "author={A, B}, title={Child two}"))
    assert second == f"@inproceedings{{c2,\n  {fields}\n}}"
    again = {paper.id: replace(paper, original=None) for paper in read_papers([str(mine)])}
    assert again == {name: replace(paper, original=None) for name, paper in known.items()}
    answers = [Answer(Query("q"), [Recommendation(1, 1.0, known[name])]) for name in ("aparent", "c1")]
    assert "crossref" not in written("bibtex", answers)
