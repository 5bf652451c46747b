"""Manuscripts in Typst."""
