r"""The lists that LaTeX prints, in a manuscript or in the .bbl that BibTeX or biber left → entries."""

import re
from collections.abc import Iterator, Mapping, Sequence

from indexer.identity.keys import identifier_in
from manuscripts.bibliographies import entry_of_fields, entry_of_text
from manuscripts.draft import running_text
from manuscripts.latex.groups import group, optional
from manuscripts.latex.texts import readable
from manuscripts.manuscript import Entry

_LIST = re.compile(
    r"\\begin\s*\{(?:mcite)?thebibliography\}(.*?)(?:\\end\s*\{(?:mcite)?thebibliography\}|$)", re.DOTALL
)
_LINK = re.compile(r"\\href\s*\{([^{}]*)\}")
_ADDRESS = re.compile(r"\\(href|url)\s*\{([^{}]*)\}")
_FIELD = re.compile(r"\\(?:bibinfo|bibfield|bibnamefont|bibfnamefont)\s*(?:\{\w+\}\s*)?(?=\{)")  # of REVTeX
_ITEM = re.compile(r"\\(?:bibitem|(harvarditem))(?![A-Za-z])")
# A comment of its own line, and the sign with which styles of BibTeX break a line, also in the middle of a key.
_COMMENT = re.compile(r"^[ \t]*%[^\n]*\n|(?<!\\)%[ \t]*\n[ \t]*", re.MULTILINE)
_SAME_AUTHOR = re.compile(r"\\bysame(?![A-Za-z])(?:\{\})?")  # as the entry before: styles of the AMS
_AMSREFS = re.compile(r"\\bib\*?\s*\{([^{}]*)\}\s*\{[^{}]*\}\s*(?=\{)")
_AMSREFS_FIELD = re.compile(r"[\s,]*([A-Za-z-]+)\s*=\s*(?=\{)")
_BIBER_ENTRY = re.compile(r"\\entry\{([^{}]*)\}\{[^{}]*\}\{[^{}]*\}(?:\{[^{}]*\})?(.*?)\\endentry", re.DOTALL)
_BIBER_FIELD = re.compile(r"\\(?:field|strng)\{(\w+)\}\s*(?=\{)")
_BIBER_VERB = re.compile(r"\\verb\{(\w+)\}\s*\\verb (.*?)\s*\\endverb", re.DOTALL)
_BIBER_NAME = re.compile(r"family=\s*\{([^{}]*)\}(?:.*?given=\s*\{([^{}]*)\})?", re.DOTALL)


def printed_entries(source: str) -> Iterator[Entry]:
    """The entries of the lists in a LaTeX file or in what BibTeX or biber wrote, in their order."""
    for found in _LIST.finditer(source):
        yield from _items(_COMMENT.sub("", found[1]))
    for found in _AMSREFS.finditer(source):
        yield _of_amsrefs(" ".join(found[1].split()), group(source, found.end())[0] or "")
    for found in _BIBER_ENTRY.finditer(source):
        yield _of_biber(found[1], found[2])


def _items(source: str) -> Iterator[Entry]:
    starts = list(_ITEM.finditer(source))
    for number, start in enumerate(starts):
        item = source[start.end() : starts[number + 1].start() if number + 1 < len(starts) else len(source)]
        _, place = optional(item, 0, len(item))  # which may name the thousands who wrote a work
        for _ in range(2 if start[1] else 0):  # authors and year
            _, place = group(item, place)
        key, place = group(item, place)
        if not key or not key.strip():
            continue
        body = _SAME_AUTHOR.sub("———", _ADDRESS.sub(_identified, item[place:]))
        body = re.sub(r"(?<!\\)%[^\n]*\n?", "", body)
        blocks = [_readable(block) for block in body.split(r"\newblock")]
        # Styles of BibTeX part authors, title and the rest.
        title = blocks[1].strip(" .,") if len(blocks) > 2 else ""
        named = next(filter(None, _LINK.findall(body)), "")  # by a link, such as that of its journal
        text = " ".join(blocks)
        yield entry_of_text(" ".join(key.split()), text if named in text.lower() else f"{text} {named}", title)


def _identified(address: re.Match[str]) -> str:
    r"""As \href of the identifier in it, which has no per cent sign; others of \url as they are."""
    name = identifier_in(address[2])
    return rf"\href{{{name}}}" if name or address[1] == "href" else address[0]


def _readable(source: str) -> str:
    source = re.sub(r"\\(?:url|doi|path)\s*(?=\{)", " ", _FIELD.sub("", _LINK.sub("", source)))
    return running_text(readable(source)).replace("\n\n", " ")


def _of_amsrefs(key: str, body: str) -> Entry:
    fields: dict[str, str] = {}
    authors: list[str] = []
    place = 0
    while found := _AMSREFS_FIELD.match(body, place):
        name, (value, place) = found[1].lower(), group(body, found.end())
        if name == "author":  # a field each
            authors.append(" ".join(reversed(readable(value or "").split(", ", 1))))
        else:
            fields[name] = readable(value or "")
    return _of_fields(key, fields, authors)


def _of_biber(key: str, body: str) -> Entry:
    fields = {found[1]: readable(group(body, found.end())[0] or "") for found in _BIBER_FIELD.finditer(body)}
    fields |= {found[1]: found[2].strip() for found in _BIBER_VERB.finditer(body)}
    names = body.partition(r"\name{author}")[2].partition(r"\strng")[0]
    authors = [readable(f"{given} {family}") for family, given in _BIBER_NAME.findall(names)[:3]]
    return _of_fields(key, fields, authors)


def _of_fields(key: str, fields: Mapping[str, str], authors: Sequence[str]) -> Entry:
    title = ": ".join(filter(None, (fields.get("title"), fields.get("subtitle"))))
    venue = fields.get("journaltitle") or fields.get("journal") or fields.get("booktitle") or ""
    when, name = fields.get("year") or fields.get("date"), fields.get("doi", "")
    eprint = fields.get("eprint", "") if fields.get("eprinttype", "arxiv").lower() == "arxiv" else ""
    return entry_of_fields(key, title, authors, when, venue, name, eprint)
