"""Sentence and document encoders: cosine of their vectors, exact, not rounded as in an index."""

from collections.abc import Sequence

from encoders.base import Encoder
from encoders.models import models
from encoders.presence import IN_EVERY_INSTALLATION
from encoders.text import Text
from eval.baselines.base import Baseline, Matrix, Need, Setup, VectorRanker, register
from indexer.generations import load_encoder


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
        return EncoderRanker(load_encoder(source))

    return Baseline(name, description, make, needs)


for _model in models():
    if "encoder" in _model.roles:
        _needs: Need = "nothing" if _model.source in IN_EVERY_INSTALLATION else "download"
        register(encoder_baseline(_model.name, _model.name, _model.description, _needs))
