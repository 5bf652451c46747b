"""`citescout watch`: what is new for a draft since its list was shown last."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial, wraps
from itertools import chain, starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citescout.settings import Settings
from citescout.systems import DEFAULT
from cli.groups import Sentences
from cli.options import OUTPUT, format_option, index_directory, put, with_options
from cli.setting_options import made_of, option_of
from cli.sources import keep_drafts
from common.errors import QueryError
from common.schema import fields_of
from common.text import name_of, one_line
from common.words import counted
from exports import FORMATS, written

if TYPE_CHECKING:
    from citescout.recommendation import Answer
    from citescout.recommender import Recommender
    from citescout.watches import Entered, Watch, Watches

SOMETHING_NEW = 3  # exit code of `run --exit-code`
_ATOM = "atom"
_ENTRIES = 100  # of a feed
_NOTHING = "Nothing is watched yet: `citescout watch add` begins with a draft"
# Names of people, which are not stored; and what a cross-encoder reads, of which a watch has none.
_NOT_STORED = {"not_by", "hide_known", "depth", "budget", "beyond"}
_FIELDS = {name: field for name, field in fields_of(Settings, where="command line") if name not in _NOT_STORED}


@click.group("watch", cls=Sentences)
def command() -> None:
    """Ask saved drafts again after every update of an index, and report what is new in their lists."""


def _with_settings(command: Callable[..., None]) -> Callable[..., None]:
    @wraps(command)
    def with_settings(**others: Any) -> None:
        settings = made_of(_FIELDS, others, DEFAULT.changed).settings
        command(settings=settings, **others)

    return with_options(*starmap(option_of, _FIELDS.items()))(with_settings)


@command.command("add")
@click.argument("draft")
@index_directory
@click.option("--name", help="What it is called; else after its file.")
@_with_settings
def add(draft: str, directory: Path, name: str | None, settings: Settings) -> None:
    """Watch a DRAFT: a manuscript, a text or one JSON line, as `recommend` reads them.

    What is in its list now counts as shown. A copy of its title, abstract and what it cites is kept in the index
    directory, readable by you alone, without names of authors; the file itself is read again as long as it is there.
    """
    from citescout.recommender import Recommender
    from citescout.watches import Watch, Watches, now, read_draft

    watches = Watches(directory)
    watches.make()  # what cannot be written is an error before the work
    path = "" if draft == "-" or Path(draft).is_fifo() else str(Path(draft).resolve())  # a pipe is read once
    path.encode()  # it is kept: what is not UTF-8 is an error before the work
    with Recommender.open(directory) as recommender:
        query = read_draft(draft, recommender.resolve)
        watch = Watch(one_line(name or name_of(draft)), path, query, settings, now())
        shown = _ids(recommender.answer(query, settings))
    watches.add(watch, shown)
    click.echo(f"Watching {watch.name}: {counted(len(shown), 'paper')} in its list now")


@command.command("run")
@index_directory
@format_option(
    [*FORMATS, _ATOM],
    "markdown",
    "Format of the output; atom is a feed of all that is new and of what was before, 100 papers or more, as far as the "
    "index still has them.",
)
@click.option("--out", type=OUTPUT, help="File, else standard output; where nothing is new only a feed is written.")
@click.option("--exit-code", is_flag=True, help="End with 3 where something is new, with 0 where nothing is.")
def run(directory: Path, format_name: str, out: Path | None, exit_code: bool) -> None:
    """Ask all drafts again, and report which papers entered their lists since they were shown last.

    A paper is reported once for each draft. It is remembered when the output is written. A draft that cannot be asked
    is named, and the command ends with 1 once all others were.
    """
    from citescout.recommender import Recommender
    from citescout.watches import Entered, Watches, now

    watches, when = Watches(directory), now()
    watched = watches.all()
    keep_drafts(out, [watch.path for watch in watched if watch.path])
    watches.record((), (), ())  # what cannot be written is an error before the work
    asked: list[Watch] = []
    news: list[tuple[Watch, Answer]] = []
    known: list[tuple[str, str]] = []  # name of a watch, and an id of a paper in its list
    with Recommender.open(directory) as recommender:
        for before in watched:
            watch, answer = _asked_again(before, recommender)
            if answer is None:
                continue
            ids = {entry.paper.id: recommender.ids_of(entry.paper) for entry in answer.recommendations}
            shown = watches.shown(watch.name)
            new = [entry for entry in answer.recommendations if shown.isdisjoint(ids[entry.paper.id])]
            known += [(watch.name, id_) for id_ in chain.from_iterable(ids.values())]
            asked.append(watch)
            if new:
                named = replace(answer.query, id=watch.name)  # the ids of two drafts may both be line-1
                news.append((watch, replace(answer, query=named, recommendations=new)))
        entered = [Entered(watch.name, id_, when) for watch, answer in news for id_ in _ids(answer)]
        if format_name == _ATOM:
            put(_feed(watches, [*watched, *asked], entered, recommender), out)
        elif news:
            put(written(format_name, [answer for _, answer in news]), out)
    watches.record(asked, entered, known)
    report = partial(click.echo, err=out is None)  # else standard error has only what is wrong, which cron mails
    if not watched:
        report(_NOTHING)
    for watch, answer in news:
        report(f"{watch.name}: {counted(len(answer.recommendations), 'new paper')}")
    if asked and not news:
        report("Nothing new")
    if len(asked) < len(watched):
        sys.exit(1)
    sys.exit(SOMETHING_NEW if news and exit_code else 0)


@command.command("list")
@index_directory
def show(directory: Path) -> None:
    """Show what is watched."""
    from citescout.watches import Watches

    watches = Watches(directory)
    watched = watches.all()
    if not watched:
        click.echo(_NOTHING, err=True)
    for watch in watched:
        title = watch.query.title or watch.query.abstract or watch.query.context
        seen = counted(len(watches.shown(watch.name)), "paper")
        click.echo(f"{watch.name}: {' '.join(title.split())[:80]} ({seen} shown, asked last {watch.asked})")


@command.command("remove")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@index_directory
def remove(names: tuple[str, ...], directory: Path) -> None:
    """Forget drafts, by name, and what was shown of them."""
    from citescout.watches import Watches

    Watches(directory).remove(dict.fromkeys(names))
    click.echo(f"Forgot {', '.join(dict.fromkeys(names))}")


def _asked_again(before: Watch, recommender: Recommender) -> tuple[Watch, Answer | None]:
    """A watch as its draft is now, and the answer; None where it cannot be asked. What went wrong is reported."""
    from citescout.watches import reread

    watch, problem = reread(before, recommender.resolve)
    if problem:
        click.echo(f"{watch.name}: the copy is asked, because the draft cannot be read: {problem}", err=True)
    try:
        return watch, recommender.answer(watch.query, watch.settings)
    except QueryError as error:  # such as settings that an index without vectors cannot follow
        click.echo(f"{watch.name}: not asked: {error}", err=True)
        return watch, None


def _ids(answer: Answer) -> list[str]:
    return [entry.paper.id for entry in answer.recommendations]


def _feed(watches: Watches, watched: Iterable[Watch], entered: list[Entered], recommender: Recommender) -> str:
    """The feed with what has just entered; without papers that have left the index, and watches begun meanwhile."""
    from exports.atom import FeedEntry, feed

    drafts = {watch.name: watch.query.title for watch in watched}
    # As they will be given later on: by names within one time. Nothing may be cut off that is reported here alone.
    latest = [*entered, *watches.latest(max(_ENTRIES - len(entered), 0))]
    latest = sorted(sorted(latest, key=lambda one: (one.watch, one.paper)), key=lambda one: one.when, reverse=True)
    entries = [
        FeedEntry(one.watch, drafts[one.watch], paper, one.paper, one.when)
        for one in latest
        if one.watch in drafts and (paper := recommender.paper(one.paper))
    ]
    return feed(watches.feed_id, recommender.info.created, entries)
