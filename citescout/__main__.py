"""`python -m citescout` is the command `citescout`, and both commands that are installed begin here."""

from citescout.own_packages import check_own_packages

check_own_packages(["cli"])  # Python looks into the folder that it is started in before it looks into ours

from cli.main import main, recommend  # noqa: E402

__all__ = ["main", "recommend"]

if __name__ == "__main__":
    main()
