"""Who writes a manuscript, in the ways of the big classes."""

import pytest

from manuscripts import read_manuscript
from manuscripts.latex.authors import authors_of


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (r"\author{Ada Lovelace\thanks{X, Inc.} \and Grace B. Hopper$^{1,2}$, Karen J\"ons\\ Some University}",
         ("Ada Lovelace", "Grace B. Hopper", "Karen Jöns")),
        (r"\author[1]{Jean-Pierre Leser}\author[2,3]{Ludwig van Schreiber}\affil[1]{Some Institute}",
         ("Jean-Pierre Leser", "Ludwig van Schreiber")),
        (r"\author{Ada Lovelace, \IEEEmembership{Fellow, IEEE}, and Grace~B.~Hopper}",
         ("Ada Lovelace", "Grace B. Hopper")),
        (r"\author{\IEEEauthorblockN{Ada Lovelace, Grace Hopper}\IEEEauthorblockA{Some University\\x@y.z}\and"
         r"\IEEEauthorblockN{Karl Le\ss er}}", ("Ada Lovelace", "Grace Hopper", "Karl Leßer")),
        (r"\author{{\bf Ada Lovelace} \\ Town \And {\bf Grace Hopper}}", ("Ada Lovelace", "Grace Hopper")),
        (r"\author{Mar\'{\i}a Mu\~noz \and Beno\^it C\^ot\'e$^1$, J\~{a}n~Roe^{2} \and J\'er\^{o}me Doe}",
         ("María Muñoz", "Benoît Côté", "Jãn Roe", "Jérôme Doe")),
        (r"\author{\name Ada Lovelace \email a@x.org \\ \addr Town}", ("Ada Lovelace",)),
        (r"\author{Anonymous ACL submission}", ()),
        (r"\author{Department of Physics}", ()),
        (r"\author{Anonymous Author(s)}", ()),
        (r"\author", ()),
        (r"\author{" * 3, ()),
    ],
)  # fmt: skip
def test_authors_of_latex_are_names_alone(source: str, names: tuple[str, ...]) -> None:
    assert authors_of(source) == names


@pytest.mark.parametrize(
    "front",
    [
        "author: Ada Lovelace and Grace Hopper",
        "author: [Ada Lovelace, Grace Hopper]",
        "authors:\n  - name: Ada Lovelace\n    orcid: 1\n  - name: {given: Grace, family: Hopper}",
    ],
)
def test_authors_of_markdown_stand_in_its_metadata(front: str) -> None:
    found = read_manuscript(f"---\ntitle: T\n{front}\n---\n\nText.\n".encode())
    assert found.authors == ("Ada Lovelace", "Grace Hopper")
