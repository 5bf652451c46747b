"""A manuscript in LaTeX: one file, or the files of a project."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from manuscripts.bibliographies import keys_meant
from manuscripts.draft import running_text
from manuscripts.files import Files
from manuscripts.headings import BEHIND, ENGLISH, OTHERS
from manuscripts.latex.authors import authors_of
from manuscripts.latex.bibliographies import entries_of
from manuscripts.latex.commands import ABSTRACT_COMMANDS, ABSTRACTS, LEVELS, TITLE_COMMANDS
from manuscripts.latex.expansion import Expansion
from manuscripts.latex.german import with_shorthands
from manuscripts.latex.groups import group, group_end, optional
from manuscripts.latex.settings import without_settings
from manuscripts.latex.structure import plain_text, read_body
from manuscripts.manuscript import Manuscript, Section

_IS_BEAMER = re.compile(  # not in a comment
    r"^[^%\n]*\\(?:documentclass\s*(?:\[[^\]]*\])?\s*\{beamer\}|usepackage\s*(?:\[[^\]]*\])?\s*\{beamerarticle\})",
    re.MULTILINE,
)
_IS_BIBLATEX = re.compile(r"\\(?:addbibresource|printbibliography)(?![A-Za-z])")
# On which slides something is shown: \item<1->, \begin{block}<2-|alert@3>, \begin{itemize}[<+->].
_OVERLAY = re.compile(
    r"(\\(?:(?:begin|end)\s*\{[^{}]*\}|[A-Za-z]+\*?))\s*(?:<[\w+*@|:,.() -]{1,60}>|\[<[^<>\]]{1,60}>\])"
)
_NOTE_IN_TITLE = re.compile(
    r"\*?\s*(?:\\\\)?\s*\{\s*\\(?:footnotesize|scriptsize|tiny)\b(?:[^{}]|\{[^{}]*\})*\}"
    r"|\$\^\{?\\d?dag(?:ger)?\}?\$"
)  # of IEEE's template and RSC's
# A subtitle that says what kind of text this is, and no more of what it is about, as "Report of two cases" does.
_KIND = re.compile(
    r"(?!(?:an? )?(?:report|draft|preprint|arbeit|m[ée]moire) (?:im|in|at|for|of|by|d[eio]|von|an)\b)"
    r"(?:an? )?(?:(?:cumulative|kumulative|inaugural|doctoral|ph\.?\s?d\.?|(?:master|bachelor)(?:[’']?s)?|"
    r"[bm]\.?\s?sc\.?|diploma|honou?rs|final|technical|working|term|seminar|project|submitted)[- ]?){0,3}"
    r"(?:dissertation|thesis|(?:abschluss|diplom|haus|magister|studien)?arbeit|habilitation(?:s?schrift)?|report|"
    r"(?<=\w[- ])paper|preprint|draft|th[eè]se de doctorat|m[ée]moire|tesis|tesi)"
    r"(?:\W+(?:(?:zur|zum|submitted|vorgelegt|presented|in|im|at|for|of|by|no|nr|d[eio]|von|an)\b|\d).*)?[.)]?",
    re.IGNORECASE,
)
_HEADING = re.compile(r"\\(chapter|section|subsection)\*?\s*\{((?:[^{}]|\{[^{}]{0,100}\}){1,200})\}")
# The abstract of a thesis, behind which chapters follow, which may be papers with abstracts of their own.
_OF_THESIS = re.compile(rf"\\chapter\*?\s*\{{\s*(?:{ENGLISH})\s*\}}.*\\chapter", re.IGNORECASE | re.DOTALL)
_NEXT_HEADING = re.compile(
    rf"\\(?:(section|subsection)\*(?!\s*\{{\s*(?:key|introduction|acknowledg|{BEHIND}|{OTHERS}))|"
    r"part|chapter|section|subsection|"
    r"tableofcontents|mainmatter|begin\s*\{(?:keyword|IEEEkeywords|document)|end\s*\{document\})",
    re.IGNORECASE,
)
_KEYWORDS = re.compile(  # at the end of an abstract, or at its beginning
    r"\\(?:(?:sub)*section|paragraph|text(?P<face>bf|it|sc))\*?\s*\{\s*(?:key[ -]?words?|index terms)\s*"
    r"(?(face)(?:[:.—–-]+\s*\}|\}\s*[:—–-])|[:.—–-]*\s*\})",
    re.IGNORECASE,
)
_KEYWORDS_END = re.compile(r"\\\\\*?(?:\[[^\[\]]*\])?|\\(?:newline|par)(?![A-Za-z@])|\n[ \t]*\n")
_OTHER_TITLE = re.compile(r"(?:pdftitle\s*=|\\textbf\\newline)\s*(?=\{(?!\s*\\@))")  # the latter in PLOS' template
_TITLE = re.compile(rf"\\(?:{'|'.join(TITLE_COMMANDS)})(?![A-Za-z])\s*(?:\[[^\[\]]*\]\s*)?\{{")
_MOST_COMMANDS = 100  # of one name; each may hold all that follow
_DEEPEST = 20  # braces within a title
_TITLE_END = re.compile(r"\n[ \t]*\n|\n?[ \t]*\\(?:author|date|maketitle|begin|end|section)(?![A-Za-z])")
# Above both columns: in RSC's template, title and abstract in a table, told apart by their sizes alone.
_ABOVE_COLUMNS = re.compile(
    r"\\twocolumn\s*\[\s*\\begin\s*\{@twocolumnfalse\}(.{0,10000}?)\\end\s*\{@twocolumnfalse\}[^\]]*\]?", re.DOTALL
)
_NORMAL = re.compile(r"\\normalsize\s*(?=\{)")
_LARGE = [re.compile(rf"\\{size}(?![A-Za-z])\s*") for size in ("Huge", "huge", "LARGE")]


def read(files: Files, root: str) -> Manuscript:
    """The manuscript whose main file is `root`.

    Raises:
        SourceError: files include each other in a circle, or macros expand without end.
    """
    text = without_settings(Expansion(files, root).text())
    if any(map(_IS_BEAMER.search, (text, files.text(root)))):  # packages are not in the text any more
        text = _OVERLAY.sub(r"\1", text)
    text = with_shorthands(_with_closed_title(text, files), files)
    entries = entries_of(files, root, text)
    meant = keys_meant(entries, of_bibtex=not _IS_BIBLATEX.search(text))
    abstract, rest = _abstract(text)
    abstract = _without_keywords(abstract)
    _, begin, body = rest.partition(r"\begin{document}")
    sections, listed = read_body((body if begin else rest).partition(r"\end{document}")[0], meant)
    of_abstract, listed_there = read_body(abstract, meant)
    in_abstract = (paragraph for section in of_abstract for paragraph in section.paragraphs)
    if abstract.strip():
        sections = (Section("Abstract", 0, tuple(in_abstract)), *sections)
    front = "\n\n".join(source for source, *_ in _given(text, (*TITLE_COMMANDS, "subtitle", "author")))
    of_front = Manuscript(sections=read_body(front, meant)[0]).keys  # as in a note of the title
    listed = tuple(dict.fromkeys((*of_front, *listed_there, *listed)))
    if "*" in listed:
        listed = tuple(entry.key for entry in entries)
    return Manuscript(_title(text), _readable(abstract), sections, entries, (), listed, authors=authors_of(text))


def _with_closed_title(text: str, files: Files) -> str:
    """The text with a title that is not closed ended where its paragraph ends, or another command follows."""
    closed = text + "}"
    for found in islice(_TITLE.finditer(text), _MOST_COMMANDS):
        end = _TITLE_END.search(text, found.end())
        if end and group_end(closed, found.end() - 1) > len(text):
            files.note(f"not closed: {found[0]}; it is read up to the end of its paragraph")
            title, rest = text[found.end() - 1 : end.start()], text[end.start() :]
            for _ in range(_DEEPEST):
                title += "}" * (group_end(f"{title}.", 0) > len(title))
            return text[: found.end() - 1] + title + rest
    return text


def _given(text: str, commands: Iterable[str]) -> Iterator[tuple[str, int, int]]:
    """What stands in braces behind the first of these commands, wherever it is given, then behind the others.

    With each come the places where the command begins and its argument ends.
    """
    for command in commands:
        for found in islice(re.finditer(rf"\\{command}(?![A-Za-z])\s*", text), _MOST_COMMANDS):
            source, end = group(text, optional(text, found.end())[1])
            if source:
                yield source, found.start(), end


def _title(text: str) -> str:
    front, printed, _ = text.partition(r"\maketitle")  # which prints the last of them; later ones are of supplements
    last = (one for command in TITLE_COMMANDS for one in reversed([*_given(front, (command,))])) if printed else ()
    for source, *_ in chain(last, _given(text, TITLE_COMMANDS)):
        if title := _readable(_NOTE_IN_TITLE.sub("", source)):
            below = next((_readable(subtitle) for subtitle, *_ in _given(text, ("subtitle",))), "")
            return f"{title}: {below}" if below and not _KIND.fullmatch(below) else title
    declared = _OTHER_TITLE.search(text)
    if declared and (title := _readable(group(text, declared.end())[0] or "")):
        return title
    page = text.partition(r"\begin{titlepage}")[2].partition(r"\end{titlepage}")[0]
    if not page and (above := _ABOVE_COLUMNS.search(text)):
        page = above[1]
    large = next(filter(None, (size.search(page) for size in _LARGE)), None)
    return _readable(_NOTE_IN_TITLE.sub("", page[large.end() : _closing(page, large.end())])) if large else ""


def _closing(text: str, place: int) -> int:
    """Where the group in which `place` stands is closed."""
    if text[place : place + 1] == "{":
        return group_end(text, place)
    return group_end("{" + text[place:], 0) - 2 + place


def _abstract(text: str) -> tuple[str, str]:
    """The source of the abstract, "" without one, and the text without it."""
    for name in ABSTRACTS:
        before, begin, rest = text.partition(f"\\begin{{{name}}}")
        if begin and not _OF_THESIS.search(before):
            abstract, _, behind = rest[optional(rest, 0)[1] :].partition(f"\\end{{{name}}}")
            return abstract, before + behind
    for source, start, end in _given(text, ABSTRACT_COMMANDS):
        if source.strip():
            return source, text[:start] + text[end:]
    headings = [(found, _readable(found[2])) for found in _HEADING.finditer(text)]
    called = (one for names in (ENGLISH, OTHERS) for one, name in headings if re.fullmatch(names, name, re.IGNORECASE))
    if heading := next(called, None):
        following = (  # a lower heading without a number is a part of the abstract
            found.start()
            for found in _NEXT_HEADING.finditer(text, heading.end())
            if not found[1] or LEVELS[found[1].lower()] <= LEVELS[heading[1].lower()]
        )
        end = next(following, len(text))
        return text[heading.end() : end], text[: heading.start()] + text[end:]
    if (above := _ABOVE_COLUMNS.search(text)) and (size := _NORMAL.search(above[1])):
        return group(above[1], size.end())[0] or "", text[: above.start()] + text[above.end() :]
    return "", text


def _without_keywords(abstract: str) -> str:
    """The source without keywords: up to the end, or where no text stands before them, up to that of their line."""
    start = 0
    while heading := _KEYWORDS.search(abstract, start):
        above = abstract[start : heading.start()]
        if _readable(above):
            return above
        end = _KEYWORDS_END.search(abstract, heading.end())
        start = end.end() if end else len(abstract)
    return abstract[start:]


def _readable(source: str) -> str:
    return plain_text(running_text(source))
