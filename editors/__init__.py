"""Citations for the sentence that is being written, in editors that speak the Language Server Protocol."""

from editors.server import server

__all__ = ["server"]
