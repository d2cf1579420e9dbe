"""The whole store, as one protocol: what the implementations must do together, port by port."""

from typing import Protocol

from coolid.store.checks import CheckCursorStore, CheckStateStore, ConditionStore, WebhookStore
from coolid.store.clients import ClientStore
from coolid.store.counters import CounterStore, QuotaStore
from coolid.store.prefixes import PrefixStore, RepositoryStore
from coolid.store.public_keys import PublicKeyStore
from coolid.store.reader import Reader
from coolid.store.records import RecordStore


class Store(
    Reader,
    PrefixStore,
    RepositoryStore,
    RecordStore,
    PublicKeyStore,
    ClientStore,
    CounterStore,
    QuotaStore,
    CheckStateStore,
    ConditionStore,
    CheckCursorStore,
    WebhookStore,
    Protocol,
):
    """Every port of the store at once."""
