"""The papers of a Zotero library, and an index that follows it."""

from fetch.zotero.library import Part
from fetch.zotero.syncing import Followed, follow, papers_of
from indexer.builds import build_index
from indexer.readers import ReadReport


def read(library):
    return {paper.id: paper for paper in papers_of(library, None, ReadReport())}


def followed_index(address, directory, part=Part(), database=""):  # noqa: B008 - frozen
    followed = Followed(part, database, address)
    library = followed.library()
    follow_with = Followed(part, database, address, library.stamps())
    build_index(papers_of(library, None, ReadReport()), directory, None)
    follow(follow_with, directory)
