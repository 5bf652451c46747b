"""Citations that are typed by authors alone, as MLA has them: "(see Doe and Roe 12; Poe et al., “Short Title”)"."""

import re
from collections.abc import Iterator, Sequence

from indexer.identity.cited_names import AND, AUTHORS, OTHERS, WORD
from indexer.identity.titles import title_words
from manuscripts.entry_heads import EntryHead
from manuscripts.manuscript import Entry
from manuscripts.typed_marks import NARROW, Typed, Work
from manuscripts.typed_names import AUTHORS_FIRST, authors_in, behind_lead

_BRACKETS = re.compile(r"\(([^()]{3,200})\)")
_PAGES = r"(?:pp?\. ?)?\d+(?:[–-]\d+)?(?:, \d+(?:[–-]\d+)?){0,9}"
_IN_TEXT = re.compile(rf"{WORD}(?:{AND}{WORD}|{OTHERS})")  # whose pages, if any, stand behind what is cited
_PART = re.compile(rf"(?P<names>{AUTHORS})(?:, [“\"](?P<title>[^“”\"]{{3,100}})[”\"])?(?:,? {_PAGES})?")


class ByAuthors:
    """Names of which one work of the list is, perhaps with a title and pages, and no year."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        firsts = [AUTHORS_FIRST.match(entry.source) for entry in entries]
        written = [first[0] if first else "" for first in firsts]
        self._heads = [EntryHead.of(one.key, by) for one, by in zip(entries, written, strict=True)]
        self._several = [(bool(re.search(OTHERS, by)), bool(re.search(AND, by))) for by in written]
        self._words = [" ".join(title_words(entry.source)) for entry in entries]
        self._known: dict[tuple[str, str], str | None] = {}  # what was asked for → key

    def find(self, text: str) -> Iterator[Typed]:
        """What looks like a citation and names one work, and where a sentence names two of its authors, or others."""
        for brackets in _BRACKETS.finditer(text.translate(NARROW)):
            parts = re.split(r"\s*;\s*", brackets[1])
            works = list(map(self._work, parts))
            if cited := tuple(filter(None, works)):
                kept = [part for part, work in zip(parts, works, strict=True) if not work]
                yield Typed(*brackets.span(), cited, kept=f"({'; '.join(kept)}) " if kept else "")
        for said in _IN_TEXT.finditer(text):
            if work := self._work(said[0]):
                yield Typed(said.end(), said.end(), (work,))

    def _work(self, part: str) -> Work | None:
        cited = _PART.fullmatch(part, behind_lead(part))
        if not cited:
            return None
        names, title = cited["names"], cited["title"] or ""
        if (names, title) not in self._known:
            found = self._by(names, " ".join(title_words(title)))
            self._known[names, title] = found[0] if len(found) == 1 else None
        key = self._known[names, title]
        return Work(f"{names}, {title}" if title else names, key) if key else None

    def _by(self, names: str, title: str) -> list[str]:
        """Keys of the works that these authors alone wrote, and that have such words."""
        authors, others = authors_in(names)
        first = {word for author in authors[:1] for word in author}
        return [
            head.key
            for head, (many, two), words in zip(self._heads, self._several, self._words, strict=True)
            if many == others and (others or two == (len(authors) > 1)) and title in words
            if first.intersection(head.head[:1]) and head.rank([*authors[:1], *authors[-1:]], others, "")
        ]
