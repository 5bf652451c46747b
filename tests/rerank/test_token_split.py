"""The token split is exact on each side, for BERT-like and RoBERTa-like tokenizers."""

import pytest

from common.errors import ModelError
from encoders.text import Text
from rerank.sequence_pairs import PairTemplate
from rerank.token_split import TokenSplit, candidate_token_ids, text_token_ids
from tests.rerank.tiny_models import bert_tokenizer, tokenizer_of


def long_text(words):
    return Text(" ".join(f"w{number % 60}" for number in range(words)), "")


@pytest.mark.parametrize("split", [TokenSplit(8, 8), TokenSplit(10, 5), TokenSplit(4, 40)])
def test_long_sides_fill_their_share_exactly(split):
    tokenizer = bert_tokenizer()
    query, candidate = text_token_ids(tokenizer, [long_text(100), long_text(100)])
    pair = PairTemplate.of(tokenizer).join(query, candidate, split)
    assert pair.segments == [0] * split.query + [1] * split.candidate
    first, last = tokenizer.cls_token_id, tokenizer.sep_token_id
    expected = [first, *query[: split.query - 2], last, *candidate[: split.candidate - 1], last]
    assert pair.token_ids == expected


def test_a_short_side_leaves_its_room_unused():
    tokenizer = bert_tokenizer()
    query, candidate = text_token_ids(tokenizer, [Text("w1", ""), long_text(100)])
    pair = PairTemplate.of(tokenizer).join(query, candidate, TokenSplit(20, 10))
    assert len(pair.token_ids) == 3 + 10


def test_untruncated_pair_is_what_the_tokenizer_makes_of_two_texts():
    for tokenizer in (bert_tokenizer(), tokenizer_of("<s>", "</s>", "<pad>", types=False)):
        query, candidate = text_token_ids(tokenizer, [Text("w1 w2", "w3"), Text("w4", "w5 w6")])
        pair = PairTemplate.of(tokenizer).join(query, candidate, TokenSplit())
        reference = tokenizer("w1 w2. w3", "w4. w5 w6", return_token_type_ids=True)
        assert pair.token_ids == reference["input_ids"]
        assert pair.segments == reference["token_type_ids"]


@pytest.mark.parametrize("split", [TokenSplit(8, 40), TokenSplit(40, 8)])
def test_candidates_are_kept_as_long_as_their_own_side_reads_them(split):
    tokenizer = bert_tokenizer()
    texts = [long_text(100), Text("w1 w2", "")]
    whole = text_token_ids(tokenizer, texts)
    kept = candidate_token_ids(tokenizer, texts, split)
    assert [list(ids) for ids in kept] == [whole[0][: split.candidate], whole[1]]
    template = PairTemplate.of(tokenizer)
    for cut, uncut in zip(kept, whole, strict=True):  # what was cut away would not have been read
        assert template.join(whole[0], cut, split).token_ids == template.join(whole[0], uncut, split).token_ids


def test_a_split_is_written_query_first():
    assert TokenSplit.parsed("64+448") == TokenSplit(query=64, candidate=448)


@pytest.mark.parametrize("written", ["", "256", "256+", "+256", "256-256", "256+x", "256+256+256"])
def test_a_split_that_is_written_otherwise_is_refused(written):
    with pytest.raises(ModelError, match="written as 256"):
        TokenSplit.parsed(written)


@pytest.mark.parametrize("sides", [(3, 256), (256, 3)])
def test_a_split_without_room_for_text_is_refused(sides):
    with pytest.raises(ModelError, match="no room"):
        TokenSplit(*sides)
    assert TokenSplit(4, 4)


def test_text_with_a_lone_surrogate_and_empty_text_are_tokenised():
    ids = text_token_ids(bert_tokenizer(), [Text("w1 \ud800", ""), Text("", "")])
    assert len(ids[0]) >= 1
    assert ids[1] == []
