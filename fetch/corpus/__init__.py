"""The corpus of one's field: the entries of a bibliography, what they cite and what cites them, as an index.

`citescout corpus build` and `update`.
"""
