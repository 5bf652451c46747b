"""Whether Python finds our own packages: their names, such as `common`, are those of many a user's own modules."""

import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

_ROOT = Path(__file__).absolute().parents[1]  # an editable install and a wheel have all packages side by side

LIBRARY = ("common", "encoders", "indexer", "retrieval", "rerank", "manuscripts")  # all that `citescout` imports


def check_own_packages(names: Iterable[str] = LIBRARY) -> None:
    """Nothing, where Python finds our packages of these names, or has imported them.

    Raises:
        ImportError: it finds a file or folder of somebody else, which the message names.
    """
    for name in names:
        if other := _in_the_way(name):
            raise ImportError(
                f"citescout has a package of its own named {name!r}, and Python finds {other} in its place: rename "
                "that, or keep it off sys.path",
                name=name,
            )


def _in_the_way(name: str) -> str:
    """What is found that is not ours; "" where there is nothing like that."""
    try:
        spec = find_spec(name)
    except ValueError:  # a module that was not read from a file
        return repr(sys.modules[name])
    if spec is None:  # nothing at all: the import says so
        return ""
    # A folder without __init__.py has no origin; with an editable install it goes before ours.
    found = Path(next(iter(spec.submodule_search_locations or ()), spec.origin or ""))
    ours = _ROOT / name
    return "" if found == ours or found.resolve() == ours.resolve() else str(found)
