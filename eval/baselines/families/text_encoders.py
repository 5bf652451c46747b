"""Sentence and document encoders: cosine of their vectors, exact, not rounded as in an index."""

from __future__ import annotations

from collections.abc import Sequence

from encoders.base import Encoder
from encoders.presets import presets
from encoders.text import Text
from eval.baselines.base import Baseline, Matrix, Need, Setup, VectorRanker, register


class EncoderRanker(VectorRanker):
    """Any encoder of `encoders`: a preset, a folder or a hub id."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def learn(self, papers: Sequence[Text]) -> Matrix:
        """See `VectorRanker.learn`."""
        return self._encoder.encode(papers, progress=True)

    def vectors(self, queries: Sequence[Text]) -> Matrix:
        """See `VectorRanker.vectors`."""
        return self._encoder.encode_queries(queries)


def encoder_baseline(name: str, source: str, description: str, needs: Need = "nothing") -> Baseline:
    """The declaration of one encoder."""

    def make(_setup: Setup) -> EncoderRanker:
        from encoders.loading import load_encoder

        return EncoderRanker(load_encoder(source))

    return Baseline(name, description, make, needs)


for _preset in presets():
    register(
        encoder_baseline(
            _preset.name,
            _preset.name,
            _preset.description,
            "nothing" if _preset.source == "package:minilm" else "download",
        )
    )
