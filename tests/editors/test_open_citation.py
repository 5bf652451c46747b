"""Where a key goes, and the text with one there: `|` is the cursor in what is given, HERE the key in what is made."""

import pytest

from editors.open_citation import HERE, open_citation


def marked(text: str, name: str) -> str | None:
    found = open_citation(text.replace("|", ""), text.index("|"), name)
    return found and found.marked.replace(HERE, "HERE")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"As shown \cite{|}.", r"As shown \cite{HERE}."),
        ("As shown \\cite{|\nand so on}", "As shown \\cite{HERE}\nand so on}"),
        (r"\citep[see][p.~3]{one, tw|o, three}", r"\citep[see][p.~3]{one, HERE, three}"),
        (r"\autocites[see]{one}[cf.]{|", r"\autocites[see]{one}[cf.]{HERE}"),
        (r"\textcite*{Vas|} writes", r"\textcite*{HERE} writes"),
        (r"\Cite{a,|", r"\Cite{a,HERE}"),
        (r"\parencites(see)(and others)[1]{one}[2]{|}", r"\parencites(see)(and others)[1]{one}[2]{HERE}"),
        ("\\cite{%\n  one, % as, they\n  tw|\n}", "\\cite{%\n  one, % as, they\n  HERE\n}"),
        ("\\cite{one, % tw|\n}", None),
        (r"\cite{one} (and others) {|", None),
        (r"\cite{one} and {|", None),
        (r"\cite{one}|", None),
        (r"\citestyle{|}", None),
        (r"\ref{|}", None),
        (r"me@home| and \cite", None),
    ],
)
def test_in_latex(text: str, expected: str | None) -> None:
    assert marked(text, "chapter.tex") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("As shown [@|", "As shown [@HERE]"),
        ("As shown [see @one; @|] by many [1].", "As shown [see @one; @HERE] by many [1]."),
        ("As @vas|wani shows", "As @HERE shows"),
        ("As @{https://x.org/a|} shows", "As @{HERE} shows"),
        ("A list [x] of one.\n\nAs [-@|", "A list [x] of one.\n\nAs [-@HERE]"),
        (r"As \citet{|}", r"As \citet{HERE}"),
        ("Write to me@ho|", None),
        (r"An escaped \@ho|", None),
        ("As shown.\n\n```{python}\nx = 1\n@ca|\ndef f(): ...\n```\n", None),
        ("1. As shown:\n\n   ~~~~ python\n   ~~~\n   @|", None),
        ("````md\n```\n@|", None),
        ("```python\n@cache\n```\nAs @vas| shows", "```python\n@cache\n```\nAs @HERE shows"),
        ("```\n```\n~~~\n@a\n~~~~\nAs @vas| shows", "```\n```\n~~~\n@a\n~~~~\nAs @HERE shows"),
        ('```{r, fig.cap="As @vas|"}\n```', '```{r, fig.cap="As @HERE"}\n```'),
        ("As ```@a``` and @vas|", "As ```@a``` and @HERE"),
        ("```py\r\nx\r\n```\r\n\r\nAs @vas| shows", "```py\r\nx\r\n```\r\n\r\nAs @HERE shows"),
        ("- ```python\n  x\n  ```\n\nAs @vas|", "- ```python\n  x\n  ```\n\nAs @HERE"),
        ("> 10. ```python\n>     x\n>     ```\n\nAs @vas|", "> 10. ```python\n>     x\n>     ```\n\nAs @HERE"),
        ("- ```python\n  @ca|", None),
        ("```py\r\n@ca|", None),
        ("As shown {cite:p}`|", "As shown {cite:p}`HERE`"),
        ("As {cite:t}`one,tw|o` shows", "As {cite:t}`one,HERE` shows"),
        ("As {footcite}`{see}one{p. 3}, |` shows", "As {footcite}`{see}one{p. 3}, HERE` shows"),
        ("As {cite}`|one` shows", "As {cite}`HERE,one` shows"),
        ("As {cite:p}`| and {cite}`{see}one`", "As {cite:p}`HERE` and {cite}`{see}one`"),
        ("As {cite}`one` and `|` show", None),
        ("As {doc}`|", None),
        ("```{code-block} md\n{cite}`|", None),
        ("```{note}\n:class: tip\nAs [@|", "```{note}\n:class: tip\nAs [@HERE]"),
        (
            "````{admonition} On it\n```python\n@a\n```\nAs @vas|\n````",
            "````{admonition} On it\n```python\n@a\n```\nAs @HERE\n````",
        ),
        ("````{note}\n```python\n@ca|\n```\n````", None),
        ("```{theorem, name='T'}\nAs @vas|", "```{theorem, name='T'}\nAs @HERE"),
    ],
)
def test_in_markdown(text: str, expected: str | None) -> None:
    assert marked(text, "paper.qmd") == expected


def test_a_caption_in_code_cites() -> None:
    text = '```{r}\n#| fig-cap: "As @'
    assert open_citation(text, len(text), "paper.qmd")
    assert open_citation(f'{text}smith2020"\nf @', len(text), "paper.qmd")
    assert not open_citation(f'{text}smith2020"\nf @', len(text) + 14, "paper.qmd")


@pytest.mark.parametrize(
    ("text", "name", "written"),
    [
        ("As shown [@|", "a.md", "{M&M*2020}"),
        ("As @smi|th shows", "a.md", "{M&M*2020}"),
        ("As shown [@{|", "a.md", "M&M*2020"),
        (r"As \citet{|}", "a.md", "M&M*2020"),
        (r"As \citet{|}", "a.tex", "M&M*2020"),
        ("As shown @|", "a.typ", "M&M*2020"),
    ],
)
def test_a_key_with_signs_of_markdown_stands_in_braces(text: str, name: str, written: str) -> None:
    citation = open_citation(text.replace("|", ""), text.index("|"), name)
    assert citation
    assert (citation.written("M&M*2020"), citation.written("smith2020")) == (written, "smith2020")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("As shown @| by many", "As shown @HERE by many"),
        ("As shown @vas|[p. 3]", "As shown @HERE[p. 3]"),
        ("```py\n@ca|\n```", None),
        ("#let x = ```py\n@ca|\n```", None),
        ("````py\n```\n@ca|", None),
        ("#let x = ```py\nx\n```\n\nAs @|", "#let x = ```py\nx\n```\n\nAs @HERE"),
        ("#figure(```py\nx\n```)\n\nAs @|", "#figure(```py\nx\n```)\n\nAs @HERE"),
        ("As shown #cite(<|", "As shown #cite(<HERE>)"),
        ("As shown #cite(<vas|>, form: none)", "As shown #cite(<HERE>, form: none)"),
        ('As #cite(form: "prose", <vas|>)', 'As #cite(form: "prose", <HERE>)'),
        ("As #citet(<|>)", "As #citet(<HERE>)"),
        ("#f(<a>) <|", None),
        ("注意力@vas|，参见", "注意力@HERE，参见"),
        ("Write to me@ho|", None),
    ],
)
def test_in_typst(text: str, expected: str | None) -> None:
    assert marked(text, "paper.typ") == expected


def test_the_key_is_replaced_whole_and_what_is_typed_ends_at_the_cursor() -> None:
    text = r"As \cite{one,vaswani2017}"
    found = open_citation(text, text.index("ani2017"), "paper.tex")
    assert found is not None
    assert (text[found.start : found.end], found.typed) == ("vaswani2017", "vasw")


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (r"As \cite{|.", "a.tex", r"As \cite{KEY."),
        (r"As \cite{|: see", "a.tex", r"As \cite{KEY: see"),
        (r"As \cite{vas|. Then", "a.tex", r"As \cite{KEY. Then"),
        (r"As \cite{nobody,|more text here", "a.tex", r"As \cite{nobody,KEY more text here"),
        (r"As \cite{|nobody,x}.", "a.tex", r"As \cite{KEY,nobody,x}."),
        (r"As \cite{nobody,|x}.", "a.tex", r"As \cite{nobody,KEY,x}."),
        (r"As \cite{nob|ody,x}.", "a.tex", r"As \cite{KEY,x}."),
        (r"As \cite{DBLP:a/|b.c}.", "a.tex", r"As \cite{KEY}."),
        ("As [@|...", "a.md", "As [@KEY..."),
        ("As [@|. Then", "a.md", "As [@KEY. Then"),
        ("As @|.", "a.md", "As @KEY."),
        ("As @vas|wani: so", "a.md", "As @KEY: so"),
        ("As [@|more text", "a.md", "As [@KEY more text"),
        (r"As \citet{|nobody}", "a.md", r"As \citet{KEY,nobody}"),
        ("As @|.", "a.typ", "As @KEY."),
        ("As @vas|wani:", "a.typ", "As @KEY:"),
        ("注意力@vas|和更多的词。", "a.typ", "注意力@KEY 和更多的词。"),
        ("注意力@|和更多的词。", "a.typ", "注意力@KEY 和更多的词。"),
        ("注意力[@vas|wani和更多的词。", "a.md", "注意力[@KEY 和更多的词。"),
        ("注意力@vaswani注|意。", "a.typ", "注意力@KEY。"),
        ("As @mül|ler: so", "a.typ", "As @KEY: so"),
        (r"注意力\cite{vas|wani注意}。", "a.tex", r"注意力\cite{KEY}。"),
    ],
)
def test_nothing_else_is_replaced(text: str, name: str, expected: str) -> None:
    given = text.replace("|", "")
    found = open_citation(given, text.index("|"), name)
    assert found
    assert given[: found.start] + found.written("KEY") + given[found.end :] == expected


@pytest.mark.parametrize(
    ("text", "name", "marked_so"),
    [
        (r"As \cite{|nobody,x}.", "a.tex", r"As \cite{HERE,nobody,x}."),
        ("As \\cite{|more text", "a.tex", "As \\cite{HERE} more text"),
        ("As [@|more text", "a.md", "As [@HERE] more text"),
    ],
)
def test_what_stands_behind_is_read_as_it_would_be_written(text: str, name: str, marked_so: str) -> None:
    assert marked(text, name) == marked_so


@pytest.mark.parametrize(
    ("text", "name"), [(r"\cite{|nobody,x}", "a.tex"), ("As @|nobody.", "a.md"), ("As @nob|ody:", "a.typ")]
)
def test_the_key_under_the_cursor_is_whole(text: str, name: str) -> None:
    found = open_citation(text.replace("|", ""), text.index("|"), name)
    assert found and found.key == "nobody"


@pytest.mark.parametrize("name", ["notes.txt", "refs.bib", "code.py", ""])
def test_other_files_hold_no_citations(name: str) -> None:
    assert open_citation(r"\cite{", 6, name) is None
