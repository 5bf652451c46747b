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
_LIST = re.compile(r"\A\s*(?:---\s+)?-\s+[\w-]+:")
_OF_CSL = [re.compile(rf"^[ -]*(?:{names}):", re.MULTILINE) for names in ("issued|type", "title|DOI|URL")]
_BEHIND = re.compile(r"---|\.\.\.|\S[^\s:]*:\s")  # what ends a list; text that lacks its indentation does not
_DEEPEST = 20  # lists and mappings within each other
_NULL = "tag:yaml.org,2002:null"


class _Loader(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]
    """All other values than null are texts: no title is a date or "no"."""


_Loader.add_implicit_resolver(_NULL, re.compile(r"(?:~|null|Null|NULL)\Z"), ["~", "n", "N"])
_Loader.add_constructor(_NULL, lambda *_: None)


def _detect(head: Head) -> bool:
    if head.file_name.endswith(_ENDINGS) and _FIELD.search(head.text):
        return True
    is_list = _LIST.match(head.text) and all(names.search(head.text) for names in _OF_CSL)
    return bool(is_list or _START.match(head.text))


def _read(file: TextFile) -> Iterator[Found]:
    field = _FIELD.search(file.head.text)
    return papers_of(_in_brackets(file) if field and field[1] else _items(file), _paper)


def _paper(fields: Fields) -> RawPaper:
    said = {name: value for name, value in fields.items() if value is not None}
    lines = {name: value.strip() for name, value in said.items() if isinstance(value, str)}  # folded ones have an end
    return paper_of_item(said | lines)


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
    is_whole = _FIELD.search(file.head.text) is None
    listed = is_whole  # from here on
    depth = -1  # of the list, once it has begun
    item: list[str] = []
    first_line = size = 0
    for number, line in file.lines():
        text = line.decode("utf-8", "replace") if line is not None else ""
        bare = text.lstrip(" ")
        space = len(text) - len(bare)
        begins = listed and bare[:2] in ("- ", "-\n", "-\r") and depth in (-1, space)
        ends = depth >= space and not begins and _BEHIND.match(bare)
        if item and (begins or ends):
            yield f"line {first_line}", _item(item, size)
        if begins:
            depth, item, first_line, size = space, [], number, 0
        elif ends:
            depth, item = -1, []
        if depth < 0:
            listed = is_whole or bool(_FIELD.match(text)) or (listed and not ends)
            continue
        size += len(line or b"") if line is not None else streams.MAX_RECORD_BYTES
        if size <= streams.MAX_BLOCK_BYTES:
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
        for event in yaml.parse(text, _Loader):  # which neither recurs nor grows
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.AliasEvent) or depth > _DEEPEST:
                return Malformed("aliases of YAML, or lists within lists, which no item of CSL has")
        return yaml.load(text, _Loader)  # noqa: S506 (it makes nothing but texts, lists and mappings)
    except (yaml.YAMLError, ValueError) as error:
        return Malformed(f"no valid YAML: {getattr(error, 'problem', None) or error}")


CSL_YAML = Reader("csl_yaml", "CSL in YAML: `references` of Better BibTeX and Pandoc", _ENDINGS, _detect, _read)
