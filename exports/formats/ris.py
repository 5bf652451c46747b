"""RIS (the 2011 specification of reference managers), one record a paper, each paper once; a note is N1."""

import re
from collections.abc import Iterable, Iterator
from typing import TextIO

from citescout.recommendation import Answer
from common.names import Name, joined, parse_names
from common.text import one_line
from exports.base import Format, papers_once, register
from exports.citation_keys import Keys, with_own_keys
from exports.details import Details, details, venue_of
from exports.harmless import harmless
from exports.links import safe_link
from exports.reason_sentences import retraction
from indexer.paper import Paper
from indexer.readers.entry_fields import DATES, PEOPLE, TEXTS, named_fields
from indexer.readers.entry_types import NAMES

_END = re.compile(r"^ER {1,2}-", re.MULTILINE)


def _write(answers: Iterable[Answer], stream: TextIO) -> None:
    keys = Keys()
    for entry in papers_once(with_own_keys(answers, keys.key)):
        paper, note = entry.paper, entry.note
        noted = f"N1  - {one_line(note)}\r\n" if note.strip() else ""
        original = harmless(paper.original)
        if original and original.format == "ris":
            text = original.text.rstrip("\r\n").replace("\n", "\r\n")
            text += "" if _END.search(text) else "\r\nER  - "
            end = [*_END.finditer(text)][-1].start()
            said = f"N1  - {retraction(paper)}\r\n" if paper.retracted else ""
            stream.write(f"{text[:end]}{'' if said in text else said}{noted}{text[end:]}\r\n\r\n")
            continue
        known = details(paper)
        stream.write(f"TY  - {NAMES[known.kind].ris.partition(' ')[0]}\r\n")
        stream.write(f"ID  - {keys.key(paper, entry.key)}\r\n")
        # A value is one line, so that no text of a corpus can begin another tag.
        stream.writelines(f"{tag}  - {value}\r\n" for tag, value in _fields(paper, known) if value)
        stream.write(f"{noted}ER  - \r\n\r\n")


def _fields(paper: Paper, known: Details) -> Iterator[tuple[str, str]]:
    for tag, people in (("AU", known.authors), *named_fields(PEOPLE, "ris", known.kind, known.people)):
        names = [_name(name) for name in parse_names(people)]  # without "et al.", which readers take for a person
        # Without a comma in any of them readers take all for persons whose given names stand first.
        lone = not any("," in name for name in names)
        for name, parsed in zip(names, parse_names(people), strict=True):
            yield tag, f"{name}," if lone and parsed.whole and " " in name else name
    yield "TI", one_line(paper.title)
    texts = {name: one_line(text) for name, text in known.texts.items()}
    yield "T2", one_line(venue_of(paper, known))
    issued = texts.pop("issued", "")
    yield "PY", issued[:4]
    yield "DA", _date(issued) if len(issued) > len("2019") else ""
    texts |= {name: _date(texts[name]) for name in DATES if name in texts}
    keywords = texts.pop("keyword", "")
    for one in keywords.split(";" if ";" in keywords else ","):
        yield "KW", one.strip()
    for tag, text in named_fields(TEXTS, "ris", known.kind, texts):
        # The number of pages of a book, and the only one of an article, are those of its first page.
        pages = text.split("-", 1) if tag == "SP-EP" else [text]
        yield from zip(tag.split("-"), pages, strict=False)
    yield "AB", one_line(paper.abstract)
    yield "DO", one_line(known.doi)
    yield "AN", f"arXiv:{one_line(known.arxiv)}" if known.arxiv else ""
    yield "UR", safe_link(paper).replace(";", "%3B")  # several addresses are separated by semicolons
    yield "N1", retraction(paper)
    yield "N1", texts.get("note", "")


def _date(text: str) -> str:
    """As 2019/07/21/, of a range the first day; the year alone where nothing else is known."""
    year, *rest = text.partition("/")[0].split("-")
    month, day = (*rest, "", "")[:2]
    return f"{year}/{month}/{day}/" if rest else year


def _name(name: Name) -> str:
    """Last, First, Suffix; readers part at the commas, so that the name of an organisation loses its own."""
    if name.whole:
        return " ".join(name.whole.replace(",", " ").split()) or name.whole
    last = joined(name.particle, name.family)
    return f"{last}, {name.given}, {name.suffix}" if name.suffix else ", ".join(filter(None, (last, name.given)))


register(
    Format(
        "ris",
        "for reference managers, with abstracts",
        "ris",
        "application/x-research-info-systems",
        _write,
        needs="papers",
    )
)
