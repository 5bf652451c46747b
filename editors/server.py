"""The server for editors, by the Language Server Protocol (microsoft.github.io/language-server-protocol)."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy
from importlib.metadata import version
from os.path import normpath
from pathlib import Path
from typing import ParamSpec, TypeVar
from urllib.parse import urlsplit
from urllib.request import url2pathname

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from citescout.live import LiveRecommender, warm_up
from citescout.recommendation import Recommendation
from common.errors import CitescoutError, SourceError
from editors.completion import ADD_ENTRY, Completion, add_entry, cited_as, described, lacking, named_by, offer
from editors.drafts import OpenDraft, open_draft
from editors.open_citation import OpenCitation, open_citation
from editors.positions import offset_of, range_of
from exports.bibliography import Bibliography
from indexer.identity.holdings import Holdings
from indexer.paper import Paper
from indexer.readers.bibtex_keys import entries_by_key, keys_in, unclosed_line
from manuscripts.sandbox import read_references

Given = ParamSpec("Given")
Found = TypeVar("Found")

_TRIGGERS = ["{", ",", "@", "<", "`"]  # characters behind which a key is written


class _Server(LanguageServer):
    """Answers one request after another, beside the thread that reads them: what still waits can be cancelled."""

    def __init__(self) -> None:
        super().__init__("citescout", version("citescout"), types.TextDocumentSyncKind.Full)
        self.turns = ThreadPoolExecutor(max_workers=1)

    async def in_turn(self, answer: Callable[Given, Found], *args: Given.args, **values: Given.kwargs) -> Found:
        return await asyncio.wrap_future(self.turns.submit(answer, *args, **values))

    def shutdown(self) -> None:
        for threads in (self.turns, self.thread_pool):  # one may wait for the editor, which no signal ends
            threads.shutdown(wait=False, cancel_futures=True)
        self._thread_pool = None
        super().shutdown()  # type: ignore[no-untyped-call]


def server(live: LiveRecommender) -> LanguageServer:
    """The server that asks this recommender; it offers papers where a citation is being written."""
    made = _Server()
    documents = _Documents(live, made)

    @made.feature(types.INITIALIZED)
    @made.thread()
    def prepare(params: types.InitializedParams) -> None:
        made.turns.submit(documents.prepare).result()

    @made.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=_TRIGGERS))
    async def complete(params: types.CompletionParams) -> types.CompletionList | None:
        return await made.in_turn(documents.complete, documents.now(params.text_document), params.position)

    @made.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        return await made.in_turn(documents.hover, documents.now(params.text_document), params.position)

    @made.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([types.CodeActionKind.QuickFix]))
    async def mend(params: types.CodeActionParams) -> list[types.Command]:
        return await made.in_turn(documents.mending, documents.now(params.text_document), params.range.end)

    @made.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        await made.in_turn(documents.forget_unsaved, params.text_document.uri)

    @made.command(ADD_ENTRY)
    async def add(uri: str, paper: str) -> None:
        await made.in_turn(documents.add, uri, paper)

    return made


class _Documents:
    """What is offered in the documents that are open; for one thread at a time."""

    def __init__(self, live: LiveRecommender, server: _Server) -> None:
        self._live = live
        self._server = server
        # What was asked, the files on disk, and what was offered: while a key is typed, its sentence stays as it is.
        self._last: tuple[object, object, OpenDraft, Sequence[Recommendation]] | None = None
        self._drafts: dict[str, OpenDraft] = {}  # as of the last offer, by document
        self._keys: defaultdict[Path, dict[str, str]] = defaultdict(dict)  # that were offered, by folder and paper
        # Of files that the editor did not send: the text on disk, and the keys of entries that were added to it since.
        self._unseen: dict[Path, tuple[str, frozenset[str]]] = {}

    def prepare(self) -> None:
        """Load what the first list for a sentence needs, before somebody waits for one."""
        try:
            warm_up(self._live, sentences=True)
        except CitescoutError as error:
            self._log(error)

    def now(self, asked: types.TextDocumentIdentifier) -> TextDocument:
        """The document as it is: places that are asked about are of this text, and it may change until their turn."""
        return copy(self._server.workspace.get_text_document(asked.uri))

    def complete(self, document: TextDocument, position: types.Position) -> types.CompletionList | None:
        """The papers to cite where the cursor stands; None where no citation is being written."""
        place = self._citation(document, position)
        if place is None:
            return None
        path, citation = place
        try:
            draft, offered = self._offer(path, citation)
            named = named_by(self._live, citation.typed)
        except CitescoutError as error:
            self._log(error)
            return None
        self._drafts[document.uri] = draft
        completion = Completion(draft, offered, named, self._keys[draft.folder])
        edited = range_of(document, citation.start, citation.end)
        return types.CompletionList(is_incomplete=True, items=completion.items(edited, document.uri, citation))

    def hover(self, document: TextDocument, position: types.Position) -> types.Hover | None:
        """The paper whose key is pointed at, where it was offered or the draft cites it and the index has it."""
        found = self._citation(document, position)
        if found is None or not found[-1].key:
            return None
        path, citation = found
        try:
            paper = self._lacking(document.uri, citation.key)
            if paper is None:
                paper = cited_as(self._live, open_draft(path, citation.marked, *self._beside(path)), citation.key)
        except CitescoutError as error:
            self._log(error)
            return None
        if paper is None:
            return None
        pointed_at = range_of(document, citation.start, citation.start + len(citation.key))
        return types.Hover(described(Recommendation(0, 0.0, paper)), pointed_at)

    def mending(self, document: TextDocument, position: types.Position) -> list[types.Command]:
        """To add the entry of the key under the cursor, for editors that only insert what was offered."""
        found = self._citation(document, position)
        paper = self._lacking(document.uri, found[-1].key) if found else None
        return [add_entry(document.uri, paper)] if paper else []

    def add(self, uri: str, paper: str) -> None:
        """Add the entry of a paper that was offered there to the draft's bibliography, in the editor."""
        draft, found = self._drafts.get(uri), self._live.paper(paper)
        if draft is None:  # the server was started anew since
            self._not_added("delete its key, and choose the paper again")
            return
        if found is None:
            self._not_added("the paper has left the index")
            return
        bibliography = Bibliography(draft.manuscript, [found], self._keys[draft.folder])
        if bibliography.has_file:
            file = Path(normpath(draft.folder / bibliography.paths[0]))  # editors compare addresses as they are
            self._insert(file, bibliography, found, makes_file=False)
        elif draft.missing and self._creates():
            self._insert(draft.missing, bibliography, found, makes_file=True)
        else:
            not_read = (note.text for note in draft.manuscript.notes if note.kind in ("bibliography", "added to"))
            self._not_added("; ".join((*bibliography.unread, *not_read)) or "the draft names no file of BibTeX")

    def _insert(self, file: Path, bibliography: Bibliography, paper: Paper, makes_file: bool) -> None:
        """Have the editor add the entry to a file, which it has opened or not, or makes; unless it is there by now."""
        document = self._server.workspace.get_text_document(file.as_uri())
        opened = document.version is not None
        if not opened and not file.exists():
            document = TextDocument(document.uri, "")
        # What the editor has of a file that it does not send may be another text: only its beginning is in no entry.
        text, added = document.source, bibliography.added(paper.id, ahead=not opened)
        if opened and (line := unclosed_line(text)) is not None:  # somebody has gone on writing since the last offer
            self._not_added(f"{file.name}, line {line}: this entry is not closed; close it, then add to the file")
            return
        place = len(text) if opened else 0
        keys = frozenset(keys_in(added))
        before, unseen = self._unseen.get(file, ("", frozenset()))
        if opened or before != text:
            unseen = frozenset()
        if keys <= unseen:
            return
        key = bibliography.key(paper)
        if added and key not in unseen and (entry := entries_by_key(text).get(key)) is not None:
            if not _names(entry, paper):
                again = "delete it where you cite the paper, and choose the paper again"
                self._not_added(f"{file.name} has another paper under the key {key} by now; {again}")
            return
        self._unseen[file] = text, unseen | keys
        change = types.TextEdit(range_of(document, place, place), added)
        edit = types.WorkspaceEdit({document.uri: [change]})
        if makes_file:
            made = types.CreateFile(document.uri, options=types.CreateFileOptions(ignore_if_exists=True))
            known = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
            edit = types.WorkspaceEdit(document_changes=[made, types.TextDocumentEdit(known, [change])])
        asked = self._server.workspace_apply_edit(types.ApplyWorkspaceEditParams(edit, "Add to the bibliography"))

        def answered(answer: Future[types.ApplyWorkspaceEditResult]) -> None:
            if answer.exception() or not answer.result().applied:  # somebody was asked, and refused
                self._server.turns.submit(self._forget, file, keys)

        asked.add_done_callback(answered)

    def _not_added(self, why: str) -> None:
        said = types.ShowMessageParams(types.MessageType.Warning, f"The entry was not added: {why}")
        self._server.window_show_message(said)

    def _forget(self, file: Path, keys: frozenset[str]) -> None:
        """Entries of these keys were not added after all."""
        text, unseen = self._unseen.get(file, ("", frozenset()))
        self._unseen[file] = text, unseen - keys

    def forget_unsaved(self, uri: str) -> None:
        """Of a file that the editor closes only what is on disk is left."""
        if path := _path(uri):
            self._unseen.pop(path, None)

    def _creates(self) -> bool:
        """Whether the editor makes files that it is told to make."""
        workspace = self._server.client_capabilities.workspace
        edits = workspace and workspace.workspace_edit
        return types.ResourceOperationKind.Create in ((edits and edits.resource_operations) or ())

    def _citation(self, document: TextDocument, position: types.Position) -> tuple[Path, OpenCitation] | None:
        """The citation that is being written there, if any, and the file, which the editor has opened."""
        path = _path(document.uri)
        if path is None or document.version is None:
            return None
        citation = open_citation(document.source, offset_of(document, position), path.name)
        return (path, citation) if citation else None

    def _lacking(self, uri: str, key: str) -> Paper | None:
        """The paper that was offered under this key, where the bibliography of that document's draft lacks it."""
        draft = self._drafts.get(uri)
        return lacking(self._live, draft, self._keys[draft.folder], key) if draft else None

    def _offer(self, path: Path, citation: OpenCitation) -> tuple[OpenDraft, Sequence[Recommendation]]:
        unsaved, folders = self._beside(path)
        asked, edited = (path, citation.marked, unsaved, self._live.info.generation), (path, *unsaved)
        if self._last is None or self._last[:2] != (asked, self._last[2].on_disk(edited)):
            draft = open_draft(path, citation.marked, unsaved, folders)
            self._last = asked, draft.on_disk(edited), draft, offer(self._live, draft, self._keys[draft.folder])
        return self._last[2:]

    def _beside(self, path: Path) -> tuple[dict[Path, str], list[Path]]:
        """The editor's texts of all other files, by path, and the folders that it works in."""
        workspace = self._server.workspace
        texts = {
            other: document.source
            for document in list(workspace.text_documents.values())  # whose keys are no addresses any more
            if (other := _path(document.uri)) is not None and other != path
        }
        root = workspace.root_uri or ""  # all that some editors name, such as vim-lsp
        folders = [one.uri for one in list(workspace.folders.values())] or [root]
        return texts, [folder for one in folders if (folder := _path(one)) is not None]

    def _log(self, error: CitescoutError) -> None:
        """Into the editor's log: a message at every letter would be in the way."""
        self._server.window_log_message(types.LogMessageParams(types.MessageType.Warning, str(error)))


def _names(entry: str, paper: Paper) -> bool:
    """Whether an entry of BibTeX is that of the paper."""
    try:
        works, _ = read_references(entry.encode("utf-8", "replace"))
    except SourceError:
        return False
    return Holdings(works).held(paper) is not None


def _path(uri: str) -> Path | None:
    """The file of that address; None for what is no file, such as a text that was never saved."""
    parts = urlsplit(uri)
    return Path(url2pathname(parts.path)) if parts.scheme == "file" else None
