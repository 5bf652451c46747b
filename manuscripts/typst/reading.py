"""A manuscript in Typst: one file, or the files of a project."""

import re
from collections.abc import Iterator, Mapping

from manuscripts.authors import names_among
from manuscripts.bibliographies import entries_of_file, once
from manuscripts.draft import running_text
from manuscripts.files import Files
from manuscripts.headings import ANY, ENGLISH, OTHERS
from manuscripts.manuscript import Entry, Manuscript, Section
from manuscripts.text_building import abstract_among
from manuscripts.typst.hayagriva import entries_of_yaml
from manuscripts.typst.scanning import COMMENT
from manuscripts.typst.scope import LABEL, Scope, folder_of, terms_in
from manuscripts.typst.structure import Text

_COMMENT = re.compile(rf"(https?://\S+|\"(?:[^\"\\\n]|\\.)*\")|{COMMENT}", re.DOTALL)
_INCLUDE = re.compile(r"\binclude\s+\"([^\"\n]+)\"")
_IMPORT = re.compile(r"\b(?:include|import)\s+\"([^\"\n@]+)\"")
_BIBLIOGRAPHY = re.compile(r"\bbibliography\s*\(((?:[^()]|\([^()]*\))*)\)")
_BIB = re.compile(r"\"([^\"\n]+\.bib)\"")
_FILE = re.compile(r"\"([^\"\n]+\.(?:bib|ya?ml))\"")
_ALL = re.compile(r"\bfull:\s*true\b")
_CITES = re.compile(r"@\w|#cite\(")
# Of an argument it names what is defined elsewhere, unless figures are arguments, too.
_DEFINED = re.compile(rf"(?:(?<![(,:])(?<![(,:]\s)|(?<=label:\s)|(?<=\),\s)){LABEL}")
_LEAD = re.compile(rf"(?i:{ENGLISH}|{OTHERS})(?:\s*[.:—–-]\s*|\s+(?=[A-Z])|$)")
_AUTHOR = re.compile(r"\bname:\s*[\[\"]([^\"\]]*)")
_QUOTED = re.compile(r"\"([^\"]*)\"")


def read(files: Files, root: str) -> Manuscript:
    """The manuscript whose main file is `root`; of what it imports only definitions are read.

    Raises:
        SourceError: files include each other in a circle.
    """
    texts = dict(_texts(files, root, _INCLUDE))
    everything = "\n".join(texts.values())
    terms = terms_in("\n".join(text for _, text in _texts(files, root, _IMPORT)))
    entries = _entries(files, texts)
    labels = frozenset(_DEFINED.findall(everything))
    scope = Scope(files, (root,), frozenset(entry.key for entry in entries), labels, terms)
    text = Text(scope)
    text.markup(files.text(root))
    sections = text.sections()
    if abstract := text.paragraphs_of(scope.told.get("abstract", "")):
        sections = (Section("Abstract", 0, abstract), *sections)
    if any(_ALL.search(inner) for inner in _BIBLIOGRAPHY.findall(everything)):
        scope.listed += [entry.key for entry in entries]
    return Manuscript(
        _title(text, scope, sections),
        running_text(abstract_among(sections) or _led(sections)),
        sections,
        entries,
        listed=tuple(dict.fromkeys(scope.listed)),
        authors=names_among(_authors(scope)),
    )


def _texts(files: Files, root: str, named: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """The main file and all that are `named` in one of these, without comments."""
    waiting, seen = [root], {root}
    while waiting:
        path = waiting.pop()
        text = _COMMENT.sub(lambda found: found[1] or "", files.text(path))
        yield path, text
        for name in named.findall(text):
            other = files.find(name.lstrip("/"), (folder_of(name, path),), ())
            if other and other not in seen:
                seen.add(other)
                waiting.append(other)


def _entries(files: Files, texts: Mapping[str, str]) -> tuple[Entry, ...]:
    found: list[Entry] = []
    named = False
    for path, text in texts.items():
        there = [name for inner in _BIBLIOGRAPHY.findall(text) for name in _FILE.findall(inner)]
        for name in dict.fromkeys((*there, *_BIB.findall(text))):  # a template may take the name alone
            named = True
            asked = f'bibliography("{name[:200]}")'
            if other := files.named(asked, name.lstrip("/"), (folder_of(name, path),), (".bib",)):
                found += entries_of_file(files, other) if other.endswith(".bib") else entries_of_yaml(files, other)
    if not named and any(map(_CITES.search, texts.values())):
        for path in files.paths(".bib"):
            found += entries_of_file(files, path)
    return once(found)


def _title(text: Text, scope: Scope, sections: tuple[Section, ...]) -> str:
    if source := scope.told.get("title") or scope.large:
        return " ".join(paragraph.text for paragraph in text.paragraphs_of(source))
    first = [section.heading for section in sections if section.level == 1 and section.heading]
    return first[0] if len(first) == 1 and not ANY.fullmatch(first[0]) else ""


def _led(sections: tuple[Section, ...]) -> str:
    """The paragraph above all headings that begins with "Abstract", or follows that."""
    above = [paragraph.text for section in sections if not section.heading for paragraph in section.paragraphs]
    for number, paragraph in enumerate(above):
        if lead := _LEAD.match(paragraph):
            return paragraph[lead.end() :] or "".join(above[number + 1 : number + 2])
    return ""


def _authors(scope: Scope) -> list[str]:
    told = scope.told.get("authors") or scope.told.get("author") or ""
    told = scope.variables.get(told, told)
    return _AUTHOR.findall(told) or _QUOTED.findall(told)
