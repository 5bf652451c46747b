"""The systems that the papers compare with: each takes the corpus's texts, and ranks it for the texts of queries.

A baseline is one declaration in a module of `eval.baselines.families`; `eval.baselines.registry` names them all.
"""
