"""When two names are one author's."""

import sqlite3

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from citescout.known_papers import papers_by
from common.names import parse_name
from indexer.catalog import Catalog
from indexer.catalog_writing import add_to_catalog, build_catalog, remove_from_catalog
from indexer.identity.authors import agreement, author_of, key_of, matching
from indexer.paper import Paper


@pytest.mark.parametrize(
    ("one", "other", "how"),
    [
        ("Ada Lovelace", "Lovelace, Ada", "full"),
        ("ADA LOVELACE", "Lovelace, Ada King", "full"),
        ("Ada Lovelace", "Anna Lovelace", None),
        ("Ada Lovelace", "Ada Byron", None),
        ("Ada Lovelace", "A. Lovelace", "initials"),
        ("Ada Lovelace", "B. Lovelace", None),
        ("Ada K. Lovelace", "Lovelace, AB", None),
        ("Ada Kate Lovelace", "Lovelace AK", "initials"),
        ("LOVELACE A", "Ada Lovelace", "initials"),
        ("LI MING", "Ming, Li", "initials"),  # in capitals, LI may be two initials
        ("Karen Spärck Jones", "Jones, K. Sparck", "full"),
        ("Spärck Jones, K.", "Karen Sparck Jones", "initials"),
        ("Jones, Karen Spärck", "Spärck Jones, Karen", "full"),
        ("Kurt Gödel", "GOEDEL, Kurt", "full"),
        ("Øystein Sørensen", "Sorensen, Oystein", "full"),
        ("Łukasz Wałęsa", "Walesa, Lukasz", "full"),
        ("Weiß, Jürgen", "Juergen Weiss", "full"),
        ("Жуков, Георгий", "Г. Жуков", "initials"),
        ("Παπαδόπουλος, Γιώργος", "Γ. Παπαδόπουλος", "initials"),  # no symbol
        ("Жан Королёв", "Королев, Жан", "full"),
        ("Жуков, Г.", "Zhukov, G.", None),
        ("Patrick O'Brien", "O’BRIEN, Patrick", "full"),
        ("Jean-Pierre Dupont", "Dupont, Jean Pierre", "full"),
        ("Jean-Pierre Dupont", "Dupont, J.-P.", "initials"),
        ("Jean-Pierre Dupont", "Dupont, JM", None),
        ("Ch. Perelman", "Chaïm Perelman", "initials"),
        ("J. Robert Oppenheimer", "Julius Robert Oppenheimer", "full"),
        ("van der Waals, J. D.", "Johannes van der Waals", "initials"),
        ("Waals, Johannes van der", "Johannes Van der Waals", "full"),
        ("Beethoven, Ludwig", "Ludwig van Beethoven", None),
        ("García-Márquez, Gabriel", "Gabriel García Márquez", "full"),
        ("Xiaoming Wang", "Wang, Xiao-Ming", "full"),
        ("Xiaoming Wang", "Wang, X. M.", "initials"),
        ("Wang, XM", "Wang, XL", None),
        ("李明", "李, 明", "full"),
        ("李明", "李小明", None),
        ("김 철수", "김철수", "full"),
        ("Martin Luther King, Jr.", "King, Jr., Martin Luther", "full"),
        ("King Jr, ML", "Martin King", "initials"),
        ("King ML Jr", "Martin Luther King Jr.", "initials"),
        ("LI MIN", "Min Li", None),
        ("Doe, Esq., John", "John Doe", "full"),
        ("John Doe 3rd", "Doe, John", "full"),
        ("Martin King Jr.", "Martin King Sr.", None),
        ("Ho, Joyce, V", "Joyce Ho", "full"),
        ("World Health Organization", "World Health Organization", "full"),
        ("Lovelace", "Ada Lovelace", None),
        ("", "Ada Lovelace", None),
        ("", "", None),
        ("...", "Ada Lovelace", None),
    ],
)
def test_names_agree_as_people_would_say(one, other, how):
    assert agreement(author_of(one), author_of(other)) == how
    assert agreement(author_of(other), author_of(one)) == how
    if how:
        assert key_of(one) == key_of(other) != ""


_WORD = st.from_regex(r"[A-Z][a-z]{0,8}", fullmatch=True)


@given(
    st.lists(_WORD | _WORD.map(lambda word: f"{word}."), min_size=1, max_size=3),
    st.from_regex("[A-Z][a-z]{2,9}", fullmatch=True),
)
def test_a_plain_name_is_looked_up_as_with_its_family_name_first(given_names, family):
    name = " ".join(given_names)
    assume(not parse_name(f"{family}, {name}").whole)  # "Aaa, Llc" is an organisation
    assert key_of(f"{name} {family}") == key_of(f"{family}, {name}") == author_of(f"{family}, {name}").family[-1]


def matched(name, *others):
    by_author = {author_of(other): other for other in others}
    return {by_author[author] for author in matching(author_of(name), set(by_author))}


def test_initials_match_where_the_name_is_rare():
    assert matched("Ada Lovelace", "Lovelace, A", "Ada Lovelace") == {"Lovelace, A", "Ada Lovelace"}
    assert matched("A. Lovelace", "Ada Lovelace", "Lovelace, Ada K.") == {"Ada Lovelace", "Lovelace, Ada K."}
    assert matched("Lovelace, AK", "A. Lovelace", "Byron Lovelace") == {"A. Lovelace"}
    assert matched("Jan Berg", "Berg, J.", "van den Berg, P.", "van der Berg, K.") == {"Berg, J."}


def test_initials_of_strangers_do_not_match():
    assert matched("Ada Lovelace", "Lovelace, A", "Anna Lovelace") == set()
    assert matched("A. Lovelace", "Ada Lovelace", "Anna Lovelace") == set()
    assert matched("Lovelace, A", "Lovelace, AB", "Lovelace, AC") == set()


def test_initials_say_nothing_of_a_common_family_name():
    others = ("Wang, J", "Wang, L", "Wang, Y")
    assert matched("Jing Wang", *others) == set()
    assert matched("Jing Wang", *others, "Wang, Jing") == {"Wang, Jing"}


PAPERS = (
    Paper("a", "First", authors=("Ada Lovelace", "B. Byron")),
    Paper("b", "Second", authors=("Lovelace, A.",)),
    Paper("c", "Third", authors=("Wang, Li", "Spärck Jones, Karen")),
    Paper("d", "Nobody"),
)


@pytest.fixture
def catalog(tmp_path):
    build_catalog(PAPERS, tmp_path / "catalog.sqlite")
    return tmp_path / "catalog.sqlite"


def found(path, *names):
    catalog = Catalog(path)
    ids = catalog.ids(papers_by(catalog, names))
    catalog.close()
    return ids


def test_papers_are_found_by_their_authors(catalog):
    assert found(catalog, "Ada Lovelace") == ["a", "b"]
    assert found(catalog, "Karen Sparck Jones", "Byron, Berta") == ["a", "c"]
    assert found(catalog, "Lovelace") == found(catalog, "") == found(catalog) == []


def test_the_table_follows_additions_and_removals(catalog):
    add_to_catalog(
        [Paper("b", "Second", authors=("Alan Turing",)), Paper("e", "Fifth", authors=("Ada Lovelace",))], catalog, 4
    )
    assert found(catalog, "Ada Lovelace") == ["a", "e"]
    assert found(catalog, "Turing, Alan") == ["b"]
    remove_from_catalog([0], catalog)
    assert found(catalog, "Ada Lovelace") == ["e"]
    with sqlite3.connect(catalog) as connection:
        rows = connection.execute("SELECT key, number FROM authors ORDER BY key, number").fetchall()
    connection.close()
    assert rows == [("jones", 2), ("lovelace", 4), ("turing", 1), ("wang", 2)]
