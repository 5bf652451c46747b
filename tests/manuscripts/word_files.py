"""A document of Word as it lies on a disk, with citations of all who keep them in fields."""

import base64
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_B = 'xmlns:b="http://schemas.openxmlformats.org/officeDocument/2006/bibliography"'


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def bold(text: str) -> str:
    return f'<w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def mark(kind: str) -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'


def field(instruction: str, result: str) -> str:
    """A field whose instruction is spread over two runs, as Word does it."""
    half = len(instruction) // 2
    halves = (instruction[:half], instruction[half:])
    parts = "".join(f'<w:r><w:instrText xml:space="preserve">{escape(part)}</w:instrText></w:r>' for part in halves)
    return mark("begin") + parts + mark("separate") + run(result) + mark("end")


def endnote_data(data: str) -> str:
    """The begin of a field that has data, in lines as Word breaks it."""
    lines = "\r\n".join(data[place : place + 76] for place in range(0, len(data), 76))
    return (
        f'<w:r><w:fldChar w:fldCharType="begin"><w:fldData xml:space="preserve">{lines}</w:fldData></w:fldChar></w:r>'
    )


def endnote_field(own: str, nested: Sequence[str], result: str) -> str:
    """A citation of EndNote whose XML is in base64, its own and that of the fields within it."""

    def named(name: str) -> str:
        return f'<w:r><w:instrText xml:space="preserve"> ADDIN {name} </w:instrText></w:r>'

    inner = "".join(endnote_data(data) + named("EN.CITE.DATA") + mark("end") for data in nested)
    return endnote_data(own) + named("EN.CITE") + inner + mark("separate") + run(result) + mark("end")


def control(properties: str, content: str) -> str:
    return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"


def paragraph(style: str, *content: str) -> str:
    look = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{look}{''.join(content)}</w:p>"


def zotero_item(identity: str, title: str, doi: str = "") -> dict[str, object]:
    author = [{"family": "Smith", "given": "Jo"}]
    issued = {"date-parts": [[2019]]}
    data = {"id": 1, "type": "article-journal", "title": title, "DOI": doi, "issued": issued, "author": author}
    return {"id": 1, "uris": [f"http://zotero.org/users/1/items/{identity}"], "itemData": data}


ZOTERO = "ADDIN ZOTERO_ITEM CSL_CITATION " + json.dumps(
    {
        "citationItems": [
            zotero_item("AAAA1111", "Trees & graphs", "10.1000/trees"),
            zotero_item("BBBB2222", "Of <words>"),
        ]
    }
)
MENDELEY = "ADDIN CSL_CITATION " + json.dumps(
    {
        "citationItems": [
            {
                "id": "ITEM-1",
                "uris": ["http://www.mendeley.com/documents/?uuid=u-1"],
                "itemData": {"title": "Old reference manager", "type": "book"},
            }
        ]
    }
)
NEWER_MENDELEY = base64.b64encode(
    json.dumps({"citationItems": [{"id": "m2", "itemData": {"id": "m2", "title": "New reference manager"}}]}).encode()
).decode()
ENDNOTE = (
    "ADDIN EN.CITE <EndNote><Cite><Author>Doe</Author><Year>2011</Year><RecNum>7</RecNum><record><titles><title>"
    "<style>Ends &amp; notes</style></title></titles><electronic-resource-num>10.1000/end</electronic-resource-num>"
    "</record></Cite></EndNote>"
)
ENDNOTE_XML = ENDNOTE.removeprefix("ADDIN EN.CITE ")
OF_WORD = r" CITATION Kay84 \l 1033 \m Lic68 "
SOURCES = (
    f"<b:Sources {_B}><b:Source><b:Tag>Kay84</b:Tag><b:Title>Computer software</b:Title><b:Year>1984</b:Year><b:Author>"
    "<b:Author><b:NameList><b:Person><b:Last>Kay</b:Last><b:First>Alan</b:First></b:Person></b:NameList></b:Author>"
    "</b:Author></b:Source></b:Sources>"
)
STYLES = (
    f'<w:styles {_W}><w:style w:styleId="Titel"><w:name w:val="Title"/></w:style>'
    '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>'
    '<w:style w:styleId="Raised"><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style></w:styles>'
)


def document_with_citations() -> bytes:
    """Seven citations: in the text, a table and a footnote; and a bibliography that Zotero made."""
    note = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    newer = control(f'<w:tag w:val="MENDELEY_CITATION_v3_{NEWER_MENDELEY}"/>', run("(New)"))
    deleted = "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
    own = control("<w:citation/>", field(OF_WORD, "(Kay 1984)"))
    made = "<w:r><w:instrText>ADDIN ZOTERO_BIBL {} CSL_BIBLIOGRAPHY</w:instrText></w:r>"
    body = (
        paragraph("Titel", run("Writing "), run("in Word")),
        paragraph("", run("Ada Lovelace")),
        paragraph("berschrift1", run("Abstract")),
        paragraph("", run("Words are written "), field(ZOTERO, "(Smith, 2019)"), run(". They stay.")),
        paragraph("berschrift1", run("Introduction")),
        paragraph("", run("Managers help "), field(MENDELEY, "[2]"), run(" and "), newer, run(". "), deleted),
        paragraph("", run("So do others "), field(ENDNOTE, "(Doe 2011)")),
        paragraph("", run("Word has its own"), own, run("."), note),
        "<w:tbl><w:tr><w:tc>",
        paragraph("", run("In a cell "), field(ZOTERO, "(Smith)")),
        "</w:tc></w:tr></w:tbl>",
        paragraph("berschrift1", run("References")),
        paragraph("", mark("begin"), made, mark("separate"), run("Smith, J. (2019).")),
        paragraph("", run("Another."), mark("end")),
    )
    footnotes = f'<w:footnotes {_W}><w:footnote w:id="2">{paragraph("", run("A note "), field(MENDELEY, "[2]"))}'
    return packed_document("".join(body), f"{footnotes}</w:footnote></w:footnotes>")


def style(identity: str, name: str, based_on: str = "", level: str = "") -> str:
    base = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    outline = f'<w:pPr><w:outlineLvl w:val="{level}"/></w:pPr>' if level else ""
    return f'<w:style w:styleId="{identity}"><w:name w:val="{name}"/>{base}{outline}</w:style>'


def packed_document(
    body: str,
    footnotes: str = "",
    prolog: str = "",
    styles: str = "",
    *,
    notes: Mapping[str, str] | None = None,
    sources: str = "",
    properties: Sequence[tuple[str, Sequence[str]]] = (),
) -> bytes:
    """A document; `notes` are footnotes by id, `properties` its own in the pieces into which Zotero cuts them."""
    if notes:
        every = "".join(f'<w:footnote w:id="{id_}">{note}</w:footnote>' for id_, note in notes.items())
        footnotes = f"<w:footnotes {_W}>{every}</w:footnotes>"
    stream = io.BytesIO()
    document = f'<?xml version="1.0" encoding="UTF-8"?>{prolog}<w:document {_W}><w:body>{body}</w:body></w:document>'
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", document)
        archive.writestr("word/styles.xml", f"<w:styles {_W}>{styles}</w:styles>" if styles else STYLES)
        if footnotes:
            archive.writestr("word/footnotes.xml", footnotes)
        archive.writestr("customXml/item1.xml", f"<b:Sources {_B}>{sources}</b:Sources>" if sources else SOURCES)
        if properties:
            archive.writestr("docProps/custom.xml", _properties(properties))
    return stream.getvalue()


def _properties(properties: Sequence[tuple[str, Sequence[str]]]) -> str:
    every = "".join(
        f'<property name="{name}_{number}"><lpwstr>{escape(piece)}</lpwstr></property>'
        for name, pieces in properties
        for number, piece in reversed(list(enumerate(pieces, start=1)))
    )
    return f"<Properties>{every}</Properties>"


_ODF = " ".join(
    [
        'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"',
        'xmlns:field="urn:openoffice:names:experimental:ooo-ms-interop:xmlns:field:1.0"',
        *(
            f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
            for name in ("office", "text", "style", "meta", "table")
        ),
    ]
)


def reference_mark(before: str, instruction: str, behind: str, note: bool = False) -> str:
    """A citation of Zotero in LibreOffice, perhaps in a footnote; `instruction` is that of Word."""
    name = quoteattr(f"{instruction.removeprefix('ADDIN ')} RNDabc")
    shown = f"<text:reference-mark-start text:name={name}/><text:span>(Smith)</text:span>"
    cited = f"{before}{shown}<text:reference-mark-end text:name={name}/>{behind}"
    if not note:
        return cited
    body = f"<text:note-body><text:p>{cited}</text:p></text:note-body>"
    return f"<text:note><text:note-citation>1</text:note-citation>{body}</text:note>"


def document_of_libreoffice(body: str, properties: Sequence[tuple[str, str]] = ()) -> bytes:
    """A document with a title, an abstract and an introduction, which `body` is."""
    above = (
        '<text:p text:style-name="P1">A title</text:p><text:h text:outline-level="1">Abstract</text:h>'
        '<text:p text:style-name="Text_20_body">We write.</text:p>'
        '<text:h text:style-name="Heading_20_2" text:outline-level="2">Introduction</text:h>'
    )
    styles = (
        '<style:style style:name="P1" style:parent-style-name="Title"/><style:style style:name="T7">'
        '<style:text-properties style:text-position="super 58%"/></style:style>'
        '<style:style style:name="P8"><style:text-properties fo:font-weight="bold"/></style:style>'
        '<style:style style:name="T8"><style:text-properties fo:font-weight="normal"/></style:style>'
        '<style:style style:name="T9"><style:text-properties text:display="none"/></style:style>'
    )
    meta = "".join(
        f'<meta:user-defined meta:name="{name}">{escape(value)}</meta:user-defined>' for name, value in properties
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr(
            "content.xml",
            f"<office:document-content {_ODF}><office:automatic-styles>{styles}</office:automatic-styles><office:body>"
            f"<office:text>{above}{body}</office:text></office:body></office:document-content>",
        )
        archive.writestr(
            "meta.xml", f"<office:document-meta {_ODF}><office:meta>{meta}</office:meta></office:document-meta>"
        )
    return stream.getvalue()


# What a document begins with.
ABOVE = paragraph("Titel", run("A title")) + paragraph("berschrift1", run("Abstract")) + paragraph("", run("We write."))
