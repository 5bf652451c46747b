"""Which works a user wants, and how DOIs and years are recognised in what they typed."""

import hashlib
import json
import logging
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from common.errors import FetchError, SourceError
from indexer.identity.identifiers import listed_lines, lone_doi
from indexer.readers import read_papers
from indexer.readers.source import file_named

_SHOWN = 3  # titles of works that have no DOI
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Selection:
    """A work is selected when it fits every field that is given."""

    search: str = ""  # words of title or abstract, in OpenAlex's search syntax
    topics: tuple[str, ...] = ()  # ids or names; any of them
    venues: tuple[str, ...] = ()  # ids or names; any of them
    around: tuple[str, ...] = ()  # bare DOIs: these works, what they cite and who cites them
    from_year: int | None = None  # of publication, inclusive
    to_year: int | None = None
    limit: int | None = None  # works at most

    def check(self) -> None:
        """Refuse what cannot be meant.

        Raises:
            FetchError: Nothing is selected, or the years are in the wrong order.
        """
        if not (self.search.strip() or self.topics or self.venues or self.around):
            raise FetchError("nothing is selected: give --search, --topic, --venue, --around or --around-file")
        if self.from_year and self.to_year and self.from_year > self.to_year:
            raise FetchError(f"--from-year {self.from_year} is after --to-year {self.to_year}")

    def fingerprint(self, base_url: str) -> str:
        """What identifies the download of this selection."""
        text = json.dumps([asdict(self), base_url], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def checked_dois(texts: Iterable[str]) -> tuple[str, ...]:
    """Distinct bare DOIs.

    Raises:
        FetchError: A text is not a DOI.
    """
    dois = {text: lone_doi(text) for text in texts}
    for text, doi in dois.items():
        if not doi:
            raise FetchError(f"{text!r} is not a DOI; one looks like 10.1561/1500000019")
    return tuple(dict.fromkeys(dois.values()))


def read_dois(path: Path) -> tuple[str, ...]:
    """The DOIs of a file: one a line, or a bibliography in any format that `citescout index` reads.

    Empty lines and comments, behind #, are passed over.

    Raises:
        FetchError: A line is not a DOI and the file no bibliography, or there is no DOI in it.
        SourceError: The file cannot be read.
    """
    lines = listed_lines(file_named(path).text(western=True))
    wrong = next(((number, line) for number, line in lines if not lone_doi(line)), None)
    if wrong is None:
        dois = [lone_doi(line) for _, line in lines]
    else:
        try:
            entries = list(read_papers([str(path)], untitled=True))
        except SourceError:
            raise FetchError(f"{path}, line {wrong[0]}: {wrong[1][:80]!r} is not a DOI") from None
        dois = [paper.doi for paper in entries if paper.doi]
        lacking = [paper.title[:60] or paper.id for paper in entries if not paper.doi]
        if dois and lacking:
            shown = "; ".join(lacking[:_SHOWN]) + ("; …" if len(lacking) > _SHOWN else "")
            _log.warning("%s: %d of %d works have no DOI and are left out: %s", path, len(lacking), len(entries), shown)
    if not dois:
        raise FetchError(f"{path}: no DOI in it; `citescout corpus build --from` finds works by their titles, too")
    return tuple(dict.fromkeys(dois))
