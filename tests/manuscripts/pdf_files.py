"""PDFs as tests need them, made by hand: every line has its font, size and place."""

from typing import NamedTuple


class Set(NamedTuple):
    """A line of a page."""

    size: float
    height: float
    text: str  # may switch size and rise by operators, see `raised`
    left: float = 60
    bold: bool = False


def pdf_of_objects(*objects: bytes) -> bytes:
    """A PDF of these objects, whose first is the catalogue."""
    data, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    return data + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        count, table, count, len(data),
    )  # fmt: skip


def pdf_of_pages(*pages: list[tuple], font: bytes = b"", more: tuple[bytes, ...] = ()) -> bytes:
    """A PDF whose pages have lines such as `Set`; objects of `more` are numbered from 5 on, and then the pages."""
    streams = [" ".join(map(_shown, (Set(*line) for line in page))).encode() for page in pages]
    first = 5 + len(more)
    resources = b"/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R/F2 4 0 R>>>>"
    kids = b" ".join(b"%d 0 R" % (first + 2 * number) for number in range(len(pages)))
    written = [
        one
        for number, stream in enumerate(streams)
        for one in (
            b"<</Type/Page/Parent 2 0 R%s/Contents %d 0 R>>" % (resources, first + 2 * number + 1),
            b"<</Length %d>>\nstream\n%s\nendstream" % (len(stream), stream),
        )
    ]
    return pdf_of_objects(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, len(pages)),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica%s>>" % font,
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold>>",
        *more,
        *written,
    )


def pdf_of_lines(*lines: tuple, font: bytes = b"", more: tuple[bytes, ...] = ()) -> bytes:
    """The same of one page."""
    return pdf_of_pages(list(lines), font=font, more=more)


def _shown(line: Set) -> str:
    font = "F2" if line.bold else "F1"
    return f"BT /{font} {line.size} Tf 1 0 0 1 {line.left} {line.height} Tm ({line.text}) Tj ET"


def raised(number: object, size: int = 7, rise: int = 4) -> str:
    """Within a line of 10 points, by moving the line itself, as TeX does."""
    return f") Tj /F1 {size} Tf 0 {rise} Td ({number}) Tj /F1 10 Tf 0 {-rise} Td ("
