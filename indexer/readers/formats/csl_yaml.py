"""CSL in YAML, as Better BibTeX exports it and Pandoc has it: a list of items, by itself or as `references`."""

import re
from collections.abc import Iterator

import yaml

from indexer.readers import streams
from indexer.readers.base import Found, Malformed, RawPaper, Reader, papers_of
from indexer.readers.formats.csl_json import paper_of_item
from indexer.readers.head import Head
from indexer.readers.json_records import Fields, Record, mapping, objects
from indexer.readers.streams import TextFile

_ENDINGS = (".yaml", ".yml")
_START = re.compile(r"\A\s*(?:---\s+)?references:[^\S\n]*(?:\n\s*-\s+\w|\[)")
_FIELD = re.compile(r"^references:[^\S\n]*(\[)?", re.MULTILINE)
_LIST, _OF_CSL = re.compile(r"\A\s*(?:---\s+)?-\s+[\w-]+:"), re.compile(r"^[ -]*(?:issued|type):", re.MULTILINE)
_DEEPEST = 20  # lists and mappings within each other
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # of it all values are texts: no title is a date or "no"


def _detect(head: Head) -> bool:
    if head.file_name.endswith(_ENDINGS) and _FIELD.search(head.text):
        return True
    return bool(_START.match(head.text) or (_LIST.match(head.text) and _OF_CSL.search(head.text)))


def _read(file: TextFile) -> Iterator[Found]:
    field = _FIELD.search(file.head.text)
    return papers_of(_in_brackets(file) if field and field[1] else _items(file), _paper)


def _paper(fields: Fields) -> RawPaper:
    lines = {name: value.strip() for name, value in fields.items() if isinstance(value, str)}  # folded ones have an end
    return paper_of_item(fields | lines)


def _in_brackets(file: TextFile) -> Iterator[Record]:
    """The items of a list in one piece, as people write a short one."""
    data = file.body.read(streams.MAX_BLOCK_BYTES + 1)
    if len(data) > streams.MAX_BLOCK_BYTES:
        yield "line 1", Malformed(streams.too_long(streams.MAX_BLOCK_BYTES))
        return
    value = _loaded(data.decode("utf-8", "replace"))
    if isinstance(value, Malformed):
        yield "line 1", value
    for number, item in enumerate(objects(mapping(value).get("references")), start=1):
        yield f"record {number}", item


def _items(file: TextFile) -> Iterator[Record]:
    """Every item of a list of which each begins a line, with the line of its beginning."""
    listed = _FIELD.search(file.head.text) is None  # from here on
    depth = -1  # of the list, once it has begun
    item: list[str] = []
    first_line = size = 0
    for number, line in file.lines():
        text = line.decode("utf-8", "replace") if line is not None else ""
        bare = text.lstrip(" ")
        space = len(text) - len(bare)
        if not listed:
            listed = _FIELD.match(text) is not None
            continue
        if bare[:2] in ("- ", "-\n", "-\r") and depth in (-1, space):
            if item:
                yield f"line {first_line}", _item(item, size)
            depth, item, first_line, size = space, [], number, 0
        elif depth >= space and bare.strip() and not bare.startswith("#"):  # something else than the list
            break
        size += len(line or b"") if line is not None else streams.MAX_RECORD_BYTES
        if depth >= 0 and size <= streams.MAX_BLOCK_BYTES:
            item.append(text)
    if item:
        yield f"line {first_line}", _item(item, size)


def _item(lines: list[str], size: int) -> Fields | Malformed:
    if size > streams.MAX_BLOCK_BYTES:
        return Malformed(streams.too_long(streams.MAX_BLOCK_BYTES))
    value = _loaded("".join(lines))
    if isinstance(value, Malformed):
        return value
    return next(iter(objects(value)), Malformed("no item of CSL"))


def _loaded(text: str) -> object:
    depth = 0
    try:
        for event in yaml.parse(text, _LOADER):  # which neither recurs nor grows
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.AliasEvent) or depth > _DEEPEST:
                return Malformed("aliases of YAML, or lists within lists, which no item of CSL has")
        return yaml.load(text, _LOADER)  # noqa: S506 (it makes nothing but texts, lists and mappings)
    except (yaml.YAMLError, ValueError) as error:
        return Malformed(f"no valid YAML: {getattr(error, 'problem', None) or error}")


CSL_YAML = Reader("csl_yaml", "CSL in YAML: `references` of Better BibTeX and Pandoc", _ENDINGS, _detect, _read)
