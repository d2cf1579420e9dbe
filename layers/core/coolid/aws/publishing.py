"""Public keys in the store: what signed a record is published before the record is written, and stays for ever."""

from collections.abc import Mapping
from contextlib import suppress
from time import time_ns
from typing import Any, Final

import orjson

from coolid.aws.items import CURRENT, KEYS, key_version
from coolid.aws.writing import DynamoWriter, translated
from coolid.domain.errors import Contended

_ROUNDS: Final = 32
"""Attempts at the list while others change it, too; each of them brings at least one of these further."""


class DynamoKeys(DynamoWriter):
    """What of `coolid.domain.stores.Store` publishes keys."""

    def add_public_key(self, key: Mapping[str, Any]) -> None:
        """As of `Store`: a row of its own for each, put on the condition that it is not there.

        In every region a key has the same row, so that replicas only ever agree on it.
        """
        row = self._tables.lui
        version = key_version(key["kid"])
        if self._row_of_keys(version):
            return
        self._tell_the_release_before(key)
        body = orjson.dumps(dict(key)).decode()
        new = row(pid=KEYS, version=version, status="key", revision=time_ns(), body=body)
        with suppress(_Changed), translated(_Changed()):
            new.save(condition=row.pid.does_not_exist())

    def _tell_the_release_before(self, key: Mapping[str, Any]) -> None:
        """Version 0.1 knows the keys of one row with all of them: who goes back to it must be able to verify.

        Regions may lose each other's keys from that list, never from the rows of their own.
        """
        row = self._tables.lui
        for _ in range(_ROUNDS):
            item = self._row_of_keys(CURRENT)
            known = orjson.loads(item["body"]) if item else []
            if any(each["kid"] == key["kid"] for each in known):
                return
            revision = item["revision"] if item else 0
            body = orjson.dumps([*known, dict(key)]).decode()
            changed = row(pid=KEYS, version=CURRENT, status="keys", revision=revision + 1, body=body)
            with suppress(_Changed), translated(_Changed()):
                changed.save(condition=row.revision == revision if item else row.pid.does_not_exist())
                return
        raise Contended("others kept publishing keys at the same time")

    def _row_of_keys(self, version: int) -> dict[str, Any] | None:
        place = {"pid": {"S": KEYS}, "version": {"N": str(version)}}
        return self.item(self._tables.lui.Meta.table_name, place, consistent=True)


class _Changed(Exception):
    """Somebody else was quicker."""
