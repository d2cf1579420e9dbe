"""Cache tags of the answers that a record of DynamoDB Streams makes outdated.

Source: "DynamoDB Streams Low-Level API", data types `Record` and `StreamRecord` with the view NEW_AND_OLD_IMAGES, as
Lambda passes them on. The rows are those of `coolid.store.rows`.

Only the state that was public *before* matters. Mints, superseded versions and the activation of reserved records purge
nothing, because a 404 is cached for seconds only. A row that is rewritten unchanged purges nothing either.

>>> change_of({"dynamodb": {"Keys": {"pid": {"S": "r4k2/x5"}}, "OldImage": {"status": {"S": "active"}}}})
RowChange(tags=frozenset({'record:r4k2/x5'}), cache_seconds=10.0)
"""

from collections.abc import Mapping
from typing import Any, Final

import orjson
from msgspec import Struct

from coolid.aws.dynamodb.table_reader import plain
from coolid.http.caching import KEYS_TAG, prefix_tag, record_tag, repository_tag
from coolid.model.records import RESERVED
from coolid.registry.predecessors import predecessors
from coolid.resolution.cache import KEYS_TTL, PREFIX_TTL, RECORD_TTL
from coolid.store.rows import KEYS, NAMESPACE, PROVIDER, SYNONYM

_RECORD_ATTRIBUTES: Final = ("status", "body", "health")
"""The attributes of a record's row that answers depend on. The author is never public."""
_PREFIX_ATTRIBUTES: Final = ("kind", "target", "body", "health")
"""The attributes of a prefix's row that answers depend on. Longer registered prefixes have rows of their own."""
_READ_ATTRIBUTES: Final = ("pid", "name", *_RECORD_ATTRIBUTES, *_PREFIX_ATTRIBUTES)


class InvalidStreamRecord(Exception):
    """The stream record does not describe a row of these tables."""


class RowChange(Struct, frozen=True):
    """The `tags` of the outdated answers. Functions may cache the old row for another `cache_seconds`."""

    tags: frozenset[str]
    cache_seconds: float


def change_of(record: Mapping[str, Any]) -> RowChange | None:
    """Return the effect of a row's change, or None if no answer changes. Raises `InvalidStreamRecord`."""
    try:
        stream_record = record["dynamodb"]
        keys = _row(stream_record["Keys"])
        old, new = _row(stream_record.get("OldImage")), _row(stream_record.get("NewImage"))
        if "pid" in keys:
            return _record_change(keys["pid"], old, new)
        return _prefix_change(keys["name"], old, new)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidStreamRecord(f"it is no record of a row of ours: {type(error).__name__}") from error


def _record_change(pid: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> RowChange | None:
    if pid == KEYS:
        return RowChange(frozenset([KEYS_TAG]), KEYS_TTL)
    if not old or old["status"] == RESERVED or _same(old, new, _RECORD_ATTRIBUTES):
        return None
    repository, slash, key = pid.partition("/")
    if not slash:
        raise ValueError(pid)
    return RowChange(frozenset([record_tag(repository, key)]), RECORD_TTL)


def _prefix_change(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> RowChange | None:
    """Return the effect of a prefix's change. Repository rows are ignored because the rows of aliases repeat them."""
    if name.startswith("/") or _same(old, new, _PREFIX_ATTRIBUTES):
        return None
    before, after = old.get("kind"), new.get("kind")
    if not {before, after} <= {NAMESPACE, PROVIDER, SYNONYM, None}:
        raise ValueError(name)
    if before == after == NAMESPACE:
        owners = {orjson.loads(row["body"])["repository"]["id"] for row in (old, new)}
        return RowChange(frozenset(map(repository_tag, owners)), PREFIX_TTL)
    if before == after == PROVIDER:
        return RowChange(frozenset([prefix_tag(name)]), PREFIX_TTL)
    names = (*predecessors(name), *([old["target"]] if before == SYNONYM else ()))
    return RowChange(frozenset(map(prefix_tag, names)), PREFIX_TTL)


def _row(image: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: plain(image[name]) for name in _READ_ATTRIBUTES if name in image} if image else {}


def _same(old: Mapping[str, Any], new: Mapping[str, Any], names: tuple[str, ...]) -> bool:
    return all(old.get(name) == new.get(name) for name in names)
