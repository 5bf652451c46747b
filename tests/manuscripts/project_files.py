"""The files of a project on somebody's disk, and what stands in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Project:
    name: str
    files: dict[str, str | bytes]
    title: str
    abstract: str
    marks: int  # commands that cite
    keys: tuple[str, ...]  # in the order of the text, \nocite at the end
    unread: tuple[str, ...] = ()
    main: str = "main.tex"
    latex: bool = True  # pdfLaTeX has all that it needs
    text: dict[str, tuple[str, ...]] = field(default_factory=dict)  # a sentence of it → the keys in it

    def write(self, folder: Path) -> Path:
        return write_files(self.files, folder)


def write_files(files: Mapping[str, str | bytes], folder: Path) -> Path:
    """The folder, once these files are in it."""
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def bib(*keys: str) -> str:
    return "".join(
        f"@article{{{key},\n  author = {{Writer, Ann and Other, Bob}},\n  title = {{On the matter of {key}}},\n"
        f"  journal = {{Journal of {key[:3]}}},\n  year = {{2020}}\n}}\n\n"
        for key in keys
    )
