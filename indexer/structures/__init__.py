"""Approximate search structures beside the codes, for corpora that are too many to scan: one file each."""

from indexer.structures.base import FLAT, Structure
from indexer.structures.hnsw import Hnsw
from indexer.structures.ivfpq import IvfPq

STRUCTURES: dict[str, Structure] = {structure.name: structure for structure in (Hnsw(), IvfPq())}

__all__ = ["FLAT", "STRUCTURES", "Structure"]
