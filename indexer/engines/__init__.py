"""Engines that hold the texts and vectors of an index outside its directory: Milvus, as a cluster or embedded.

Nothing here imports `pymilvus` before a function is called: it comes with the extra `milvus`.
"""
