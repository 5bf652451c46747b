"""The bibliography of a manuscript in Markdown: what its metadata name or hold."""

import json
import posixpath
import re
from collections.abc import Iterator, Sequence, Set
from typing import Any

from manuscripts.bibliographies import entries_of_file, entry_of_text, once
from manuscripts.files import BIBLIOGRAPHY_OUTSIDE, SETTINGS, Files, leads_outside
from manuscripts.manuscript import Entry
from manuscripts.markdown_keys import named
from manuscripts.markdown_project import from_top, settings_at

# Keys that say what they name, as Manubot and MyST have them.
_IDENTIFIER = re.compile(
    r"(?:doi|arxiv|pmid|pmcid|isbn|wikidata|url):|10\.\d{4,9}/|https?://(?:dx\.doi|doi|arxiv)\.org/", re.IGNORECASE
)
_NO_TEXTS = ("abstract", "bibliography", "nocite", "references")  # or read elsewhere
_IN_R = re.compile(r"[\"'](.+?)[\"']")  # `r here::here("text", "refs.bib")`


def entries_of(files: Files, root: str, front: dict[str, Any], keys: Set[str]) -> tuple[Entry, ...]:
    """The entries that the metadata or those of its project name; else of files beside it that hold one of the keys.

    A key without an entry that is a DOI, or the like, is one.
    """
    folder = posixpath.dirname(root)
    names = [(name, folder) for name in names_of(front.get("bibliography"))]
    found: list[Entry] = []
    for settings in () if names else (*SETTINGS, "_bookdown.yml", "_output.yml", "_metadata.yml"):
        if path := files.find(settings, (folder,), ()):
            of_settings = names_of(settings_at(files, path).get("bibliography"))
            names += [(name, posixpath.dirname(path)) for name in of_settings]
    for name, named_in in names:
        found += _named(files, (named_in, folder), name)
    references = front.get("references")
    if isinstance(references, list):
        found += _of_items(files, references, root)
    if not names and not found and (keys or front.get("nocite")):
        beside = [entry for path in files.paths(".bib") for entry in entries_of_file(files, path)]
        # Where none of theirs is cited, the files that lie there are those of other texts.
        if front.get("nocite") or any(entry.key in keys for entry in beside):
            found = beside
    known = {entry.key for entry in found}
    return once([*found, *(entry_of_text(key, key) for key in keys if key not in known and _IDENTIFIER.match(key))])


def listed_in(front: dict[str, Any], entries: tuple[Entry, ...]) -> tuple[str, ...]:
    """What the metadata cite: as what the text does not, or, of the entries, in whatever else they say."""
    text = " ".join(names_of(front.get("nocite")))
    if "@*" in text:
        return tuple(entry.key for entry in entries)
    known = {entry.key for entry in entries}
    others = (one for name, value in front.items() if name not in _NO_TEXTS for one in _texts_in(value))
    return tuple(dict.fromkeys((*named(text), *(key for one in others for key in named(one) if key in known))))


def _texts_in(value: object) -> Iterator[str]:
    """The texts among the values of metadata, such as thanks or a summary in plain language."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(one)


def _named(files: Files, folders: tuple[str, ...], name: str) -> Sequence[Entry]:
    """The entries of a bibliography that a file in the first of `folders` names; none if it is in none of them."""
    if name.startswith("`r") and (parts := _IN_R.findall(name)):
        joined = posixpath.join(*parts)
        name = joined if files.find(joined, folders, ()) else parts[-1]  # the folder handed over may be within
    name = from_top(files, name)
    if path := files.find(name, folders, ("", ".bib")):
        return entries_of_file(files, path)
    what = BIBLIOGRAPHY_OUTSIDE if leads_outside(name, folders[:1]) else "is missing"
    files.note(f"not read: the bibliography {name[:200]} {what}", "bibliography", files.from_base(name, folders[0]))
    return ()


def _of_items(files: Files, items: list[Any], path: str) -> list[Entry]:
    """Items of CSL in YAML; they are read as JSON is."""
    data = json.dumps(items, default=str, skipkeys=True).encode()  # also half a surrogate pair and large numbers
    made = Files({f"{path}.json": data}, files.notes)
    return entries_of_file(made, f"{path}.json")


def names_of(value: object) -> list[str]:
    """What a field of metadata names: one thing or several."""
    values = value if isinstance(value, list) else [value]
    return [name.strip() for name in values if isinstance(name, str) and name.strip()]
