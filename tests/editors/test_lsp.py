"""What the server for editors offers behind an open citation, asked as an editor asks it, by pygls' client."""

import asyncio
import shutil
from pathlib import Path

import pytest
from lsprotocol import types
from played_editor import ENTRIES, MAIN, Editor, end, title
from pygls.exceptions import JsonRpcRequestCancelled
from pygls.workspace import Workspace

from citescout.live import LiveRecommender
from citescout.recommendation import Recommendation
from editors import server
from editors.completion import Completion
from editors.drafts import OpenDraft
from editors.open_citation import OpenCitation
from indexer.changes import add_papers
from indexer.paper import Paper
from indexer.readers import ReadReport
from indexer.readers.reading import papers_of_bytes
from manuscripts.manuscript import Manuscript
from rerank.sentences import sentence_reranker

_BERT = (
    "\\begin{thebibliography}{9}\\bibitem{bert} Devlin, J. (2019). BERT: Pre-training of Deep "
    "Bidirectional Transformers for Language Understanding.\\end{thebibliography}\\end{document}"
)
_CITES_BERT = MAIN.replace("attention \\cite{}", "attention \\cite{bert}").replace("\\end{document}", _BERT)


@pytest.mark.long
def test_a_paper_is_offered_for_the_sentence_and_its_entry_added(at_work, draft: Path) -> None:
    async def write(at: Editor) -> None:
        main = draft / "main.tex"
        at.open(main)
        at.open(draft / "refs.bib")
        items = await at.offered(main, MAIN, r"attention \cite{")
        assert [item.sort_text for item in items] == sorted(item.sort_text or "" for item in items)
        first = next(item for item in items if title(item) == "Attention Is All You Need")
        assert items.index(first) < 3
        assert isinstance(first.text_edit, types.TextEdit)
        key = first.text_edit.new_text
        assert first.detail and first.detail.startswith(key) and first.detail.endswith("%")
        assert isinstance(first.documentation, types.MarkupContent)
        assert "Attention Is All You Need" in first.documentation.value
        await at.take(first.command)
        assert at.edited == [(draft / "refs.bib").as_uri()]
        (edit,) = at.edits
        assert edit.range.start == edit.range.end == types.Position(1, 0)
        both = list(papers_of_bytes("refs.bib", (ENTRIES + edit.new_text).encode(), ReadReport()))
        assert [paper.id for paper in both] == ["nobody", key]
        assert not at.said

    at_work(write)


def test_a_chapter_is_part_of_the_draft_above_it(at_work, draft: Path) -> None:
    """What is not saved counts, in this file and in others: the main file cites BERT only in the editor."""

    async def write(at: Editor) -> None:
        chapter, main = draft / "sections/related.tex", draft / "main.tex"
        text = "Naïve 🌳. Pretrained transformers encode tokens in both directions \\citep{"
        at.open(chapter, text)
        items = await at.offered(chapter, text, r"\citep{")
        bert = next(item for item in items if title(item).startswith("BERT"))
        assert items.index(bert) < 3
        assert isinstance(bert.text_edit, types.TextEdit)
        assert bert.text_edit.range.start == types.Position(0, len(text.encode("utf-16-le")) // 2)
        at.open(main, _CITES_BERT)
        assert not any(title(item).startswith("BERT") for item in await at.offered(chapter, text, r"\citep{"))

    at_work(write)


@pytest.mark.parametrize("name", ["C# notes", "why?", "100%25", "Übung 1"])
def test_a_folder_may_have_any_name(name: str, at_work, tmp_path: Path) -> None:
    """The main file stands above the chapter, and cites BERT only in the editor."""
    chapter, main = tmp_path / name / "sections/related.tex", tmp_path / name / "main.tex"
    chapter.parent.mkdir(parents=True)
    main.write_text(MAIN)
    works_in = types.WorkspaceFolder(main.parent.as_uri(), name)
    text = "Pretrained transformers encode tokens in both directions \\citep{"

    async def write(at: Editor) -> None:
        changed = types.WorkspaceFoldersChangeEvent([works_in], [])
        at.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(changed))
        at.open(chapter, text)
        at.open(main, _CITES_BERT)
        items = await at.offered(chapter, text, r"\citep{")
        assert items
        assert not any(title(item).startswith("BERT") for item in items)

    at_work(write)


def test_the_folder_of_an_editor_that_knows_of_one_alone_is_worked_in(demo_index: Path, draft: Path) -> None:
    chapter, text = draft / "sections/related.tex", "Pretrained transformers encode tokens in both directions \\citep{"
    with LiveRecommender.open(demo_index) as live:
        made = server(live)
        made.protocol._workspace = Workspace(draft.as_uri())
        made.workspace.put_text_document(types.TextDocumentItem(chapter.as_uri(), "latex", 1, text))
        made.workspace.put_text_document(types.TextDocumentItem((draft / "main.tex").as_uri(), "latex", 1, _CITES_BERT))
        at = types.CompletionParams(types.TextDocumentIdentifier(chapter.as_uri()), end(text, r"\citep{"))
        items = asyncio.run(made.protocol.fm.features[types.TEXT_DOCUMENT_COMPLETION](at)).items
    assert items
    assert not any(title(item).startswith("BERT") for item in items)


def test_what_the_bibliography_has_already_keeps_its_key(at_work, draft: Path) -> None:
    entry = "@article{mine, title={Attention Is All You Need}, author={Vaswani, Ashish}, year={2017}}\n"
    (draft / "refs.bib").write_text(entry)

    async def write(at: Editor) -> None:
        items = await at.offered_in_main(draft)
        first = next(item for item in items if title(item) == "Attention Is All You Need")
        assert isinstance(first.text_edit, types.TextEdit)
        assert first.text_edit.new_text == "mine"
        assert first.command is None

    at_work(write)


def test_a_bibliography_that_another_program_changes_is_read_again(at_work, draft: Path) -> None:
    entry = "@article{mine, title={Attention Is All You Need}, author={Vaswani, Ashish}, year={2017}}\n"

    async def write(at: Editor) -> None:
        async def command() -> types.Command | None:
            items = await at.offered(draft / "main.tex", MAIN, r"attention \cite{")
            return next(item for item in items if title(item) == "Attention Is All You Need").command

        at.open(draft / "main.tex")
        assert await command()
        (draft / "refs.bib").write_text(ENTRIES + entry)
        assert not await command()
        (draft / "refs.bib").rename(draft / "other.bib")
        assert await command()

    at_work(write)


def test_a_paper_that_enters_the_index_is_offered(demo_index: Path, tmp_path: Path) -> None:
    index, draft = tmp_path / "index", tmp_path / "draft.md"
    shutil.copytree(demo_index, index)
    text = "# Gardens\n\nZorgwurst hedges shade the orchards of the north in every season [@"
    with LiveRecommender.open(index) as live:
        made = server(live)
        made.protocol._workspace = Workspace(None)
        made.workspace.put_text_document(types.TextDocumentItem(draft.as_uri(), "markdown", 1, text))
        complete = made.protocol.fm.features[types.TEXT_DOCUMENT_COMPLETION]
        at = types.CompletionParams(types.TextDocumentIdentifier(draft.as_uri()), end(text, "[@"))

        def offered() -> list[str]:
            return [title(item) for item in getattr(asyncio.run(complete(at)), "items", ())]

        hedges = "Zorgwurst hedges shade orchards"
        assert hedges not in offered()
        add_papers([Paper("new", hedges, "Orchards of the north in every season.", authors=("Doe, A.",))], index)
        assert hedges in offered()


def test_a_key_that_is_pointed_at_shows_its_paper(at_work, draft: Path) -> None:
    entry = "@article{mine, title={Attention Is All You Need}, author={Vaswani, Ashish}, year={2017}}\n"
    (draft / "refs.bib").write_text(ENTRIES + entry)
    text = MAIN.replace(r"attention \cite{}.", r"attention \cite{nobody, mine}, and then \citep{}.")

    async def write(at: Editor) -> None:
        main = draft / "main.tex"
        at.open(main, text)
        shown = await at.shown(main, text, "mi")
        assert shown.startswith("Vaswani, A.")
        assert "BLEU scores" in shown
        assert await at.shown(main, text, "nobo") == ""  # the index has no such paper
        assert await at.shown(main, text, "Recurrent") == ""
        offered = (await at.offered(main, text, r"\citep{"))[0]
        assert isinstance(offered.text_edit, types.TextEdit)
        assert isinstance(offered.documentation, types.MarkupContent)
        taken = text.replace(r"\citep{}", rf"\citep{{{offered.text_edit.new_text}}}")
        at.change(main, taken)
        assert offered.documentation.value.startswith((await at.shown(main, taken, r"\citep{")).split("\n")[0])
        assert not at.logged

    at_work(write)


@pytest.mark.parametrize(
    ("name", "opening", "cited"), [("notes.md", "[@", "[@{}; @"), ("notes.tex", r"\cite{{", r"\cite{{{},")]
)
def test_what_was_taken_is_cited_though_no_file_has_its_entry(
    at_work, draft: Path, name: str, opening: str, cited: str
) -> None:
    sentence = "Recurrent networks were replaced by attention "
    (draft / "refs.bib").unlink()
    (draft / "main.tex").unlink()

    async def write(at: Editor) -> None:
        text = sentence + opening.format()
        at.open(draft / name, text)
        first = (await at.offered(draft / name, text, text))[0]
        assert isinstance(first.text_edit, types.TextEdit)
        text = sentence + cited.format(first.text_edit.new_text)
        at.change(draft / name, text)
        items = await at.offered(draft / name, text, text)
        assert items
        assert first.label not in [item.label for item in items]

    at_work(write)


def test_a_key_that_was_offered_is_that_of_one_paper(tmp_path: Path) -> None:
    one, two = (Paper(f"W{n}", f"Dense vectors, part {n}", year=2020, authors=("Ann Smith",)) for n in "12")
    keys: dict[str, str] = {}
    citation = OpenCitation(0, 0, "", "", "", bare=False)
    for papers, offered in (
        ([one], ["smith2020dense"]),
        ([two], ["smith2020dense-2"]),
        ([two, one], ["smith2020dense-2", "smith2020dense"]),
    ):
        completion = Completion(OpenDraft(Manuscript(), tmp_path, ""), (), papers, keys)
        items = completion.items(types.Range(types.Position(0, 0), types.Position(0, 0)), "file:///main.tex", citation)
        assert [item.text_edit.new_text for item in items if item.text_edit] == offered


@pytest.mark.parametrize("typed", ["vaswani2017at", "shaz", "atten", "is you"])
def test_what_is_typed_is_how_the_text_begins_that_is_compared(typed: str, tmp_path: Path) -> None:
    """In any case of letters, for editors that compare beginnings alone; further letters of a word go on with it."""
    paper = Paper("W1", "Attention Is All You Need", year=2017, authors=("Vaswani, Ashish", "Shazeer, Noam"))
    other = Paper("W2", "Get to the Point", year=2017, authors=("See, Abigail",))
    draft = OpenDraft(Manuscript(), tmp_path, "")
    offered = [Recommendation(rank, 50.0, one) for rank, one in enumerate((paper, other), 1)]
    citation = OpenCitation(0, 0, typed, typed, "", bare=False)
    items = Completion(draft, offered, [paper], {}).items(
        types.Range(types.Position(0, 0), types.Position(0, 0)), "file:///main.tex", citation
    )
    first, second = (item.filter_text or "" for item in items)
    assert first.startswith(typed)
    assert first.lower().startswith({"shaz": "shazeer", "atten": "attention"}.get(typed, typed))
    assert second.startswith("see2017get")


def test_typed_letters_find_papers_of_any_topic(at_work, draft: Path) -> None:
    text = MAIN.replace(r"\cite{}", r"\cite{ImageNet}")

    async def write(at: Editor) -> None:
        at.open(draft / "main.tex", text)
        items = await at.offered(draft / "main.tex", text, r"\cite{ImageNet")
        assert any("ImageNet" in (item.filter_text or "") for item in items)
        assert len({item.label for item in items}) == len(items)

    at_work(write)


@pytest.mark.parametrize("text", ["Recurrent networks were replaced.", r"\cite{one} \label{", "\\begin{document"])
def test_nothing_is_offered_elsewhere(at_work, draft: Path, text: str) -> None:
    async def write(at: Editor) -> None:
        at.open(draft / "main.tex", text)
        assert await at.offered(draft / "main.tex", text, text) == []
        assert not at.said

    at_work(write)


@pytest.mark.parametrize("address", ["untitled:Untitled-1", "vscode-notebook-cell:/a/b.ipynb#x", "file:///a/b.tex"])
def test_nothing_is_offered_in_what_is_not_open(at_work, address: str) -> None:
    place = types.Position(0, 6)
    given = types.TextDocumentIdentifier(address)

    async def write(at: Editor) -> None:
        ask = at.client
        assert await ask.text_document_completion_async(types.CompletionParams(given, place)) is None
        assert await ask.text_document_hover_async(types.HoverParams(given, place)) is None
        everywhere = types.CodeActionParams(given, types.Range(place, place), types.CodeActionContext([]))
        assert not await ask.text_document_code_action_async(everywhere)

    at_work(write)


def test_a_text_about_something_else_is_offered_nothing(at_work, draft: Path) -> None:
    text = "\\documentclass{article}\\begin{document}Zxcv qwer asdf uiop hjkl vbnm \\cite{"

    async def write(at: Editor) -> None:
        at.open(draft / "main.tex", text)
        assert await at.offered(draft / "main.tex", text, r"\cite{") == []

    at_work(write)


def test_a_draft_that_cannot_be_read_says_so_in_the_log(at_work, draft: Path) -> None:
    text = "\\documentclass{article}\\begin{document}\\input{sections/related} Attention \\cite{"
    (draft / "sections/related.tex").write_text(r"\input{sections/related}")

    async def write(at: Editor) -> None:
        at.open(draft / "main.tex", text)
        assert await at.offered(draft / "main.tex", text, r"\cite{") == []
        (said,) = at.logged
        assert "circle" in said
        assert str(draft) in said
        assert not at.said

    at_work(write)


@pytest.mark.parametrize("other", [False, True])
def test_a_draft_that_was_never_saved_is_read(other: bool, at_work, draft: Path) -> None:
    text = "# Word vectors\n\n## Abstract\n\nWords as vectors.\n\n## Methods\n\nSkip-gram learns vectors of words [@"
    folder = draft / "new"
    folder.mkdir()
    if other:
        (folder / "main.tex").write_text(MAIN.replace(r"\input{sections/related}", "An image is recognised."))

    async def write(at: Editor) -> None:
        at.open(folder / "new.md", text)
        unsaved = await at.offered(folder / "new.md", text, "[@")
        (folder / "new.md").write_text("")
        saved = await at.offered(folder / "new.md", text, "[@")
        assert [one.label for one in unsaved] == [one.label for one in saved]
        assert "Efficient Estimation of Word Representations" in " ".join(one.label for one in unsaved[:3])
        assert at.logged == []

    at_work(write)


def test_what_is_cancelled_while_it_waits_is_not_worked_through(at_work, draft: Path) -> None:
    main = draft / "main.tex"
    texts = [MAIN.replace("attention ", f"attention in {count} layers ") for count in range(8)]

    async def write(at: Editor) -> None:
        at.open(main)
        asked = []
        for number, text in enumerate(texts):
            at.change(main, text)
            place = types.CompletionParams(types.TextDocumentIdentifier(main.as_uri()), end(text, r"layers \cite{"))
            send = at.client.protocol.send_request_async
            asked.append(send(types.TEXT_DOCUMENT_COMPLETION, place, f"typed-{number}"))
        waiting = [asyncio.ensure_future(one) for one in asked]
        await asyncio.sleep(0)
        for number in range(1, len(texts) - 1):
            at.client.protocol.notify(types.CANCEL_REQUEST, types.CancelParams(f"typed-{number}"))
        first, *cancelled, last = await asyncio.gather(*waiting, return_exceptions=True)
        assert isinstance(first, types.CompletionList)
        assert isinstance(last, types.CompletionList)
        assert [type(one) for one in cancelled] == [JsonRpcRequestCancelled] * len(cancelled)

    at_work(write)


def test_what_is_asked_of_a_text_is_answered_of_it_though_it_changes_meanwhile(at_work, draft: Path) -> None:
    """Editors may show such a list all the same, and replace what was typed since."""
    main = draft / "main.tex"
    place = end(MAIN, r"attention \cite{")
    asked = types.CompletionParams(types.TextDocumentIdentifier(main.as_uri()), place)

    async def write(at: Editor) -> None:
        at.open(main)
        send = at.client.protocol.send_request_async
        waiting = [send(types.TEXT_DOCUMENT_COMPLETION, asked) for _ in range(2)]
        at.change(main, "% of today\n" + MAIN.replace(r"\cite{}", r"\cite{va}"))
        for found in await asyncio.gather(*waiting):
            edit = found.items[0].text_edit
            assert edit.range == types.Range(place, place)
            assert not edit.new_text.endswith(",")

    at_work(write)


def test_models_are_loaded_before_the_first_list_is_asked_for(demo_index: Path) -> None:
    sentence_reranker.cache_clear()
    with LiveRecommender.open(demo_index) as live:
        server(live).protocol.fm.features[types.INITIALIZED](types.InitializedParams())
        assert sentence_reranker.cache_info().currsize == 1
