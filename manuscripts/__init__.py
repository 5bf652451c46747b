"""What a writer has at hand, a manuscript or a bibliography of unknown origin → its text, read in a sandbox."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manuscripts.manuscript import Manuscript as Manuscript
    from manuscripts.sandbox import read_manuscript as read_manuscript
    from manuscripts.sandbox import read_references as read_references

__all__ = ["Manuscript", "read_manuscript", "read_references"]


def __getattr__(name: str) -> Any:
    # Loaded at first use: the process in the sandbox, which imports this package, too, needs nothing of what starts it.
    if name == "Manuscript":
        from manuscripts.manuscript import Manuscript

        return Manuscript
    if name in __all__:
        from manuscripts import sandbox

        return getattr(sandbox, name)
    raise AttributeError(f"module 'manuscripts' has no attribute {name!r}")
