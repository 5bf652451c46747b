"""Drafts as plain text or Markdown: the title first, then the abstract, with or without its heading."""

import re

from common.line_numbers import without_line_numbers
from common.text import whole_words
from manuscripts import draft
from manuscripts.manuscript import Manuscript, Section
from manuscripts.printed_lists import is_citation, parted_list, parted_markdown
from manuscripts.text_building import NOTED, PARAGRAPH, RAISED, TextBuilder
from manuscripts.title_lines import title_above

_BLANK = re.compile(r"\n\s*\n")
_BOLD = re.compile(r"^\*\*([^*]+)\*\*$")  # as a heading in Markdown that word processors write

_RULE = "\n________________\n"  # above what Google Docs writes below a text: "[1] A footnote", "[a]A comment"
_NOTE = re.compile(r"^\[(\d{1,3}|[a-z]{1,2})\]", re.MULTILINE)


def manuscript(text: str) -> Manuscript:
    """All of a text is one section, but for a reference list."""
    text, notes = _parted_notes(without_line_numbers(text))
    body, entries = parted_list(text)
    if not entries:
        (body,), entries = parted_markdown(text)
    if not entries or not body.strip():
        body, entries = text, ()
    body = f"{body}\n\n{notes}" if notes else body
    found = read(body, whole=bool(entries) or len(body) > draft.MAX_ABSTRACT)
    return Manuscript(found.title, found.abstract, sections_of_text(body.replace("\f", "\n\n")), entries)


def _parted_notes(text: str) -> tuple[str, str]:
    """A text without the comments and footnotes that Google Docs writes below it, and the footnotes.

    Footnotes of which most cite stay in the text, as its list.
    """
    above, rule, below = text.rpartition(_RULE)
    if not (rule and _NOTE.match(below)):
        return text, ""
    parts = _NOTE.split(below)[1:]
    parted = zip(parts[::2], map(str.strip, parts[1::2]), strict=True)
    notes = {label: words for label, words in parted if label.isdigit()}
    cites = 2 * sum(map(is_citation, notes.values())) > len(notes)
    for label in dict.fromkeys(parts[::2]):
        if above.count(f"[{label}]") == 1 and not (cites and label in notes):  # no citation by number
            above = above.replace(f"[{label}]", label.translate(RAISED) if label in notes else "")
    if cites:
        return "\n".join([f"{above}\n", *(f"[{label}] {words}" for label, words in notes.items())]), ""
    return above, "\n\n".join(notes.values())


def read(text: str, whole: bool = False) -> draft.Draft:
    """Title and abstract of a text; what is below them in a `whole` manuscript is no part of the abstract."""
    text = text.replace("\f", "\n")
    text = "\n".join(_BOLD.sub(r"\1", line.lstrip("# ")) for line in text.splitlines())
    if abstract := draft.abstract_of(_BLANK.sub(f"\n{PARAGRAPH}\n", text) if whole else text):
        title = title_above(whole_words(draft.before_abstract(text)), abstract)
        return draft.Draft(draft.without_label(title), abstract)
    title, rest = draft.split_title(text)
    return draft.Draft(title, draft.running_text(draft.above_body(rest) if whole else rest))


def sections_of_text(text: str) -> tuple[Section, ...]:
    """A text as one section; paragraphs are parted by blank lines, and NOTED stands for notes and before them."""
    builder = TextBuilder()
    for paragraph in draft.running_text(text).split("\n\n"):
        builder.text_with_notes(paragraph.removeprefix(NOTED))
        builder.end_paragraph(noted=paragraph.startswith(NOTED))
    return builder.sections()
