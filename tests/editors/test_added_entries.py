"""Entries that the server for editors adds to the bibliography of a draft, and why it adds none."""

import asyncio
import re
from concurrent.futures import Future
from pathlib import Path

import pytest
from lsprotocol import types
from played_editor import ENTRIES, MAIN, Editor, edited, end
from pygls.workspace import Workspace

from citescout.live import LiveRecommender
from editors import server
from indexer.readers import ReadReport
from indexer.readers.reading import papers_of_bytes

_MINE = "@book{mine,\n  title={Another book on gardens},\n  year={2020}\n}\n"


def test_an_entry_can_be_added_later_and_is_added_once(at_work, draft: Path) -> None:
    """Emacs inserts what was offered, and does not do what is to follow."""

    async def write(at: Editor) -> None:
        main = draft / "main.tex"
        items = await at.offered_in_main(draft)
        first, second = (item for item in items[:2])
        assert isinstance(first.text_edit, types.TextEdit)
        text = MAIN.replace(r"\cite{}", rf"\cite{{{first.text_edit.new_text}}}")
        at.change(main, text)
        (command,) = await at.mending(main, text, first.text_edit.new_text)
        assert command == first.command
        await at.take(command)
        (edit,) = at.edits
        (draft / "refs.bib").write_text(ENTRIES + edit.new_text)
        await at.take(command)
        assert len(at.edits) == 1
        await at.take(second.command)
        assert len(at.edits) == 2
        assert await at.mending(main, text, r"\begin{document}") == []

    at_work(write)


@pytest.mark.parametrize("unsaved", [_MINE + ENTRIES, ENTRIES + _MINE, _MINE, ""])
def test_an_entry_is_never_written_into_another_one(unsaved: str, at_work, draft: Path) -> None:
    """Where the file of BibTeX has unsaved changes that the editor does not send."""

    async def write(at: Editor) -> None:
        items = (await at.offered_in_main(draft))[:2]
        for item in (*items, *items):  # the same ones again, while the file on disk stays as it is
            await at.take(item.command)
        text = unsaved
        for edit in at.edits:
            text = edited(text, edit)
        keys = [item.text_edit.new_text for item in items if item.text_edit]
        read = [paper.id for paper in papers_of_bytes("refs.bib", text.encode(), ReadReport())]
        assert sorted(read) == sorted([*keys, *re.findall(r"(?:nobody|mine)(?=,)", unsaved)])
        (draft / "refs.bib").write_text(f"{ENTRIES}\n")  # it was saved without them
        await at.take(items[0].command)
        assert len(at.edits) == 3

    at_work(write)


def test_an_entry_is_not_added_behind_one_that_is_being_written(at_work, draft: Path) -> None:
    """Begun since papers were offered: what is added would be within it."""

    async def write(at: Editor) -> None:
        item = (await at.offered_in_main(draft))[0]
        begun = f"{ENTRIES}@book{{new,\n  title={{Of hed"
        at.open(draft / "refs.bib", begun)
        await at.take(item.command)
        assert not at.edits
        assert at.said == [
            "The entry was not added: refs.bib, line 2: this entry is not closed; close it, then add to the file"
        ]
        at.change(draft / "refs.bib", f"{begun}ges}}\n}}\n")
        await at.take(item.command)
        (edit,) = at.edits
        assert edit.range.start == types.Position(4, 0)

    at_work(write)


@pytest.mark.parametrize("opened", [True, False])
def test_an_entry_whose_key_another_paper_took_is_not_passed_over_in_silence(opened: bool, at_work, draft) -> None:
    """As a reference manager gives it that writes the file meanwhile."""
    refs, taken = draft / "refs.bib", "@book{{{0}, title={{Gardens of {1}}}, author={{Other, B.}}, year={{1999}}}}\n"

    async def write(at: Editor) -> None:
        item = (await at.offered_in_main(draft))[0]
        assert isinstance(item.text_edit, types.TextEdit)
        key = item.text_edit.new_text
        refs.write_text(ENTRIES + taken.format(key, "the north"))
        if opened:
            at.open(refs)
        await at.take(item.command)
        assert not at.edits
        assert at.said == [
            f"The entry was not added: refs.bib has another paper under the key {key} by now; "
            "delete it where you cite the paper, and choose the paper again"
        ]
        again = next(
            one
            for one in await at.offered(draft / "main.tex", MAIN, r"attention \cite{")
            if one.label == item.label and isinstance(one.text_edit, types.TextEdit)
        )
        assert again.text_edit.new_text == f"{key}-2"
        await at.take(again.command)
        (edit,) = at.edits
        assert f"{{{key}-2," in edit.new_text
        if opened:  # what is there already is no reason to say something
            at.change(refs, refs.read_text() + edit.new_text)
            await at.take(again.command)
            assert (len(at.edits), len(at.said)) == (1, 1)

    at_work(write)


def test_an_entry_that_was_not_saved_can_be_added_again(at_work, draft: Path) -> None:
    async def write(at: Editor) -> None:
        refs = draft / "refs.bib"
        item = (await at.offered_in_main(draft))[0]
        await at.take(item.command)
        (edit,) = at.edits
        at.open(refs, edit.new_text + ENTRIES)  # as VS Code does, to show what is unsaved
        await at.take(item.command)
        assert len(at.edits) == 1
        at.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(refs.as_uri())))
        at.opened.remove(refs.as_uri())
        await at.take(item.command)
        assert len(at.edits) == 2

    at_work(write)


def test_an_entry_that_was_refused_can_be_added_again(at_work, draft: Path) -> None:
    """Emacs asks first; VS Code refuses where the file has just changed."""

    async def write(at: Editor) -> None:
        item, other = (await at.offered_in_main(draft))[:2]
        await at.take(other.command)
        at.refuses = True
        await at.take(item.command)
        at.refuses = False
        for command in (item.command, item.command, other.command):
            await at.take(command)
        assert len(at.edits) == 3

    at_work(write)


@pytest.mark.parametrize("behind", ["", ".", ": so"])
def test_an_entry_can_be_added_later_before_what_ends_a_sentence(behind: str, at_work, draft: Path) -> None:
    notes, text = draft / "notes.md", "# Attention\n\nRecurrent networks were replaced by attention as @"

    async def write(at: Editor) -> None:
        at.open(notes, text)
        first = (await at.offered(notes, text, " @"))[0]
        assert isinstance(first.text_edit, types.TextEdit)
        cited = text + first.text_edit.new_text
        at.change(notes, cited + behind)
        for place in (" @", cited):
            assert await at.mending(notes, cited + behind, place) == [first.command]
            assert await at.shown(notes, cited + behind, place)

    at_work(write)


def test_entries_of_earlier_lists_can_be_added(at_work, draft: Path) -> None:
    async def write(at: Editor) -> None:
        main = draft / "main.tex"
        taken = (await at.offered_in_main(draft))[0]
        assert isinstance(taken.text_edit, types.TextEdit)
        other = "Images are recognised by convolutional networks with residual connections \\cite{"
        text = MAIN.replace(r"\cite{}.", rf"\cite{{{taken.text_edit.new_text}}}. {other}}}.")
        at.change(main, text)
        later = await at.offered(main, text, other)
        assert later
        assert taken.label not in [item.label for item in later]
        (command,) = await at.mending(main, text, taken.text_edit.new_text)
        assert command == taken.command
        assert await at.shown(main, text, taken.text_edit.new_text)
        await at.take(command)
        (edit,) = at.edits
        assert taken.text_edit.new_text in edit.new_text

    at_work(write)


def test_the_entry_of_a_chapter_is_added_to_the_bibliography_of_its_project(at_work, draft: Path) -> None:
    chapter = draft / "sections/chapter.qmd"
    text = "# Attention models for machine translation\n\nRecurrent networks [@nobody] were replaced by attention [@"
    chapter.write_text("")
    (draft / "_quarto.yml").write_text("bibliography: refs.bib\n")

    async def write(at: Editor) -> None:
        at.open(chapter, text)
        items = await at.offered(chapter, text, "attention [@")
        await at.take(items[0].command)
        assert at.edited == [(draft / "refs.bib").as_uri()]

    at_work(write)


def test_a_draft_without_bibtex_says_that_nothing_was_added(at_work, draft: Path) -> None:
    notes = draft / "notes.md"
    text = "# Attention models for machine translation\n\nRecurrent networks were replaced by attention [@"
    notes.write_text("")
    (draft / "refs.bib").unlink()

    async def write(at: Editor) -> None:
        at.open(notes, text)
        items = await at.offered(notes, text, "[@")
        assert items
        await at.take(items[0].command)
        assert at.said == ["The entry was not added: the draft names no file of BibTeX"]
        assert not at.edits

    at_work(write)


def test_a_file_of_bibtex_that_is_too_large_is_named(at_work, draft: Path) -> None:
    (draft / "refs.bib").write_text(ENTRIES + "% of gardens\n" * 700_000)

    async def write(at: Editor) -> None:
        await at.take((await at.offered_in_main(draft))[0].command)
        assert at.said == ["The entry was not added: too large or too many to add entries to: refs.bib"]

    at_work(write)


@pytest.mark.parametrize("target", ["library.bib", "profile"])
def test_a_link_to_another_folder_is_added_to_where_it_leads_to_bibtex(
    target: str, at_work, draft: Path, tmp_path: Path
) -> None:
    """As to the library of a reference manager."""
    (draft / "refs.bib").rename(tmp_path / target)
    (draft / "refs.bib").symlink_to(tmp_path / target)

    async def write(at: Editor) -> None:
        await at.take((await at.offered_in_main(draft))[0].command)
        added = target == "library.bib"
        why = "The entry was not added: not read: refs.bib is a link that leads out of the folder"
        assert (at.edited, at.said) == (([(draft / "refs.bib").as_uri()], []) if added else ([], [why]))

    at_work(write)


def test_a_paper_that_has_left_the_index_is_not_added_in_silence(at_work, draft: Path) -> None:
    async def write(at: Editor) -> None:
        main = draft / "main.tex"
        command = (await at.offered_in_main(draft))[0].command
        assert command
        await at.take(types.Command(command.title, command.command, arguments=[main.as_uri(), "gone"]))
        assert at.said == ["The entry was not added: the paper has left the index"]

    at_work(write)


def test_a_file_of_bibtex_that_is_not_there_yet_is_named(at_work, draft: Path) -> None:
    (draft / "refs.bib").unlink()

    async def write(at: Editor) -> None:
        await at.take((await at.offered_in_main(draft))[0].command)
        assert at.said == [r"The entry was not added: not found: \bibliography{refs}"]
        (draft / "refs.bib").write_text("")
        await at.take((await at.offered(draft / "main.tex", MAIN, r"attention \cite{"))[0].command)
        assert at.edited == [(draft / "refs.bib").as_uri()]

    at_work(write)


def test_a_file_of_bibtex_that_is_not_there_yet_is_made_for_the_first_entry(
    demo_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main, bib = tmp_path / "main.tex", tmp_path / "refs.bib"
    main.write_text(MAIN)
    can = types.WorkspaceEditClientCapabilities(True, [types.ResourceOperationKind.Create])
    edits: list[types.WorkspaceEdit] = []
    with LiveRecommender.open(demo_index) as live:
        made = server(live)
        made.protocol._workspace = Workspace(None)
        made.protocol.client_capabilities = types.ClientCapabilities(types.WorkspaceClientCapabilities(True, can))
        monkeypatch.setattr(made, "workspace_apply_edit", lambda asked: edits.append(asked.edit) or Future())
        made.workspace.put_text_document(types.TextDocumentItem(main.as_uri(), "latex", 1, MAIN))
        at = types.CompletionParams(types.TextDocumentIdentifier(main.as_uri()), end(MAIN, r"attention \cite{"))
        complete = made.protocol.fm.features[types.TEXT_DOCUMENT_COMPLETION]
        commands = [item.command for item in asyncio.run(complete(at)).items]
        text = ""
        for command in commands[:2]:
            asyncio.run(made.protocol.fm.commands[command.command](*command.arguments))
            create, edit = edits.pop().document_changes or ()
            assert isinstance(create, types.CreateFile) and isinstance(edit, types.TextDocumentEdit)
            assert (create.uri, edit.text_document.uri) == (bib.as_uri(),) * 2
            assert create.options == types.CreateFileOptions(ignore_if_exists=True)
            (change,) = edit.edits
            lines = text.split("\n")
            assert change.range.start == types.Position(len(lines) - 1, len(lines[-1]))
            text += change.new_text
            made.workspace.put_text_document(types.TextDocumentItem(bib.as_uri(), "bibtex", 1, text))
    assert len(list(papers_of_bytes("refs.bib", text.encode(), ReadReport()))) == 2
