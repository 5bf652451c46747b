"""A small corpus whose papers cite works that are not among them."""

from indexer.identity.references import Reference
from indexer.paper import Paper

BUNDLES = "10.1000/bundles"
DESCRIBED = Reference(author="Doe, J", year="1999", title="A telling title on the layout of large graphs")
PLACED = Reference(author="Small, H", year="1973", volume="24", page="265")


def paper(number, year, *citations, text="Edge bundling in node-link diagrams of graphs"):
    return Paper(f"p{number}", f"{text} {number}", text, year, ("Ann Author",), citations=citations)


PAPERS = (
    paper(1, 2001, BUNDLES, "W9001", DESCRIBED.citation()),
    paper(2, 2003, "https://doi.org/10.1000/BUNDLES", "p1", "arXiv:1706.03762"),
    paper(3, 2010, BUNDLES, "p1", "W9002", PLACED.citation()),
    paper(4, 2015, "W9002", "p2", "p3", DESCRIBED.citation()),
    paper(5, 2001, "W9003", text="How dough becomes bread"),
    paper(6, None, "W9004"),
)
