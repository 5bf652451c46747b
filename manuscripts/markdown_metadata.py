"""Metadata: what stands at the top of a manuscript in Markdown, as a rule in YAML, and in a project's settings."""

import re
import tomllib
from typing import Any

import yaml

from manuscripts.files import Files

_FRONT = re.compile(r"\A\s*---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML = re.compile(r"\A\s*\+\+\+[ \t]*\n(.*?)\n\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)  # as Hugo has it
# Pandoc's "% title", "% authors" and "% date", and MultiMarkdown's "Title: …", a field a line up to a blank one,
# of which Logseq has two colons.
_PERCENT = re.compile(r"\A(?:%(?!%).*\n(?:[ \t]+\S.*\n)*){1,3}(?=\s|\Z)")
_FIELDS = re.compile(r"\A(?=title:)(?:.+\n){2,}(?=\s|\Z)", re.IGNORECASE)
_PAIR = re.compile(r"^(\w[\w -]*)::?(.*(?:\n(?!\w[\w -]*:).*)*)", re.MULTILINE)
_FIELD = re.compile(r"^(?=[\w-]+[ \t]*:(?:\s|$))", re.MULTILINE)
_PROSE = re.compile(r"(title|abstract)[ \t]*:[ \t]*(?:[|>][-+0-9]*[ \t]*\n)?(.*)", re.DOTALL)
_LONGEST = 200_000


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Of YAML the plain values: tags of R and Quarto (`!r`, `!expr`) say nothing here.

    Aliases are left out, since they can make much of little.
    """

    aliases = False

    def compose_node(self, parent: Any, index: Any) -> Any:
        if not self.check_event(yaml.AliasEvent):
            return super().compose_node(parent, index)
        event = self.get_event()
        self.aliases = True
        return yaml.MappingNode("tag:yaml.org,2002:map", [], event.start_mark, event.end_mark)

    def plain(self, node: Any) -> Any:
        """The value of a node whose tag is not known."""
        if isinstance(node, yaml.MappingNode):
            return self.construct_mapping(node, deep=True)
        if isinstance(node, yaml.SequenceNode):
            return self.construct_sequence(node, deep=True)
        return f"`r {node.value}`" if node.tag in ("!expr", "!r") else node.value  # as R's code stands in texts


_Loader.add_constructor(None, _Loader.plain)


def parted(files: Files, path: str, text: str) -> tuple[dict[str, Any], str]:
    """The metadata at the top of what the file at `path` holds, and the text below."""
    if found := _FRONT.match(text):
        front = metadata(files, path, found[1])
    elif found := _PERCENT.match(text):
        fields = (" ".join(field.split("\n")).strip() for field in re.split("^%", found[0], flags=re.MULTILINE)[1:])
        front = dict(zip(("title", "author", "date"), fields, strict=False))
    elif found := _FIELDS.match(text):
        front = {name.lower(): " ".join(value.split()) for name, value in _PAIR.findall(found[0])}
        front.setdefault("bibliography", front.get("bibtex"))
    elif found := _TOML.match(text):
        front = _of_toml(files, path, found[1])
    else:
        return {}, text
    return front, text[found.end() :]


def _of_toml(files: Files, path: str, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        files.note(f"not read: the metadata of {path}: {error}")
        return {}


def without_rules(text: str) -> str:
    """The text of a file of metadata without what may stand around them."""
    return text.strip().removeprefix("---").removesuffix("...").removesuffix("---")


def metadata(files: Files, path: str, text: str) -> dict[str, Any]:
    """What YAML in the file at `path` says; where it is no YAML as a whole, what its fields say one by one.

    What cannot be read is noted.
    """
    if len(text) > _LONGEST:
        files.note(f"not read: the metadata of {path} is longer than {_LONGEST:,} characters")
        return {}
    whole, problem = loaded(text)
    if isinstance(whole, dict):
        if problem:
            files.note(f"not read in the metadata of {path}: {problem}")
        return whole
    found: dict[str, Any] = {}
    for part in _FIELD.split(text) if problem else ():
        one, problem = loaded(part)
        prose = _PROSE.match(part)
        if problem and prose:  # as "title: One: two", which is no YAML
            found[prose[1]] = prose[2].strip().strip("\"'")
        elif problem:
            files.note(f"not read in the metadata of {path}: {part.partition(':')[0].strip()[:100]}")
        elif isinstance(one, dict):
            found |= one
    return found


def loaded(text: str) -> tuple[Any, str]:
    """The value, and what is wrong with it or ""."""
    try:
        loader = _Loader(text.expandtabs(4))  # which YAML allows between words and behind them, and PyYAML does not
        return loader.get_single_data(), "aliases of YAML" if loader.aliases else ""
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        return None, str(error)
