"""What is wrong with the entries of a bibliography, by themselves and against the papers of an index."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from citescout.review.review_parts import Field, Finding, Location, Reference
from common.words import shortened
from indexer.duplicates import same_paper
from indexer.identity.agreement import unlike, years_agree
from indexer.identity.identifiers import clean_doi, doi_key
from indexer.identity.keys import Key, keys_but_of_id
from indexer.identity.retractions import says_retracted
from indexer.identity.titles import title_words
from indexer.paper import Paper
from indexer.readers.bibtex_keys import repeated_in
from manuscripts.files import decoded
from manuscripts.manuscript import BibtexSource, Entry
from retrieval.resolver import WAYS, Match

_SERVER = re.compile(
    r"\b(?:\w*rxiv|corr|ssrn|preprints?|research square|osf)\b|\babs/\d{4}\.", re.IGNORECASE
)  # bioRxiv, medRxiv, PsyArXiv and their kin
_PREPRINT_DOI = re.compile(
    r"10\.(?:48550/|1101/(?:\d{6}$|\d{4}\.)|2139/ssrn|31234/|31235/|20944/|21203/|26434/|31219/|22541/|36227/)"
)
# An index may have a paper's year from its preprint, or the other way round.
_MOST_YEARS_OF_PREPRINT = 2
_LONGEST_ACRONYM = 7  # letters
# Words that most venues share.
_LIGHT_WORDS = """
a acm advances and annual association conf conference for ieee in int international journal lecture letters meeting
notes of on proc proceedings review research science society symposium the their trans transactions workshop
"""
_LIGHT = frozenset(_LIGHT_WORDS.split())
_SHOWN = 100  # characters of a title


@dataclass(frozen=True, slots=True)
class Cited:
    """An entry that the text cites, and what it is in the index."""

    entry: Entry
    match: Match
    location: Location


def reference_of(cited: Cited) -> Reference:
    """What the index has of an entry."""
    entry, match = cited.entry, cited.match
    if match.paper is not None:
        return Reference(entry.key, entry.title, "in the index", match.how, match.paper.id)
    # An identifier, or a title that says something.
    says_enough = any(map(keys_but_of_id, entry.readings))
    return Reference(entry.key, entry.title, "not in this index" if says_enough else "not checked")


def location_of_entry(entry: Entry, in_text: Mapping[str, Location]) -> Location:
    """Where an entry stands; in a format without lines, where it is cited first."""
    if entry.place:
        return Location(entry.place.file, entry.place.line, beginning=_beginning(entry))
    return in_text.get(entry.key) or Location(beginning=_beginning(entry))


def duplicates(
    entries: Sequence[Entry], matches: Mapping[str, Match], in_text: Mapping[str, Location]
) -> Iterator[Finding]:
    """Entries of one work: the same DOI, arXiv id, PMID or title, or the same paper of the index."""
    for shared, numbers in _groups(chain(_sharing_keys(entries), _of_one_paper(entries, matches))):
        group = [entries[number] for number in numbers]
        found = (match.paper for entry in group if (match := matches.get(entry.key)))
        yield Finding(
            "duplicate",
            tuple(entry.key for entry in group),
            tuple(location_of_entry(entry, in_text) for entry in group),
            next(filter(None, found), None),
            here=shared,
        )


def repeated(entries: Iterable[Entry], sources: Iterable[BibtexSource]) -> Iterator[Finding]:
    """Keys of a bibliography that name several entries of one file."""
    keys = {entry.key for entry in entries}
    for source in sources:
        for key, lines in repeated_in(decoded(source.data)).items():
            if key in keys:
                places = tuple(Location(source.path, line, beginning=key) for line in lines)
                yield Finding("repeated", (key,) * len(places), places)


def against_index(cited: Cited) -> Iterator[Finding]:
    """What an entry or the index says of a retraction, and what the index knows better of the entry."""
    paper = cited.match.paper
    key, location = (cited.entry.key,), (cited.location,)
    marked = next(
        (one.title for one in cited.entry.readings if one.retracted or says_retracted(one.title, one.doi)), ""
    )
    if marked or (paper and paper.retracted):
        yield Finding("retracted", key, location, paper, here=marked)
    if paper is None:
        return
    if len(cited.entry.readings) != 1:  # of a printed list, whose fields are guessed
        return
    reference = cited.entry.readings[0]
    if is_preprint(reference) and is_published(paper):
        yield Finding(
            "published", key, location, paper, here=reference.venue or "a preprint", index=paper.venue or paper.doi
        )
        return
    for field, here, index in differences(reference, paper):
        yield Finding("differs", key, location, paper, field, here, index)


def differences(reference: Paper, paper: Paper) -> Iterator[tuple[Field, str, str]]:
    """(field, what the reference says, what the paper of the index says) of fields that both have and that differ.

    Where one of both is a preprint, its year and venue are others by nature. Venues differ only where they share no
    word and neither abbreviates the other.
    """
    if unlike(reference, paper):
        yield "title", reference.title, paper.title
    mine, its = doi_key(reference.doi), doi_key(paper.doi)
    if mine and its and mine != its and not any(map(_PREPRINT_DOI.match, (mine, its))):
        yield "doi", clean_doi(reference.doi), clean_doi(paper.doi)
    if is_preprint(reference) or is_preprint(paper):
        return
    if reference.year and paper.year and reference.year != paper.year:
        apart = reference.year - paper.year
        if not (paper.arxiv and 0 < apart <= _MOST_YEARS_OF_PREPRINT):
            yield "year", str(reference.year), str(paper.year)
    if reference.venue and paper.venue and not venues_agree(reference.venue, paper.venue):
        yield "venue", reference.venue, paper.venue


def faults(reference: Paper, paper: Paper) -> int:
    """In how many ways a reference is not what the index has of its paper: fields that differ, published since."""
    return (is_preprint(reference) and is_published(paper)) + sum(1 for _ in differences(reference, paper))


def is_preprint(paper: Paper) -> bool:
    """Whether a record is of a preprint and nothing else."""
    if _published_doi(paper):
        return False
    if paper.venue:
        return bool(_SERVER.search(paper.venue))
    return bool(paper.arxiv or _PREPRINT_DOI.match(clean_doi(paper.doi)))


def is_published(paper: Paper) -> bool:
    """Whether a record says where a work was published, beyond a server of preprints."""
    return _published_doi(paper) or bool(paper.venue and not _SERVER.search(paper.venue))


def venues_agree(one: str, other: str) -> bool:
    """Whether two names may be of one venue: a distinctive word, an abbreviation of it, or an acronym in common."""
    words, others = _venue_words(one), _venue_words(other)
    if not words or not others:
        return True
    if any(_abbreviates(word, another) for word in words for another in others):
        return True
    return any(_is_acronym(word, other) for word in words) or any(_is_acronym(word, one) for word in others)


def _venue_words(venue: str) -> list[str]:
    words = title_words(venue)
    return [word for word in words if word not in _LIGHT and not any(map(str.isdigit, word)) and len(word) > 1]


def _abbreviates(one: str, other: str) -> bool:
    """Such as "comput" and "computational", "nips" and "neurips": the same beginning, letters in order."""
    brief, full = sorted((one, other), key=len)
    alike = 1 if len(full) <= _LONGEST_ACRONYM else 2
    if brief[:alike] != full[:alike]:
        return False
    letters = iter(full)
    return all(letter in letters for letter in brief)


def _is_acronym(word: str, name: str) -> bool:
    """Whether a word is made of beginnings of a name's words, in their order: "acl", "neurips", "recsys", "fntir"."""
    made = {0}  # letters of the word
    for other in (beginning for one in title_words(name) for beginning in ((one, "n") if one == "and" else (one,))):
        made |= {
            place + count
            for place in made
            for count in range(1, min(len(other), len(word) - place) + 1)
            if word.startswith(other[:count], place)
        }
    return len(word) > 1 and len(word) in made


def _published_doi(paper: Paper) -> bool:
    doi = doi_key(paper.doi)
    return bool(doi) and not _PREPRINT_DOI.match(doi)


def _beginning(entry: Entry) -> str:
    return shortened(entry.title or " ".join(entry.source.split()) or entry.key, _SHOWN)


def _sharing_keys(entries: Sequence[Entry]) -> Iterator[tuple[int, int, str]]:
    """(entry, a later entry, what both have) by number."""
    first_readings = [entry.readings[0] if entry.readings else Paper("", "") for entry in entries]
    by_key: dict[Key, list[int]] = defaultdict(list)
    for number, paper in enumerate(first_readings):
        for key in keys_but_of_id(paper):
            by_key[key].append(number)
    for key, (first, *others) in by_key.items():
        paper = first_readings[first]
        shared = (
            f"the title “{shortened(paper.title, _SHOWN)}”"
            if key.kind == "title"
            else f"the {WAYS[key.kind]} {key.value}"
        )
        for other in others:
            if same_paper(key.kind, paper, first_readings[other], 1 + len(others)):
                yield first, other, shared


def _of_one_paper(entries: Sequence[Entry], matches: Mapping[str, Match]) -> Iterator[tuple[int, int, str]]:
    first: dict[str, int] = {}
    for number, entry in enumerate(entries):
        match = matches.get(entry.key)
        if match and match.paper:
            earlier = first.setdefault(match.paper.id, number)
            if match.how != "title" or years_agree(matches[entries[earlier].key].reference, match.reference):
                yield earlier, number, "the paper of the index"


def _groups(pairs: Iterable[tuple[int, int, str]]) -> list[tuple[str, list[int]]]:
    """What they have in common, the first thing found, and the entries, of every work that has several."""
    works: dict[int, list[int]] = {}  # entry → all of its work
    shared: dict[int, str] = {}  # by the first entry of a work
    for one, other, what in pairs:
        work, more = sorted((works.setdefault(one, [one]), works.setdefault(other, [other])), key=min)
        if work is not more:
            shared.setdefault(min(work), shared.get(min(more), what))
            work += more
            works |= dict.fromkeys(more, work)
    return [
        (shared[entry], sorted(work)) for entry, work in sorted(works.items()) if entry in shared and entry == min(work)
    ]
