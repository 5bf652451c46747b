"""Recommendations → text in a format that other programs read.

A format is one module of `exports.formats`; `write` is the way in, `FORMATS` names them all.
"""

from citescout.recommendation import Answer
from exports.base import Format
from exports.citation import citation_line
from exports.writing import FORMATS, find_format, write, written

__all__ = ["FORMATS", "Answer", "Format", "citation_line", "find_format", "write", "written"]
