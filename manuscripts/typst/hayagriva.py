"""Bibliographies in Typst's own format, which is YAML."""

from collections.abc import Iterator

from indexer.readers.fields import arxiv, doi
from indexer.readers.markup import last_first
from manuscripts.bibliographies import entry_of_fields
from manuscripts.files import Files
from manuscripts.manuscript import Entry
from manuscripts.markdown_metadata import metadata


def entries_of_yaml(files: Files, path: str) -> Iterator[Entry]:
    """The entries of such a file; what cannot be read is noted."""
    files.lists.setdefault(path)
    for key, item in metadata(files, path, files.text(path)).items():
        if not isinstance(item, dict):
            continue
        works = [item, *(parent for parent in _list(item.get("parent")) if isinstance(parent, dict))]
        numbers = [work["serial-number"] for work in works if isinstance(work.get("serial-number"), dict)]
        address = _text(item.get("url"))
        names = (*(str(number.get("doi")) for number in numbers), address)
        eprints = (*(str(number.get("arxiv", "")) for number in numbers), address)
        authors = (last_first(_text(one)) for one in _list(item.get("author")))
        when = next((str(work["date"]) for work in works if "date" in work), "")
        venue = next((_text(work["title"]) for work in works[1:] if "title" in work), "")
        name, eprint = next(filter(doi, names), ""), next(filter(arxiv, eprints), "")
        yield entry_of_fields(str(key), _text(item.get("title")), authors, when, venue, name, eprint)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value] if value else []


def _text(value: object) -> str:
    """A text, which may stand in a record, as a name in its parts does."""
    if isinstance(value, dict):
        family = " ".join(str(value[part]) for part in ("prefix", "name") if part in value)
        return f"{family}, {value['given-name']}" if "given-name" in value else family or _text(value.get("value"))
    return str(value or "")
