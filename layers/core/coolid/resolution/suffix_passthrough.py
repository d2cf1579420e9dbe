"""Suffix pass-through: an identifier that is not registered, but extends one that is, leads into what that one names.

Draft-kunze-ark ("suffix passthrough" of its older versions and of N2T), narrowed: the extension begins with `/` or `.`,
goes to the end of the target's path as it was written, its hyphens and encoded slashes included, and leaves the query
alone; and nobody gets to another place of the web by it.

>>> extended("https://a.example/doc?v=1", "/chapter%202.pdf")
'https://a.example/doc/chapter%202.pdf?v=1'
>>> extended("https://a.example", ".evil.example") is None, extended("https://a.example/x/", "/../y") is None
(True, True)
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from coolid.errors import InvalidIdentifier
from coolid.identifiers.target_policy import addition_objection
from coolid.model.locations import at
from coolid.model.prefixes import as_path
from coolid.model.records import RESERVED, Location, Record
from coolid.model.repositories import Repository
from coolid.store.reader import Reader

MOST_LOOKED_UP: Final = 50

_BOUNDARY: Final = re.compile(r"[/.]")
_TARGET: Final = re.compile(r"(?P<path>[^?#]*)(?P<rest>.*)", re.DOTALL)


def extension_of(
    repository: Repository,
    written: str,
    key_of: Callable[[str], str],
    reader: Reader,
    concealed: Sequence[int] = (),
) -> tuple[Record, str] | None:
    """The record that `written` extends, the one with the longest identifier, and what goes beyond it, a piece of path.

    `key_of` gives the key of an identifier of the repository, or raises `InvalidIdentifier`; `concealed` are slashes
    that separate nothing, counted from the end.
    """
    keys: dict[str, str] = {}
    hidden = sorted(len(written) - each for each in concealed if each <= len(written))
    for end in _boundaries(written):
        if end in hidden:
            continue
        try:
            keys[key_of(written[:end])] = written[end:]  # all that is behind it, where there are several spellings
        except InvalidIdentifier:
            continue
        if len(keys) == MOST_LOOKED_UP:
            break
    if not keys:
        return None
    found = reader.records(repository.id, tuple(keys))
    key = next((key for key in keys if key in found and found[key].status != RESERVED), None)
    return (found[key], _piece(keys[key], concealed)) if key is not None else None


def extended_all(locations: Iterable[Location], extension: str) -> tuple[Location, ...]:
    """The locations with the extension, but for those where that would not be below them."""
    longer = ((each, extended(each.uri, extension)) for each in locations)
    return tuple(at(each, uri) for each, uri in longer if uri is not None)


def extended(uri: str, extension: str) -> str | None:
    """The target with the extension, a piece of path, at the end of its path; None where it would not be below it."""
    target = _TARGET.fullmatch(uri)
    assert target is not None
    path = target["path"].removesuffix("/") if extension.startswith("/") else target["path"]
    return None if addition_objection(path, extension, target["rest"]) else path + extension + target["rest"]


def _piece(text: str, concealed: Sequence[int]) -> str:
    """The text as a piece of a path, with those of its slashes encoded that are concealed, counted from the end.

    >>> _piece("/a/b c", [4])
    '/a%2Fb%20c'
    """
    hidden = sorted(len(text) - each for each in concealed if each <= len(text))
    starts, ends = [0, *(each + 1 for each in hidden)], [*hidden, len(text)]
    return "%2F".join(as_path(text[start:end]) for start, end in zip(starts, ends, strict=True))


def _boundaries(written: str) -> Iterator[int]:
    """Where the identifier may be cut, the longest piece first."""
    return (match.start() for match in reversed(list(_BOUNDARY.finditer(written))) if match.start())
