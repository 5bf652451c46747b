"""Raw files of papers in any known format → `Paper` records, one at a time.

A format is one module of `indexer.readers.formats`; `read_papers` is the way in.
"""

from indexer.readers.reading import read_papers
from indexer.readers.report import Problem, ReadReport

__all__ = ["Problem", "ReadReport", "read_papers"]
