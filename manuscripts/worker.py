"""The process that reads a file which anybody may have made: bounded in memory and time, and without writing.

`python -m manuscripts.worker TASK ROOT`, with a task of `sandbox` and a root that may be "", reads the file, or an
archive whose main file is ROOT, from standard input and writes JSON to standard output.
"""

import sys
from dataclasses import replace
from itertools import islice
from typing import Any

from common.bounded import answer
from common.errors import SourceError
from manuscripts.limits import MAX_REFERENCES
from manuscripts.manuscript import Manuscript
from manuscripts.manuscript_json import as_json


def main() -> None:
    """Do what the argument says."""
    task = {"references": _references, "bibliography": _bibliography, "paper": _paper}.get(sys.argv[1], _manuscript)
    answer(lambda: as_json(task()))


def _manuscript() -> Manuscript:
    from manuscripts.reading import read

    task, root = sys.argv[1:]
    return read(sys.stdin.buffer.read(), root, part=task != "manuscript", placed=task != "unsaved")


def _paper() -> dict[str, Any]:
    from manuscripts import pdf_paper

    return pdf_paper.read(sys.stdin.buffer.read())


def _references() -> dict[str, Any]:
    from indexer.readers import ReadReport
    from indexer.readers.reading import papers_of_bytes
    from manuscripts.bibliographies import short

    report = ReadReport()
    try:
        papers = papers_of_bytes("bibliography", sys.stdin.buffer.read(), report, untitled=True)
        works = list(map(short, islice(papers, MAX_REFERENCES)))
    except SourceError:
        raise SourceError("not a bibliography that can be read: BibTeX, RIS and CSL-JSON are") from None
    return {"works": works, "skipped": report.skips()}


def _bibliography() -> Manuscript:
    from manuscripts.bibliographies import entries_of_file, once, with_bibtex
    from manuscripts.files import Files
    from manuscripts.places import located

    path = sys.argv[2]
    files = Files({path: sys.stdin.buffer.read()})
    read = with_bibtex(located(Manuscript(entries=once(entries_of_file(files, path))), files), files)
    return replace(read, notes=tuple(files.notes))


if __name__ == "__main__":
    main()
