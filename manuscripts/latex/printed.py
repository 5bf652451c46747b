r"""The lists that LaTeX prints, in a manuscript or in the .bbl that BibTeX or biber left → entries."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from indexer.identity.identifiers import arxiv_key, doi_key
from indexer.identity.keys import identifier_in
from indexer.readers.bibtex_people import stored
from manuscripts.bibliographies import entry_of_fields, entry_of_text
from manuscripts.draft import running_text
from manuscripts.latex.groups import group, optional
from manuscripts.latex.settings import without_settings
from manuscripts.latex.texts import readable
from manuscripts.manuscript import Entry
from manuscripts.reference_lines import year_of

_LIST = re.compile(
    r"\\begin\s*\{(?:mcite)?thebibliography\}(.*?)(?:\\end\s*\{(?:mcite)?thebibliography\}|$)", re.DOTALL
)
# \href {address} {text}, \href@noop {} {text}, \Eprint; \mn@doi [text] {doi}, \mn@eprint {arXiv} {id}, \dodoi{…}
_ADDRESS = re.compile(
    r"\\[a-z@]{0,20}(?:href|url|doi|path|eprint|arxiv)(?!style)[a-z@]{0,20}"
    r"\s{0,20}(?:\[([^\[\]]*)\]\s{0,20})?(?:\{arxiv\}\s{0,20})?\{([^{}]*)\}(\s{0,20}\{)?",
    re.IGNORECASE,
)
# What prints nothing: macros for internal use, and what others are told.
_SILENT = re.compile(
    r"\\(?:[A-Za-z]+@[A-Za-z@]*|@[A-Za-z@]+|(?:newline|urlprefix)(?![A-Za-z]))|\\bibitemdeclare\s*\{[^{}]*\}\s*\{[^{}]*\}"
    r"|\\(?:BibitemShut|urlstyle|APACinsertmetastar)\s*\{[^{}]*\}|\\abntrefinfo(?:\s*\{[^{}]*\}){3}"
)
# What styles of the harvard package, apacite and babelbib print by name.
_SIGNS = {"harvardand": "and", "harvardyearleft": "(", "harvardyearright": ")", "BBA": "\\&", "btxandlong": "and"}
_SIGN = re.compile(rf"\\({'|'.join(_SIGNS)})(?![A-Za-z])\s*(?:\{{\}})?")
# Parts of entries of apacite, babelbib and jurabib; a title may stand there twice, the second time as it is printed.
_MARKED = re.compile(
    r"\\(?:(?P<title>(?:btxj?title|bibt|bibapi)font)|(?P<twice>APACref[a-z]*title|btxifchangecase)"
    r"|(?P<year>APACrefYear(?:MonthDay)?)|(?P<journal>btxjournalfont|bibjtfont)|(?P<author>btxnamefont))(?![A-Za-z])"
)
_APACITE_NAMES = re.compile(r"\\begin\s*\{APACrefauthors\}((?:(?!\\begin).)*?)\\end\s*\{APACrefauthors\}", re.DOTALL)
_BETWEEN_NAMES = re.compile(r"(?<=\.),\s+|(?:\\(?:BCB[LT]|BBA)(?![A-Za-z])\s*\{\}\\?\s*)+")
# What a part of an entry is: of REVTeX, Elsevier, Nature and ACM.
_PART = re.compile(r"\\(?:bibinfo\s*\{(\w+)\}|bibfield\s*\{(\w+)\}|(showarticletitle)(?![A-Za-z]))\s*(?=\{)")
_EMPHASIS = re.compile(r"\s*\\(?:emph|textit|textsl)\s*(?=\{)|\s*(?=\{\\(?:em|it|sl)(?![A-Za-z]))")
# Behind the title of a book: ", volume 1 of", "(2nd ed.)", ", 2001"; but "Drosophila (flies) in labs" is a title, and
# "Acta, 3" a journal.
_BEHIND_BOOK = re.compile(
    r"\s*(?:[.,](?!\s*(?:\{?\\(?:bf|textbf)|(?!(?:1[5-9]|20)\d\d\b)\d+(?![\dsnrt])))|$"
    r"|\(.{0,100}?(?:\d|\b[Ee](?:dition|ds?\.)))",
    re.DOTALL,
)
# Behind authors, where a style of author and year has no blocks: "(2001), ", "Doe A., 2001, ", "Doe, A.: 2001, ".
_YEAR_BEFORE = re.compile(r"(?:\(|[A-Z]\.[,:]?\s+)(?:1[5-9]|20)\d\d[a-z]?\)?\s*[.,:]?\s+")
# Behind a title, where nothing says where it appeared: "Attention is all you need, 2017".
_DATE = re.compile(r"(?:[,;.] | ?\()(?:[^\W\d_]+\.? )?(?:1[5-9]|20)\d\d[a-z]?\)?$")
_IN_QUOTES = re.compile(r"[“‘]([^“”‘]+)[”’']")
_KIND = re.compile(r"\[[A-Z]{1,2}(?:/[A-Z]{2})?\]$")  # behind titles in GB/T 7714: "[J]"
# An address, or volume and pages: "3(1), 1–2", "3 (2001) 1–2", "3:1–2", "pages 1–2". A title may have a span of years.
_NO_TITLE = re.compile(
    r"https?:|\d ?\(\d[\d–]*\) ?[,:(\d]|\d[,:] ?\d+–\d|[,.] ?(?!(?:1[5-9]|20)\d\d–)\d+–\d|\b(?:pages|pp?\.) ?\d"
)
_WORD = re.compile(r"[^\W\d_]{2}")
_QUOTED = re.compile(
    r"\\(?:bib)?enquote\s*\{((?:[^{}]|\{[^{}]*\})*)\}|\\og(?![A-Za-z])(.{1,1000}?)\\fg(?![A-Za-z])", re.DOTALL
)
_NAME_OF = re.compile(r"\\(?:bibf?|btxlast)namefont(?![A-Za-z])\s*")
_ITEM = re.compile(r"\\(?:bibitem|(harvarditem))(?![A-Za-z])")
# A comment of its own line, and the sign with which styles of BibTeX break a line, also in the middle of a key.
_COMMENT = re.compile(r"^[ \t]*%[^\n]*\n|(?<!\\)%[ \t]*\n[ \t]*", re.MULTILINE)
_SAME_AUTHOR = re.compile(r"\\bysame(?![A-Za-z])(?:\{\})?")  # as the entry before: styles of the AMS
_AMSREFS = re.compile(r"\\bib\*?\s*\{([^{}]*)\}\s*\{[^{}]*\}\s*(?=\{)")
_AMSREFS_FIELD = re.compile(r"[\s,]*([A-Za-z-]+)\s*=\s*(?=\{)")
_BIBER_ENTRY = re.compile(r"\\entry\{([^{}]*)\}(?:\{[^{}]*\}){2,3}((?:(?!\\entry\{).)*?)\\endentry", re.DOTALL)
_BIBER_FIELD = re.compile(r"\\(?:field|strng)\{(\w+)\}\s*(?=\{)")
_BIBER_VERB = re.compile(r"\\verb\{(\w+)\}\s*\\verb (\S*)\s*\\endverb")
_BIBER_NAMES = re.compile(r"\\name\{(author|editor)\}(.*?)(?=\\(?:name|list|strng|field)\{|$)", re.DOTALL)
_BIBER_NAME = re.compile(r"(?<![a-z])family=.*?(?=(?<![a-z])family=|$)", re.DOTALL)
_BIBER_SPACE = re.compile(r"\\bib(?:name|init)delim[a-z]?(?![A-Za-z])\s*")  # between the words of a name


def printed_entries(source: str) -> Iterator[Entry]:
    """The entries of the lists in a LaTeX file or in what BibTeX or biber wrote, in their order."""
    for found in _LIST.finditer(source):
        yield from _items(without_settings(_COMMENT.sub("", found[1])))
    for found, body in _parted(_AMSREFS, source):
        yield _of_amsrefs(" ".join(found[1].split()), group(body, 0)[0] or "")
    for found in _BIBER_ENTRY.finditer(source):
        yield _of_biber(found[1], found[2])


def _parted(start: re.Pattern[str], source: str) -> Iterator[tuple[re.Match[str], str]]:
    """Each place where an entry starts, and what stands behind it, up to the next one."""
    starts = list(start.finditer(source))
    ends = [*(following.start() for following in starts[1:]), len(source)]
    for found, end in zip(starts, ends, strict=False):  # without any start, one end is left
        yield found, source[found.end() : end]


def _items(source: str) -> Iterator[Entry]:
    for start, item in _parted(_ITEM, source):
        _, place = optional(item, 0, len(item))  # which may name the thousands who wrote a work
        for _ in range(2 if start[1] else 0):  # authors and year
            _, place = group(item, place)
        key, place = group(item, place)
        if not key or not key.strip():
            continue
        body = _SAME_AUTHOR.sub("———", item[place:])
        yield _of_item(" ".join(key.split()), body)


def _of_item(key: str, body: str) -> Entry:
    links = list(filter(None, (identifier_in(found[2]) for found in _ADDRESS.finditer(body))))
    # No address holds a comment any longer, though it may have had such a sign.
    body = re.sub(r"(?<!\\)%[^\n]*\n?", "", _SILENT.sub(" ", _with_addresses(_marked(body))))
    body = " ".join(_SIGN.sub(lambda found: _SIGNS[found[1]], body).split())  # patterns take long for many blanks
    blocks = body.split(r"\newblock")
    text = " ".join(" ".join(map(_readable, blocks)).split())
    fields, authors = _parts(body)
    names = [*(fields[name] for name in ("doi", "eprint") if name in fields), *links, text]
    name, eprint = (next(filter(None, map(key_of, names)), "") for key_of in (doi_key, arxiv_key))
    if (authors or "year" in fields) and ("title" in fields or name or eprint):
        when = fields.get("year") or str(year_of(text) or "")
        return _of_fields(key, {**fields, "year": when, "doi": name, "eprint": eprint}, authors, text)
    unseen = (link for link in dict.fromkeys(links) if link.lower() not in text.lower())
    return entry_of_text(key, " ".join((text, *unseen)), fields.get("title") or _title_among(blocks))


def _marked(body: str) -> str:
    """The body with what is a title, a year or a person in other styles marked as REVTeX does."""
    body, within, book = body.partition(r"\Btxin")
    body = _APACITE_NAMES.sub(
        lambda found: ", ".join(rf"\bibinfo{{author}}{{{name}}}" for name in _BETWEEN_NAMES.split(found[1])), body
    )
    pieces: list[str] = []
    place = 0
    for found in _MARKED.finditer(body):
        if found.start() >= place:
            is_twice = found.lastgroup == "twice"
            pieces += [body[place : found.start()], rf"\bibinfo{{{'title' if is_twice else found.lastgroup}}}"]
            place = group(body, found.end())[1] if is_twice else found.end()
    return "".join(pieces) + body[place:] + within + book


def _title_among(blocks: Sequence[str]) -> str:
    """The title where a style of BibTeX parts authors, title and the rest; "" where that is not so."""
    if len(blocks) == 1:
        found = _EMPHASIS.search(blocks[0])
        year = _YEAR_BEFORE.search(blocks[0], 0, found.start() + 1) if found else None
        if not year:
            return ""
        blocks = (blocks[0][: year.end()], blocks[0][year.end() :])
    source = blocks[1] if len(blocks) > 2 else _before_venue(blocks[1])
    whole = _readable(blocks[1]).strip(" .,")
    title = _KIND.sub("", _readable(_emphasised(source)).strip(" .,"))
    title = quoted[1] if (quoted := _IN_QUOTES.fullmatch(title)) else title
    undated, others = _DATE.sub("", title), (blocks[0], *blocks[2:])
    if undated != title and not any(_DATE.search(_readable(block).strip(" .")) for block in others):
        title = undated
    if _NO_TITLE.search(title) or not _WORD.search(title):
        return ""
    return title if len(blocks) > 2 or title != whole else ""


def _before_venue(source: str) -> str:
    r"""What stands before a venue such as ", \emph{Acta}", or all; "" where a venue is first."""
    found = _EMPHASIS.search(source)
    if not found:
        return source
    emphasised, end = group(source, found.end())
    if found.start() == 0:
        return source if _BEHIND_BOOK.match(source, end) else ""
    is_venue = source.endswith(",", 0, found.start()) and _WORD.search(_readable(emphasised or ""))
    return source[: found.start()] if is_venue else source


def _with_addresses(body: str) -> str:
    """The body with what is printed of links: their text, else the identifier, once, or the address itself."""
    seen: set[str] = set()

    def shown(address: re.Match[str]) -> str:
        printed = address[1] or ""
        if not printed and not address[3]:
            name = identifier_in(address[2])
            printed = "" if name and name in seen else name or address[2].replace("%", r"\%")
            seen.add(name)
        return f"{{}}{printed}{address[3] or ''}"  # a command may stand before it

    return _ADDRESS.sub(shown, body)


def _parts(body: str) -> tuple[dict[str, str], list[str]]:
    """The fields of an entry, as far as its style marks them, and its authors, or its editors without any."""
    fields: dict[str, str] = {}
    people: dict[str, list[str]] = {"author": [], "editor": []}
    role, place = "author", 0
    while found := _PART.search(body, place):
        if found[2]:  # what it holds is marked as well
            role, place = found[2], found.end()
            continue
        value, place = group(body, found.end())
        name = role if found[1] == "person" else found[1]
        if name in people:
            people[name].append(stored(" ".join(_NAME_OF.sub("", value or "").split())))
        else:
            fields.setdefault(name or "title", _readable(_emphasised(value or "")).strip(" .,"))
    if r"\bibinfo{person}" in body and "booktitle" in fields:  # ACM's style marks the title of a book as such, too
        fields.setdefault("title", fields["booktitle"])
    return fields, people["author"] or people["editor"]


def _emphasised(source: str) -> str:
    r"""The title of a book, where what stands behind it is no part of it: "\emph{Title} (2nd ed.)"."""
    found = _EMPHASIS.match(source)
    title, end = group(source, found.end()) if found else (None, 0)
    return title if title and _BEHIND_BOOK.match(source, end) else source


def _readable(source: str) -> str:
    text = running_text(readable(_QUOTED.sub(r"``\1\2''", _NAME_OF.sub("", _PART.sub("", source)))))
    return text.replace("\n\n", " ").replace("`", "‘")


def _of_amsrefs(key: str, body: str) -> Entry:
    fields: dict[str, str] = {}
    people: dict[str, list[str]] = {"author": [], "editor": []}
    for found, value in _values(_AMSREFS_FIELD.match, body):
        if (name := found[1].lower()) in people:  # a field each
            people[name].append(stored(value))
        else:
            fields[name] = readable(value)
    return _of_fields(key, fields, people["author"] or people["editor"])


def _of_biber(key: str, body: str) -> Entry:
    fields = {found[1]: readable(value) for found, value in _values(_BIBER_FIELD.search, body)}
    fields |= {found[1]: found[2].strip() for found in _BIBER_VERB.finditer(body)}
    people = {found[1]: _BIBER_NAME.findall(_BIBER_SPACE.sub("~", found[2])) for found in _BIBER_NAMES.finditer(body)}
    return _of_fields(key, fields, [stored(one) for one in people.get("author") or people.get("editor", [])])


def _values(next_field: Callable[[str, int], re.Match[str] | None], body: str) -> Iterator[tuple[re.Match[str], str]]:
    """Each field of an entry, and what stands in the braces behind it; no field within another's value."""
    place = 0
    while found := next_field(body, place):
        value, place = group(body, found.end())
        yield found, value or ""


def _of_fields(key: str, fields: Mapping[str, str], authors: Sequence[str], source: str = "") -> Entry:
    title = ": ".join(filter(None, (fields.get("title"), fields.get("subtitle"))))
    venue = fields.get("journaltitle") or fields.get("journal") or fields.get("booktitle") or ""
    when, name = fields.get("year") or fields.get("date"), fields.get("doi", "")
    eprint = fields.get("eprint", "") if fields.get("eprinttype", "arxiv").lower() == "arxiv" else ""
    return entry_of_fields(key, title, authors, when, venue, name, eprint, source)
