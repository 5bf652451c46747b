"""What is offered where a citation is being written, for its sentence and the typed letters; and what a key cites."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lsprotocol import types

from citescout.live import LiveRecommender
from citescout.manuscript_citations import resolved, surroundings_of
from citescout.recommendation import Recommendation
from common.text import folded
from editors.drafts import OpenDraft
from editors.open_citation import OpenCitation
from exports import citation_line
from exports.bibliography import Bibliography
from exports.citation import shown_title
from exports.column_width import shortened
from exports.markdown_text import escaped
from exports.reason_sentences import percent, remarks, short_reference
from indexer.paper import Paper

ADD_ENTRY = "citescout.addEntry"
_OFFERED = 20  # recommendations, and as many papers that the typed letters name
_LEAST_TYPED = 3  # letters
_LABEL = 80  # characters


def offer(live: LiveRecommender, draft: OpenDraft, keys: Mapping[str, str]) -> Sequence[Recommendation]:
    """The papers to cite there, none where the index has nothing on it; `keys`, by ids of papers, were offered before.

    Raises:
        CitescoutError: see `Recommender.answer`.
    """
    unlisted = set(draft.manuscript.keys_without_entry)
    taken = [id_ for id_, key in keys.items() if key in unlisted]
    with live.latest() as recommender:
        surroundings, _ = surroundings_of(recommender.resolve, draft.manuscript)
        surroundings = replace(surroundings, already_cited=(*surroundings.already_cited, *taken))
        if not (draft.sentence or surroundings.is_query):
            return ()
        asked = surroundings.query(context=draft.sentence)
        answer = recommender.answer(asked, replace(recommender.settings_of(), k=_OFFERED))
    return () if answer.fit is not None and answer.fit.verdict == "none" else answer.recommendations


class Completion:
    """The list that an editor shows."""

    def __init__(
        self, draft: OpenDraft, offered: Sequence[Recommendation], named: Sequence[Paper], keys: dict[str, str]
    ) -> None:
        """Of what is `offered` for its sentence, and of papers that the typed letters name.

        `keys` are those under which papers were offered before, by their ids; those of this list are added to them.
        """
        ids = {one.paper.id for one in offered}
        self._entries = (*offered, *(Recommendation(0, 0.0, one) for one in named if one.id not in ids))
        self._named = {one.id for one in named}
        papers = [one.paper for one in self._entries]
        self._bibliography = Bibliography(draft.manuscript, papers, keys)
        keys |= {paper.id: self._bibliography.key(paper) for paper in papers if not self._bibliography.held(paper)}

    def items(self, edited: types.Range, uri: str, citation: OpenCitation) -> list[types.CompletionItem]:
        """One for each paper, whose key replaces what is `edited` of the document `uri`: the key of the `citation`."""
        return [self._item(place, entry, edited, uri, citation) for place, entry in enumerate(self._entries)]

    def _item(
        self, place: int, entry: Recommendation, edited: types.Range, uri: str, citation: OpenCitation
    ) -> types.CompletionItem:
        paper, key = entry.paper, self._bibliography.key(entry.paper)
        title = shown_title(paper)
        return types.CompletionItem(
            label=shortened(f"{short_reference(paper)}: {title}" if paper.authors else title, _LABEL),
            kind=types.CompletionItemKind.Reference,
            detail=" ".join(filter(None, (key, percent(entry)))),
            documentation=described(entry),
            sort_text=f"{place:03}",
            filter_text=self._filtered(paper, " ".join((key, *paper.authors, title)), citation.typed),
            text_edit=types.TextEdit(edited, citation.written(key)),
            command=None if self._bibliography.held(paper) else add_entry(uri, paper),
        )

    def _filtered(self, paper: Paper, text: str, typed: str) -> str:
        """The text, behind the typed letters where they name the paper: some editors compare only its beginning."""
        words = (word for word in text.split() if folded(word).startswith(folded(typed)))
        word = next(words, typed if paper.id in self._named else "")
        return f"{typed}{word[len(typed) :]} {text}" if word else text


def described(entry: Recommendation) -> types.MarkupContent:
    """A paper with its reasons, if it has any, and its abstract."""
    parts = (citation_line(entry.paper), remarks(entry), entry.paper.abstract)
    return types.MarkupContent(types.MarkupKind.Markdown, "\n\n".join(escaped(part) for part in parts if part))


def add_entry(uri: str, paper: Paper) -> types.Command:
    """What adds the entry of a paper that was offered in the document `uri`."""
    return types.Command("Add its entry to the bibliography", ADD_ENTRY, arguments=[uri, paper.id])


def named_by(live: LiveRecommender, typed: str) -> list[Paper]:
    """The papers that somebody may mean who types this into a citation; none for a few letters."""
    return live.search_papers(typed, _OFFERED) if len(typed) >= _LEAST_TYPED else []


def lacking(live: LiveRecommender, draft: OpenDraft, keys: Mapping[str, str], key: str) -> Paper | None:
    """The paper that was offered under this key of `keys` (see `offer`), where the draft's bibliography lacks it."""
    for paper in [live.paper(id_) for id_, offered in keys.items() if offered == key]:
        if paper:
            bibliography = Bibliography(draft.manuscript, [paper], keys)
            if bibliography.key(paper) == key and not bibliography.held(paper):
                return paper
    return None


def cited_as(live: LiveRecommender, draft: OpenDraft, key: str) -> Paper | None:
    """The paper of the index that the draft's bibliography has under this key; None where either lacks it."""
    entries = [entry for entry in draft.manuscript.entries if entry.key == key]
    with live.latest() as recommender:
        return next((match.paper for match in resolved(recommender.resolve, entries)), None)
