"""A user's entries in three formats, and how they go through an index into an export."""

import re
from collections.abc import Iterable
from pathlib import Path

from citescout.recommendation import Recommendation
from exports import written
from indexer.catalog import Catalog
from indexer.catalog_writing import build_catalog
from indexer.paper import Paper
from indexer.readers import read_papers
from retrieval.query import Query

BIB = r"""% my library
@preamble{"\newcommand{\noopsort}[1]{}"}
@string{jmlr = "J. Mach. Learn. Res."}
@String { jmlrx = jmlr # " (Extra)" }

@Article{Müller:2020a,
	author   = "M{\"u}ller, J{\"o}rg and de la Cruz, Ana and others",
	title    = {{BERT} for $O(n^2)$: an {\"U}bersicht \& more},
	journal  = jmlrx,
	volume   = 12, number = {3}, pages = {1--20},
	month    = jan,
	keywords = {a, b},
	annote   = {my own note, 100\% mine},
}
@inproceedings{child, crossref = {Proc20}, title = "The Child", author = {Doe, Jane}, pages="3-4"}
@misc(paren, title = {In parentheses}, howpublished = {\url{https://example.org/a%20b}}, year = 2001)
@proceedings{Proc20,
  title = {Proceedings of Things}, booktitle = {Proc. of Things}, year = 2020, editor = {Ed, An},
}
"""
RIS = (
    "TY  - CHAP\r\nTI  - A chapter of many words\r\nAU  - Doe, Jane\r\nT2  - A book\r\nED  - Ed, An\r\nPY  - 1999\r\n"
    "VL  - 7\r\nIS  - 2\r\nSP  - 10\r\nEP  - 20\r\nPB  - Printer\r\nN1  - my note\r\n over two lines\r\nID  - doe99\r\n"
    "ER  - \r\n\r\n"
)
CSL = [
    {
        "id": "zot1",
        "type": "report",
        "title": "A report on <i>things</i>",
        "author": [{"family": "Doe", "given": "Jane"}],
        "publisher": "Institute",
        "page": "1-9",
        "volume": 4,
        "issued": {"date-parts": [[2011, 5]]},
        "custom": {"x": [1, 2.5, None]},
    }
]


def indexed(text: str, name: str, folder: Path) -> list[Paper]:
    """The papers of a file as an index holds them."""
    file = folder / name
    file.write_bytes(text.encode())
    return indexed_again(read_papers([str(file)]), folder, name)


def indexed_again(found: Iterable[Paper], folder: Path, name: str = "papers") -> list[Paper]:
    """Papers as an index holds them."""
    path = folder / f"{name}.sqlite"
    build_catalog(found, path)
    catalog = Catalog(path)
    papers = catalog.papers(range(catalog.size))
    catalog.close()
    return papers


def exported(name: str, *papers: Paper) -> str:
    return written(name, [(Query("q"), [Recommendation(n, 1 / n, paper) for n, paper in enumerate(papers, 1)])])


def entries(text: str) -> dict[str, str]:
    """The blocks of a .bib file by key, byte for byte: each ends where its first brace or parenthesis is closed."""
    found = {}
    for start in re.finditer(r"^@(?!string|preamble)\w+\s*([{(])\s*([^,\s]+)", text, re.I | re.M):
        opening, closing = start[1], {"{": "}", "(": ")"}[start[1]]
        depth = place = 0
        for place in range(start.start(1), len(text)):
            depth += (text[place] == opening) - (text[place] == closing)
            if depth == 0:
                break
        found[start[2]] = text[start.start() : place + 1]
    return found


NEW = Paper("x", "Dense passage retrieval for questions", year=2020, authors=("Ann Writer",), doi="10.1000/dense")
