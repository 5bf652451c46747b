"""The indexes of one server, to which another may be added while it serves."""

from collections.abc import Callable, Iterator, Mapping

from webui.answers import Answers


class Indexes(Mapping[str, Answers]):
    """By name, in their order."""

    def __init__(self, named: Mapping[str, Answers], is_there: Callable[[str], bool]) -> None:
        """Those `named` stay; one that is added is closed once it was deleted: `is_there` is asked by its name."""
        self._named = dict(named)
        self._staying = frozenset(named)
        self._is_there = is_there

    def __getitem__(self, name: str) -> Answers:
        return self._named[name]

    def __iter__(self) -> Iterator[str]:
        return filter(self.__contains__, list(self._named))

    def __contains__(self, name: object) -> bool:
        if name in self._staying:
            return True
        deleted = name in self._named and not self._is_there(str(name))
        if deleted and (gone := self._named.pop(str(name), None)):
            gone.recommender.close()
        return name in self._named

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def add(self, name: str, answers: Answers) -> None:
        """Serve one more, or another one under a name that is there, but for those that stay."""
        if name in self._staying:
            answers.recommender.close()
            return
        before = self._named.get(name)
        self._named[name] = answers
        if before:
            before.recommender.close()
