"""The port of resolution: all that a public request reads."""

from typing import Protocol

from coolid.store.prefixes import PrefixReader
from coolid.store.public_keys import PublicKeyReader
from coolid.store.records import RecordReader


class Reader(PrefixReader, RecordReader, PublicKeyReader, Protocol):
    """Reads prefixes, records and public keys."""


class StoreReader:
    """Implements `Reader` by the read ports of a store."""

    def __init__(self, prefixes: PrefixReader, records: RecordReader, public_keys: PublicKeyReader) -> None:
        self.prefixes, self.all_prefixes = prefixes.prefixes, prefixes.all_prefixes
        self.record, self.records = records.record, records.records
        self.superseded, self.history = records.superseded, records.history
        self.superseded_between = records.superseded_between
        self.public_keys = public_keys.public_keys
