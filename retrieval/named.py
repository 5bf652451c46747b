"""What a text names, by authors, by titles or by identifiers."""

import re
from functools import partial

import numpy as np

from common.stages import stage
from common.text import on_the_line
from indexer.catalog import Catalog
from indexer.generations import OpenGeneration
from indexer.identity.keys import keys_but_of_id, paper_from_text
from retrieval.asked_authors import papers_by_asked_authors
from retrieval.graph import Evidence, citation_counts
from retrieval.hits import Allowed, Docids
from retrieval.interface import SparseRetriever
from retrieval.named_papers import named_papers
from retrieval.named_titles import named_titles

_NAMED = re.compile(r"(?=\b(?:arxiv|ar5iv|pmid|pubmed)\b)", re.IGNORECASE)  # of a part the first identifier is found


def named_in(
    text: str, generation: OpenGeneration, bm25: SparseRetriever, evidence: Evidence, allowed: Allowed, own: Docids
) -> Docids:
    """The papers that a text names, ascending; among them its `own` citations, which are no candidates."""
    with stage("names"):
        text, known = on_the_line(text), allowed.copy()
        known[own] = True  # what the query cites may be what is named, and then no other paper is
        by_authors = named_papers(text, generation.catalog, generation.years, known)
        if not len(by_authors):
            by_authors = papers_by_asked_authors(text, generation.catalog, bm25, generation.years, known)
        times_cited = partial(citation_counts, generation.graph, citing=evidence.citing)
        by_titles = named_titles(text, generation.catalog, bm25, known, times_cited)
        return np.union1d(by_authors, by_titles)


def identified_in(text: str, catalog: Catalog, allowed: Allowed) -> Docids:
    """The `allowed` papers whose DOI, arXiv id or PMID stands in a text, ascending."""
    parts = [*_NAMED.split(text), *(word.rstrip("?!") for word in text.split() if "/" in word)]
    keys = {str(key) for part in parts for key in keys_but_of_id(paper_from_text(part)) if key.kind != "title"}
    found = catalog.docids_by_key(keys).values() if keys else ()
    return np.asarray(sorted({docid for docids in found for docid in docids if allowed[docid]}), np.int32)
