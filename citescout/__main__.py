"""`python -m citescout` is the command `citescout`."""

from citescout.cli.main import main

if __name__ == "__main__":
    main()
