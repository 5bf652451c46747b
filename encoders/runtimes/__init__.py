"""Where a model's arithmetic happens: torch everywhere, OpenVINO where it is faster."""

from encoders.runtimes.base import Runtime, make_runtime

__all__ = ["Runtime", "make_runtime"]
