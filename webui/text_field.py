"""The one field for a paper's text → its title and abstract, and back."""

from collections.abc import Mapping

from flask import current_app
from jinja2.filters import do_truncate

from common.text import one_line
from manuscripts.draft import split_title


def taken_apart(form: Mapping[str, str]) -> dict[str, str]:
    """The fields of a form, with title and abstract for its one field of text, where it has that.

    What is one short line is a title alone.
    """
    fields = dict(form)
    text = fields.pop("text", "")
    if text.strip():
        fields["title"], fields["abstract"] = split_title(text.replace("\r\n", "\n"))
    return fields


def joined(title: str, abstract: str) -> str:
    """The text that is taken apart to this title and this abstract."""
    return "\n\n".join(filter(None, (title.strip(), abstract.strip())))


def beginning(fields: Mapping[str, str], length: int) -> str:
    """How a question begins, in so many characters: its sentence before the paper that it stands in."""
    text = next((fields[name] for name in ("context", "title", "abstract") if fields.get(name)), "")
    return do_truncate(current_app.jinja_env, one_line(text), length)
