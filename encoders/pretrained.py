"""Finding models by name, folder or hub id, and loading them safely: tensors only, and one line where it fails."""

import json
import logging
import os
from pathlib import Path
from typing import Any

from common.errors import ModelError, brief
from encoders import mpnet
from encoders.declarations import declared
from encoders.hub import fetched, has_tokenizer
from encoders.minilm import minilm_folder
from encoders.model import Model, folder_named
from encoders.models import registered

log = logging.getLogger(__name__)


# They count positions from the padding id + 1 and so have two fewer than they say.
_ROBERTA_LIKE = {"roberta", "xlm-roberta", "camembert", "mpnet"}


def usable_tokens(config: Any, wanted: int) -> int:
    """`wanted` tokens, or as many as a model with this configuration has positions for."""
    positions = int(getattr(config, "max_position_embeddings", 0) or 0)
    if positions <= 0:
        return wanted
    return min(wanted, positions - int(config.pad_token_id) - 1 if config.model_type in _ROBERTA_LIKE else positions)


def find_model(name: str) -> Model:
    """The model of that name; otherwise `name` is a folder or a hub id, used as its own files say.

    Raises:
        ModelError: there is no such model, it makes no vectors, or what it says of its use is damaged or not done here.
    """
    known = registered(name)
    if known and known.roles == ("reranker",):
        raise ModelError(f"'{name}' is a reranker, which reads pairs and makes no vectors: take one of encoders' names")
    return known or declared(name, model_folder(name))


def resolve_source(source: str) -> str:
    """The folder or hub id behind `source` ("package:minilm" is the installed MiniLM, "package:mpnet" what is there).

    Raises:
        ModelError: a path that does not exist, or "package:static", which is no transformer.
    """
    if source == "package:static":
        raise ModelError("'static' is a table of token vectors, without a network: take one of the other names")
    if source == "package:minilm":
        return str(minilm_folder())
    if source == "package:mpnet":
        return mpnet.mpnet_source()
    looks_like_path = source.startswith((".", "/", "~")) or source.count("/") > 1
    path = folder_named(source)
    if source and path.is_dir():
        return str(path)
    if looks_like_path or not source or path.exists():
        raise ModelError(f"no model folder at '{source}'")
    return source


def model_folder(model: Model | str) -> Path:
    """The folder with all files of a model, downloaded if it is at the hub and not yet in the local cache.

    Raises:
        ModelError: see `encoders.hub.fetched`; a folder without a model.
    """
    model = _known(model)
    place = resolve_source(model.source)
    folder = Path(place)
    if not folder.is_dir():
        try:
            return fetched(place, model.revision)
        except ModelError as error:
            if place == mpnet.HUB_ID:
                raise ModelError(f"{error}; its weights also come by {mpnet.INSTALL}") from None
            raise
    if not (folder / "config.json").is_file():
        raise ModelError(f"the folder '{model.source}' holds no model: it has no config.json")
    return folder


def load_pretrained(model: Model | str, auto_class: Any, **options: Any) -> tuple[Any, Any, frozenset[str]]:
    """Load (tokenizer, model) of a registered model, its name, a folder or a hub id, and say what its weights lack.

    `auto_class` is a transformers Auto class; `options` replace what the model's configuration says. Tensors that the
    weights lack or have in another shape, which come by name, get random values: only a head and what pools the first
    token's state may be among them.

    Raises:
        ModelError: it cannot be had (`encoders.hub.fetched`), its weights are refused (`encoders.weights`), it has no
            tokenizer, or it is of an architecture that transformers does not know or that does not fit its weights.
    """
    from transformers import AutoConfig, AutoTokenizer
    from transformers.utils import logging as transformers_logging

    from encoders.weights import check_pickles, check_weights

    model = _known(model)
    folder = model_folder(model)
    _check_configuration(folder, model.name)
    if not has_tokenizer(folder):
        raise ModelError(
            f"the model '{model.name}' has no tokenizer, such as tokenizer.json or vocab.txt: save that of its base "
            "beside its weights"
        )
    # What comes in packages is verified where it is unpacked, and a folder of one's own is what it is.
    published = {} if Path(resolve_source(model.source)).is_dir() else model.files
    check_weights(folder, model.name, published)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    verbosity = transformers_logging.get_verbosity()
    transformers_logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    case = {} if model.lower_case is None else {"do_lower_case": model.lower_case}
    doing = "its configuration cannot be read"
    try:
        config = AutoConfig.from_pretrained(folder, trust_remote_code=False, **options)
        doing = "its tokenizer cannot be read"
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False, **case)
        doing = "its weights do not fit its configuration, or its architecture is of no use here"
        loaded, report = auto_class.from_pretrained(
            folder, config=config, trust_remote_code=False, weights_only=True, output_loading_info=True,
            ignore_mismatched_sizes=True,
        )  # fmt: skip
        embedded = int(loaded.get_input_embeddings().num_embeddings)
    except Exception as error:
        log.debug("loading %s failed", model.name, exc_info=True)
        check_pickles(folder, model.name)
        what = f"{type(error).__name__}: {brief(error)}"
        raise ModelError(f"cannot load the model '{model.name}': {doing} ({what})") from None
    finally:
        transformers_logging.set_verbosity(verbosity)
    missing = frozenset(report["missing_keys"]) | {key for key, *_ in report["mismatched_keys"]}
    _check_complete(loaded, missing, model.name)
    if len(tokenizer) > embedded:
        raise ModelError(
            f"'{model.name}': its tokenizer knows {len(tokenizer):,} tokens, its weights {embedded:,}: they belong to "
            "different models"
        )
    return tokenizer, loaded.eval(), missing


def _known(model: Model | str) -> Model:
    if isinstance(model, Model):
        return model
    return registered(model) or Model(model, model, "cls", "sep", 512, "a model of one's own")


def _check_configuration(folder: Path, name: str) -> None:
    """Say what is wrong in words of one's own where transformers would go on for pages."""
    from transformers import CONFIG_MAPPING

    try:
        config = json.loads((folder / "config.json").read_bytes())
    except (OSError, ValueError) as error:
        raise ModelError(f"{folder / 'config.json'} is damaged: {error}") from None
    kind = config.get("model_type") if isinstance(config, dict) else None
    if kind in CONFIG_MAPPING:
        if config.get("is_encoder_decoder"):
            raise ModelError(
                f"the model '{name}' is of another architecture: {kind} writes texts, and is not an encoder"
            )
        return
    own = ": its own code would have to be run" if isinstance(config, dict) and "auto_map" in config else ""
    named = kind or "config.json names none"
    raise ModelError(f"the model '{name}' is of another architecture than transformers knows ({named}){own}")


def _check_complete(loaded: Any, missing: frozenset[str], name: str) -> None:
    prefix = str(loaded.base_model_prefix)
    inside = f"{prefix}." if hasattr(loaded, prefix) else ""
    lacking = sorted(key for key in missing if key.startswith(inside) and "pooler" not in key.split("."))
    if lacking:
        raise ModelError(
            f"the weights of '{name}' are of another architecture than its config.json, or of a part of it: "
            f"{len(lacking)} tensors are missing or of another shape, such as '{lacking[0]}'"
        )
