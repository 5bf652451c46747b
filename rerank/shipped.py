"""The reranker that comes with the installation."""

from pathlib import Path

from encoders.model import Model
from encoders.models import register

DEFAULT = Path(__file__).parent / "weights" / "default"

register(
    Model(
        "default", str(DEFAULT), "cls", "period", 512, "late-join reranker, comes with the installation", ("reranker",),
        licence="Apache-2.0",
    )
)  # fmt: skip
