"""The corpus that comes with the package: well-known papers of information retrieval, NLP and machine learning.

Titles, authors, years, venues, identifiers and the citations among the papers are facts; each "abstract" is a summary
that was written for this demo.
"""

from pathlib import Path

CORPUS = Path(__file__).parent / "corpus.jsonl"
