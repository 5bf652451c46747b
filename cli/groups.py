"""Groups of commands, whose help says of each command what it does in a whole sentence."""

import sys

import click


class Sentences(click.Group):
    """A group that wraps the first sentence of a command's help where click would cut it off."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        found = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [(name, command.get_short_help_str(sys.maxsize)) for name, command in found if command]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
