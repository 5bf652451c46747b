"""A Zotero library → papers: from the running program, or from a copy of its database."""
