"""An editor that has started the server, and a draft in a folder that it works in."""

import asyncio
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lsprotocol import types
from played_editor import ENTRIES, MAIN, RELATED, Doing, Editor
from pygls.lsp.client import LanguageClient

from common.processes import module_path


@pytest.fixture(scope="session")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as opened:
        yield opened


@pytest.fixture(scope="session")
def started(runner: asyncio.Runner, demo_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """An editor that works in a folder of drafts, and has started the server as a process of its own."""
    opened = Editor(LanguageClient("editor", "1"), tmp_path_factory.mktemp("drafts"))

    @opened.client.feature(types.WORKSPACE_APPLY_EDIT)
    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        for address, edits in (params.edit.changes or {}).items():
            opened.edited.append(address)
            opened.edits += edits
        return types.ApplyWorkspaceEditResult(applied=not opened.refuses)

    @opened.client.feature(types.WINDOW_SHOW_MESSAGE)
    def show(params: types.ShowMessageParams) -> None:
        opened.said.append(params.message)

    @opened.client.feature(types.WINDOW_LOG_MESSAGE)
    def log(params: types.LogMessageParams) -> None:
        opened.logged.append(params.message)

    async def start() -> None:
        command = f"import sys; sys.path[:0] = {module_path().split(':')!r}; from cli.main import main; main()"
        await opened.client.start_io(sys.executable, "-c", command, "lsp", "--index", str(demo_index))
        works_in = [types.WorkspaceFolder(opened.folder.as_uri(), "drafts")]
        await opened.client.initialize_async(
            types.InitializeParams(capabilities=types.ClientCapabilities(), workspace_folders=works_in)
        )
        opened.client.initialized(types.InitializedParams())

    async def end() -> None:
        await opened.client.shutdown_async(None)
        opened.client.exit(None)
        await opened.client.stop()

    runner.run(start())
    yield opened
    runner.run(end())


@pytest.fixture
def draft(started: Editor, request: pytest.FixtureRequest) -> Path:
    """A draft in a folder of its own, below the one that the editor works in."""
    folder = started.folder / re.sub(r"\W", "-", request.node.name)
    (folder / "sections").mkdir(parents=True)
    (folder / "main.tex").write_text(MAIN)
    (folder / "sections/related.tex").write_text(RELATED)
    (folder / "refs.bib").write_text(ENTRIES)
    return folder


@pytest.fixture
def at_work(runner: asyncio.Runner, started: Editor) -> Iterator[Callable[[Doing], None]]:
    """Runs what somebody does in the editor; closes afterwards what they opened."""

    def work(doing: Doing) -> None:
        runner.run(doing(started))

    yield work
    runner.run(started.close())
