"""Raw files of papers → an index directory: catalog, BM25, vectors, citation graph."""
