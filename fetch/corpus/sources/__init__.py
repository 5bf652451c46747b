"""Where works are looked up, a module each: OpenAlex, Semantic Scholar, Crossref with OpenCitations, and arXiv."""
