"""Public keys of proofs in DynamoDB. A key is stored before the first record that it signs, and never removed."""

from collections.abc import Mapping
from contextlib import suppress
from time import time_ns
from typing import Any

import orjson

from coolid.aws.dynamodb.items import KEYS, key_version
from coolid.aws.dynamodb.writer import DynamoWriter, translate_errors


class DynamoPublicKeys(DynamoWriter):
    """Implements the publication of keys of `coolid.store.store.Store`."""

    def add_public_key(self, key: Mapping[str, Any]) -> None:
        """See `Store`. Each key has a row of its own, equal in all regions, which is put if it does not exist."""
        row = self._tables.lui
        version = key_version(key["kid"])
        row_key = {"pid": {"S": KEYS}, "version": {"N": str(version)}}
        if self.item(row.Meta.table_name, row_key, consistent=True):
            return
        new = row(pid=KEYS, version=version, status="key", revision=time_ns(), body=orjson.dumps(dict(key)).decode())
        with suppress(_Published), translate_errors(_Published()):
            new.save(condition=row.pid.does_not_exist())


class _Published(Exception):
    """Another writer published the key at the same time."""
