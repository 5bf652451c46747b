"""The indexes of one server, to which another may be added while it serves."""

from collections.abc import Iterator, Mapping

from webui.answers import Answers


class Indexes(Mapping[str, Answers]):
    """By name, in their order; what reads it meanwhile sees it with an addition or without."""

    def __init__(self, named: Mapping[str, Answers]) -> None:
        self._named = dict(named)

    def __getitem__(self, name: str) -> Answers:
        return self._named[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        return len(self._named)

    def add(self, name: str, answers: Answers) -> None:
        """Serve one more, or another one under a name that is there."""
        self._named = {**self._named, name: answers}
