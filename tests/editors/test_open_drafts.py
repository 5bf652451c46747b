"""The draft that is open in an editor, where that differs from what lies on disk."""

from pathlib import Path

from editors.drafts import open_draft
from editors.open_citation import HERE


def test_a_file_that_was_emptied_in_the_editor_is_empty(tmp_path: Path) -> None:
    begin = r"\documentclass{article}\title{A}\begin{document}"
    text = f"{begin}One \\cite{{{HERE}, a}}.\\bibliography{{refs}}\\end{{document}}"
    main, refs = tmp_path / "main.tex", tmp_path / "refs.bib"
    main.write_text("of an earlier day")
    refs.write_text("@misc{a, title={One of the many}}")
    assert [entry.key for entry in open_draft(main, text, {}, []).manuscript.entries] == ["a"]
    assert not open_draft(main, text, {refs: ""}, []).manuscript.entries
