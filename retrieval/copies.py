"""Queries that know which papers of an index are other records of theirs."""

from collections.abc import Sequence
from dataclasses import replace

from indexer.catalog import Catalog
from indexer.identity.title_overlap import copies_by_title
from retrieval.query import Query


def with_copies(queries: Sequence[Query], catalog: Catalog) -> tuple[Query, ...]:
    """The queries with the ids of all papers of nearly their titles, their own id left out, as `copies`.

    Every title of the catalog is looked at once, however many queries there are.
    """
    found = copies_by_title([query.written.title for query in queries], catalog.all_titles())
    return tuple(
        replace(query, copies=tuple(id_ for id_ in catalog.ids(docids) if id_ != query.id))
        for query, docids in zip(queries, found, strict=True)
    )
