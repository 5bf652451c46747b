"""What a search by title may bring for an entry, and what it must not: variants of one record, and near misses."""

import random
from dataclasses import replace

import pytest
import world

from fetch.corpus.agreement import NONE, SEVERAL, chosen, fits
from fetch.corpus.interface import Work
from indexer.identity.agreement import identifier_holds
from indexer.paper import Paper

PAPERS = [
    Paper(paper["id"], paper["title"], paper.get("abstract", ""), paper["year"], tuple(paper["authors"]))
    for paper in world.PAPERS
]


def last_first(name):
    first, _, last = name.rpartition(" ")
    return f"{last}, {first[:1]}." if first else last


def typo(title, chance):
    words = title.split()
    place = max(range(len(words)), key=lambda number: len(words[number]))
    word = words[place]
    at = chance.randrange(1, len(word) - 1)
    return " ".join([*words[:place], word[:at] + word[at + 1 :], *words[place + 1 :]])


# The same work, as bibliographies write it.
VARIANTS = {
    "lower case": lambda paper, _: replace(paper, title=paper.title.lower()),
    "punctuation": lambda paper, _: replace(paper, title=paper.title.replace(":", " -").replace("-", " ") + "."),
    "last name first": lambda paper, _: replace(paper, authors=tuple(map(last_first, paper.authors))),
    "year of the preprint": lambda paper, _: replace(paper, year=paper.year - 1),
    "no year": lambda paper, _: replace(paper, year=None),
    "a letter missing": lambda paper, chance: replace(paper, title=typo(paper.title, chance)),
    "first author alone": lambda paper, _: replace(paper, authors=paper.authors[:1]),
}
# Another work, though much agrees.
NEAR_MISSES = {
    "another first author": lambda paper, _: replace(paper, authors=("Zebedee Quux", *paper.authors[1:])),
    "another part": lambda paper, _: replace(paper, title=f"{paper.title}, part 2"),
    "revisited": lambda paper, _: replace(paper, title=f"{paper.title} revisited"),
    "five years later": lambda paper, _: replace(paper, year=paper.year + 5),
    "a word more": lambda paper, _: replace(paper, title=f"Unsupervised {paper.title}"),
    "a word less": lambda paper, _: replace(paper, title=" ".join(paper.title.split()[:-1])),
    "a comment on it": lambda paper, _: replace(paper, title=f"Comment on “{paper.title}”"),
    "no author, no year": lambda paper, _: replace(paper, authors=(), year=None),
    "a word exchanged": lambda paper, _: replace(
        paper, title=" ".join(["Hedgehogs" if n == 1 else word for n, word in enumerate(paper.title.split())])
    ),
}


def shares():
    """Kind → share of the demo's papers whose record is taken for the entry that was made of it."""
    chance = random.Random(7)
    return {
        name: sum(fits(change(paper, chance), paper) for paper in PAPERS) / len(PAPERS)
        for name, change in {**VARIANTS, **NEAR_MISSES}.items()
    }


def test_variants_are_taken_and_near_misses_are_not():
    taken = shares()
    assert all(taken[name] >= 0.95 for name in VARIANTS), taken
    assert all(taken[name] <= 0.01 for name in NEAR_MISSES), taken


def test_no_paper_of_the_demo_is_taken_for_another():
    wrong = [(one.id, other.id) for one in PAPERS for other in PAPERS if one.id != other.id and fits(one, other)]
    assert wrong == []


TITLE = "A study of the retrieval of passages for questions"
ENTRY = Paper("e", TITLE, year=2010, authors=("Ann Author",))


def work(id_, title=TITLE, year=2010, authors=("A. Author",), cited=0, **fields):
    return Work(Paper(id_, title, year=year, authors=authors, **fields), cited)


def test_a_preprint_and_its_publication_are_one_work():
    found = chosen(ENTRY, [work("W1", year=2009), work("W2", citations=("W7",)), work("W3", year=2011)])
    assert found.paper.id == "W2"


def test_the_exact_title_is_taken_before_a_similar_one():
    similar = TITLE.replace("passages", "pasages")
    assert chosen(ENTRY, [work("W1", similar, cited=900), work("W2")]).paper.id == "W2"


@pytest.mark.parametrize(
    ("entry", "found", "result"),
    [
        (ENTRY, [], NONE),
        (ENTRY, [work("W1", authors=("B. Else",))], NONE),
        (ENTRY, [work("W1", authors=())], NONE),
        (ENTRY, [work("W1", year=2017)], NONE),
        (replace(ENTRY, authors=()), [work("W1"), work("W2", authors=("B. Else",))], SEVERAL),
        (replace(ENTRY, authors=()), [work("W1", "Short title")], NONE),
        (replace(ENTRY, title="Editorial"), [work("W1", "Editorial")], NONE),
    ],
)
def test_what_does_not_agree_is_not_taken(entry, found, result):
    assert chosen(entry, found) == result


def test_an_identifier_is_doubted_only_where_title_and_author_both_disagree():
    other = work("W1", "Cooking with hedgehogs", authors=("B. Else",)).paper
    assert not identifier_holds(ENTRY, other)
    assert identifier_holds(ENTRY, replace(other, authors=("Ann Author",)))
    assert identifier_holds(ENTRY, replace(other, title=TITLE))
    assert identifier_holds(replace(ENTRY, title=""), other)
    assert identifier_holds(other, replace(ENTRY, title=""))
