"""The process that reads a file which anybody may have made: bounded in memory and time, and without writing.

It is asked by `sandbox`: for a task, with the bytes of a file, or of an archive, and the path of the main file in that,
which may be "". It answers with JSON.
"""

from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from common.bounded import answer
from common.errors import SourceError
from manuscripts.limits import MAX_REFERENCES
from manuscripts.manuscript import Manuscript
from manuscripts.manuscript_json import as_json


def main() -> None:
    """Answer until nobody asks any more."""
    answer(lambda data, task, path: as_json(_TASKS.get(task, partial(_manuscript, task))(data, path)))


def _manuscript(task: str, data: bytes, root: str) -> Manuscript:
    from manuscripts.reading import read

    return read(data, root, part=task != "manuscript", placed=task != "unsaved")


def _paper(data: bytes, _path: str) -> dict[str, Any]:
    from manuscripts import pdf_paper

    return pdf_paper.read(data)


def _references(data: bytes, _path: str) -> dict[str, Any]:
    from indexer.readers import ReadReport
    from indexer.readers.reading import papers_of_bytes
    from manuscripts.bibliographies import short

    report = ReadReport()
    try:
        papers = papers_of_bytes("bibliography", data, report, untitled=True)
        works = list(map(short, islice(papers, MAX_REFERENCES)))
    except SourceError:
        raise SourceError("not a bibliography that can be read: BibTeX, RIS and CSL-JSON are") from None
    return {"works": works, "skipped": report.skips()}


def _bibliography(data: bytes, path: str) -> Manuscript:
    from manuscripts.bibliographies import entries_of_file, once, with_bibtex
    from manuscripts.files import Files
    from manuscripts.places import located

    files = Files({path: data})
    read = with_bibtex(located(Manuscript(entries=once(entries_of_file(files, path))), files), files)
    return replace(read, notes=tuple(files.notes))


_TASKS = {"references": _references, "bibliography": _bibliography, "paper": _paper}

if __name__ == "__main__":
    main()
