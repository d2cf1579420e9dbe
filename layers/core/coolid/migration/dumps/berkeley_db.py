"""Reads Berkeley DB files with a B-tree, page by page, without Berkeley DB: the files of Noid, Nog and EZID's minters.

Specification: the page layout of Berkeley DB 3.1 to 18.1 (`dbinc/db_page.h`, access method versions 8 to 10), in either
byte order, with overflow pages, duplicates and page checksums (which are skipped). Reading is in key order, in bounded
memory, and never writes. Encrypted files, several databases in one file, and other access methods are refused.

`entries` also reads the text of `db_dump`; see `coolid.migration.dumps.db_dump`.
"""

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from struct import Struct as Layout
from struct import pack
from typing import BinaryIO, Final

from msgspec import Struct

from coolid.errors import UsageError
from coolid.migration.dumps import db_dump

Entry = tuple[bytes, bytes]

MAX_ITEM_BYTES: Final = 16 * 1024 * 1024
"""The longest key or value that is read."""

_BTREE_MAGIC: Final = 0x053162
_OTHER_MAGICS: Final = {0x061561: "a hash", 0x042253: "a queue", 0x074582: "a heap", 0x040988: "a log"}
_VERSIONS: Final = range(8, 11)
_PAGE_SIZES: Final = frozenset(2**power for power in range(9, 17))
_META_BYTES: Final = 512
_CHECKSUMS: Final = 1  # a flag of the first page
_SEVERAL: Final = 0x20  # another, behind the first ones

_INTERNAL, _RECORD_INTERNAL, _LEAF, _RECORD_LEAF, _OVERFLOW, _DUPLICATES_LEAF = 3, 4, 5, 6, 7, 12
_DIRECT, _OFF_PAGE_DUPLICATES, _OVERFLOWING = 1, 2, 3
_DELETED: Final = 0x80
_MAX_LEVELS: Final = 32


class _Page(Struct, frozen=True):
    """A page: its bytes, its number and those of its neighbours, its kind, and where its items are."""

    content: bytes
    number: int
    previous: int
    next: int
    entries: int
    used: int
    kind: int


def is_berkeley_db(beginning: bytes) -> bool:
    """Return whether the first 16 bytes of a file are those of Berkeley DB, also if `entries` refuses its kind."""
    marks = {pack(f"{order}I", magic) for order in "<>" for magic in (_BTREE_MAGIC, *_OTHER_MAGICS)}
    return not marks.isdisjoint((beginning[:4], beginning[12:16]))


def entries(path: Path) -> Iterator[Entry]:
    """Yield the keys and values of a Berkeley DB file or of the text that `db_dump` writes of one, in key order.

    Raises `UsageError` with the reason if it is neither, or is damaged, perhaps after the first entries.
    """
    try:
        with path.open("rb") as file:
            beginning = file.read(_META_BYTES)
            if db_dump.is_dump(beginning):
                file.seek(0)
                yield from db_dump.entries(file, str(path))
            else:
                yield from _Database(file, str(path), beginning).entries()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error


class _Database:
    """The pages of an open file."""

    def __init__(self, file: BinaryIO, name: str, beginning: bytes) -> None:
        self._file = file
        self._name = name
        self._byte_order = self._order_of(beginning)
        meta = self._layout("16x IIBBB 21x I 36x I").unpack_from(beginning)
        version, self._page_bytes, encryption, kind, flags, more_flags, self._root = meta
        if version not in _VERSIONS:
            raise self._error(f"its B-tree has version {version}; versions 8 to 10 can be read. {_USE_DUMP}")
        if self._page_bytes not in _PAGE_SIZES or kind != 9:
            raise self._damage(0, "its first page is inconsistent")
        if encryption:
            raise self._error(f"it is encrypted. {_USE_DUMP}")
        if more_flags & _SEVERAL:
            raise self._error(f"it contains several databases. {_USE_DUMP}")
        self._items_at = 32 if flags & _CHECKSUMS else 26
        self._head = self._layout("8x IIIHHBB")
        self._pages = os.fstat(file.fileno()).st_size // self._page_bytes

    def entries(self) -> Iterator[Entry]:
        """Yield all keys and values."""
        page = self._leftmost_leaf(self._root, _LEAF)
        for leaf in self._chain(page):
            if leaf.entries % 2:
                raise self._damage(leaf.number, "a key has no value")
            for at in range(0, leaf.entries, 2):
                values = self._values(leaf, at + 1)
                if values:
                    key = self._item(leaf, at)
                    yield from ((key, value) for value in values)

    def _values(self, leaf: _Page, at: int) -> Iterator[bytes] | tuple[bytes, ...]:
        """Return the values of an item: none if it is deleted, several if they are duplicates on other pages."""
        offset, kind = self._kind_of(leaf, at)
        if kind & _DELETED:
            return ()
        if kind == _OFF_PAGE_DUPLICATES:
            return self._duplicates(self._unpack("4x I", leaf, offset)[0])
        return (self._item(leaf, at),)

    def _duplicates(self, root: int) -> Iterator[bytes]:
        first = self._leftmost_leaf(root, _DUPLICATES_LEAF, _RECORD_LEAF)
        for leaf in self._chain(first):
            for at in range(leaf.entries):
                if not self._kind_of(leaf, at)[1] & _DELETED:
                    yield self._item(leaf, at)

    def _leftmost_leaf(self, root: int, *kinds: int) -> _Page:
        """Return the first leaf below a page; the leaf is of one of the kinds."""
        page = self._page(root)
        for _ in range(_MAX_LEVELS):
            if page.kind in kinds:
                return page
            if page.kind not in (_INTERNAL, _RECORD_INTERNAL) or not page.entries:
                break
            offset = self._offset(page, 0)
            layout = "4x I" if page.kind == _INTERNAL else "I"
            page = self._page(self._unpack(layout, page, offset)[0])
        raise self._damage(page.number, "it is not part of the tree")

    def _chain(self, page: _Page) -> Iterator[_Page]:
        """Yield a leaf and all behind it."""
        if page.previous:
            raise self._damage(page.number, "there is a page before the first one")
        for _ in range(self._pages):
            yield page
            if not page.next:
                return
            following = self._page(page.next)
            if following.kind != page.kind or following.previous != page.number:
                raise self._damage(following.number, "it does not follow the page before it")
            page = following
        raise self._damage(page.number, "its pages form a circle")

    def _item(self, page: _Page, at: int) -> bytes:
        """Return a key or value."""
        offset, kind = self._kind_of(page, at)
        if kind & ~_DELETED == _OVERFLOWING:
            number, length = self._unpack("4x II", page, offset)
            return self._overflow(number, length)
        if kind & ~_DELETED != _DIRECT:
            raise self._damage(page.number, f"an item is of the unknown kind {kind}")
        (length,) = self._unpack("H", page, offset)
        content = page.content[offset + 3 : offset + 3 + length]
        if len(content) != length:
            raise self._damage(page.number, "an item is longer than the page")
        return content

    def _overflow(self, number: int, length: int) -> bytes:
        """Return a value that fills pages of its own."""
        if length > MAX_ITEM_BYTES:
            raise self._error(f"a value has {length} bytes; up to {MAX_ITEM_BYTES} are read")
        found = bytearray()
        while number:
            page = self._page(number)
            part = page.content[self._items_at : self._items_at + page.used]
            if page.kind != _OVERFLOW or not part or len(found) + len(part) > length:
                raise self._damage(number, "it is no continuation of a long value")
            found += part
            number = page.next
        if len(found) != length:
            raise self._damage(number, f"a long value has {len(found)} of {length} bytes")
        return bytes(found)

    def _kind_of(self, page: _Page, at: int) -> tuple[int, int]:
        """Return the offset of an item, and its kind, perhaps with the flag of deleted ones."""
        offset = self._offset(page, at)
        return offset, self._unpack("2x B", page, offset)[0]

    def _offset(self, page: _Page, at: int) -> int:
        offset: int = self._unpack("H", page, self._items_at + 2 * at)[0]
        if offset < self._items_at + 2 * page.entries:
            raise self._damage(page.number, "an item is outside its place")
        return offset

    def _page(self, number: int) -> _Page:
        """Return a page of the file, checked by its own number."""
        if not 0 < number < self._pages:
            raise self._damage(number, f"the file has only {self._pages} pages; perhaps it is truncated")
        self._file.seek(number * self._page_bytes)
        content = self._file.read(self._page_bytes)
        if len(content) != self._page_bytes:
            raise self._damage(number, "the file is truncated")
        own, previous, following, count, used, _, kind = self._head.unpack_from(content)
        if own != number:
            raise self._damage(number, f"it has the number {own}")
        return _Page(content, number, previous, following, count, used, kind)

    def _unpack(self, layout: str, page: _Page, offset: int) -> tuple[int, ...]:
        try:
            return self._layout(layout).unpack_from(page.content, offset)
        except struct.error as error:
            raise self._damage(page.number, "an item is outside the page") from error

    def _layout(self, layout: str) -> Layout:
        return Layout(self._byte_order + layout)

    def _order_of(self, beginning: bytes) -> str:
        """Return the byte order in the notation of `struct`. Raises `UsageError` if the file is no B-tree."""
        if len(beginning) < _META_BYTES:
            raise self._error("it is too short for Berkeley DB, and not the text of db_dump")
        for mark in "<>":
            first, magic = Layout(mark + "I8xI").unpack_from(beginning)
            if first == _BTREE_MAGIC:
                raise self._error(f"it was written by Berkeley DB 1. {_USE_DUMP}")
            if magic in _OTHER_MAGICS:
                raise self._error(f"it is {_OTHER_MAGICS[magic]} of Berkeley DB, not a B-tree. {_USE_DUMP}")
            if magic == _BTREE_MAGIC:
                return mark
        raise self._error("it is neither a B-tree of Berkeley DB nor the text of db_dump")

    def _damage(self, page: int, reason: str) -> UsageError:
        return self._error(f"page {page} is damaged: {reason}. Try `db_verify`, or `db_dump -r` and the text it writes")

    def _error(self, reason: str) -> UsageError:
        return UsageError(f"{self._name} cannot be read: {reason}")


_USE_DUMP: Final = "Use the text that `db_dump` writes of it"
