"""A manuscript in Markdown with a bibliography by key, and what is read of it."""

from archives import zipped
from project_files import bib

from manuscripts.manuscript import Manuscript
from manuscripts.reading import read


def read_text(text: str, front: str = "title: T", *keys: str) -> Manuscript:
    return read(zipped({"p.qmd": f"---\n{front}\n---\n\n{text}\n", "refs.bib": bib(*(keys or ("one", "two")))}))
