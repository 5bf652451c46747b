"""Files and names instead of typing: a draft's title and abstract, what a bibliography holds, a known paper's text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from flask import Blueprint, Response, jsonify, request
from werkzeug.exceptions import RequestEntityTooLarge

from citescout.manuscript_citations import surroundings_of
from common.errors import QueryError, SourceError
from exports.reason_sentences import short_reference
from indexer.identity.keys import is_only_identifier, text_naming
from indexer.paper import Paper
from manuscripts import Manuscript, read_manuscript, read_references
from manuscripts.holding import check_name
from manuscripts.limits import MAX_BYTES, MAX_REFERENCES
from retrieval.resolver import Match, summary
from webui.api_types import MAX_ID, MOST_IDS
from webui.inputs import split_ids
from webui.places import place
from webui.site import site
from webui.text_field import joined

blueprint = Blueprint("uploads", __name__)

_MISSING_SHOWN = 20
# Where a pasted bibliography begins and ends: an entry of BibTeX, a record of RIS, the list of CSL-JSON.
_BEGIN = re.compile(r"^[ \t]*(?:@\w+\s*[{(]|TY  - |\[\s*\{)", re.ASCII | re.MULTILINE)
_END = re.compile(r"[})\]],?[ \t]*$|^[ \t]*ER  -[ \t]*$", re.MULTILINE)


@blueprint.get("/api/paper")
def paper() -> Response:
    """The paper of the index that `name` means: an id, DOI, arXiv id, PMID or title."""
    return jsonify(known_paper(request.args.get("name", "")))


def allow_files() -> None:
    """Let this request be as large as a file may be; before any of its fields is looked at."""
    if request.mimetype == "multipart/form-data":
        request.max_content_length = MAX_BYTES + (2 << 20)


def uploaded(field: str, advice: str = "") -> dict[str, bytes]:
    """The files of a field of the form, by their paths in the folder that they come from.

    Raises:
        QueryError: they are too large, which ends with `advice`, or two that differ have one name.
    """
    allow_files()
    found: dict[str, bytes] = {}
    try:
        for one in request.files.getlist(field):
            path = (one.filename or "").replace("\\", "/")
            if path and found.setdefault(path, data := one.read()) != data:
                raise QueryError(f"two different files are called {path}: rename one, or pack their folders as .zip")
    except RequestEntityTooLarge:
        raise QueryError(f"the file is larger than {MAX_BYTES >> 20} MB{advice}") from None
    return found


def read_draft(data: bytes, name: str = "", part: bool = False) -> Manuscript:
    """A manuscript, or a `part` of one, read in a process of its own; of a single file with its name.

    Raises:
        QueryError: it cannot be read; says why.
    """
    with place(), refusals():
        check_name(name)
        return read_manuscript(data, part=part, name=name)


def draft_record(manuscript: Manuscript) -> dict[str, Any]:
    """Title and abstract of a manuscript, the papers of the index that it cites, and what of it was not read."""
    with place():
        surroundings, matches = surroundings_of(site().answers.recommender.resolve, manuscript)
    texts = {"title": surroundings.title, "abstract": surroundings.abstract}
    return {**texts, **_found(matches), "unread": manuscript.unread[:_MISSING_SHOWN]}


def works_record(works: Sequence[Paper], skipped: str) -> dict[str, Any]:
    """The papers of the index among the works of a bibliography, how many it lacks, and what was `skipped`."""
    found = _found(_matches(works))
    if skipped:
        found["summary"] += f"; {skipped}"
    if len(works) >= MAX_REFERENCES:
        found["summary"] += f"; of a file no more than {MAX_REFERENCES:,} entries are read"
    return found


def _found(matches: list[Match]) -> dict[str, Any]:
    missing = [short_reference(match.reference) for match in matches if not match.paper]
    return {
        # By its DOI or arXiv id a work that the index does not have is not named among those beyond it.
        "ids": list(dict.fromkeys(filter(None, map(_named, matches)))),
        "summary": summary(matches),
        "missing": missing[:_MISSING_SHOWN],
        "missing_count": len(missing),
    }


def _named(match: Match) -> str:
    if match.paper:
        return match.paper.id
    return text_naming(match.reference) if match.reference.doi or match.reference.arxiv else ""


def works_of(files: Mapping[str, bytes]) -> tuple[list[Paper], str]:
    """The works of bibliographies, each read in a process of its own, and what of them was skipped.

    Raises:
        QueryError: one of them cannot be read, or nothing of them; says why.
    """
    works: list[Paper] = []
    skipped = []
    several = len(files) > 1
    for name, data in files.items():
        with place(), refusals(name if several else ""):
            more, why = read_references(data)
        works += more
        if why:
            skipped.append(f"{name}: {why}" if several else why)
    said = "; ".join(skipped)
    if not works:
        raise QueryError(f"no entry of the bibliography could be read{f': {said}' if said else ''}")
    return works, said


def pasted_works(text: str) -> tuple[str, list[Paper], str]:
    """What stands beside the bibliography that is pasted into a text, its works, and what of it was skipped.

    Raises:
        QueryError: nothing of it can be read; says why.
    """
    rest, bibliography = _parted(text)
    return (rest, *works_of({"": bibliography.encode("utf-8", "replace")})) if bibliography else (rest, [], "")


def _parted(text: str) -> tuple[str, str]:
    """What stands beside the bibliography that is pasted into a text, and the bibliography, or ""."""
    if not (begin := _BEGIN.search(text)):
        return text, ""
    end = max((found.end() for found in _END.finditer(text, begin.end())), default=len(text))
    return f"{text[: begin.start()].strip()}\n{text[end:].strip()}".strip(), text[begin.start() : end]


def named_works(fields: Mapping[str, str]) -> dict[str, str]:
    """What is cited already with a line for each work, where a bibliography is pasted; else nothing.

    Raises:
        QueryError: nothing of it can be read; says why.
    """
    rest, works, _ = pasted_works(fields.get("already_cited", ""))
    if not works:
        return {}
    return {"already_cited": "\n".join(filter(None, (rest, *dict.fromkeys(_lines_naming(works)))))}


def taken_along(fields: Mapping[str, str], index: str) -> dict[str, str]:
    """The fields in which ids of the papers of another index stand, for the index that is asked.

    What is cited is named by its id here, else by its DOI or title; a pasted bibliography stays as it is. There is
    nothing left of what was liked there.
    """
    cited = fields.get("already_cited", "")
    if before := site().indexes.get(index):
        ids, bibliography = _parted(cited)
        paper_of = before.recommender.paper
        lines = {line: line for line in split_ids(ids, paper_of)}
        named = [paper for line in islice(lines, MOST_IDS) if (paper := paper_of(line))]
        if named:
            lines |= zip((paper.id for paper in named), _lines_naming(named), strict=True)
            cited = "\n".join(filter(None, (bibliography, *dict.fromkeys(lines.values()))))
    return {"id": "", "liked": "", "disliked": "", "already_cited": cited}


def _lines_naming(works: Sequence[Paper]) -> list[str]:
    """A line for each work by which the index that is asked knows it, or which names it to people."""
    return [
        match.paper.id if match.paper else text_naming(match.reference) or match.reference.id
        for match in _matches(works)
    ]


def _matches(works: Sequence[Paper]) -> list[Match]:
    """Of each work; up to 30 ms each that is not found by its identifier or whole title."""
    with place():
        return list(site().answers.recommender.resolve(works))


def known_paper(name: str) -> dict[str, str]:
    """Id, title and abstract of a paper of the index.

    Raises:
        QueryError: there is no such paper.
    """
    found = site().answers.recommender.find_paper(" ".join(name.split()))
    if found is None:
        raise QueryError("no paper of the index has this id, DOI or title")
    return {"id": found.id, "title": found.title, "abstract": found.abstract}


def named_paper(fields: Mapping[str, str]) -> dict[str, str]:
    """Id, title and abstract of the paper that is meant where the text is only its DOI or address; else nothing.

    Raises:
        QueryError: the index does not have it.
    """
    name = joined(fields.get("title", ""), fields.get("abstract", ""))
    if len(name) > MAX_ID or not is_only_identifier(name):
        return {}
    try:
        return known_paper(name)
    except QueryError:
        raise QueryError(
            f"no paper of this index has the identifier or address {name}: paste the paper's title and abstract instead"
        ) from None


@contextmanager
def refusals(file: str = "") -> Iterator[None]:
    """Let what is wrong with an upload, of which this is the `file`, be a wrong question and no fault of the server."""
    try:
        yield
    except SourceError as error:
        raise QueryError(f"{file}: {error}" if file else str(error)) from None
