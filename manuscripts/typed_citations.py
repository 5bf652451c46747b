"""Citations that are typed as text → marks: by names, numbers or labels of the entries of a list that is printed below.

A text is taken to cite in a way where most of what looks so names a work of the list; what names none then lacks its
entry.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from indexer.identity.keys import Key, keys_but_of_id
from manuscripts.manuscript import Entry, Manuscript, Mark, Paragraph, Section
from manuscripts.reference_lines import named_again
from manuscripts.text_building import TextBuilder
from manuscripts.typed_authors import ByAuthors
from manuscripts.typed_marks import ByLabel, ByNumber, ByRaisedNumber, ByRoundNumber, Typed
from manuscripts.typed_names import ByName
from manuscripts.typed_works import ByWork

_Way = ByNumber | ByLabel | ByName | ByWork | ByAuthors
_FEWEST = 0.6  # of what looks like a citation: so many name a work of the list
_RARE = 0.2  # as often as the other way: such a way is none


def with_typed_citations(manuscript: Manuscript) -> Manuscript:
    """The manuscript with a mark for every citation that is typed into its text.

    The list is its `printed` entries; where none are known as such, and it has no marks, it is all entries. One that is
    named by authors and year is called so from then on, such as "Doe et al. 2020"; one of a work that another entry
    names is left out, and that entry cited. The others count as cited, too: not every citation is recognised. A
    manuscript without a printed list, or that cites nothing of it so, stays as it is.
    """
    listed = [entry for entry in manuscript.entries if entry.key in manuscript.printed]
    if not listed and not manuscript.keys:
        listed = list(manuscript.entries)
    if not listed:
        return manuscript
    texts = [paragraph.text for section in manuscript.sections for paragraph in section.paragraphs]
    ways = _possible(listed)
    found = [_found(way, texts) for way in ways]
    known = list(map(_known, found))
    usual = [  # numbers: anything; those of footnotes are superscripts, too
        one
        for way, one, count in zip(ways, found, known, strict=True)
        if count > max(known) * _RARE and (not isinstance(way, ByRaisedNumber) or 2 * count > sum(known))
    ]
    if len(set().union(*map(_cited, usual))) < _RARE * len(listed):  # none, or one "[6]" beside many "(6)"
        usual += _of_most_entries(listed, texts)
    paragraphs = (paragraph for section in manuscript.sections for paragraph in section.paragraphs)
    notes = [one.text if _is_note(one) else "" for one in paragraphs]
    in_notes = [list(ByName(listed).in_note(note)) for note in notes] if any(notes) else []
    usual = [*([in_notes] if _known(in_notes) else []), *usual, *filter(any, [_found(ByWork(listed), notes)])]
    if not usual:
        return manuscript
    others = [entry for entry in manuscript.entries if entry not in listed]
    twice = _of_one_work(listed, others)
    for entry, before in _named_again(listed):
        twice[entry.key] = twice.get(before, before)
    called = dict(twice)  # the key of an entry → how it is typed first, or that of the other one
    sections = _marked(manuscript.sections, map(_apart, zip(*usual, strict=True)), called)
    printed = [_called(entry, called.get(entry.key, entry.key)) for entry in listed if entry.key not in twice]
    keys = (*(entry.key for entry in printed), *twice.values())
    return replace(manuscript, sections=sections, entries=(*others, *printed), printed=tuple(dict.fromkeys(keys)))


def with_list(manuscript: Manuscript, printed: tuple[Entry, ...]) -> Manuscript:
    """The manuscript with the entries of a list that is typed below it.

    They join its own where the text cites them as typed, beside these, and replace them where it cites none of these.
    """
    if not printed or not manuscript.keys:
        return replace(manuscript, entries=printed or manuscript.entries)
    both = (*manuscript.entries, *printed)
    listed = replace(manuscript, entries=both, printed=tuple(entry.key for entry in printed))
    found = with_typed_citations(listed)
    return manuscript if found is listed else found


def _of_one_work(listed: Sequence[Entry], others: Sequence[Entry]) -> dict[str, str]:
    """The keys of listed entries whose work one of the others names → the key of that one."""
    named = {key: entry.key for entry in reversed(others) for key in _identities(entry)}
    found: dict[str, str] = {}
    for entry in listed:
        if known := next((named[key] for key in _identities(entry) if key in named), ""):
            found[entry.key] = known
    return found


def _named_again(listed: Sequence[Entry]) -> Iterator[tuple[Entry, str]]:
    """The entries that only refer to one that stands before them, and the key of that."""
    sources = [entry.source for entry in listed]
    for place, entry in enumerate(listed):
        if (before := named_again(sources, place)) is not None:
            yield entry, listed[before].key


def _identities(entry: Entry) -> Iterator[Key]:
    """Of the works that an entry may name."""
    return chain.from_iterable(map(keys_but_of_id, entry.readings))


def _possible(entries: Sequence[Entry]) -> tuple[_Way, ...]:
    keys = [entry.key for entry in entries]
    numbered = keys == [str(number) for number in range(1, len(keys) + 1)]
    return (ByNumber(keys), ByRaisedNumber(keys), ByName(entries)) if numbered else (ByLabel(keys),)


def _found(way: _Way, texts: Sequence[str]) -> list[list[Typed]]:
    return [list(way.find(text)) for text in texts]


def _of_most_entries(entries: Sequence[Entry], texts: Sequence[str]) -> list[list[list[Typed]]]:
    """What is numbered in round brackets, where most entries are: equations or steps are not so many. Else by authors.

    Of these texts name some without brackets, and brackets with names of authors of many works hold nothing else.
    """
    keys = {entry.key for entry in entries}
    found = _found(ByRoundNumber(keys), texts)
    left = keys - _cited(found)
    if _known(found) and len(left) <= (1 - _FEWEST) * len(keys):
        return [_found(ByRoundNumber(keys, left), texts)]
    found = _found(ByAuthors(entries), texts)
    return [found] if len(_cited(found)) >= (1 - _FEWEST) * len(keys) else []


def _cited(found: Sequence[Sequence[Typed]]) -> set[str | None]:
    """The keys of what is cited in brackets: names in a sentence, which stand for themselves, are no sign of a way."""
    return {work.entry for some in found for typed in some if typed.start < typed.end for work in typed.works}


def _called(entry: Entry, key: str) -> Entry:
    return replace(entry, key=key, readings=tuple(replace(one, id=key) for one in entry.readings))


def _known(found: Sequence[Sequence[Typed]]) -> int:
    """How many works of the list are cited so, text by text; 0 where too much that looks so names none."""
    works = [work for some in found for typed in some for work in typed.works]
    known = sum(work.entry is not None for work in works)
    return known if known >= _FEWEST * len(works) else 0


def _apart(found: Sequence[Sequence[Typed]]) -> Iterator[Typed]:
    """What was found in a text in one way or the other, in its order, none within another."""
    end = 0
    for typed in sorted(chain.from_iterable(found), key=lambda typed: typed.start):
        if typed.start >= end:
            yield typed
            end = typed.end


def _marked(
    sections: Sequence[Section], found: Iterator[Iterator[Typed]], called: dict[str, str]
) -> tuple[Section, ...]:
    """The sections with marks for what was found in each of their paragraphs."""
    builder = TextBuilder()
    for section in sections:
        builder.section(section.heading, section.level)
        for paragraph in section.paragraphs:
            text, known, start = paragraph.text, _marks(paragraph), 0
            for typed in next(found):
                keys = (
                    work.name if work.entry is None else called.setdefault(work.entry, work.name)
                    for work in typed.works
                )
                _say(text[: typed.start], start, known, builder)
                builder.text(typed.kept)
                builder.mark(tuple(dict.fromkeys(keys)), typed.form)
                start = typed.end
            _say(text, start, known, builder)
            builder.end_paragraph(noted=_is_note(paragraph))
    return builder.sections()


def _marks(paragraph: Paragraph) -> deque[Mark]:
    """The marks that a paragraph has, by their places in its text; without keys where a sentence has a note."""
    found: deque[Mark] = deque()
    start = 0
    for sentence in paragraph.sentences:
        found += (replace(mark, place=start + mark.place) for mark in sentence.marks)
        if sentence.noted and not _is_note(paragraph):
            found.append(Mark(start + len(sentence.text), ()))
        start += len(sentence.text) + 1
    return found


def _say(text: str, start: int, known: deque[Mark], builder: TextBuilder) -> None:
    """What follows `start` in the text to the builder, with the marks up to its end, which are `known` no more."""
    while known and known[0].place <= len(text):
        mark = known.popleft()
        place = max(start, mark.place)
        builder.text(text[start:place])
        if mark.keys:
            builder.mark(mark.keys, mark.form)
        else:
            builder.note()
        start = place
    builder.text(text[start:])


def _is_note(paragraph: Paragraph) -> bool:
    """Whether it is a note that names works, or a sentence alone that has such a note."""
    return all(sentence.noted for sentence in paragraph.sentences)
