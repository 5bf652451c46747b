"""Token ids without transformers, whose import takes seconds: the same Rust tokenizer that its own ones run on."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Self

from common.errors import ModelError

# What the code that reads texts asks of a tokenizer beside its ids, by the names that transformers has for it.
_FACTS = ("cls_token_id", "sep_token", "sep_token_id", "pad_token_id", "model_input_names", "truncation_side")


class Tokens:
    """The part of a transformers tokenizer that inference uses; safe to share between threads."""

    def __init__(self, core: str, facts: Mapping[str, Any]) -> None:
        """Of what `core` and `facts` of another are."""
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
        self.core = core  # the content of a tokenizer.json
        self.facts = {name: facts[name] for name in _FACTS}  # what it does not say, as JSON has it
        self.cls_token_id, self.sep_token_id = facts["cls_token_id"], facts["sep_token_id"]
        self.sep_token, self.pad_token_id = facts["sep_token"], facts["pad_token_id"]
        self.model_input_names = tuple(facts["model_input_names"])
        self._cutting: dict[int | None, Any] = {}  # by the length at which it cuts

    @classmethod
    def of(cls, tokenizer: Any) -> Self:
        """The same as a tokenizer of transformers.

        Raises:
            ModelError: it has no form that can be kept as tokenizer.json.
        """
        core = getattr(tokenizer, "backend_tokenizer", None)
        if core is None:
            raise ModelError(
                f"the tokenizer of '{tokenizer.name_or_path}' ({type(tokenizer).__name__}) cannot be written as "
                "tokenizer.json: save the model with a fast tokenizer"
            )
        # Calls of transformers' tokenizers leave their truncation and padding in it.
        written = json.dumps(dict(json.loads(core.to_str()), truncation=None, padding=None))
        return cls(written, {name: getattr(tokenizer, name) for name in _FACTS})

    def __call__(
        self,
        texts: Sequence[str],
        truncation: bool = False,
        max_length: int | None = None,
        add_special_tokens: bool = True,
        verbose: bool = True,
    ) -> dict[str, list[list[int]]]:
        """`input_ids` of every text, cut to `max_length` tokens with `truncation`, special ones counted."""
        core = self._cut_at(max_length if truncation else None)
        found = core.encode_batch_fast(list(texts), add_special_tokens=add_special_tokens)
        return {"input_ids": [one.ids for one in found]}

    def _cut_at(self, length: int | None) -> Any:
        if length not in self._cutting:
            from tokenizers import Tokenizer

            core = Tokenizer.from_str(self.core)
            if length is not None:
                core.enable_truncation(length, direction=self.facts["truncation_side"])
            self._cutting[length] = core
        return self._cutting[length]
