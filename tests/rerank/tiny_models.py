"""Models small enough to make and train within a test."""

from transformers import (
    BertConfig,
    BertForSequenceClassification,
    BertModel,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForSequenceClassification,
)

WORDS = [f"w{number}" for number in range(60)]


def tokenizer_of(first, last, pad, types):
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing

    vocabulary = {word: number for number, word in enumerate([pad, "[UNK]", first, last, *WORDS, ".", "a"])}
    core = Tokenizer(WordLevel(vocabulary, "[UNK]"))
    core.pre_tokenizer = Whitespace()
    pair = f"{first} $A {last} $B:1 {last}:1" if types else f"{first} $A {last} {last} $B {last}"
    core.post_processor = TemplateProcessing(
        single=f"{first} $A {last}",
        pair=pair,
        special_tokens=[(first, vocabulary[first]), (last, vocabulary[last])],
    )
    names = ["input_ids", "token_type_ids", "attention_mask"] if types else ["input_ids", "attention_mask"]
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token=pad,
        unk_token="[UNK]",  # noqa: S106 - no password
        cls_token=first,
        sep_token=last,
        model_input_names=names,
    )


def bert_tokenizer():
    return tokenizer_of("[CLS]", "[SEP]", "[PAD]", types=True)


SIZES = {
    "vocab_size": 70,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
}


def save_tiny_bert(folder, head=True, positions=64, labels=2, safe=True):
    config = BertConfig(**SIZES, max_position_embeddings=positions, num_labels=labels)
    model = BertForSequenceClassification(config) if head else BertModel(config)
    model.save_pretrained(folder)
    if not safe:
        import torch

        torch.save(model.state_dict(), folder / "pytorch_model.bin")
        (folder / "model.safetensors").unlink()
    bert_tokenizer().save_pretrained(folder)
    return str(folder)


def save_tiny_roberta(folder):
    config = RobertaConfig(**SIZES, max_position_embeddings=66, type_vocab_size=1, pad_token_id=0, num_labels=1)
    RobertaForSequenceClassification(config).save_pretrained(folder)
    tokenizer_of("<s>", "</s>", "<pad>", types=False).save_pretrained(folder)
    return str(folder)
