"""Lists of which a tiny cross-encoder can learn the rule."""

import numpy as np

from encoders.text import Text
from training.reranker.lists import TrainingList


def toy_lists(count, seed=0, length=8, known=True):
    """A query cites the candidates that hold the word w0; `known`: with log-odds by first stage and teacher."""
    generator = np.random.default_rng(seed)

    def text(cited):
        words = [f"w{number}" for number in generator.integers(1, 60, 5)]
        return Text(" ".join([*words[:2], "w0", *words[2:]] if cited else words), "")

    lists = []
    for _ in range(count):
        labels = (generator.random(length) < 0.4).astype(int).tolist()
        log_odds = [4.0 * label - 2 + float(generator.normal()) for label in labels] if known else None
        lists.append(TrainingList(text(False), [text(label) for label in labels], labels, log_odds, log_odds))
    return lists
