"""A title and an abstract, and how both are read of a file."""

from manuscripts import read_manuscript
from manuscripts.draft import Draft

TITLE = "Where words and references meet: recommending citations"
ABSTRACT = (
    "Given the title and abstract of a manuscript, we recommend papers that it should cite. Our model learns document "
    "representations from the citation graph, so that papers which cite each other lie close together."
)


def read_draft(data):
    found = read_manuscript(data)
    return Draft(found.title, found.abstract)
