"""An encoder of words, which costs no time."""

import pytest
from living import HashEncoder, use_hash_encoder

from encoders.transformer import TextEncoder


@pytest.fixture
def hash_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every encoder is `HashEncoder`, which counts what it encodes."""
    monkeypatch.setattr(TextEncoder, "load", use_hash_encoder)
    monkeypatch.setattr(HashEncoder, "encoded", 0)
