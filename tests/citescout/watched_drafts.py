"""A draft that is watched, on a small index, and papers that come later."""

from citescout import Paper

DRAFT = {
    "title": "Edge bundling of graphs",
    "abstract": "How edges are bundled in node-link diagrams.",
    "authors": ["Ada Example"],
}


def newcomer(number, title="Edge bundling of graphs"):
    return Paper(
        f"new{number}", f"{title} {number}", "Edges of node-link diagrams.", 2020, doi=f"10.1000/new{number} x"
    )
