"""`citescout models`: the models that have a name, what is here of them, what would be downloaded."""

from typing import Any

import click
import orjson

import rerank  # noqa: F401 - registers the reranker that ships
from cli.options import format_option
from encoders.model import Model
from encoders.models import models


@click.command("models")
@format_option(["table", "json"], help="json has commits, SHA-256 and how each is used, too.")
def command(format_name: str) -> None:
    """List the models that have a name, for --encoder, --base and --reranker.

    Any other model goes by its hub id or folder. What is at the hub is downloaded when it is used first; nothing is
    downloaded by this command.
    """
    records = [_record(model) for model in models()]
    if format_name == "json":
        click.echo(orjson.dumps(records, option=orjson.OPT_INDENT_2).decode())
        return
    rows = [("name", "for", "is", "MB", "licence", "description")]
    for one in records:
        size = "" if one["megabytes"] is None else str(one["megabytes"])
        rows.append((one["name"], ", ".join(one["roles"]), one["is"], size, one["licence"] or "-", one["description"]))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        click.echo("  ".join([*cells, row[-1]]).rstrip())


def _record(model: Model) -> dict[str, Any]:
    from encoders.presence import presence_of

    presence = presence_of(model)
    vectors = {"pooling": model.pooling, "joint": model.joint, "max_tokens": model.max_tokens}
    return {
        "name": model.name,
        "roles": list(model.roles),
        "is": presence.place,
        "folder": str(presence.folder) if presence.folder else None,
        "download": presence.download,
        "megabytes": model.megabytes,
        "licence": model.licence,
        "description": model.description,
        "source": model.source,
        "revision": model.revision,
        "sha256": dict(model.files),
        **(vectors if "encoder" in model.roles or "base" in model.roles else {}),
        "note": model.note,
    }
