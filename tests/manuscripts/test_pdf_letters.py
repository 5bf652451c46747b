"""Letters and words of a PDF: ligatures and accents of its fonts, and gaps between words."""

import re

import pytest
from pdf_files import pdf_of_lines
from title_and_abstract import read_draft

from manuscripts.draft import Draft

pytest.importorskip("pypdf")


@pytest.mark.parametrize("codes", ["\\013 \\014 \\015 \\016 \\017", "\\033 \\034 \\035 \\036 \\037"])
def test_ligatures_of_fonts_that_do_not_name_them_are_those_of_latex(codes):
    lines = [(20, 780, "Trees of the north"), (10, 740, "Abstract"), (10, 720, f"They grow {codes} in rows.")]
    assert read_draft(pdf_of_lines(*lines)) == Draft("Trees of the north", "They grow ff fi fl ffi ffl in rows.")


def test_ligatures_of_a_pdf_are_letters_also_by_the_names_of_their_glyphs():
    font = b"/Encoding<</Differences[123/f_i/f_f_l/f_f]>>"
    lines = [(20, 780, "Trees of the north"), (10, 740, "Abstract"), (10, 720, "They {nd wa|es o}, and/or f_i.")]
    assert read_draft(pdf_of_lines(*lines, font=font)).abstract == "They find waffles off, and/or f_i."


def test_letters_of_latex_bitmaps_are_no_dingbats() -> None:
    # As LaTeX says it of glyphs that are called a97, a101 and so on by their places, which are also names of dingbats.
    said = {"a": "275b", "e": "2761", "l": "2767", "o": "2666", "\x1c": "271c"}
    shown = b" ".join(b"<%02x> <%s>" % (ord(letter), dingbat.encode()) for letter, dingbat in said.items())
    table = b"1 begincodespacerange <00> <ff> endcodespacerange 5 beginbfchar %s endbfchar" % shown
    lines = ((18, 760, "Trees of the lee"), (10, 700, "Abstract"), (10, 680, "All \\034nd a role."))
    more = (b"<</Length %d>>\nstream\n%s\nendstream" % (len(table), table),)
    named = b"/ToUnicode 5 0 R/Encoding<</Differences[97/a97 101/a101]>>"
    data = pdf_of_lines(*lines, font=named, more=more)
    bitmaps = data.replace(b"/Type1/BaseFont/Helvetica/", b"/Type3/BaseFont/Helvetica/")
    assert read_draft(bitmaps) == Draft("Trees of the lee", "All find a role.")
    for others in (data, bitmaps.replace(b"/a97 101/a101", b"/g97 101/g101")):  # of any other font they may be meant
        assert "❛" in read_draft(others).abstract


def test_ligatures_of_a_pdf_are_letters():
    # A font whose "{" and "|" are ligatures, as a table beside it says.
    table = b"1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfchar <7b> <FB01> <7c> <FB02> endbfchar"
    lines = ((18, 760, "Classi{cation of re|ections"), (10, 700, "Abstract"), (10, 680, "We {nd |ows of words."))
    more = (b"<</Length %d>>\nstream\n%s\nendstream" % (len(table), table),)
    found = read_draft(pdf_of_lines(*lines, font=b"/ToUnicode 5 0 R", more=more))
    assert found == Draft("Classification of reflections", "We find flows of words.")


def test_no_space_stands_before_a_full_stop_or_a_comma():
    # Between an italic word and the roman stop behind it LaTeX moves on, so that the parser sees a gap.
    lines = [(20, 780, "Trees of the north"), (10, 740, "Abstract"), (10, 720, "Of Trees , of 3 . And of .5 of them .")]
    assert read_draft(pdf_of_lines(*lines)).abstract == "Of Trees, of 3. And of .5 of them."
    lines[-1] = (10, 720, "Of trees . . . . . 3 and of towns . . . 5")
    assert read_draft(pdf_of_lines(*lines)).abstract == "Of trees . . . . . 3 and of towns . . . 5"


def test_ligatures_of_another_font_are_letters_of_their_words():
    # "{" and "|" are in another font, as browsers print what a font lacks; "<" and ">" have places of private use.
    pairs = b"<7b> <FB00> <7c> <FB03> <3c> <F001> <3e> <F002>"
    table = b"1 begincodespacerange <00> <ff> endcodespacerange 4 beginbfchar %s endbfchar" % pairs
    text = "So e{ective are >owers in the |ces of the <rst e|cient > cli{ to fall o{. A >ag is sti{."
    line, left = "", 60
    for part in re.split(r"([{|])", text):
        line += f") Tj ET BT /{'F2' if part in '{|' else 'F1'} 10 Tf 1 0 0 1 {left} 680 Tm ({part}"
        left += 5 * len(part) + 1
    more = (b"<</Length %d>>\nstream\n%s\nendstream" % (len(table), table),)
    lines = ((18, 760, "How trees grow in towns"), (10, 700, "Abstract"), (10, 680, line))
    data = pdf_of_lines(*lines, font=b"/ToUnicode 5 0 R", more=more)
    data = data.replace(b"Helvetica-Bold>>", b"Helvetica-Bold/ToUnicode 5 0 R>>")
    assert read_draft(data).abstract == (
        "So effective are flowers in the ffices of the first efficient \uf002 cliff to fall off. A flag is stiff."
    )


@pytest.mark.parametrize(
    ("shown", "read"),
    [
        ("M¨uller’s na¨ıve tr`es", "Müller’s naïve très"),
        ("Dvoˇr´ak, H˚aland, Fran¸cois, C¸elik, Er˝os, Pe˜na", "Dvořák, Håland, François, Çelik, Erős, Peña"),
        ("x ˆ y, http://a.b/˜doe, `if` and ˇ3", "x ˆ y, http://a.b/˜doe, `if` and ˇ3"),
    ],
)
def test_accents_beside_letters_of_a_pdf_are_composed(shown: str, read: str) -> None:
    # A font whose "#", "$", … are what ASCII lacks, and a grave accent, as a table beside it says.
    others = sorted({character for character in shown if character == "`" or character > "~"})
    codes = dict(zip(others, "#$%&*+<=>@", strict=False))
    pairs = b" ".join(b"<%02x> <%04X>" % (ord(code), ord(character)) for character, code in codes.items())
    table = b"1 begincodespacerange <00> <ff> endcodespacerange %d beginbfchar %s endbfchar" % (len(codes), pairs)
    line = "".join(codes.get(character, character) for character in shown)
    more = (b"<</Length %d>>\nstream\n%s\nendstream" % (len(table), table),)
    lines = ((18, 760, "How trees grow in towns"), (10, 700, "Abstract"), (10, 680, line))
    assert read_draft(pdf_of_lines(*lines, font=b"/ToUnicode 5 0 R", more=more)).abstract == read


@pytest.mark.parametrize("kind", ["differences", "cids"])
def test_gaps_between_words_are_seen_also_where_a_wide_glyph_has_the_place_of_the_space(kind: str) -> None:
    widths = b" ".join([b"500"] * 95)  # from the place of the space on, which no text uses
    descriptor = b"<</Type/FontDescriptor/FontName/A/Flags 4>>"
    if kind == "differences":  # as LaTeX's
        names = b"".join(b"/" + bytes([code]) for code in range(ord("a"), ord("z") + 1))
        coded = b"<</Type/Encoding/Differences[46/period 65/I 97%s]>>" % names
        font = b"/Subtype/Type1/FirstChar 32/Widths[%s]/Encoding %s/FontDescriptor 5 0 R" % (widths, coded)
        more: tuple[bytes, ...] = (descriptor,)
    else:  # as XeTeX's and LuaTeX's
        table = b"1 begincodespacerange <0000> <ffff> endcodespacerange 3 beginbfrange <0021> <007e> <0021> endbfrange"
        below = b"<</Type/Font/Subtype/CIDFontType0/BaseFont/A/W[32[%s]]/FontDescriptor 5 0 R>>" % widths
        font = b"/Subtype/Type0/Encoding/Identity-H/DescendantFonts[6 0 R]/ToUnicode 7 0 R"
        more = (descriptor, below, b"<</Length %d>>\nstream\n%s\nendstream" % (len(table), table))
    words = "".join(
        f"{-gap} <{word.encode('utf-16-be' if kind == 'cids' else 'ascii').hex()}>"
        for gap, word in [(0, "trees"), (221, "that"), (180, "g"), (60, "row"), (-30, "in"), (200, "rows.")]
    )
    lines = (
        (18, 760, "How trees grow in towns"),
        (10, 700, "Abstract"),
        (10, 680, f") Tj /F3 10 Tf [{words}] TJ /F1 1 Tf ("),
    )
    data = pdf_of_lines(*lines, more=more).replace(b"/F2 4 0 R>>", b"/F2 4 0 R/F3<</Type/Font/BaseFont/A%s>>>>" % font)
    assert read_draft(data).abstract == "trees that growin rows."
