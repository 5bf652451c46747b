"""Retrievers whose texts and vectors an engine holds; `indexer.engines` writes what they read."""
