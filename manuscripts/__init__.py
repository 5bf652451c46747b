"""What a writer has at hand, a manuscript or a bibliography of unknown origin → its text, read in a sandbox."""

from manuscripts.manuscript import Manuscript
from manuscripts.sandbox import read_manuscript, read_references

__all__ = ["Manuscript", "read_manuscript", "read_references"]
