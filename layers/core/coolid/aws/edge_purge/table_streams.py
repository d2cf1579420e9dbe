"""Streams: what DynamoDB Streams tells of a changed row, as what it means for answers that caches keep.

Source: "DynamoDB Streams Low-Level API", data types `Record` and `StreamRecord` with the view NEW_AND_OLD_IMAGES, as
Lambda passes them on. The rows are those of `coolid.aws.dynamodb.items`.

What matters is what the public could see *before*: a mint, a version put into the archive and a reserved record that
becomes public take nothing back, for a 404 lives only some seconds. A row that is written as it was changes nothing.

>>> change_of({"dynamodb": {"Keys": {"pid": {"S": "r4k2/x5"}}, "OldImage": {"status": {"S": "active"}}}})
RowChange(tags=frozenset({'record:r4k2/x5'}), remembered=10.0)
"""

from collections.abc import Mapping
from typing import Any, Final

import orjson
from msgspec import Struct

from coolid.aws.dynamodb.items import KEYS, NAMESPACE, PROVIDER, SYNONYM
from coolid.aws.dynamodb.reader import plain
from coolid.http import cache_tags
from coolid.model.records import RESERVED
from coolid.registry.shadowed_prefixes import predecessors
from coolid.resolution.cache import KEYS_TTL, PREFIX_TTL, RECORD_TTL

_SHOWN: Final = ("status", "body", "health")
"""The attributes of a record's row that the public can tell; who wrote it is not told."""
_MEANING: Final = ("kind", "target", "body", "health")
"""The attributes of a prefix's row that answers depend on; longer names that are registered have rows of their own."""
_READ: Final = ("pid", "name", *_SHOWN, *_MEANING)


class InvalidStreamRecord(Exception):
    """What came is no record of a row of our tables."""


class RowChange(Struct, frozen=True):
    """The `tags` of the answers that are wrong now; functions may remember them for so many more seconds."""

    tags: frozenset[str]
    remembered: float


def change_of(record: Mapping[str, Any]) -> RowChange | None:
    """What the change of a row means; None for nothing. Raises `InvalidStreamRecord`."""
    try:
        told = record["dynamodb"]
        keys = _row(told["Keys"])
        old, new = _row(told.get("OldImage")), _row(told.get("NewImage"))
        if "pid" in keys:
            return _of_record(keys["pid"], old, new)
        return _of_prefix(keys["name"], old, new)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidStreamRecord(f"it is no record of a row of ours: {type(error).__name__}") from error


def _of_record(pid: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> RowChange | None:
    if pid == KEYS:
        return RowChange(frozenset([cache_tags.KEYS]), KEYS_TTL)
    if not old or old["status"] == RESERVED or _same(old, new, _SHOWN):
        return None
    repository, slash, key = pid.partition("/")
    if not slash:
        raise ValueError(pid)
    return RowChange(frozenset([cache_tags.record_tag(repository, key)]), RECORD_TTL)


def _of_prefix(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> RowChange | None:
    """A repository is not looked at: whatever is told of it stands in the rows of its aliases."""
    if name.startswith("/") or _same(old, new, _MEANING):
        return None
    before, after = old.get("kind"), new.get("kind")
    if not {before, after} <= {NAMESPACE, PROVIDER, SYNONYM, None}:
        raise ValueError(name)
    if before == after == NAMESPACE:
        owners = {orjson.loads(row["body"])["repository"]["id"] for row in (old, new)}
        return RowChange(frozenset(map(cache_tags.repository_tag, owners)), PREFIX_TTL)
    if before == after == PROVIDER:
        return RowChange(frozenset([cache_tags.prefix_tag(name)]), PREFIX_TTL)
    names = (*predecessors(name), *([old["target"]] if before == SYNONYM else ()))
    return RowChange(frozenset(map(cache_tags.prefix_tag, names)), PREFIX_TTL)


def _row(image: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: plain(image[name]) for name in _READ if name in image} if image else {}


def _same(old: Mapping[str, Any], new: Mapping[str, Any], names: tuple[str, ...]) -> bool:
    return all(old.get(name) == new.get(name) for name in names)
