"""`citescout key`: make a key for `serve --api-keys`."""

import os
from pathlib import Path

import click

from cli.options import OUTPUT_FILE


@click.command("key")
@click.argument("name")
@click.option("--file", "path", type=OUTPUT_FILE, required=True, help="The key file; it is made if there is none.")
def command(name: str, path: Path) -> None:
    """Make a key for NAME and print it, this once: the file holds its SHA-256 only.

    To withdraw a key, delete its line; a running server sees that.
    """
    from common.errors import SourceError, os_errors
    from webui.api_keys import key_line, keys_in, new_key

    key = new_key()
    line = key_line(name, key)
    try:
        with os_errors(SourceError, f"write the key file {path}"):
            size = path.stat().st_size if path.exists() else None
            path.touch(mode=0o600)
            text = path.read_text(encoding="utf-8-sig")
            if wrong := keys_in(text, path)[1]:
                raise SourceError(wrong)
            try:
                with path.open("a", encoding="utf-8") as file:
                    file.write(f"{line}\n" if not text or text.endswith("\n") else f"\n{line}\n")
            except OSError:  # of a full disk, which may have taken a part of the line
                if size is None:
                    path.unlink()
                else:
                    os.truncate(path, size)
                raise
    except UnicodeDecodeError:
        raise SourceError(f"cannot write the key file {path}: it is no text, and so no file of keys") from None
    click.echo(key)
