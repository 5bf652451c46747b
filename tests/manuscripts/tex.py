"""A real LaTeX, where one is installed: Debian's texlive-latex-recommended, texlive-publishers, biblatex and biber."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

_SECONDS = 120

needs_tex = pytest.mark.skipif(
    not (shutil.which("pdflatex") and shutil.which("bibtex") and shutil.which("biber")),
    reason="no TeX: apt-get install texlive-latex-recommended texlive-publishers texlive-bibtex-extra biber",
)


def run(command: str, *arguments: str, folder: Path) -> str:
    """What the command says; it reads and writes below `folder` only."""
    program = shutil.which(command)
    assert program is not None
    guarded = {
        **os.environ,
        "openin_any": "p",
        "openout_any": "p",
        "HOME": str(folder),
        "MKTEXTFM": "0",  # fonts that are not there are not made: a minute each
        "TEXMFVAR": str(folder / ".var"),
    }
    done = subprocess.run(  # noqa: S603
        [program, *arguments], cwd=folder, env=guarded, capture_output=True, timeout=_SECONDS, check=False
    )
    return done.stdout.decode("utf-8", "replace") + done.stderr.decode("utf-8", "replace")


def pdflatex(main: str, folder: Path) -> str:
    return run("pdflatex", "-interaction=nonstopmode", "-no-shell-escape", main, folder=folder)
