"""Suffix pass-through: an unregistered identifier that extends a registered one resolves below its target.

See Draft-kunze-ark ("suffix passthrough" of its older versions and of N2T). Here the extension begins with `/` or `.`
and is appended to the target's path as written, with its hyphens and encoded slashes. The query is unchanged. The
result is always below the target.

>>> extend("https://a.example/doc?v=1", "/chapter%202.pdf")
'https://a.example/doc/chapter%202.pdf?v=1'
>>> extend("https://a.example", ".evil.example") is None, extend("https://a.example/x/", "/../y") is None
(True, True)
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from coolid.errors import InvalidIdentifier
from coolid.identifiers.target_policy import addition_objection
from coolid.model.locations import part_at
from coolid.model.prefixes import as_path
from coolid.model.records import RESERVED, Location, Record
from coolid.model.repositories import Repository
from coolid.store.reader import Reader

MAX_KEYS: Final = 50

_BOUNDARY: Final = re.compile(r"[/.]")
_TARGET: Final = re.compile(r"(?P<path>[^?#]*)(?P<rest>.*)", re.DOTALL)


def find_extended_record(
    repository: Repository,
    written: str,
    key_of: Callable[[str], str],
    reader: Reader,
    encoded_slashes: Sequence[int] = (),
) -> tuple[Record, str] | None:
    """Return the record with the longest identifier that `written` extends, and the extension as a piece of path.

    `key_of` returns the key of an identifier, or raises `InvalidIdentifier`. `encoded_slashes` are slashes that do not
    separate, counted from the end.
    """
    keys: dict[str, str] = {}
    positions = sorted(len(written) - each for each in encoded_slashes if each <= len(written))
    for match in reversed(list(_BOUNDARY.finditer(written))):
        end = match.start()
        if not end or end in positions:
            continue
        try:
            keys[key_of(written[:end])] = written[end:]  # the longest extension, if spellings share a key
        except InvalidIdentifier:
            continue
        if len(keys) == MAX_KEYS:
            break
    if not keys:
        return None
    found = reader.records(repository.id, tuple(keys))
    key = next((key for key in keys if key in found and found[key].status != RESERVED), None)
    return (found[key], _path_piece(keys[key], encoded_slashes)) if key is not None else None


def extend_all(locations: Iterable[Location], extension: str) -> tuple[Location, ...]:
    """Return the extended locations, without those whose extension would not be below them."""
    longer = ((each, extend(each.uri, extension)) for each in locations)
    return tuple(part_at(each, uri) for each, uri in longer if uri is not None)


def extend(uri: str, extension: str) -> str | None:
    """Return the target with the extension at the end of its path, or None if the result is not below the target."""
    target = _TARGET.fullmatch(uri)
    assert target is not None
    path = target["path"].removesuffix("/") if extension.startswith("/") else target["path"]
    return None if addition_objection(path, extension, target["rest"]) else path + extension + target["rest"]


def _path_piece(text: str, encoded_slashes: Sequence[int]) -> str:
    """Return the text as a piece of a path, with these slashes encoded, counted from the end."""
    hidden = sorted(len(text) - each for each in encoded_slashes if each <= len(text))
    starts, ends = [0, *(each + 1 for each in hidden)], [*hidden, len(text)]
    return "%2F".join(as_path(text[start:end]) for start, end in zip(starts, ends, strict=True))
