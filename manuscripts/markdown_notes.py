"""Footnotes of Markdown: `[^1]`, whose text stands elsewhere, and `^[text]`.

One that only cites is a citation in its place, and so is one that names a work, in a text that cites by notes alone.
Others are paragraphs of their own.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from manuscripts.bibliographies import entry_of_text
from manuscripts.headings import is_reference_list
from manuscripts.manuscript import Entry
from manuscripts.printed_lists import is_citation, without_markdown, works_of_note
from manuscripts.reference_lines import named_again
from manuscripts.text_building import NOTED
from manuscripts.typed_works import ByWork

_BEGINS = re.compile(r"\[\^([^\[\]\s]+)\]:[ \t]*")
_MARK = re.compile(r"\[\^([^\[\]\s]+)\]")
_ONE_LINE = re.compile(r"^\[\^([^\[\]\s]+)\]:[ \t]*(\S.*)(?:\n|\Z)(?=\[\^|[ \t]*(?:\n|\Z))", re.MULTILINE)
_BRACKET = re.compile(r"[\[\]]")


def with_citations(text: str, citation: Callable[[str], str]) -> str:
    """The text with what `citation` makes of the words of a note, unless that is "", in the place of the note."""
    made: dict[str, str] = {}

    def taken(note: re.Match[str]) -> str:
        made[note[1]] = citation(note[2])
        return "" if made[note[1]] else note[0]

    text = _ONE_LINE.sub(taken, text)
    return _MARK.sub(lambda mark: made.get(mark[1]) or mark[0], text)


def with_works(texts: Sequence[str], listed: Sequence[Entry] = ()) -> tuple[tuple[str, ...], tuple[Entry, ...]]:
    """The texts, whose notes cite the works that they name, and an entry for each of these that is not `listed`.

    A note below the heading of a reference list is a work, whatever it says.
    """
    below = {words for text in texts for words in _below_list(text)}
    known, key_of = ByWork(listed), dict[str, str]()
    notes: list[str] = []  # and the keys of each
    keys_of: list[list[str]] = []

    def cited(words: str) -> str:
        notes.append(without_markdown(words))
        before = named_again(notes, len(notes) - 1)
        keys = [] if before is None else list(keys_of[before])
        for work, title in works_of_note(words) or ([(without_markdown(words), "")] if words in below else []):
            if work not in key_of:
                key_of[work] = known.key_of(work, title)
            keys.append(key_of[work])
        if keys or is_citation(without_markdown(words)):
            keys += [key for key in known.named(words) if key not in keys]  # of works that were named before
        keys_of.append(keys)
        return f"[{'; '.join(f'@{{{key}}}' for key in keys)}]" if keys else ""

    changed = tuple(with_citations(_with_inline(text, lambda words: cited(words) or None), cited) for text in texts)
    return changed, tuple(known.added)


def work_of(key: str, words: str) -> Entry:
    """The entry of the work that these words describe."""
    works = works_of_note(words)
    return entry_of_text(key, *(works[0] if len(works) == 1 else (without_markdown(words), "")))


def _below_list(text: str) -> Iterator[str]:
    """The words of the notes of which a reference list is made."""
    lines = text.split("\n")
    headings = (line.strip("#* \t") if line.startswith(("#", "**")) else "" for line in lines)
    first = next((number for number, line in enumerate(headings) if is_reference_list(line)), len(lines))
    return (note[2] for note in _ONE_LINE.finditer("\n".join(lines[first:])))


def _with_inline(text: str, made: Callable[[str], str | None]) -> str:
    """The text with what is made of the words of a note that stands in it, unless that is None, in its place."""
    parts: list[str] = []
    place = 0
    while (start := text.find("^[", place)) >= 0:
        end = _closing(text, start + 2)
        note = made(text[start + 2 : end - 1])
        parts += text[place:start], text[start:end] if note is None else note
        place = end
    return "".join((*parts, text[place:]))


def rule(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """A rule of markdown-it: `[^1]:` begins a footnote, whose further paragraphs are indented."""
    begin = state.bMarks[line] + state.tShift[line]
    found = None if state.is_code_block(line) else _BEGINS.match(state.src, begin, state.eMarks[line])
    if not found or silent:
        return bool(found)
    kept = state.bMarks[line], state.tShift[line], state.sCount[line], state.parentType
    state.push("footnote_open", "", 1).info = found[1]
    state.blkIndent += 4
    state.bMarks[line], state.tShift[line], state.sCount[line] = found.end(), 0, state.blkIndent
    state.parentType = "footnote"
    state.md.block.tokenize(state, line, end)
    state.blkIndent -= 4
    state.bMarks[line], state.tShift[line], state.sCount[line], state.parentType = kept
    state.push("footnote_close", "", -1)
    return True


def citing(tokens: Iterable[Token], cites: Callable[[Token], object]) -> frozenset[str]:
    """The names of the notes of which a paragraph cites something."""
    within: list[str] = []
    found: set[str] = set()
    for token in tokens:
        if token.type == "footnote_open":
            within.append(token.info)
        elif token.type == "footnote_close":
            within.pop()
        elif token.type == "inline" and within and cites(token):
            found.add(within[-1])
    return frozenset(found)


def without_marks(text: str, cited_by: frozenset[str]) -> str:
    """The text of a paragraph with NOTED for the marks of these notes, and without all others."""
    return _MARK.sub(lambda mark: NOTED if mark[1] in cited_by else "", text)


def parted(text: str, citation: Callable[[str], str], cites: Callable[[str], object]) -> tuple[str, list[str]]:
    """The text of a paragraph without the notes that stand in it, and those that are no citation in their place."""
    notes: list[str] = []

    def made(note: str) -> str:
        words = note.replace("^[", "[")
        if cited := citation(words):
            return cited
        notes.append(words)
        return NOTED if cites(words) else ""

    return _with_inline(text, made), notes


def _closing(text: str, place: int) -> int:
    """The place behind the bracket that closes the one before `place`, or behind the text's end and one more."""
    depth = 1
    for bracket in _BRACKET.finditer(text, place):
        depth += 1 if bracket[0] == "[" else -1
        if not depth:
            return bracket.end()
    return len(text) + 1
