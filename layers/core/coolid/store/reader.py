"""The port of resolution: all that a public request reads."""

from typing import Protocol

from coolid.store.prefixes import PrefixReader
from coolid.store.public_keys import PublicKeyReader
from coolid.store.records import RecordReader


class Reader(PrefixReader, RecordReader, PublicKeyReader, Protocol):
    """Reads prefixes, records and public keys."""
