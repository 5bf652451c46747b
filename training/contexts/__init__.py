"""The training of the order for queries with a context, on sentences that cite."""
