"""The process that reads a file which anybody may have made: bounded in memory and time, and without writing.

`python -m manuscripts.worker manuscript [ROOT]|references|paper` reads the file, or an archive whose main file is
ROOT, from standard input and writes JSON to standard output; what the file's maker did wrong is one line on standard
error and the exit code `REFUSED`.
"""

import sys
from itertools import islice
from typing import Any

from common.errors import CitescoutError, SourceError
from indexer.paper import Paper
from manuscripts.limits import MAX_REFERENCES, MEMORY, PROCESSOR_SECONDS, REFUSED
from manuscripts.manuscript import Manuscript
from manuscripts.manuscript_json import as_json


def main() -> None:
    """Do what the argument says."""
    _bound()
    try:
        result: Any = {"manuscript": _manuscript, "references": _references, "paper": _paper}[sys.argv[1]]()
    except (CitescoutError, MemoryError, RecursionError) as error:
        sys.stderr.write(f"{error or 'it takes too much memory'}\n")
        sys.exit(REFUSED)
    sys.stdout.buffer.write(as_json(result))


def _manuscript() -> Manuscript:
    from manuscripts.reading import read

    return read(sys.stdin.buffer.read(), *sys.argv[2:3])


def _paper() -> dict[str, Any]:
    from manuscripts import pdf_paper

    return pdf_paper.read(sys.stdin.buffer.read())


def _references() -> list[Paper]:
    from indexer.readers import ReadReport, read_papers
    from manuscripts.bibliographies import short

    try:
        papers = list(islice(read_papers(["-"], report=ReadReport(), untitled=True), MAX_REFERENCES))
    except SourceError:
        raise SourceError("not a bibliography that can be read: BibTeX, RIS and CSL-JSON are") from None
    return list(map(short, papers))


def _bound() -> None:
    """Give up the right to take more; Windows knows no such limits, and there the caller's patience is the bound."""
    try:
        import resource
    except ImportError:
        return
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, PROCESSOR_SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))


if __name__ == "__main__":
    main()
