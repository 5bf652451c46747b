"""What happened while papers were read."""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Self

from common.words import counted

_WAYS = {"doi": "DOI", "pmid": "PMID", "place": "author, year, volume and page", "title": "title"}


@dataclass(frozen=True, slots=True)
class Problem:
    """One record or file that was passed over, or what is to be known of a file that was read."""

    file: str
    where: str  # "line 17", "record 3"; "" where the whole file is meant
    reason: str
    others: int = 0  # files of which the same is to be said

    def __str__(self) -> str:
        file = f"{self.file} and {counted(self.others, 'other file')}" if self.others else self.file
        return ": ".join(part for part in (file, self.where, self.reason) if part)


@dataclass(slots=True)
class ReadReport:
    """Counts of one run of `read_papers`, filled while its papers are consumed."""

    read: int = 0  # papers handed on
    skipped: int = 0  # malformed records passed over
    skipped_files: int = 0  # files of a folder in no known format
    mended: int = 0  # papers with text that was read in a wrong encoding before
    truncated: int = 0  # papers with a title or abstract cut at its limit
    replaced_bytes: int = 0  # places that were not valid text in their encoding, read in another one or replaced
    # What papers cite without an id, by how its paper was found among those that were read: doi, pmid, place, title, or
    # "" where it was not.
    references: Counter[str] = field(default_factory=Counter)
    formats: Counter[str] = field(default_factory=Counter)  # files read, by format
    problems: list[Problem] = field(default_factory=list)  # the first `max_problems` of them
    found: int = 0  # problems, whether they were kept or not
    max_problems: int = 50

    def skip(self, problem: Problem) -> None:
        """Count a malformed record and keep it if there is room."""
        self.skipped += 1
        self._keep(problem)

    def skip_file(self, problem: Problem) -> None:
        """Count a file that no format knows and keep it if there is room."""
        self.skipped_files += 1
        self._keep(problem)

    def tell(self, problem: Problem) -> None:
        """Keep what is to be known of a file that was read, if there is room; the same of several files once."""
        for place, kept in enumerate(self.problems):
            if (kept.where, kept.reason) == (problem.where, problem.reason):
                self.problems[place] = replace(kept, others=kept.others + 1)
                return
        self._keep(problem)

    def replace(self, file: str, count: int, read_as: str = "Windows-1252") -> None:
        """Count characters of a file that are not in UTF-8, and name it with the encoding if there is room."""
        self.replaced_bytes += count
        counts = counted(count, "character")
        reason = f"not in UTF-8: {counts}, read as {read_as}; where they are wrong, save it as UTF-8"
        self._keep(Problem(file, "", reason))

    def add(self, other: Self) -> None:
        """Count what another reader of the same sources reports."""
        for name in ("read", "skipped", "skipped_files", "truncated", "mended", "replaced_bytes"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.formats.update(other.formats)
        self.references.update(other.references)
        for problem in other.problems:
            self._keep(problem)
        self.found += other.found - len(other.problems)

    def summary(self) -> str:
        """One line such as "1,203 papers read, 2 records skipped"."""
        parts = (
            (self.skipped, "record", "skipped"),
            (self.skipped_files, "file", "skipped"),
            (self.truncated, "paper", "cut at the length limit"),
            (self.replaced_bytes, "character", "not in UTF-8"),
            (self.mended, "paper", 'mended whose letters were broken ("MÃ¼ller")'),
        )
        counts = [f"{counted(count, noun)} {fate}" for count, noun, fate in parts if count]
        return ", ".join([f"{counted(self.read, 'paper')} read", *counts])

    def skips(self) -> str:
        """What was skipped and why at first, as "2 records skipped (line 17: …)"; "" without any."""
        if not self.skipped:
            return ""
        return f"{counted(self.skipped, 'record')} skipped ({replace(self.first_problem(), file='')})"

    def first_problem(self) -> Problem:
        """That of a record, rather than that of a file; there has to be one."""
        return next((problem for problem in self.problems if problem.where), self.problems[0])

    def references_found(self) -> str:
        """One line such as "Found 12 of 40 references among the papers: 9 by DOI, 3 by title"; "" without any."""
        total = self.references.total()
        if not total:
            return ""
        ways = ", ".join(f"{self.references[way]:,} by {name}" for way, name in _WAYS.items() if self.references[way])
        found = total - self.references[""]
        return f"Found {found:,} of {counted(total, 'reference')} among the papers" + (f": {ways}" if ways else "")

    def why_nothing(self) -> str:
        """What belongs behind a message that no paper could be read: " (skipped 3; …)", or "" without a problem."""
        return f" (skipped {self.skipped}; {self.problems[0]})" if self.problems else ""

    def _keep(self, problem: Problem) -> None:
        self.found += 1
        if len(self.problems) < self.max_problems:
            self.problems.append(problem)
