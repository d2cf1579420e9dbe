"""The whole store in a SQLite database."""

from coolid.sqlite.changes import SqliteChanges
from coolid.sqlite.checks import (
    SqliteCheckCursors,
    SqliteCheckRequests,
    SqliteCheckStates,
    SqliteConditions,
    SqliteWebhooks,
)
from coolid.sqlite.clients import SqliteClients, SqliteSessions
from coolid.sqlite.counters import SqliteCounters, SqliteQuotas
from coolid.sqlite.database import Database
from coolid.sqlite.prefixes import SqlitePrefixes
from coolid.sqlite.public_keys import SqlitePublicKeys
from coolid.sqlite.record_search import SqliteRecordSearch
from coolid.sqlite.records import SqliteRecords
from coolid.sqlite.repositories import SqliteRepositories
from coolid.store.store import Store


def sqlite_store(database: Database) -> Store:
    """Return a store in an open database."""
    return Store(
        prefixes=SqlitePrefixes(database),
        repositories=SqliteRepositories(database),
        records=SqliteRecords(database),
        changes=SqliteChanges(database),
        record_search=SqliteRecordSearch(database),
        public_keys=SqlitePublicKeys(database),
        clients=SqliteClients(database),
        counters=SqliteCounters(database),
        quotas=SqliteQuotas(database),
        check_states=SqliteCheckStates(database),
        conditions=SqliteConditions(database),
        check_cursors=SqliteCheckCursors(database),
        check_requests=SqliteCheckRequests(database),
        webhooks=SqliteWebhooks(database),
        sessions=SqliteSessions(database),
    )
