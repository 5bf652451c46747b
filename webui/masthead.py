"""What every page says above its content: which index is asked, how large and old it is, and where the basket is."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from webui.prefixes import current_session, root_of
from webui.site import site
from webui.store_file import FullError
from webui.watching import new_papers, outdated


@dataclass(frozen=True, slots=True)
class IndexChoice:
    """One index of the server, as a link in the header."""

    name: str
    papers: int
    address: str
    chosen: bool


def masthead() -> dict[str, Any]:
    """The names that templates have for it."""
    served, session = site(), current_session()
    info = served.answers.recommender.info
    several = len(served.indexes) > 1
    keeps = served.sessions if session else None
    names = {
        "info": info,
        "age": age(datetime.fromisoformat(info.created), datetime.now(UTC)),
        "choices": [
            IndexChoice(name, one.recommender.info.papers, f"{root_of(session, name)}/", name == served.index)
            for name in served.indexes
            if several and (one := served.indexes.get(name))
        ],
        "builds": served.builds is not None,
        "in_session": keeps is not None,
        # What the addresses of this site begin with, for a browser that keeps basket and history; None where none does.
        "storage": f"{root_of(None, None)}/" if served.browser_storage else None,
        "index_name": served.index,
        "new_papers": 0,
        "ask_news": False,  # whether the page's script should have a watched question asked again
        "basket_size": 0,
    }
    if keeps and session:
        with suppress(FullError):  # of a disk that is full: what needs the session says so
            names["new_papers"] = new_papers(keeps, session)
            names["ask_news"] = bool(outdated(keeps, session))
            names["basket_size"] = len(keeps.baskets.picked(session))
    return names


def age(created: datetime, now: datetime) -> str:
    """How long ago an index was written: "today", "yesterday", "12 days ago"; the date after a month."""
    days = (now.date() - created.astimezone(UTC).date()).days
    if days < 1:
        return "today"
    if days == 1:
        return "yesterday"
    return f"{days} days ago" if days <= 30 else f"on {created.date().isoformat()}"
