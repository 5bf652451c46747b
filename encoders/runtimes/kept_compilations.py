"""Models that OpenVINO compiled before on this processor, so that a process starts in half the time a model.

OpenVINO keeps what it made of the network, .4 MB without the weights, which it reads from the IR. It takes a damaged
file without a word, so the SHA-256 of each lies beside it, and one without the right one goes.
"""

import hashlib
import logging
from contextlib import suppress
from pathlib import Path
from typing import Any

from common.files import sha256, write_atomically

log = logging.getLogger(__name__)

_SUM = ".sha256"


def compiled(core: Any, ir: Path, settings: dict[str, Any]) -> Any:
    """The `openvino.CompiledModel` of the IR at a path, for the CPU; kept beside it where there is room."""
    place = ir.parent / f"compiled-{_processor(core)}"
    try:
        place.mkdir(exist_ok=True)
        for path in place.glob("*.blob"):
            if not _is_whole(path):
                path.unlink(missing_ok=True)
                path.with_suffix(_SUM).unlink(missing_ok=True)  # a new one may have other bytes
        found = core.compile_model(ir, "CPU", {**settings, "CACHE_DIR": str(place), "CACHE_MODE": "OPTIMIZE_SIZE"})
        for path in place.glob("*.blob"):
            if not path.with_suffix(_SUM).exists():
                write_atomically(path.with_suffix(_SUM), sha256(path).encode())
    except (OSError, RuntimeError) as error:  # RuntimeError: OpenVINO's own, also of a folder or a file
        log.debug("compiled models cannot be kept in %s: %s", place, error)
        return core.compile_model(core.read_model(ir), "CPU", settings)
    return found


def _processor(core: Any) -> str:
    """What distinguishes processors for which OpenVINO may compile differently."""
    facts = [core.get_property("CPU", name) for name in ("FULL_DEVICE_NAME", "OPTIMIZATION_CAPABILITIES")]
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


def _is_whole(path: Path) -> bool:
    with suppress(OSError):
        return path.with_suffix(_SUM).read_text("ascii", "replace") == sha256(path)
    return False
