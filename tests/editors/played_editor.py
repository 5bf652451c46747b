"""An editor in which a draft is open, by pygls' client, and what it shows."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient

MAIN = r"""\documentclass{article}
\title{Attention models for machine translation}
\begin{document}\maketitle
\begin{abstract}We translate with attention alone.\end{abstract}
\input{sections/related}
Recurrent networks were replaced by attention \cite{}.
\bibliography{refs}
\end{document}
"""
RELATED = "Pretrained transformers encode tokens in both directions \\citep{unknown}.\n"
ENTRIES = "@article{nobody, title={Gardening in the shade of old apple trees}, author={Nobody, A.}, year={2001}}\n"


def end(text: str, behind: str) -> types.Position:
    """Where that part of the text ends, in UTF-16."""
    lines = text[: text.index(behind) + len(behind)].split("\n")
    return types.Position(len(lines) - 1, len(lines[-1].encode("utf-16-le")) // 2)


def edited(text: str, edit: types.TextEdit) -> str:
    """The text, of ASCII, once an editor did that, which takes places behind a line for its end."""
    assert edit.range.start == edit.range.end
    lines = text.split("\n")
    line = lines[edit.range.start.line]
    at = min(edit.range.start.character, len(line))
    lines[edit.range.start.line] = line[:at] + edit.new_text + line[at:]
    return "\n".join(lines)


@dataclass
class Editor:
    """An editor, and what the server made it do."""

    client: LanguageClient
    folder: Path
    opened: list[str] = field(default_factory=list)  # addresses
    edits: list[types.TextEdit] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)  # addresses
    said: list[str] = field(default_factory=list)
    logged: list[str] = field(default_factory=list)
    refuses: bool = False  # to edit

    def open(self, path: Path, text: str | None = None) -> None:
        document = types.TextDocumentItem(path.as_uri(), "latex", 1, path.read_text() if text is None else text)
        self.opened.append(document.uri)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))

    def change(self, path: Path, text: str) -> None:
        document = types.VersionedTextDocumentIdentifier(2, path.as_uri())
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(document, [types.TextDocumentContentChangeWholeDocument(text)])
        )

    async def close(self) -> None:
        for address in self.opened:
            self.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(address)))
        for seen in (self.opened, self.edits, self.edited, self.said, self.logged):
            seen.clear()
        self.refuses = False

    async def offered(self, path: Path, text: str, behind: str) -> list[types.CompletionItem]:
        """What is offered behind that part of the text."""
        at = types.CompletionParams(types.TextDocumentIdentifier(path.as_uri()), end(text, behind))
        found = await self.client.text_document_completion_async(at)
        return list(found.items) if found else []

    async def offered_in_main(self, draft: Path) -> list[types.CompletionItem]:
        """The same where the draft's main file, which is opened, cites nothing yet."""
        self.open(draft / "main.tex")
        return await self.offered(draft / "main.tex", MAIN, r"attention \cite{")

    async def shown(self, path: Path, text: str, behind: str) -> str:
        """What is shown where somebody points behind that part of the text."""
        at = types.HoverParams(types.TextDocumentIdentifier(path.as_uri()), end(text, behind))
        found = await self.client.text_document_hover_async(at)
        return found.contents.value if found and isinstance(found.contents, types.MarkupContent) else ""

    async def mending(self, path: Path, text: str, behind: str) -> list[types.Command]:
        """The commands that are offered where the cursor stands behind that part of the text."""
        at = types.Range(end(text, behind), end(text, behind))
        document = types.TextDocumentIdentifier(path.as_uri())
        found = await self.client.text_document_code_action_async(
            types.CodeActionParams(document, at, types.CodeActionContext([]))
        )
        return [one for one in found or [] if isinstance(one, types.Command)]

    async def take(self, command: types.Command | None) -> None:
        """Do what an item's command says, as editors do behind the insertion."""
        assert command
        command = types.ExecuteCommandParams(command.command, arguments=command.arguments)
        await self.client.workspace_execute_command_async(command)


Doing = Callable[[Editor], Coroutine[None, None, None]]


def title(item: types.CompletionItem) -> str:
    return item.label.partition(": ")[2]
