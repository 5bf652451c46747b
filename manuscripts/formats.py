"""What format a file's bytes are in, told without the reader of that format, whose import may take longer than this."""

import re

_TYPST = re.compile(
    rb"^[ \t]*#(?:set [a-z.]+\(|show[ :]|import \"|include \"|let [\w-]+ ?[=(]|bibliography\(|cite\()", re.MULTILINE
)
_LATEX = (b"\\documentclass", b"\\begin{", b"\\title", b"\\section")


def is_pdf(data: bytes) -> bool:
    """Is it a PDF? `data` may be its beginning."""
    return b"%PDF-" in data[:1024]


def is_notebook(data: bytes) -> bool:
    """Is it a notebook of Jupyter?"""
    return data.lstrip()[:1] == b"{" and b'"cells"' in data and b'"nbformat"' in data


def is_typst(data: bytes) -> bool:
    """Is it Typst?"""
    return _TYPST.search(data) is not None


def is_latex(data: bytes) -> bool:
    """Is it LaTeX?"""
    return any(mark in data for mark in _LATEX)
