"""How a model wants to be used, as sentence-transformers' files beside its weights say: pooling, length, prompts.

Without such files a model is used like SPECTER: `[CLS]` of "title [SEP] abstract", 512 tokens. How title and abstract
are joined no file says: by the separator where `[CLS]` is the vector, by a period otherwise.
"""

import json
from pathlib import Path
from typing import Any, cast, get_args

from common.errors import ModelError
from encoders.model import Model, Pooling

MODULES_FILE = "modules.json"
POOLING_FILE = "1_Pooling/config.json"
LENGTH_FILE = "sentence_bert_config.json"
PROMPTS_FILE = "config_sentence_transformers.json"

TOKENS = 512  # where no file says how many
_NO_LIMIT = 1 << 20  # tokens: tokenizers without a limit name 10^30
_DOCUMENT_PROMPTS = ("document", "passage", "corpus")  # sentence-transformers takes the first that there is
_KNOWN_MODULES = ("Transformer", "Pooling", "Normalize")
OLDER_MODES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}


def declared(name: str, folder: Path) -> Model:
    """The model of this name, a folder or hub id, whose files are in `folder`, used as they say.

    Raises:
        ModelError: such a file is damaged, or asks for what is not done here; or the model judges pairs.
    """
    where = _pooling_file(folder, name)
    pooling = _pooling(where, name) if where.is_file() else None
    length = _length(folder, name)
    prompt, query_prompt = _prompts(folder / PROMPTS_FILE, name)
    if not pooling and "ForSequenceClassification" in str(_read(folder / "config.json", name).get("architectures")):
        raise ModelError(f"'{name}' judges pairs or texts and makes no vectors: a reranker is given as --reranker")
    guessed = {
        "[CLS] is the vector": not pooling,
        f"at most {TOKENS} tokens are read": not length,
        "the text is title [SEP] abstract": not pooling,
    }
    return Model(
        name=name,
        source=name,
        pooling=pooling or "cls",
        joint="sep" if pooling in (None, "cls") else "period",
        max_tokens=length or TOKENS,
        description="a model of one's own",
        prompt=prompt,
        query_prompt=query_prompt,
        assumed=", ".join(what for what, is_guessed in guessed.items() if is_guessed) or None,
    )


def _length(folder: Path, name: str) -> int | None:
    """How many tokens are read; from release 6 of sentence-transformers on, the tokenizer's file alone says it."""
    length = _read(folder / LENGTH_FILE, name).get("max_seq_length")
    if length is None and (folder / MODULES_FILE).is_file():
        limit = _read(folder / "tokenizer_config.json", name).get("model_max_length")
        return limit if type(limit) is int and 0 < limit < _NO_LIMIT else None
    if length is not None and (type(length) is not int or length < 1):
        raise _damaged(folder / LENGTH_FILE, name, f"max_seq_length is {length!r}")
    return length


def _pooling_file(folder: Path, name: str) -> Path:
    """The file that declares the pooling; an error where vectors pass through more than is done here."""
    path = folder / MODULES_FILE
    if not path.is_file():
        return folder / POOLING_FILE
    modules = _read(path, name, list)
    try:
        kinds = {str(module["type"]).rsplit(".", 1)[-1]: str(module["path"]) for module in modules}
    except (KeyError, TypeError, AttributeError):
        raise _damaged(path, name, "a module has no type or path") from None
    if others := [kind for kind in kinds if kind not in _KNOWN_MODULES]:
        raise ModelError(
            f"the model '{name}' passes its vectors through {', '.join(others)} ({path.name}), which is not done here"
        )
    if kinds.get("Transformer"):
        raise ModelError(f"the model '{name}' keeps its transformer in a folder of its own, which is not read here")
    return folder / kinds.get("Pooling", "1_Pooling") / "config.json"


def _pooling(path: Path, name: str) -> Pooling:
    config = _read(path, name)
    modes = config.get("pooling_mode") or [mode for key, mode in OLDER_MODES.items() if config.get(key)] or ["mean"]
    modes = modes if isinstance(modes, list) else [modes]
    if len(modes) == 1 and modes[0] in get_args(Pooling):
        return cast(Pooling, modes[0])
    asked = " and ".join(map(str, modes))
    raise ModelError(f"the model '{name}' is pooled by {asked} ({path}); only {', '.join(get_args(Pooling))} are done")


def _prompts(path: Path, name: str) -> tuple[str, str]:
    """What stands before a document and before a query."""
    config = _read(path, name)
    prompts, default = config.get("prompts") or {}, config.get("default_prompt_name")
    if not isinstance(prompts, dict) or not all(isinstance(prompt, str | None) for prompt in prompts.values()):
        raise _damaged(path, name, "its prompts are not texts by name")
    usual = prompts.get(default) or ""
    document = next((prompts[key] or "" for key in _DOCUMENT_PROMPTS if key in prompts), usual)
    return document, prompts["query"] or "" if "query" in prompts else usual


def _read(path: Path, name: str, kind: type[Any] = dict) -> Any:
    """The JSON in a file; an empty object where there is no file."""
    if not path.is_file():
        return kind()
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise _damaged(path, name, str(error)) from None
    if not isinstance(found, kind):
        raise _damaged(path, name, f"it holds no {'object' if kind is dict else 'list'}")
    return found


def _damaged(path: Path, name: str, reason: str) -> ModelError:
    return ModelError(f"{path} is damaged ({reason}): it says how the model '{name}' is used")
