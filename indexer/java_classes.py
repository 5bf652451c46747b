"""A process that loads the Java classes of an index and of a search in it, for `indexer.java_archive` to learn them."""

import sys
from pathlib import Path

from encoders.text import Text
from indexer.bm25_parameters import ABSTRACTS
from indexer.jvm import autoclass
from indexer.lucene import FIELD, Bm25Writer, labels, open_reader, terms_like


def load(folder: Path) -> None:
    """Write an index in `folder`, read its labels, and search it as `retrieval` does."""
    with Bm25Writer(folder) as writer:
        writer.add_all([Text("Dense retrieval", "Passages are found by vectors."), Text("Words", "And by words.")])
    labels(folder)
    analyzer = autoclass("io.anserini.analysis.DefaultEnglishAnalyzer").newStemmingInstance("porter")
    words = autoclass("io.anserini.analysis.AnalyzerUtils").analyze(analyzer, "Passages by vectors")
    parser = autoclass("org.apache.lucene.queryparser.classic.QueryParser")
    reader = open_reader(folder)
    searcher = autoclass("org.apache.lucene.search.IndexSearcher")(reader)
    similarity = autoclass("org.apache.lucene.search.similarities.BM25Similarity")
    searcher.setSimilarity(similarity(ABSTRACTS.k1, ABSTRACTS.b))
    spaces = autoclass("org.apache.lucene.analysis.core.WhitespaceAnalyzer")()
    query = parser(FIELD, spaces).parse(f"{' '.join(words.toArray())}^2")
    searcher.search(query, 10)
    list(terms_like(reader, ".*[À-Å].*"))


if __name__ == "__main__":
    load(Path(sys.argv[1]))
