"""`python -m citescout` is the command `citescout`, and both commands that are installed begin here."""

import signal

from citescout.own_packages import check_own_packages

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where it is ignored, as in a background job
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # until `ended_by_signals`: Ctrl-C while it starts is no traceback

check_own_packages(["cli"])  # Python looks into the folder that it is started in before it looks into ours

from cli.main import main, recommend  # noqa: E402

__all__ = ["main", "recommend"]

if __name__ == "__main__":
    main()
