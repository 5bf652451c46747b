"""Approximate search structures beside the codes, for corpora that are too many to scan: one file each, registered."""

from indexer.structures import hnsw, ivfpq
from indexer.structures.base import FLAT, STRUCTURES, Structure

__all__ = ["FLAT", "STRUCTURES", "Structure", "hnsw", "ivfpq"]
