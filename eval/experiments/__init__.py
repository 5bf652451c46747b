"""The experiments of the papers: each is one module here, which declares it and registers it.

`base` says what a declaration is, `asking` puts the queries, `findings` holds what comes out, `report` keeps and shows
it; no other module needs to know of a new experiment.
"""
