"""Public keys of proofs in DynamoDB. A key is stored before the first record that it signs, and never removed."""

from collections.abc import Mapping
from time import time_ns
from typing import Any

import orjson

from coolid.aws.dynamodb.client import DynamoClient, try_write
from coolid.aws.dynamodb.reader import DynamoPublicKeyReader
from coolid.store.rows import KEYS, key_version


class DynamoPublicKeys(DynamoPublicKeyReader):
    """Implements `PublicKeyStore`."""

    def __init__(self, client: DynamoClient) -> None:
        super().__init__(client.reader, client.tables.lui.Meta.table_name)
        self._model = client.tables.lui

    def add_public_key(self, key: Mapping[str, Any]) -> None:
        """See `PublicKeyStore`. Each key has a row of its own, equal in all regions, which is put if it is absent."""
        model, version = self._model, key_version(key["kid"])
        if self._reader.item(self._table, {"pid": {"S": KEYS}, "version": {"N": str(version)}}, consistent=True):
            return
        body = orjson.dumps(dict(key)).decode()
        row = model(pid=KEYS, version=version, status="key", revision=time_ns(), body=body)
        try_write(lambda: row.save(condition=model.pid.does_not_exist()))  # False: another writer published it
