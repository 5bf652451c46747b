"""Manuscripts in LaTeX as tests write them, and what is read of them."""

from archives import zipped

from manuscripts.files import Files
from manuscripts.latex.expansion import Expansion
from manuscripts.manuscript import Manuscript
from manuscripts.reading import read

DOCUMENT = r"\documentclass{article}\begin{document}"


def expanded(text: str, **files: str) -> str:
    contents = {f"{name}.tex": content.encode() for name, content in {"main": text, **files}.items()}
    return Expansion(Files(contents), "main.tex").text()


def of_project(**files: str) -> Manuscript:
    return read(zipped({name.replace("_", "."): content for name, content in files.items()}))


def document(body: str, preamble: str = r"\title{T}") -> str:
    return rf"\documentclass{{article}}{preamble}\begin{{document}}{body}\end{{document}}"


def words(found: Manuscript) -> str:
    return " ".join(sentence.text for sentence in found.sentences())
