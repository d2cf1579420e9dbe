"""The tables of the SQLite store, and the changes that bring an earlier schema up to date.

The tables mirror those in DynamoDB: a column is an attribute, with the same text (`coolid.store.rows`). A set is a
sorted JSON array. Public keys have a table of their own, because their numbers in DynamoDB exceed 64 bits. There are no
write tokens, because this store never repeats a write by itself.

`ADDITIONS` are created in every database that lacks them, without a new number of the schema. The previous release can
use such a file, because SQLite maintains the indexes, and this release does not expect it to fill the tables.

`PRAGMA application_id` marks the files of this program, and `PRAGMA user_version` is the number of applied migrations.
A migration never changes after its release. A later schema appends a migration.
"""

from collections.abc import Mapping
from typing import Final

APPLICATION_ID: Final = int.from_bytes(b"cool")

MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (
    (
        """CREATE TABLE prefixes (
            name TEXT PRIMARY KEY, kind TEXT, target TEXT REFERENCES prefixes (name) DEFERRABLE INITIALLY DEFERRED,
            longer TEXT, revision INTEGER, canonical TEXT, aliases TEXT, home TEXT, terms TEXT, health TEXT, body TEXT
        ) STRICT""",
        "CREATE INDEX prefixes_by_kind ON prefixes (kind, name) WHERE kind IS NOT NULL",
        "CREATE INDEX prefixes_by_target ON prefixes (target) WHERE target IS NOT NULL",
        """CREATE TABLE records (
            pid TEXT NOT NULL, version INTEGER NOT NULL, status TEXT NOT NULL, revision INTEGER NOT NULL,
            repository TEXT, author TEXT, health TEXT, body TEXT NOT NULL, PRIMARY KEY (pid, version)
        ) STRICT""",
        """CREATE TABLE public_keys (
            revision INTEGER PRIMARY KEY, kid TEXT NOT NULL UNIQUE, body TEXT NOT NULL
        ) STRICT""",
        """CREATE TABLE clients (
            id TEXT PRIMARY KEY, digest TEXT NOT NULL, scopes TEXT, created TEXT NOT NULL, note TEXT,
            minute INTEGER, day INTEGER, revoked TEXT
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE counters (
            id TEXT PRIMARY KEY, next_number INTEGER, revision INTEGER, spent INTEGER, latest INTEGER, windows TEXT
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE idempotency_records (
            id TEXT PRIMARY KEY, digest TEXT NOT NULL, outcome TEXT NOT NULL, expires INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID""",
        "CREATE INDEX idempotency_records_by_expiry ON idempotency_records (expires)",
        """CREATE TABLE check_states (
            owner TEXT NOT NULL, name TEXT NOT NULL, ailing TEXT, expires INTEGER, body TEXT NOT NULL,
            PRIMARY KEY (owner, name)
        ) STRICT""",
        "CREATE INDEX check_states_by_ailing ON check_states (ailing, name) WHERE ailing IS NOT NULL",
        "CREATE INDEX check_states_by_expiry ON check_states (expires) WHERE expires IS NOT NULL",
    ),
)

CHANGE: Final = """substr(body, instr(body, '"updated":"') + 11, 20) || ' ' || pid"""
"""The position of a current record in the list by time of change; in DynamoDB it is the attribute `changed`.

No earlier member of a body can contain the name of this one with its quotes. SQLite refuses its JSON functions in an
index, because `trusted_schema` is off.
"""

OWNER: Final = "substr(pid, 1, instr(pid, '/') - 1)"
"""The repository of a version. Superseded ones have none in the column `repository`."""

_PENDING_PREFIX: Final = """WHEN new.kind IN ('repository', 'namespace', 'provider')
        BEGIN INSERT INTO log_pending_prefixes (name, kind, revision, home, terms, body)
        VALUES (new.name, new.kind, new.revision, new.home, new.terms, new.body); END"""

ADDITIONS: Final[Mapping[str, str]] = {
    "versions_by_change": f"CREATE INDEX versions_by_change ON records ({OWNER}, {CHANGE}, version) WHERE version > 0",
    "records_by_change": f"CREATE INDEX records_by_change ON records (repository, {CHANGE}) WHERE version = 0",
    "client_uses": """CREATE TABLE client_uses (
        id TEXT PRIMARY KEY, last_used TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
    "jobs": """CREATE TABLE jobs (
        id TEXT PRIMARY KEY, client TEXT NOT NULL, created TEXT NOT NULL, revision INTEGER NOT NULL,
        waits_from INTEGER, expires INTEGER NOT NULL, body TEXT NOT NULL
    ) STRICT""",
    "jobs_by_client": "CREATE INDEX jobs_by_client ON jobs (client, created, id)",
    "jobs_by_creation": "CREATE INDEX jobs_by_creation ON jobs (created, id)",
    "jobs_by_wait": "CREATE INDEX jobs_by_wait ON jobs (created, id) WHERE waits_from IS NOT NULL",
    "jobs_by_expiry": "CREATE INDEX jobs_by_expiry ON jobs (expires)",
    "job_files": """CREATE TABLE job_files (
        name TEXT PRIMARY KEY, content INTEGER NOT NULL, size INTEGER NOT NULL, expires INTEGER NOT NULL
    ) STRICT""",
    "job_files_by_expiry": "CREATE INDEX job_files_by_expiry ON job_files (expires)",
    "job_file_parts": """CREATE TABLE job_file_parts (
        content INTEGER NOT NULL, part INTEGER NOT NULL, expires INTEGER NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY (content, part)
    ) STRICT""",
    "job_file_parts_by_expiry": "CREATE INDEX job_file_parts_by_expiry ON job_file_parts (expires)",
    "log_entries": """CREATE TABLE log_entries (
        name TEXT PRIMARY KEY, position INTEGER, since INTEGER, leaf TEXT, statement TEXT
    ) STRICT, WITHOUT ROWID""",
    "log_entries_by_wait": "CREATE INDEX log_entries_by_wait ON log_entries (since, name) WHERE position IS NULL",
    "log_states": "CREATE TABLE log_states (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "log_pending_versions": "CREATE TABLE log_pending_versions (pid TEXT NOT NULL, revision INTEGER NOT NULL) STRICT",
    "log_after_record_insert": """CREATE TRIGGER log_after_record_insert AFTER INSERT ON records
        WHEN new.status <> 'reserved'
        BEGIN INSERT INTO log_pending_versions (pid, revision) VALUES (new.pid, new.revision); END""",
    "log_after_record_update": """CREATE TRIGGER log_after_record_update AFTER UPDATE OF revision ON records
        WHEN new.status <> 'reserved'
        BEGIN INSERT INTO log_pending_versions (pid, revision) VALUES (new.pid, new.revision); END""",
    "log_pending_prefixes": """CREATE TABLE log_pending_prefixes (
        name TEXT NOT NULL, kind TEXT NOT NULL, revision INTEGER, home TEXT, terms TEXT, body TEXT
    ) STRICT""",
    "log_after_prefix_insert": f"""CREATE TRIGGER log_after_prefix_insert AFTER INSERT ON prefixes
        {_PENDING_PREFIX}""",
    "log_after_prefix_update": f"""CREATE TRIGGER log_after_prefix_update AFTER UPDATE OF revision ON prefixes
        {_PENDING_PREFIX}""",
    "log_pending_clients": """CREATE TABLE log_pending_clients (
        id TEXT NOT NULL, scopes TEXT, created TEXT NOT NULL, revoked TEXT
    ) STRICT""",
    "log_after_client_insert": """CREATE TRIGGER log_after_client_insert AFTER INSERT ON clients
        BEGIN INSERT INTO log_pending_clients (id, scopes, created, revoked)
        VALUES (new.id, new.scopes, new.created, new.revoked); END""",
    "log_pending_public_keys": "CREATE TABLE log_pending_public_keys (body TEXT NOT NULL) STRICT",
    "log_after_public_key_insert": """CREATE TRIGGER log_after_public_key_insert AFTER INSERT ON public_keys
        BEGIN INSERT INTO log_pending_public_keys (body) VALUES (new.body); END""",
}
"""Tables, indexes and triggers by their names. See `coolid.sqlite.log` for those of the transparency log."""

SEARCH: Final[Mapping[str, str]] = {
    "search_rows": """CREATE TABLE search_rows (
        position INTEGER PRIMARY KEY, pid TEXT NOT NULL UNIQUE, terms TEXT NOT NULL
    ) STRICT""",
    "search_terms": """CREATE VIRTUAL TABLE search_terms USING fts5 (
        terms, content='search_rows', content_rowid='position', detail=none, columnsize=0,
        tokenize="ascii tokenchars '-:._[]'"
    )""",
    "search_pending": "CREATE TABLE search_pending AS SELECT pid FROM records WHERE version = 0 ORDER BY rowid",
    "search_after_insert": """CREATE TRIGGER search_after_insert AFTER INSERT ON records WHEN new.version = 0
        BEGIN INSERT INTO search_pending (pid) VALUES (new.pid); END""",
    "search_after_update": """CREATE TRIGGER search_after_update AFTER UPDATE ON records WHEN new.version = 0
        BEGIN INSERT INTO search_pending (pid) VALUES (new.pid); END""",
}
"""The tables and triggers of searches by their names (`coolid.sqlite.search_index`), where SQLite has FTS5."""
