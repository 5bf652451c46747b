"""What assistants ask of an index: tools by the Model Context Protocol."""

from assistants.tools import server

__all__ = ["server"]
