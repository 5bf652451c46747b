"""Corpora from scholarly APIs: a selection of works → a file that `citescout index` reads.

A download that is interrupted goes on where it was.
"""
