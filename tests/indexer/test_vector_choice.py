"""The rule that picks codes and structure: the first of a stated list that fits memory and size."""

from itertools import product

import pytest

from common.errors import VectorChoiceError
from indexer.structures import STRUCTURES
from indexer.vector_choice import SEARCHES, VectorChoice, VectorOptions, choose, memory
from indexer.vectors import KINDS

GB = 10**9
AUTO = ("auto", "auto")


@pytest.mark.parametrize(
    ("papers", "dimension", "limit", "expected"),
    [
        (375, 384, None, ("fp16", "flat")),
        (375, 384, 375 * 768, ("fp16", "flat")),
        (375, 384, 375 * 768 - 1, ("sq8", "flat")),
        (1_000_000, 384, 2 * GB, ("fp16", "flat")),  # 768 MB
        (1_000_000, 384, GB // 2, ("sq8", "flat")),
        (1_000_000, 384, 384 * 10**6 - 1, ("sq8", "ivfpq")),
        (2_000_000, 384, None, ("sq8", "flat")),  # as floats they were more than a query may scan
        (7_000_000, 384, None, ("fp16", "hnsw")),
        (7_000_000, 384, 8 * GB, ("fp16", "hnsw")),  # 7.3 GB
        (7_000_000, 384, 5 * GB, ("sq8", "hnsw")),  # 4.6 GB
        (7_000_000, 384, 2 * GB, ("sq8", "ivfpq")),
        (7_000_000, 768, 2 * GB, ("sq8", "ivfpq")),
    ],
)
def test_the_first_that_fits_is_taken(papers: int, dimension: int, limit: int | None, expected: tuple) -> None:
    assert choose(VectorOptions(*AUTO, limit), papers, dimension) == VectorChoice(*expected)


@pytest.mark.parametrize("kind", [*KINDS, "auto"])
@pytest.mark.parametrize("search", [*SEARCHES, "auto"])
def test_a_choice_fits_and_is_refused_only_where_nothing_fits(kind: str, search: str) -> None:
    allowed = [VectorChoice(k, s) for k in KINDS for s in SEARCHES if kind in {"auto", k} and search in {"auto", s}]
    allowed = [choice for choice in allowed if kind != "auto" or choice.kind != "fp32"]
    limits = [10**exponent for exponent in range(6, 13)]
    for papers, dimension, limit in product((12_000, 300_000, 5_000_000, 200_000_000), (32, 384, 768), limits):
        try:
            choice = choose(VectorOptions(kind, search, limit), papers, dimension)
        except VectorChoiceError:
            assert all(memory(other, papers, dimension) > limit for other in allowed), (papers, dimension, limit)
        else:
            assert choice in allowed
            assert memory(choice, papers, dimension) <= limit


def test_what_is_named_is_kept() -> None:
    assert choose(VectorOptions(), 7_000_000, 384) == VectorChoice("sq8", "flat")
    assert choose(VectorOptions("fp32", "flat"), 7_000_000, 384) == VectorChoice("fp32", "flat")
    assert choose(VectorOptions("fp32", "auto"), 7_000_000, 384) == VectorChoice("fp32", "hnsw")
    assert choose(VectorOptions("auto", "hnsw"), 1000, 384) == VectorChoice("fp16", "hnsw")


@pytest.mark.parametrize(
    ("options", "papers", "said"),
    [
        (VectorOptions("int4"), 10, "--vectors must be one of sq8, fp16, fp32, auto, not 'int4'"),
        (VectorOptions("sq8", "annoy"), 10, "--search must be one of flat, hnsw, ivfpq, auto, not 'annoy'"),
        (VectorOptions("sq8", "ivfpq"), 9_999, "needs at least 10,000 papers, there are 9,999"),
        (VectorOptions(*AUTO, 1000), 100, "38,400 bytes as --vectors auto --search auto, not the 1,000 of --memory"),
        (VectorOptions("fp32", "flat", GB), 10**6, "index with --memory 1536MB or more"),
    ],
)
def test_what_does_not_fit_is_one_line(options: VectorOptions, papers: int, said: str) -> None:
    with pytest.raises(VectorChoiceError) as caught:
        choose(options, papers, 384)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_every_structure_can_be_named() -> None:
    assert set(SEARCHES) == {"flat", *STRUCTURES}
