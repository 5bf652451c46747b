"""What records cite, as databases and publishers describe it: without an id of the corpus."""

import re
from collections.abc import Iterator, Mapping, Sequence

from indexer.identity.cited_names import YEAR
from indexer.identity.identifiers import clean_doi, pmid_key
from indexer.identity.references import Reference
from indexer.readers.markup import with_comma

CITING = ("cited-references", "references", "source")  # fields of BibTeX
_LONGEST = 3_000  # characters of a reference that are looked at

# Web of Science: "Smith J, 2001, J CHEM PHYS, V12, P345, DOI 10.1063/1.12345"
_WOS_DOI = re.compile(r"\bDOI\s+\[?", re.IGNORECASE)
_WOS_VOLUME = re.compile(r"V(\w[\w.-]*)")
_WOS_PAGE = re.compile(r"(?:P|ARTN\s+|ART\.?\s*NO\.?\s+)(\w[\w.-]*)", re.IGNORECASE)
_YEAR_ALONE = re.compile(YEAR)

# Scopus, until 2022: "Smith, J., Doe, A., Title (2001) Journal, 12 (3), pp. 345-350"
# and since: "Smith J., Doe A., Title, Journal, 12, 3, pp. 345-350, (2001)"
_YEAR_IN_BRACKETS = re.compile(rf"\(({YEAR})[a-z]?\)")
_PAGE = re.compile(r",\s*(?:pp?\.|art(?:icle)?\.?\s*no\.?:?)\s*([\w.]+)", re.IGNORECASE)
_OLD_VOLUME = re.compile(r"([\w.-]+)\s*(?:\([^()]*\))?\s*$")
_NUMBER = re.compile(r"[A-Za-z]{0,3}\d[\w/-]*")
_OTHERS = re.compile(r",\s+et al\.?(?=,)", re.IGNORECASE)  # behind the names
_WITHIN_TITLE = re.compile(r"[a-zß-ÿ]+\s")  # no source is called so; arXiv has a capital
_INITIALS = re.compile(r"(?:[A-ZÀ-Ý]\.[\s-]?)++(?:-?[A-ZÀ-Ý]\.)*")


def from_web_of_science(line: str) -> Reference:
    """A line of `CR`: author, year, source, volume, page and DOI, any of which may be missing."""
    line = line[:_LONGEST]
    named = _WOS_DOI.search(line)
    parts = [part.strip() for part in (line[: named.start()] if named else line).split(",")]
    year = next((part for part in parts[:3] if _YEAR_ALONE.fullmatch(part)), "")
    behind = parts[parts.index(year) + 1 :] if year else []
    return Reference(
        doi=clean_doi(line[named.end() :]) if named else "",
        author="" if parts[0] == year or parts[0].startswith(("*", "[")) else with_comma(parts[0]),
        year=year,
        volume=next((match[1] for part in behind[1:] if (match := _WOS_VOLUME.fullmatch(part))), ""),
        page=next((match[1] for part in behind[1:] if (match := _WOS_PAGE.fullmatch(part))), ""),
    )


def from_scopus(line: str) -> Reference:
    """An entry of Scopus' references, in the layout until 2022 or the one since."""
    line = _OTHERS.sub("", line[:_LONGEST].strip().rstrip(";"))
    year = next(iter([*_YEAR_IN_BRACKETS.finditer(line)][-1:]), None)
    page = _PAGE.search(line)
    end = page.start() if page else len(line)
    parts = line.split(", ")
    names = 0  # parts that they take; without any nothing tells where the title begins
    while width := _name_at(parts, names)[1]:
        names += width
    if year and year.end() < end:
        title, rest, volume = _until_2022(line, parts[names:] if names else [], end, year)
    else:
        title, rest, volume = _since_2022(line[: min(end, year.start() if year else end)], names, page is not None)
    return Reference(
        doi=clean_doi(line),
        author=_name_at(parts, 0)[0],
        year=year[1] if year else "",
        volume=volume,
        page=page[1] if page else "",
        title=title,
        rest=rest,
    )


def in_bibtex(fields: Mapping[str, str]) -> Iterator[Reference]:
    """What Web of Science and Scopus write of cited works, in fields of these names."""
    for line in fields.get("cited-references", "").splitlines():
        yield from_web_of_science(line.strip().rstrip("."))
    if fields.get("source", "").lower() == "scopus":
        yield from map(from_scopus, fields.get("references", "").split("; "))


def from_text(line: str) -> Reference:
    """A reference as it is printed, of which only DOI and PMID are recognised."""
    return Reference(doi=clean_doi(line[:_LONGEST]), pmid=pmid_key(line[:_LONGEST]))


def _name_at(parts: Sequence[str], place: int) -> tuple[str, int]:
    """The name that begins there, "Smith J." or "Smith", "J.", as "Smith, J.", and its number of parts; or "", 0."""
    family, _, initials = parts[place].rpartition(" ") if place < len(parts) else ("", "", "")
    if family and _INITIALS.fullmatch(initials):
        return f"{family}, {initials}", 1
    following = parts[place + 1].partition(",")[0].strip() if place + 1 < len(parts) else ""
    return (f"{parts[place]}, {following}", 2) if _INITIALS.fullmatch(following) else ("", 0)


def _until_2022(line: str, behind_names: Sequence[str], end: int, year: re.Match[str]) -> tuple[str, str, str]:
    """Title, "" and volume: the title goes up to the `year`, and source and volume stand behind that, up to `end`."""
    source = line[year.end() : end].split(",")
    volumes = [match[1] for part in source[1:] if (match := _OLD_VOLUME.fullmatch(part.strip()))]
    title = ", ".join(behind_names).removesuffix(line[year.start() :]).strip()
    return title, "", next((volume for volume in volumes if _NUMBER.fullmatch(volume)), "")


def _since_2022(told: str, names: int, paged: bool) -> tuple[str, str, str]:
    """Title, what may go on it, and volume, of what stands before year and pages; `names` are its first parts.

    Commas part the title from the source as they part its own words. Before numbers or pages the last part is taken for
    the source; else the title ends with its first part, or with the last one that begins like the middle of a sentence.
    """
    before = [part.strip() for part in told.rstrip(", ").split(", ")]
    numbers: list[str] = []
    while before and _NUMBER.fullmatch(before[-1]) and len(numbers) < 2:
        numbers.append(before.pop())
    volume = numbers[-1] if numbers else ""
    parts = before[names:] if names else []
    if len(parts) < 2:
        return "".join(parts), "", volume
    if numbers or paged:
        end = len(parts) - 1
    else:
        end = 1 + max(place for place, part in enumerate(parts) if not place or _WITHIN_TITLE.match(part))
    rest = ", ".join(parts[end:]) if len(parts) > 2 or not (numbers or paged) else ""
    return ", ".join(parts[:end]), rest, volume
