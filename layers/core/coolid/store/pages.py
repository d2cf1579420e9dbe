"""Walks through the lists that a store returns in pages.

>>> pages = {None: ([1, 2], "2"), "2": ([3], None)}
>>> list(all_members(lambda limit, after: pages[after]))
[1, 2, 3]
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

PAGE_SIZE: Final = 1_000

T = TypeVar("T")


def all_members(
    list_page: Callable[[int, str | None], tuple[Sequence[T], str | None]],
    after: str | None = None,
    size: int = PAGE_SIZE,
) -> Iterator[T]:
    """Yield the members of all pages of a list, from the position `after`. Reads a page when it is needed.

    `list_page` takes the size of a page and a position. It returns a page, and the position to continue after, or None
    at the end. Raises its errors.
    """
    while True:
        page, after = list_page(size, after)
        yield from page
        if after is None:
            return
