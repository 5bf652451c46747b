"""Title + abstract → vector, and the runtimes (torch, OpenVINO) that every model of the project runs on."""

import sys

# OpenVINO tells Google Analytics of every import and of every model that it converts, out of a forked process, with a
# number that it keeps in the user's home. It does without where this package is missing.
sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
