"""What a writer has at hand, a draft or a bibliography as a file of unknown origin → its text, read in a sandbox."""

from manuscripts.sandbox import read_draft, read_references

__all__ = ["read_draft", "read_references"]
