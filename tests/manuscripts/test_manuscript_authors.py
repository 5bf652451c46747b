"""Who writes a manuscript, in the ways of the big classes."""

import pytest
from growth import NEARLY_LINEAR, growth

from manuscripts import read_manuscript
from manuscripts.authors import names_among
from manuscripts.latex.authors import authors_of
from manuscripts.markdown_authors import authors_in


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
        (r"\author[1]{Ada Lovelace*}\Author{Grace Hopper $^{1,\dagger}$\orcidA{}, Karl Leser $^{2,}$* and Jan Roe†}",
         ("Ada Lovelace", "Grace Hopper", "Karl Leser", "Jan Roe")),
        (r"\Author[1][a@x.org]{Ada}{Lovelace}\Author[2,*]{Jan}{van der Roe}", ("Ada Lovelace", "Jan van der Roe")),
        (r"\authorsnames[1,{2,3},1]{Ada Lovelace, Jan van der Roe}", ("Ada Lovelace", "Jan van der Roe")),
        (r"\twoauthors{Ada Lovelace}{Jan van der Roe}", ("Ada Lovelace", "Jan van der Roe")),
        ("\\author{\\Name{Ada Lovelace} \\Email{a@x.org}\\and\n"
         r" \Name{Jan Roe\nametag{\thanks{By X.}}} \Email{b@x.org}\\ \addr Some Town}", ("Ada Lovelace", "Jan Roe")),
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
        'author: "Ada Lovelace^[University of A], Grace Hopper^[See [B](https://b.org), too]"',
        "author:\n  - Ada Lovelace^[Corresponding author]\n  - Grace Hopper[^2]",
        "author:\n  - name: Ada Lovelace^[*]\n  - name: 'Prof. Dr. Grace Hopper, PhD'",
        "author:\n  - Ada Lovelace:\n      institute: a\n  - Grace Hopper:\n      institute: [b]",
        "author: Lovelace, Ada; Hopper, Grace",
        "author: ['Lovelace, Ada', 'Hopper, Grace']",
        "author: ['Ada Lovelace\\\\textsuperscript{1,2}', Grace Hopper$^2$]".replace("'", '"'),
        "author: Ada Lovelace^1,2^ & Grace Hopper<sup>2</sup>",
        "author: Ada Lovelace1,2, Grace Hopper*",
        "author: |\n  Ada Lovelace (University of A)\n  Grace Hopper, MD",
        "author: '[Ada Lovelace](https://a.org) \\and Grace Hopper'",
        "author:\n  - literal: Ada Lovelace\n  - given: Grace\n    family: Hopper",
        "author: Ada Lovelace, University of A; Grace Hopper, B",
        "authors:\n  - name: Ada Lovelace\n    equal-contrib: true\n  - given-names: Grace\n    surname: Hopper",
    ],
)
def test_authors_of_markdown_stand_in_its_metadata(front: str) -> None:
    found = read_manuscript(f"---\ntitle: T\n{front}\n---\n\nText.\n".encode())
    assert found.authors == ("Ada Lovelace", "Grace Hopper")


@pytest.mark.parametrize(
    ("author", "name"),
    [
        ("van der Roe, Jan", "Jan van der Roe"),
        ("{name: {given: Jan, non-dropping-particle: van der, family: Roe}}", "Jan van der Roe"),
        ("{given-names: Jan, dropping-particle: van der, surname: Roe}", "Jan van der Roe"),
        ("'Dr. rer. nat. Ada Lovelace'", "Ada Lovelace"),
        ("Dr.-Ing. Ada Lovelace", "Ada Lovelace"),
        ("Drew Nathan, PhD", "Drew Nathan"),
        ("Max Medina", "Max Medina"),
        ("Peter V. deSouza", "Peter V. deSouza"),
        ("محمد علي", "محمد علي"),
    ],
)
def test_an_author_has_a_name_without_titles(author: str, name: str) -> None:
    assert read_manuscript(f"---\ntitle: T\nauthor: {author}\n---\n\nText.\n".encode()).authors == (name,)


@pytest.mark.parametrize("unit", ["^[", "^[a [b] ", "$$$", "(", "<sup>", "^a"])
def test_long_texts_of_authors_take_no_longer_than_they_should(unit: str) -> None:
    assert growth(lambda size: names_among(authors_in(unit * size)), 99_999) < NEARLY_LINEAR
