"""A whole store: one implementation of every port."""

from msgspec import Struct

from coolid.store.checks import CheckCursorStore, CheckRequestStore, CheckStateStore, ConditionStore, WebhookStore
from coolid.store.clients import ClientStore
from coolid.store.counters import CounterStore, QuotaStore
from coolid.store.prefixes import PrefixStore, RepositoryStore
from coolid.store.public_keys import PublicKeyStore
from coolid.store.record_search import RecordSearch
from coolid.store.records import ChangeIndex, RecordStore
from coolid.store.sessions import SessionStore


class Store(Struct, frozen=True):
    """The ports of one store. A component that needs only some of them takes those instead."""

    prefixes: PrefixStore
    repositories: RepositoryStore
    records: RecordStore
    changes: ChangeIndex
    record_search: RecordSearch
    public_keys: PublicKeyStore
    clients: ClientStore
    counters: CounterStore
    quotas: QuotaStore
    check_states: CheckStateStore
    conditions: ConditionStore
    check_cursors: CheckCursorStore
    check_requests: CheckRequestStore
    webhooks: WebhookStore
    sessions: SessionStore
