"""The demo corpus as the first stage has it."""

from pathlib import Path

import pytest

from encoders.transformer import TextEncoder
from indexer.generations import OpenGeneration, open_generation
from retrieval.first_stage import FirstStage


@pytest.fixture(scope="module")
def generation(demo_index: Path) -> OpenGeneration:
    return open_generation(demo_index)


@pytest.fixture(scope="module")
def stage(generation: OpenGeneration) -> FirstStage:
    return FirstStage(generation, TextEncoder.load("minilm"))
