"""What beside keys shows whether two records are one paper: years and first authors."""

import re
from collections.abc import Sequence
from dataclasses import replace

from common.names import family_first, parse_name
from indexer.identity.authors import SUFFIX_WORDS, key_of, plain_word
from indexer.identity.identifiers import doi_key
from indexer.identity.similar import SIMILAR, likeness, numbers_differ, similarity
from indexer.identity.titles import is_distinctive, is_generic, title_key, written_words
from indexer.paper import Paper

# A preprint and its publication are often a year apart. Papers of one title that are further apart are mostly
# different ones, unless the first author is the same.
MOST_YEARS_APART = 1
MOST_YEARS_APART_OF_ONE_AUTHOR = 2
# Titles below this likeness have little more in common than any two of one field, of which 1 pair in 80 reaches it.
UNLIKE = 0.5

_LONGEST_INITIALS = 3
_NUMBERS = re.compile(r"\d+")
_VERSION = re.compile(r"[./]v\d{1,2}$")  # at the end of a DOI of a preprint


def first_authors_agree(one: Paper, other: Paper) -> bool | None:
    """Do the surnames of the first authors agree, in either order of names? None where a side has no author.

    Names in Chinese, Japanese and Korean also agree where one begins with all of the other, spaces and commas aside.
    """
    if not one.authors or not other.authors:
        return None
    names, other_names = _names(one.authors[0]), _names(other.authors[0])
    if not names or not other_names:
        return None
    if names[-1] in other_names or other_names[-1] in names:
        return True
    key, other_key = key_of(one.authors[0]), key_of(other.authors[0])
    return family_first(key) and family_first(other_key) and (key.startswith(other_key) or other_key.startswith(key))


def years_agree(one: Paper, other: Paper) -> bool:
    """Are the years near enough for one paper? Yes where one is unknown."""
    if one.year is None or other.year is None:
        return True
    same_author = first_authors_agree(one, other)
    return abs(one.year - other.year) <= (MOST_YEARS_APART_OF_ONE_AUTHOR if same_author else MOST_YEARS_APART)


def title_holds(one: Paper, other: Paper) -> bool:
    """Does a title that two records share, or nearly share, make them one paper?

    Years, first authors, volumes of a book and DOIs of a series must not disagree; a short title needs first authors
    that agree; a generic one such as "Editorial" says nothing whoever wrote it.
    """
    same_author = first_authors_agree(one, other)
    if same_author is False or not years_agree(one, other) or of_two_volumes(one, other) or _of_two_years(one, other):
        return False
    keys = title_key(one.title), title_key(other.title)
    if any(map(is_generic, keys)):
        return False
    return same_author is True or all(map(is_distinctive, keys))


def shared_title_holds(work: Paper, paper: Paper) -> bool:
    """`title_holds` of a described work and a paper that has one of the titles which the description may mean."""
    return title_holds(replace(work, title=paper.title), paper)


def title_and_author_hold(one: Paper, other: Paper) -> bool:
    """Is what cites one of the two meant for the other, whatever the years: one long title, and one first author?

    Records are not merged for it: an annual report may have the same title and author every year.
    """
    key = title_key(one.title)
    named = key == title_key(other.title) and is_distinctive(key) and first_authors_agree(one, other) is True
    return named and not of_two_volumes(one, other)


def identifier_holds(one: Paper, other: Paper) -> bool:
    """Does a DOI, arXiv id or PMID that two records share make them one paper?

    Where their titles are unlike, first authors have to agree: a translation has another title, but all abstracts of a
    meeting may share the DOI of the issue that they stand in. Where these are persons and disagree, the titles have to
    be one; a group, or an organisation by another name, may stand for them.
    """
    same_author = first_authors_agree(one, other)
    if same_author is False and one.title and other.title:
        persons = not any(parse_name(paper.authors[0]).whole for paper in (one, other) if paper.authors)
        if persons:
            return similarity(one.title, other.title) >= SIMILAR
    return same_author is True or not unlike(one, other)


def identifier_may_hold(one: Paper, other: Paper) -> bool:
    """The same of an identifier that a reference gives: it was copied where title and first author both say so."""
    return first_authors_agree(one, other) is not False or not unlike(one, other)


def paper_described(fitting: Sequence[Paper]) -> Paper | None:
    """Of the papers that fit one description the one that it is of; None where these are several, or none.

    Records of one title, one year and no two DOIs are one paper: that with the first id stands for them.
    """
    ids = {paper.id for paper in fitting}
    titles, years = ({title_key(paper.title) for paper in fitting}, {paper.year for paper in fitting})
    dois = {paper.doi for paper in fitting} - {""}
    volumes = any(of_two_volumes(fitting[0], paper) for paper in fitting)
    one = len(ids) == 1 or (len(titles) == len(years) == 1 and len(dois) <= 1 and not volumes)
    return min(fitting, key=lambda paper: paper.id) if one else None


def of_two_volumes(one: Paper, other: Paper) -> bool:
    """Are both books that say which volume of a work they are, and not the same?"""
    return one is not other and bool(one.volume and other.volume) and numbers_differ(one.volume, other.volume)


def of_two_publications(one: Paper, other: Paper) -> bool:
    """Did two records of one title appear twice, as an abstract of a meeting and the article that followed it?

    They have different volumes, not the same page, and two DOIs or two years: databases differ in volumes, too.
    """
    dois, years = ({doi_key(paper.doi) for paper in (one, other)}, {paper.year for paper in (one, other)})
    if len(dois - {""}) < 2 and len(years - {None}) < 2:
        return False
    places = one.volume_and_page, other.volume_and_page
    return in_two_places(*places) and not any(is_volume_of_preprint(volume) for volume, _ in places)


def in_two_places(place: tuple[str, str], other: tuple[str, str]) -> bool:
    """Do two publications have different volumes, and not the same first page? No where a volume is unknown."""
    volumes, pages = ([_first_number(text) for text in texts] for texts in zip(place, other, strict=True))
    return all(volumes) and volumes[0] != volumes[1] and (not pages[0] or pages[0] != pages[1])


def is_volume_of_preprint(volume: str) -> bool:
    """Is it what DBLP has as the volume of those at arXiv, `abs/1706.03762`?"""
    return volume.lower().startswith("abs/")


def _first_number(text: str) -> str:
    found = _NUMBERS.search(text)
    return found[0].lstrip("0") if found else ""


def _of_two_years(one: Paper, other: Paper) -> bool:
    """Are both of one series, but not of one year? Then their DOIs differ, and in numbers alone.

    Those of a preprint and its publication, or of a paper that two publishers have, differ in more; those of versions
    of a preprint in the version alone.
    """
    if None in (one.year, other.year) or one.year == other.year or not (one.doi and other.doi):
        return False
    doi, other_doi = (_VERSION.sub("", doi_key(paper.doi)) for paper in (one, other))
    return doi != other_doi and _series(doi) == _series(other_doi)


def _series(doi: str) -> tuple[str, str]:
    registrant, _, rest = doi.partition("/")
    return registrant, _NUMBERS.sub("", rest)


def unlike(one: Paper, other: Paper) -> bool:
    """Have both a title, and do these have so little in common that even a shared identifier is in doubt?"""
    return bool(one.title and other.title) and likeness(one.title, other.title) < UNLIKE


def parted_by_title(one: Paper, other: Paper) -> bool:
    """Are records of one citation key, which anybody may give, of two papers? So are the parts I and II of a work."""
    return (
        unlike(one, other)
        or (bool(one.title and other.title) and numbers_differ(one.title, other.title))
        or of_two_volumes(one, other)
    )


def different(one: Paper, other: Paper) -> bool:
    """Are two records of one id clearly different papers? So are those of two DOIs, unless one title holds for both.

    So are those whose first authors or years disagree, unless the titles are one; and those of one title whose first
    authors disagree where the years do, too, or where it says nothing, such as "Editorial". Those of one DOI and first
    author are not, whatever their titles.
    """
    dois = {doi_key(one.doi), doi_key(other.doi)}
    same_author = first_authors_agree(one, other)
    if len(dois) == 1 and "" not in dois and same_author:
        return False
    two_dois = len(dois - {""}) > 1
    one_title = title_key(one.title) == title_key(other.title) and title_holds(one, other)
    return parted_by_title(one, other) or (two_dois and not one_title) or _parted_by_author_or_year(one, other)


def _parted_by_author_or_year(one: Paper, other: Paper) -> bool:
    if not one.title or not other.title:
        return False
    other_author, other_years = first_authors_agree(one, other) is False, not years_agree(one, other)
    if similarity(one.title, other.title) < SIMILAR:
        return other_author or other_years
    return other_author and (other_years or is_generic(title_key(one.title)))


def _names(author: str) -> list[str]:
    """The parts of a name in one spelling, surname last; initials and suffixes left out."""
    surname, comma, given = author.partition(",")
    if comma and written_words(given) and not set(written_words(given)) <= SUFFIX_WORDS:
        author = f"{given} {surname}"
    parts = author.replace(".", " ").replace("-", " ").split()
    if not author.isupper():
        parts = [part for part in parts if not (part.isupper() and part.isascii() and len(part) <= _LONGEST_INITIALS)]
    folded = ["".join(written_words(part)) for part in parts]
    names = [plain_word(name) for name in folded if name and name not in SUFFIX_WORDS]
    return [name for name in names if len(name) > 1 or not name.isascii()]
