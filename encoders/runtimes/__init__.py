"""Where a model's arithmetic happens: torch everywhere, OpenVINO where it is faster."""

from encoders.runtimes.base import Runtime
from encoders.runtimes.choice import make_runtime

__all__ = ["Runtime", "make_runtime"]
