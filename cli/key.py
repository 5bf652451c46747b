"""`citescout key`: make a key for `serve --api-keys`."""

from pathlib import Path

import click

from cli.options import FILE


@click.command("key")
@click.argument("name")
@click.option("--file", "path", type=FILE, required=True, help="The key file; it is made if there is none.")
def command(name: str, path: Path) -> None:
    """Make a key for NAME and print it, this once: the file holds its SHA-256 only.

    To withdraw a key, delete its line; a running server sees that.
    """
    from common.errors import SourceError
    from webui.api_keys import key_line, new_key

    key = new_key()
    line = key_line(name, key)
    try:
        path.touch(mode=0o600)
        text = path.read_text(encoding="utf-8")
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n" if not text or text.endswith("\n") else f"\n{line}\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"cannot write the key file {path}: {error}") from None
    click.echo(key)
