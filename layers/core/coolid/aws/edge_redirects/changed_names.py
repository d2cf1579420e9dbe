"""The names whose entries at the edge a record of the prefix table's stream may change.

Source: "DynamoDB Streams Low-Level API", data types `Record` and `StreamRecord` with the view NEW_AND_OLD_IMAGES.

>>> row = {"name": {"S": "go"}, "kind": {"S": "provider"}, "body": {"S": '{"synonyms": ["gobp"]}'}}
>>> changed_names({"dynamodb": {"Keys": {"name": {"S": "go"}}, "OldImage": row}})
('go', 'gobp')
"""

from collections.abc import Mapping
from typing import Any, Final

import orjson

from coolid.aws.dynamodb.table_reader import plain
from coolid.store.rows import PROVIDER, SYNONYM

_ATTRIBUTES: Final = ("kind", "target", "body", "health", "longer", "home", "terms")
"""The attributes of a row that its entries may depend on."""


def changed_names(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the name of the changed row, and the synonyms that a changed prefix had; none if no entry changes.

    A record that cannot be read has none; a sweep finds what it changed.
    """
    try:
        stream_record = record["dynamodb"]
        name = plain(stream_record["Keys"]["name"])
        old, new = (_row(stream_record.get(image)) for image in ("OldImage", "NewImage"))
        if old == new or not {old.get("kind"), new.get("kind")} & {PROVIDER, SYNONYM}:
            return ()
        former = orjson.loads(old["body"]).get("synonyms", ()) if old.get("kind") == PROVIDER else ()
        return tuple(dict.fromkeys(str(each) for each in (name, *former)))
    except (KeyError, TypeError, ValueError, AttributeError):
        return ()


def _row(image: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: plain(image[name]) for name in _ATTRIBUTES if name in image} if image else {}
