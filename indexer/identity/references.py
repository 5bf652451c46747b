"""What records cite: a work that is described rather than named, and one name for all spellings of what is cited."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields

import orjson

from indexer.identity.identifiers import arxiv_key, clean_doi, openalex_id, pmid_key
from indexer.identity.titles import is_distinctive, is_generic, title_key
from indexer.paper import Paper

_DESCRIBED = "ref:"  # begins a citation that describes a work; what follows is JSON
_PLAIN_DOI = re.compile(r"10\.\d{4,9}/[a-z0-9._/-]*[a-z0-9]", re.ASCII)
_LONGEST = 500  # characters of a title
_MOST_PARTS = 8  # between commas, of a title and its rest
_YEAR_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Reference:
    """One cited work; "" for what is not known of it."""

    doi: str = ""
    pmid: str = ""
    author: str = ""  # the first one, family name first where a comma parts it
    year: str = ""
    volume: str = ""
    page: str = ""  # the first one, or the number of the article
    title: str = ""
    rest: str = ""  # what stands behind the title, where commas do not tell whether the title goes on in it

    def titles(self) -> Iterator[str]:
        """The title, then what else it may be: longer and shorter ones where it has commas and a `rest`."""
        yield self.title
        if not self.rest:
            return
        parts = f"{self.title}, {self.rest}".split(", ")[:_MOST_PARTS]
        others = (", ".join(parts[:length]) for length in range(len(parts), 0, -1))
        yield from (title for title in others if title != self.title)

    def title_keys(self) -> list[str]:
        """What papers of these titles have among their keys (`identity.keys`), in their order."""
        return [f"title:{key}" for title in self.titles() if not is_generic(key := title_key(title))]

    def paper(self, id_: str = "") -> Paper:
        """As the record of a paper, with what is known of it."""
        year = int(self.year) if self.year.isdecimal() and len(self.year) <= _YEAR_DIGITS else None
        return Paper(id_, self.title, year=year, authors=(self.author,) if self.author else (), doi=self.doi)

    def citation(self) -> str:
        """As it stands among a paper's citations: the bare DOI or PMID, or all of it where more is known.

        "" where nothing identifies the work.
        """
        if not self.title and (self.doi or self.pmid):
            return self.doi or self.pmid
        if not _name_of(self):
            return ""
        # A large corpus has millions of these: `asdict` and `astuple` copy every value by itself.
        known = {field.name: value[:_LONGEST] for field in fields(self) if (value := getattr(self, field.name))}
        return _DESCRIBED + orjson.dumps(known).decode()


def described(cited: str) -> Reference | None:
    """The work that `Reference.citation` described; None for an id."""
    if not cited.startswith(_DESCRIBED):
        return None
    try:
        known = orjson.loads(cited.removeprefix(_DESCRIBED))
        reference = Reference(**known)
    except (orjson.JSONDecodeError, TypeError):
        return None  # an id that happens to begin so
    return reference if all(isinstance(value, str) for value in known.values()) else None


def work_name(cited: str) -> str:
    """One name for all spellings: a bare DOI, arxiv:…, pmid:…, title:…, place:…, OpenAlex' id, or the id as it is."""
    if "." not in cited and ":" not in cited and "/" not in cited:
        return cited  # as ids of most corpora are
    if _PLAIN_DOI.fullmatch(cited) and not cited.startswith("10.48550/"):
        return cited  # a short cut for most DOIs; arXiv's own are arXiv ids
    reference = described(cited)
    if reference:
        return _name_of(reference) or cited
    if arxiv := arxiv_key(cited):
        return f"arxiv:{arxiv}"
    if pmid := pmid_key(cited):
        return f"pmid:{pmid}"
    return openalex_id(cited) or _alone(cited) or cited


def _name_of(reference: Reference) -> str:
    if reference.doi:
        return work_name(reference.doi)
    if reference.pmid:
        return reference.pmid
    title = title_key(reference.title)
    if is_distinctive(title):
        return f"title:{title}"
    if reference.author and reference.year and reference.volume and reference.page:
        family = reference.author.partition(",")[0].casefold()
        return f"place:{reference.year}:{reference.volume}:{reference.page}:{family}"
    return ""


def _alone(cited: str) -> str:
    """The DOI that the whole of `cited` is, with or without an address or "doi:"; "" for other texts."""
    lower = cited.lower()
    named = lower.startswith(("10.", "doi:", "http://", "https://", "dx.doi.org/", "doi.org/"))
    return clean_doi(cited) if named and "10." in lower and " " not in cited.strip() else ""
