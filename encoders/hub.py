"""Models from the hub: what is in the local cache is used as it is, what is not is downloaded into it.

So an index is asked by the commit that it was built with, and without a network; `HF_HOME`, `HF_ENDPOINT`, `HF_TOKEN`
and `HF_HUB_OFFLINE` mean what they mean to huggingface_hub.
"""

import contextlib
import re
import socket
from pathlib import Path
from urllib.parse import urlsplit

from common.errors import ModelError, brief
from common.files import sha256
from encoders.declarations import MODULES_FILE

_CONNECT_SECONDS = 5.0
# Of a repository only what is read: configuration, declarations, tokenizer; weights are chosen in `encoders.weights`.
_SMALL = re.compile(
    r"config\.json|modules\.json|sentence_\w+_config\.json|config_sentence_transformers\.json|\d+_\w+/config\.json"
    r"|tokenizer\.json|tokenizer_config\.json|special_tokens_map\.json|added_tokens\.json|vocab\.(txt|json)|merges\.txt"
    r"|[\w.-]+\.model"
)
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")


def fetched(source: str, revision: str | None = None) -> Path:
    """The folder of a hub model in the local cache, downloaded if need be; `revision` is a commit, or the newest.

    Raises:
        ModelError: no such model or commit, it asks for permission, the hub cannot be reached or fails, no room.
    """
    from huggingface_hub import try_to_load_from_cache

    cached = in_cache(source, revision)
    # Other programs download weights without asking how they are meant to be used.
    if cached and (revision or try_to_load_from_cache(source, MODULES_FILE, revision=cached.name) is not None):
        return cached
    if reason := _unreachable():
        if cached:
            return cached
        raise ModelError(f"the model '{source}' is not in the local cache, and {reason}")
    return _downloaded(source, revision)


def in_cache(source: str, revision: str | None = None) -> Path | None:
    """The folder of a hub model, if all that is needed of it is in the local cache.

    Raises:
        ModelError: `source` cannot be a hub id.
    """
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    from encoders.weights import weight_files

    try:
        found = try_to_load_from_cache(source, "config.json", revision=revision)
    except HFValidationError:
        raise ModelError(f"no model '{source}': it is neither a name that is known nor a folder nor a hub id") from None
    if not isinstance(found, str):
        return None
    folder = Path(found).parent
    return folder if weight_files(folder) and has_tokenizer(folder) else None


def has_tokenizer(folder: Path) -> bool:
    """Whether any of the files is there without which transformers makes a tokenizer that knows no word."""
    return any(any(folder.glob(pattern)) for pattern in _TOKENIZERS)


def _unreachable() -> str | None:
    """Why the hub cannot be asked; its own client would try for half a minute before it says so."""
    from huggingface_hub import constants

    address = urlsplit(constants.ENDPOINT)
    if constants.HF_HUB_OFFLINE:
        return "HF_HUB_OFFLINE forbids asking the model hub"
    from urllib.request import getproxies  # with which come ssl and the HTTP client: not for models that are here

    if getproxies():
        return None
    try:
        port = address.port or (80 if address.scheme == "http" else 443)
        socket.create_connection((address.hostname or "", port), _CONNECT_SECONDS).close()
    except OSError as error:
        reason = error.strerror or str(error) or type(error).__name__
        return f"the model hub {address.netloc} cannot be reached from here ({reason})"
    return None


def _downloaded(source: str, revision: str | None) -> Path:
    from huggingface_hub import errors

    try:
        return _download(source, revision)
    except errors.GatedRepoError:
        raise ModelError(
            f"the hub gives '{source}' only to those who accepted its terms: accept them on its page, then set HF_TOKEN"
        ) from None
    except errors.RepositoryNotFoundError:
        raise ModelError(f"the hub has no model '{source}', or it is private: then set HF_TOKEN") from None
    except errors.RevisionNotFoundError:
        raise ModelError(f"the hub has no commit {revision} of '{source}'") from None
    except errors.EntryNotFoundError as error:
        if isinstance(error, errors.LocalEntryNotFoundError):  # what its client calls every failed connection
            raise ModelError(f"the download of '{source}' failed: {brief(error.__cause__ or error)}") from None
        raise ModelError(f"'{source}' at the hub is not a transformer: it has no config.json") from None
    except errors.HfHubHTTPError as error:
        raise ModelError(f"the hub does not give '{source}': {brief(error)}") from None
    except OSError as error:
        raise ModelError(f"cannot download '{source}': {brief(error)}") from None
    except Exception as error:
        # Its HTTP library's errors have no base class of their own that stays the same from release to release.
        if type(error).__module__.split(".")[0] not in {"httpx", "httpx2", "requests", "huggingface_hub"}:
            raise
        raise ModelError(f"the download of '{source}' failed: {brief(error)}") from None


def _download(source: str, revision: str | None) -> Path:
    from huggingface_hub import HfApi, hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError
    from huggingface_hub.utils.tqdm import disable_progress_bars

    from common.progress import hidden
    from encoders.weights import chosen_weights, no_weights

    if hidden():
        disable_progress_bars()
    folder = Path(hf_hub_download(source, "config.json", revision=revision)).parent
    commit = folder.name
    names = [file.rfilename for file in HfApi().model_info(source, revision=commit).siblings or []]
    weights = chosen_weights(names)
    if not weights:
        raise no_weights(source, "its page at the hub", names)
    for name in (*filter(_SMALL.fullmatch, names), *weights):
        path = Path(hf_hub_download(source, name, revision=commit))
        _check_transfer(path, source)
    if MODULES_FILE not in names:
        with contextlib.suppress(EntryNotFoundError):  # so that the cache knows that there is none
            hf_hub_download(source, MODULES_FILE, revision=commit)
    return folder


def _check_transfer(path: Path, source: str) -> None:
    """The cache names large files by the SHA-256 that the hub gave: hold it against what came."""
    if not path.is_symlink():
        return
    blob = path.parent / path.readlink()
    if re.fullmatch(r"[0-9a-f]{64}", blob.name) and sha256(blob) != blob.name:
        blob.unlink()
        path.unlink()
        raise ModelError(f"'{source}' arrived damaged: {path.name} has not the SHA-256 that the hub gives. Try again")
