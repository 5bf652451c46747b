"""BM25 as Lucene defines it, written from its specification in plain Python: the oracle of the BM25 tests."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence


def _long_to_int4(value: int) -> int:
    """SmallFloat.longToInt4: 4 significant bits, the leading one implicit once there are more than 3."""
    bits = value.bit_length()
    if bits < 4:
        return value
    shift = bits - 4
    return ((value >> shift) & 0x07) | ((shift + 1) << 3)


def _int4_to_long(code: int) -> int:
    mantissa, shift = code & 0x07, (code >> 3) - 1
    return mantissa if shift == -1 else (mantissa | 0x08) << shift


# The largest code of a 31-bit value leaves this many codes of a byte for exact small lengths.
_FREE = 255 - _long_to_int4(2**31 - 1)


def stored_length(length: int) -> int:
    """The document length that is left of `length` after SmallFloat.intToByte4 and byte4ToInt."""
    return length if length < _FREE else _FREE + _int4_to_long(_long_to_int4(length - _FREE))


def bm25(documents: Sequence[Sequence[str]], weights: Mapping[str, float], k1: float, b: float) -> dict[int, float]:
    """Score of every document that holds a query term; `documents` are analysed terms."""
    # Documents without a term do not count for Lucene, neither in N nor in the average.
    lengths = [len(terms) for terms in documents]
    count = sum(1 for length in lengths if length)
    average = sum(lengths) / count
    bags = [Counter(terms) for terms in documents]
    scores: dict[int, float] = {}
    for term, weight in weights.items():
        holding = [number for number, bag in enumerate(bags) if bag[term]]
        idf = math.log(1 + (count - len(holding) + 0.5) / (len(holding) + 0.5))
        for number in holding:
            frequency = bags[number][term]
            norm = k1 * (1 - b + b * stored_length(lengths[number]) / average)
            scores[number] = scores.get(number, 0.0) + weight * idf * frequency / (frequency + norm)
    return scores
