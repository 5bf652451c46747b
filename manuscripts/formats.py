"""What format a file is in, told without the reader of that format, whose import may take longer than this."""

import re

SWEAVE = ".rnw"  # LaTeX with code of R in it
TEX = (".tex", ".ltx", ".latex", SWEAVE)
WOVEN = (".qmd", ".rmd")  # Markdown with such code, of which LaTeX is made
MARKDOWN = (*WOVEN, ".md", ".markdown")
NOTEBOOK = ".ipynb"
TYPST = (".typ",)
DOCUMENTS = (".docx", ".docm", ".odt")
TEMPLATES = (".dotx", ".dotm", ".ott")  # in which some write, while others have them beside what they write
OTHERS = (".doc", ".rtf", ".fodt", ".wps", ".wpd")  # of word processors, and refused unless they are one of DOCUMENTS
WHOLE = (*DOCUMENTS, ".pdf")  # a manuscript each
MAINS = (*TEX, *TYPST, *MARKDOWN, NOTEBOOK, *WHOLE)
TEXT = ".txt"  # a manuscript where there is none of these
KINDS = ".tex, .typ, .qmd, .md, .docx, .odt or .pdf"  # what is missing where there is no manuscript
UNSUPPORTED = "Unsupported file. Use .tex, .typ, .zip, .docx, .odt, .md, .qmd, .ipynb, .pdf or .txt"
CONVERT = "convert it first, such as with pandoc -s FILE -o draft.md"

_TYPST = re.compile(
    r"^[ \t]*#(?:set [a-z.]+\(|show[ :]|import \"|include \"|let [\w-]+ ?[=(]|bibliography\(|cite\()", re.MULTILINE
)
_LATEX_DOCUMENT = re.compile(r"^[ \t]*\\(?:documentclass\b|begin\s*\{document\})", re.MULTILINE)
# Commands of a text, which stand with an argument and not alone, as where somebody writes of them.
_LATEX = re.compile(
    r"\\(?:begin|title|part|chapter|(?:sub)*section|paragraph|input|include|label|(?:no|paren|text|foot|auto)?cite[a-z]*)"
    r"\*?\s*[\[{]"
)
# In YAML, or as MultiMarkdown and Pandoc have it above the text.
_HAS_TITLE = re.compile(r"\A(?:\s*---\s*\n(?:.*\n)*?title\s*:|title:.*\n\w[\w ]*:|%[ \t]+\w)", re.IGNORECASE)
_MARKDOWN = re.compile(r"\A\s*---[ \t]*\r?\n(?:.*\n)*?title\s*:|\[[^\[\]\n]{0,200}@[\w{][^\]\n]{0,500}\]")


def is_pdf(data: bytes) -> bool:
    """Is it a PDF? `data` may be its beginning."""
    return b"%PDF-" in data[:1024]


def is_tar(data: bytes) -> bool:
    """Is it a tar archive? `data` may be its beginning."""
    return data[257:262] == b"ustar"


def is_notebook(text: str) -> bool:
    """Is it a notebook of Jupyter?"""
    return text.lstrip()[:1] == "{" and '"cells"' in text and '"nbformat"' in text


def is_markdown(text: str) -> bool:
    """Is it Markdown that has a title in its metadata, or cites by keys in brackets?"""
    return _MARKDOWN.search(text) is not None


def has_title(text: str) -> bool:
    """Has a text in Markdown a title in its metadata?"""
    return _HAS_TITLE.match(text) is not None


def is_typst(text: str) -> bool:
    """Is it Typst?"""
    return _TYPST.search(text) is not None


def is_latex_document(text: str) -> bool:
    """Is it a whole document of LaTeX? `text` may be its beginning."""
    return _LATEX_DOCUMENT.search(text) is not None


def is_latex(text: str) -> bool:
    """Is it LaTeX, a whole document or a chapter of one?"""
    return is_latex_document(text) or _LATEX.search(text) is not None
