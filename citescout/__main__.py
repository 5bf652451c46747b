"""`python -m citescout` is the command `citescout`, and both commands that are installed begin here."""

import signal
import sys
from pathlib import Path

from citescout.own_packages import check_own_packages

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where it is ignored, as in a background job
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # until `ended_by_signals`: Ctrl-C while it starts is no traceback

# With -m Python looks into the folder that it is started in before all others, and would run an mcp.py of it.
if __name__ == "__main__" and not sys.flags.safe_path and Path(sys.path[0]) != Path(__file__).parents[1]:
    del sys.path[0]
check_own_packages(["cli"])

from cli.main import main, recommend  # noqa: E402

__all__ = ["main", "recommend"]

if __name__ == "__main__":
    main()
