"""Citeomatic, which needs torch: see `eval.baselines.citeomatic`."""

from eval.baselines.base import Baseline, Ranker, Setup, register


def _make(setup: Setup) -> Ranker:
    from eval.baselines.citeomatic.ranker import EPOCHS, Citeomatic

    return Citeomatic(setup.seed, setup.epochs or EPOCHS)


register(Baseline("citeomatic", "NNSelect and NNRank, trained on the corpus' citations", _make, "citations"))
