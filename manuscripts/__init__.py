"""What a writer has at hand, a manuscript or a bibliography of unknown origin → its text, read in a sandbox."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manuscripts.manuscript import Manuscript as Manuscript
    from manuscripts.sandbox import read_manuscript as read_manuscript
    from manuscripts.sandbox import read_references as read_references

_HOMES = {"Manuscript": "manuscript", "read_manuscript": "sandbox", "read_references": "sandbox"}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    # Loaded at first use: the process in the sandbox, which imports this package, too, needs nothing of what starts it.
    if name not in _HOMES:
        raise AttributeError(f"module 'manuscripts' has no attribute {name!r}")
    return getattr(import_module(f"manuscripts.{_HOMES[name]}"), name)
