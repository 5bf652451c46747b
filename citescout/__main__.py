"""`python -m citescout` is the command `citescout`."""

from cli.main import main

if __name__ == "__main__":
    main()
