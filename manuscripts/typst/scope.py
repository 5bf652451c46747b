"""What all parts of a manuscript in Typst share."""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from manuscripts.files import Files

LABEL = r"<([\w:.-]+)>"
NOTES = ("footnote", "sidenote", "side-note", "marginnote", "margin-note", "endnote", "todo")
# Terms as glossarium has them: (key: "llm", short: "LLM", long: "large language model").
_TERM = re.compile(r"\(\s*key:\s*\"([^\"\n]+)\"([^()]*)")
_WORDS = re.compile(r"\b(?:short|long):\s*[\"\[]([^\"\]]+)")


@dataclass(slots=True)
class Scope:
    """What all parts of a manuscript share."""

    files: Files
    chain: tuple[str, ...]  # the file that is read, behind those that include it
    keys: frozenset[str]  # of its entries
    labels: frozenset[str]  # that are defined in its text
    terms: Mapping[str, str]  # of its glossary, by their keys
    variables: dict[str, str] = field(default_factory=dict)  # name → source of the value
    notes: set[str] = field(default_factory=lambda: set(NOTES))  # functions whose argument is a note
    imported: set[str] = field(default_factory=set)  # files
    modules: set[str] = field(default_factory=set)  # by which names what they define may be called
    told: dict[str, str] = field(default_factory=dict)  # sources of title, abstract and authors
    large: str = ""  # source of the first text in large letters
    listed: list[str] = field(default_factory=list)  # keys that are not cited in the text


def terms_in(text: str) -> dict[str, str]:
    """The terms that a text defines, by their keys."""
    found = ((term[1], _WORDS.search(term[2])) for term in _TERM.finditer(text))
    return {key: words[1] for key, words in found if words}


def folder_of(name: str, path: str) -> str:
    """Where the file that is named in the one at `path` is looked for."""
    return "" if name.startswith("/") else posixpath.dirname(path)
