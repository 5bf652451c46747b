"""What of Zotero is wanted."""

from dataclasses import dataclass
from typing import Self

from common.errors import FetchError

NAME = "zotero"


@dataclass(frozen=True, slots=True)
class Part:
    """A library of Zotero, or one collection of it with its subcollections.

    A library that was read has it by number and key, which stay when a group or collection is renamed.
    """

    group: str = ""  # name or number of a group's library; "" for one's own
    collection: str = ""  # name or key; "" for the whole library

    @classmethod
    def named(cls, source: str) -> Self | None:
        """The part that `zotero`, `zotero/COLLECTION`, `zotero:GROUP` or `zotero:GROUP/COLLECTION` names; else None."""
        library, _, collection = source.partition("/")
        name, colon, group = library.partition(":")
        if name.lower() != NAME or (colon and not group):
            return None
        return cls(group, collection.strip("/"))

    def __str__(self) -> str:
        """As it is named on the command line."""
        library = f"{NAME}:{self.group}" if self.group else NAME
        return f"{library}/{self.collection}" if self.collection else library


@dataclass(frozen=True, slots=True)
class Named:
    """A group or collection, as Zotero lists them."""

    key: str
    name: str
    parent: str = ""  # key of the collection that it is in


def chosen(wanted: str, found: list[Named], what: str) -> Named:
    """The one of this key, or of this name, or of this path through the collections that it is in.

    Raises:
        FetchError: None is, or several are.
    """
    folded = wanted.casefold()
    fitting = (
        [one for one in found if one.key == wanted]
        or [one for one in found if one.name.casefold() == folded]
        or [one for one in found if f"/{_path(one, found)}".casefold().endswith(f"/{folded}")]
    )
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        keys = ", ".join(one.key for one in fitting)
        raise FetchError(f"Zotero has several {what}s of the name {wanted!r}: name one by its key ({keys})")
    # What is behind a slash is taken for a collection of a group.
    names = sorted(f"{one.name} ({one.key})" if "/" in one.name else one.name for one in found)
    known = ", ".join(names[:10]) or f"no {what}"
    raise FetchError(f"Zotero has no {what} {wanted!r}; it has {known}")


def _path(one: Named, found: list[Named]) -> str:
    """Such as "Thesis/Part I"."""
    above = next((other for other in found if other.key == one.parent), None)
    return f"{_path(above, found)}/{one.name}" if above else one.name


def with_subcollections(top: Named, found: list[Named]) -> list[str]:
    """Keys of a collection and of all within it."""
    keys = [top.key]
    for key in keys:  # grows while it is read
        keys += [one.key for one in found if one.parent == key and one.key not in keys]
    return keys
