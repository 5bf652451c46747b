"""Drafts as plain text or Markdown: the title first, then the abstract, with or without its heading."""

from __future__ import annotations

from manuscripts.draft import Draft, abstract_of, before_abstract, running_text, split_title


def read(data: bytes) -> Draft:
    """Title and abstract of a text in UTF-8, UTF-16 with its mark, or Windows-1252."""
    text = decoded(data).replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    text = "\n".join(line.lstrip("# ") for line in text.splitlines())
    if abstract := abstract_of(text):
        return Draft(_first_paragraph(before_abstract(text)), abstract)
    title, rest = split_title(text)
    return Draft(title, running_text(rest))


def decoded(data: bytes) -> str:
    """Bytes of unknown encoding as text."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _first_paragraph(text: str) -> str:
    paragraph = running_text(text).partition("\n\n")[0]
    first_line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return paragraph if len(paragraph) <= 200 else first_line  # authors may follow without a blank line
