"""Public keys in the store: what signed a record is published before the record is written, and stays for ever."""

from collections.abc import Mapping
from contextlib import suppress
from time import time_ns
from typing import Any

import orjson

from coolid.aws.dynamodb.items import KEYS, key_version
from coolid.aws.dynamodb.writer import DynamoWriter, translated


class DynamoPublicKeys(DynamoWriter):
    """What of `coolid.store.store.Store` publishes keys."""

    def add_public_key(self, key: Mapping[str, Any]) -> None:
        """As of `Store`: a row of its own for each, put on the condition that it is not there.

        In every region a key has the same row, so that replicas only ever agree on it.
        """
        row = self._tables.lui
        version = key_version(key["kid"])
        place = {"pid": {"S": KEYS}, "version": {"N": str(version)}}
        if self.item(row.Meta.table_name, place, consistent=True):
            return
        new = row(pid=KEYS, version=version, status="key", revision=time_ns(), body=orjson.dumps(dict(key)).decode())
        with suppress(_Published), translated(_Published()):
            new.save(condition=row.pid.does_not_exist())


class _Published(Exception):
    """Another writer published the key at the same time."""
