"""Workbooks as Excel and LibreOffice write them."""

import base64
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from archives import zipped

Sheets = Mapping[str, Sequence[Sequence[object]]]  # name → rows; numbers, texts, and a Day

# One sheet, "savedrecs": Title, Year, DOI / Müllers Sätze, 1998, 10.1000/c. Written by xlwt 1.3.
XLS = zlib.decompress(
    base64.b64decode(
        "eNrtWE1oE0EU/mabND80abamQivUULBqLZrgRYV2q6jFQ2vVgloKmiZ7KA2pbIJgD1qtOQqCJ8VLoRcvVS/+oAe9eRAqehAEIVFv"
        "ngQFD2nWNy+7kmoPDdiiMt8yb968mTfzdubN2515tagX5+63l/AL+tCAih1AY41MUAq4hQio3rYl6+Z+SrbCP4WAnxay0YsnoZc+"
        "uYZyvUvQcM/znCjwgdIYzmFoKmvG1hEH2IakkDb0EhW4TZIw2tiqFqYpphuY3uWWT5n2s+Qa015qWxSjWDSGuvc4XnxK6+S6MGS/"
        "D1nnHUsSaMUL6cWXrotqWy/2WxPJzN9Z0eFpwjxo3QbMrGklM0VEaQHn8c2OAV/dnfospuTrKxcg+fflct8K8huaB5iBfZYdvAAd"
        "pQZwkM0lz5tpy0zlythLqw03jUzkMyYpnTaTFjU9ePRICBgsZzKmlYud+JSfNilAJ+I7E/F4fFcqKPviDR5ZtsFD7PhNRNNoZl5n"
        "949QCC/f+fJ6cHzYOMOSGQ7q1dC/RVoLG5elBimHuUZjKs3uZn4H0yvc6ybm25lGyXzKu4ZbHebwLLe5yrVdNM5uxhtjaw2/jfjC"
        "52OPOgofje3ELwyUpqMLb405dNIspUlfPrPoET3i1k2Jx4abCydMvGfa9lvI8GsRx3bb+b41YwlBZnWm1ZKcHfGzpDlzJbXFCtqC"
        "teV8XNSCbJ2OfZvh1EltOYt9Wgse8NT113xgg1BQUFBQUFBQUFBYUwjnF17+sHqcc4Y8Ivice50lShV1TfLf4jim6MnTwfQQspRb"
        "uFCX/2yEV7h9iVXquPeFEidpdAuTGGc7Juv2Xzriidr3WbVi5M9toXrHr9Rj5xqP/wM+pcyC"
    )
)


class Day(int):
    """A date, as the number of its day."""


def xlsx(sheets: Sheets, **more: str) -> bytes:
    """A workbook; `more` are contents of other parts, or of these, by name."""
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    parts = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": f'<Relationships><Relationship Id="w" Type="{relations}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{relations}"><sheets>'
        + "".join(f'<sheet name="{escape(name)}" sheetId="{n}" r:id="r{n}"/>' for n, name in enumerate(sheets, 1))
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": "<Relationships>"
        + "".join(
            f'<Relationship Id="r{n}" Type="{relations}/worksheet" Target="worksheets/sheet{n}.xml"/>'
            for n in range(1, len(sheets) + 1)
        )
        + f'<Relationship Id="s" Type="{relations}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": f'<styleSheet xmlns="{main}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
        "</styleSheet>",
    }
    for number, rows in enumerate(sheets.values(), 1):
        parts[f"xl/worksheets/sheet{number}.xml"] = (
            f'<worksheet xmlns="{main}"><sheetData>'
            + "".join(
                f'<row r="{row}">{"".join(_cell(column, row, value) for column, value in enumerate(cells))}</row>'
                for row, cells in enumerate(rows, 1)
            )
            + "</sheetData></worksheet>"
        )
    return zipped(parts | more)


def _cell(column: int, row: int, value: object) -> str:
    place = f"{chr(65 + column)}{row}"
    if isinstance(value, Day):
        return f'<c r="{place}" s="1"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{escape(str(value))}</t></is></c>' if value else ""


def ods(sheets: Sheets) -> bytes:
    """A workbook of LibreOffice, whose dates are texts."""
    namespaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    tables = "".join(
        f'<table:table table:name="{escape(name)}">'
        + "".join(f"<table:table-row>{''.join(map(_ods_cell, cells))}</table:table-row>" for cells in rows)
        + "</table:table>"
        for name, rows in sheets.items()
    )
    mimetype = "application/vnd.oasis.opendocument.spreadsheet"
    return zipped(
        {
            "mimetype": mimetype,
            "META-INF/manifest.xml": "<manifest/>",
            "content.xml": f"<office:document-content {namespaces}><office:body><office:spreadsheet>{tables}"
            "</office:spreadsheet></office:body></office:document-content>",
        },
        zipfile.ZIP_STORED,
    )


def _ods_cell(value: object) -> str:
    if isinstance(value, int | float):
        return f'<table:table-cell office:value-type="float" office:value="{value}"/>'
    text = "".join(f"<text:p>{escape(line)}</text:p>" for line in str(value).split("\n"))
    return f'<table:table-cell office:value-type="string">{text}</table:table-cell>' if value else "<table:table-cell/>"
