"""Lists of the sentences for training, each found by an encoder of sentences that has not learned from its paper.

    python -m training.contexts.left_out CORPUS CONTEXTS --work DIR --out lists.npz

The papers that cite are parted in three. For each third an index without what its papers cite, beside what those for
validation and testing cite, and an encoder of sentences that learns from the two others; both ask the sentences of the
third. `citescout train contexts --lists` learns from the file.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from safetensors.torch import save

from citescout.recommender import Recommender
from common.errors import TrainingError
from common.files import write_atomically
from encoders.sentences.encoder import sentence_model
from encoders.transformer import TextEncoder
from indexer.builds import build_index
from indexer.layout import CURRENT
from rerank.context_features import CONTEXT_NAMES
from training.blend.fitting import LabelledList, sampled
from training.contexts.fitting import context_lists
from training.contexts.sentence_encoder import SETTINGS, train
from training.contexts.sentences import THIRDS, CitingSentences, third_of
from training.settings import TrainingSettings


def lists_of_third(
    known: CitingSentences, third: int, work: Path, settings: TrainingSettings = SETTINGS
) -> list[LabelledList]:
    """The candidates of the sentences for training of a third that the trees learn from.

    Args:
        known: The corpus and its sentences.
        third: From 0.
        work: Folder for the index and the encoder, which are made unless they are there.
        settings: Of the encoder's training.

    Raises:
        TrainingError: there is no sentence to learn from in the other thirds.
    """
    index, addition = work / f"index-{third}", work / f"encoder-{third}.safetensors"
    if not (index / CURRENT).is_file():
        build_index(known.papers(("validation", "test"), third), index, "minilm")
    if not addition.is_file():
        write_atomically(addition, save(train(known, index, settings, without=third)))
    asked = [one for one in known.of("train") if third_of(one.citing) == third]
    encoder = TextEncoder(sentence_model(addition))
    with Recommender.open(index) as recommender:
        found = context_lists(recommender.with_sentence_encoder(encoder), known, asked)
        return sampled((one.labelled for one in found), seed=third)


def write_lists(lists: Sequence[LabelledList], path: Path) -> None:
    """Write them for `read_lists`, compressed."""
    with path.open("wb") as file:
        np.savez_compressed(
            file,
            names=np.array(CONTEXT_NAMES),
            features=np.concatenate([one.features for one in lists]),
            cited=np.concatenate([one.cited for one in lists]),
            lengths=np.array([len(one.cited) for one in lists]),
        )


def read_lists(path: Path) -> list[LabelledList]:
    """The lists of a file.

    Raises:
        TrainingError: it is damaged or another file, or its lists have other features.
    """
    try:
        with np.load(path, allow_pickle=False) as found:
            names, features, cited, lengths = (found[name] for name in ("names", "features", "cited", "lengths"))
            if tuple(names) != CONTEXT_NAMES:
                raise TrainingError(f"{path}: the lists have other features than the order learns from: make it again")
            ends = np.cumsum(lengths)[:-1]
            parts = zip(np.split(features, ends), np.split(cited, ends), strict=True)
            return [LabelledList(*part) for part in parts]
    except (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile) as error:
        raise TrainingError(f"{path} holds no lists of training.contexts.left_out ({error})") from None


def main() -> None:
    """See the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("corpus", "contexts"):
        parser.add_argument(name, type=Path, metavar=name.upper())
    for name in ("work", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    known = CitingSentences(options.corpus, options.contexts)
    write_lists([one for third in range(THIRDS) for one in lists_of_third(known, third, options.work)], options.out)


if __name__ == "__main__":
    main()
