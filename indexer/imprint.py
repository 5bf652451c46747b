"""How a paper was published, as references print it beside venue and year."""

from dataclasses import dataclass
from typing import Self

import orjson


@dataclass(frozen=True, slots=True)
class Imprint:
    """What a record says of that; "" where it says nothing."""

    type: str = ""  # as CSL calls it, such as article-journal
    volume: str = ""
    issue: str = ""
    page: str = ""  # the first, a range, or the number of the article
    publisher: str = ""
    more: str = ""  # what else is said, such as place and editors: an item of CSL, as JSON

    def packed(self) -> str:
        """As one short text, for a database, without what is empty behind the last known value: there are millions."""
        known = [self.type, self.volume, self.issue, self.page, self.publisher, self.more]
        while known and not known[-1]:
            known.pop()
        return orjson.dumps(known).decode()

    @classmethod
    def unpacked(cls, packed: str) -> Self:
        """What `packed` made a text of."""
        return cls(*orjson.loads(packed))
