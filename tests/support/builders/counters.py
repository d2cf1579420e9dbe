"""Collections that count how many of their members were read."""

from collections.abc import Iterator
from typing import Any


class CountingList(list[Any]):
    """A list that counts, in `seen`, its members that were read one by one."""

    seen = 0

    def __iter__(self) -> Iterator[Any]:
        for each in super().__iter__():
            self.seen += 1
            yield each
