"""Drafts as plain text or Markdown: the title first, then the abstract, with or without its heading."""

from manuscripts.draft import Draft, abstract_of, before_abstract, running_text, split_title, without_label
from manuscripts.files import decoded
from manuscripts.manuscript import Section
from manuscripts.text_building import TextBuilder


def read(data: bytes) -> Draft:
    """Title and abstract of a text in UTF-8, UTF-16 with its mark, or Windows-1252."""
    text = decoded(data).replace("\f", "\n")
    text = "\n".join(line.lstrip("# ") for line in text.splitlines())
    if abstract := abstract_of(text):
        return Draft(without_label(_first_paragraph(before_abstract(text))), abstract)
    title, rest = split_title(text)
    return Draft(title, running_text(rest))


def sections(data: bytes) -> tuple[Section, ...]:
    """All of the text as one section; paragraphs are parted by blank lines."""
    return sections_of_text(decoded(data).replace("\f", "\n\n"))


def sections_of_text(text: str) -> tuple[Section, ...]:
    """The same of a text."""
    builder = TextBuilder(lambda source: source)
    for paragraph in running_text(text).split("\n\n"):
        builder.text(paragraph)
        builder.end_paragraph()
    return builder.sections()


def _first_paragraph(text: str) -> str:
    paragraph = running_text(text).partition("\n\n")[0]
    first_line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return paragraph if len(paragraph) <= 200 else first_line  # authors may follow without a blank line
