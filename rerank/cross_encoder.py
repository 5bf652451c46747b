"""The second stage: how likely a query paper is to cite each candidate (BIR 2020, section 2).

Two kinds of network stand behind the one class: the late-join reranker that ships with the package, and any Hugging
Face encoder with a classification head over `[CLS]` query `[SEP]` candidate `[SEP]`.
"""

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from common.cpu import usable_cores
from common.errors import ModelError
from encoders.converted import fingerprint
from encoders.model import folder_named
from encoders.runtimes.base import RuntimeName, has_gpu
from encoders.text import Text
from rerank.networks import PairNetwork
from rerank.reranking import Reranking, probabilities
from rerank.shipped import DEFAULT
from rerank.token_split import TokenIds, TokenSplit

# Candidates that go through a network together: few on a CPU, where every core takes batches of its own.
BATCH_SIZE, BATCH_SIZE_ON_CUDA = 8, 128


class Reader:
    """Scores candidates for one query, in as many calls as one likes; the query is read once."""

    def __init__(self, network: PairNetwork, query: Text) -> None:
        self._network, self._asked = network, network.read(query)

    def logits(self, candidates: Sequence[TokenIds]) -> NDArray[np.float32]:
        """The log-odds of what `CrossEncoder.score` gives; of candidates that `CrossEncoder.token_ids` has tokenised.

        A list is ordered by these: probabilities near 0 or 1 are the same in 32 bits.
        """
        if not candidates:
            return np.zeros(0, np.float32)
        return self._network.logits(self._asked, candidates, batch_size_for(len(candidates)))


class CrossEncoder:
    """Scores candidates for one query."""

    def __init__(self, network: PairNetwork, name: str) -> None:
        self.name = name
        self.reranking = Reranking.unmeasured()  # how it is used unless settings say otherwise
        self._network = network
        self._prepared = False

    @classmethod
    def load(
        cls, name: str = "default", split: TokenSplit | None = None, runtime: RuntimeName = "auto", exact: bool = False
    ) -> Self:
        """The cross-encoder called "default", in a local folder, or behind a hub id.

        `split` is what it was trained with, and 256 + 256 where that is not recorded, unless given. A late-join network
        that is to be `exact` computes in fp32 on every processor, which takes 1.7 times as long where there is bf16.

        Raises:
            ModelError: no such model, weights that are damaged, pickled or of another network, a model that was not
                trained to judge pairs, a split longer than the model reads, a damaged reranking.json.
        """
        from encoders.models import registered
        from rerank.late_join_config import is_late_join

        known = registered(name)
        if known and "reranker" not in known.roles:
            raise ModelError(
                f"'{name}' is a base without a head that judges pairs: train one with `citescout train reranker --base "
                f"{name} --index DIR --out FOLDER`, and take --reranker FOLDER"
            )
        folder = DEFAULT if name == "default" else folder_named(name)
        reranking = Reranking.of(folder)
        split = split or reranking.tokens
        network: PairNetwork
        if name == "default" or is_late_join(folder):
            from rerank.late_join_scorer import LateJoinNetwork

            network = LateJoinNetwork.load(folder, split, runtime, exact)
        else:
            from rerank.sequence_pairs import SequencePairNetwork  # torch

            network = SequencePairNetwork.load(name, split or TokenSplit(), runtime)
        found = cls(network, name)
        found.reranking = reranking
        return found

    @property
    def identity(self) -> str:
        """What its scores depend on, in one line: the model, by its files where they are in a folder, and the split."""
        folder = DEFAULT if self.name == "default" else folder_named(self.name)
        files = fingerprint(folder).splitlines() if folder.is_dir() else []
        return f"{self.name} {files} {self.split}"

    @property
    def split(self) -> TokenSplit:
        """How many tokens of each side are read."""
        return self._network.split

    def score(self, query: Text, candidates: Sequence[Text]) -> NDArray[np.float32]:
        """p(cited | query, candidate) in [0, 1], shape (len(candidates),), float32.

        The batch size and the order of the candidates change nothing but the last digits.
        """
        return probabilities(self.reader(query).logits(self.token_ids(candidates)))

    def reader(self, query: Text) -> Reader:
        """The same in steps: the query is read now, its candidates later."""
        return Reader(self._network, query)

    def token_ids(self, candidates: Sequence[Text]) -> list[TokenIds]:
        """What is read of candidates, for `Reader.logits`; worth keeping, because it depends on no query."""
        return self._network.token_ids(candidates)

    def prepare(self) -> None:
        """Compile the network and let it read once, which the first query would otherwise wait for."""
        if self._prepared:
            return
        self._prepared = True
        text = Text("", "a " * max(self.split.query, self.split.candidate))
        self.score(text, [text] * BATCH_SIZE)


def batch_size_for(count: int) -> int:
    """A batch size for so many candidates: on a CPU no core is to wait while another has more than it needs."""
    if has_gpu():
        return BATCH_SIZE_ON_CUDA
    return max(1, min(BATCH_SIZE, -(-count // usable_cores())))
