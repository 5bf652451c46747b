"""The systems that the papers compare with: each takes the texts of a corpus, and ranks them for those of queries.

A baseline is one declaration in a module of `eval.baselines.families`; `eval.baselines.registry` names them all.
"""
