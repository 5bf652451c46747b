"""Loading tokenizers and models safely: safetensors only, and one clear line when it does not work."""

from __future__ import annotations

import logging
import os
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies

from common.errors import ModelError
from encoders import mpnet
from encoders.minilm import minilm_folder

log = logging.getLogger(__name__)


# They count positions from the padding id + 1 and so have two fewer than they say.
_ROBERTA_LIKE = {"roberta", "xlm-roberta", "camembert", "mpnet"}


def positions_of(config: Any) -> int | None:
    """Tokens that a model with this configuration can read; None for any number."""
    positions = int(getattr(config, "max_position_embeddings", 0) or 0)
    if positions <= 0:
        return None
    return positions - int(config.pad_token_id) - 1 if config.model_type in _ROBERTA_LIKE else positions


def resolve_source(source: str) -> str:
    """The folder or hub id behind `source` ("package:minilm" is the installed MiniLM, "package:mpnet" what is there).

    Raises:
        ModelError: a path that does not exist.
    """
    if source == "package:minilm":
        return str(minilm_folder())
    if source == "package:mpnet":
        return mpnet.mpnet_source()
    looks_like_path = source.startswith((".", "/", "~")) or source.count("/") > 1
    path = Path(source).expanduser()
    if path.is_dir():
        return str(path)
    if looks_like_path or path.exists():
        raise ModelError(f"no model folder at {source}")
    return source


def _check_hub(name: str) -> None:
    """Fail at once where the hub cannot answer: its own client would try for a minute, loudly.

    Raises:
        ModelError: no hub id at all, or the model is not in the local cache and the hub's address cannot be resolved.
    """
    from huggingface_hub import constants, try_to_load_from_cache

    try:
        cached = isinstance(try_to_load_from_cache(name, "config.json"), str)
    except ValueError:
        raise ModelError(f"no model '{name}': it is neither a preset nor a folder nor the form of a hub id") from None
    if cached or getproxies():
        return
    host = urlsplit(constants.ENDPOINT).hostname or ""
    try:
        if constants.HF_HUB_OFFLINE:
            raise OSError("offline mode")
        socket.getaddrinfo(host, 443)
    except OSError:
        unreachable = f"the model hub {host} cannot be reached from here"
        if name == mpnet.HUB_ID:
            raise ModelError(
                f"the weights of mpnet are not here, and {unreachable}; they also come by {mpnet.INSTALL}"
            ) from None
        raise ModelError(
            f"no model '{name}': it is neither a preset nor a folder nor in the local cache, and {unreachable}"
        ) from None


def load_pretrained(source: str, auto_class: Any, **options: Any) -> tuple[Any, Any]:
    """Load (tokenizer, model) of a hub id or folder; `auto_class` is a transformers Auto class.

    Pickled weights are refused: only safetensors are read.

    Raises:
        ModelError: unknown name, no network and not cached, damaged or pickled weights, unknown architecture.
    """
    tokenizer, model, _ = load_with_missing(source, auto_class, **options)
    return tokenizer, model


def load_with_missing(source: str, auto_class: Any, **options: Any) -> tuple[Any, Any, frozenset[str]]:
    """The same, and the names of the tensors that the weights lack: transformers gives them random values.

    Raises:
        ModelError: see `load_pretrained`.
    """
    from transformers import AutoTokenizer
    from transformers.utils import logging as transformers_logging

    place = resolve_source(source)
    if not Path(place).is_dir():
        _check_hub(place)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    verbosity = transformers_logging.get_verbosity()
    transformers_logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    try:
        tokenizer = AutoTokenizer.from_pretrained(place)
        model, report = auto_class.from_pretrained(
            place, use_safetensors=True, trust_remote_code=False, output_loading_info=True, **options
        )
    except Exception as error:
        log.debug("loading %s failed", source, exc_info=True)
        reason = " ".join(str(error).split())[:120]
        raise ModelError(
            f"cannot load the model '{source}': it is neither a preset, a folder with config.json and "
            f"model.safetensors, nor a hub id that can be reached from here ({type(error).__name__}: {reason})"
        ) from None
    finally:
        transformers_logging.set_verbosity(verbosity)
    return tokenizer, model.eval(), frozenset(report["missing_keys"])
