"""The whole system on one machine: its store, prefixes, demonstration, administrator's key and signing key.

Everything is in one SQLite database, which the first start creates and fills. With `AWS_ENDPOINT_URL`, or `STORE` set
to `dynamodb`, the system uses DynamoDB there (LocalStack, DynamoDB Local or AWS): missing tables are created and
filled, existing ones are not changed.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from coolid.aws import key_file
from coolid.aws.clock import SystemClock
from coolid.aws.entropy import SystemEntropy
from coolid.aws.settings import (
    CHECK_QUEUE,
    LOG_REQUESTS,
    READ_ONLY,
    SIGNING_KEYS,
    SQLITE_SCHEME,
    STORE,
    STORE_QUEUE,
    Settings,
    database_path,
    read_only,
)
from coolid.errors import UsageError
from coolid.local import admin_key
from coolid.local.first_import import DatabaseImport, FirstImport
from coolid.local.listeners import write_error_line
from coolid.local.search_indexer import SearchIndexer
from coolid.local.service_files import ADMIN_KEY, DATABASE, SIGNING_KEY, log_key_file, signing_key_file
from coolid.local.snapshots.snapshot import refuse_snapshot
from coolid.local.start_lock import start_lock
from coolid.local.start_warnings import start_warnings
from coolid.local.transparency_log.setup import provide_log_key, start_sequencer
from coolid.sqlite.search_index import has_full_text_search
from coolid.store.store import Store
from coolid.wiring.database_access import open_database_access
from coolid.wiring.linkid.configured_peers import configured_peers
from coolid.wiring.notices import read_notices
from coolid.wiring.operator_settings import operator_environment, read_identity
from coolid.wiring.write_access import build_minter, open_store, prover

_ENDPOINTS: Final = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB")

PrintLine = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """Settings of a local system.

    `folder` contains the administrator's key and the registry's cache, and the database unless `data` is its file. With
    `memory`, the database and the administrator's key are in a temporary folder and end with the system. The signing
    key is in a file beside the database, `DATA.signing-key.pem`, of mode 600.

    Due addresses are checked every `probe` seconds, never if it is 0. `networks` are allowed in addition to the public
    Internet. A `read_only` system refuses all changes, and creates no database. Without `with_linkids`, the prefixes
    `lid` and `linkid` stay free for other repositories, because a prefix never changes its repository.
    """

    base_url: str
    folder: Path
    data: Path | None = None
    memory: bool = False
    with_registry: bool = True
    with_demonstration: bool = True
    with_linkids: bool = True
    probe: int = 0
    networks: tuple[str, ...] = ()
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class RunningSystem:
    """A running system, with the number of imported `prefixes`.

    `admin_key` is the administrator's key, or None if an earlier start created it. `environment` names the store and
    the signing key, as that of a function does.
    """

    admin_key: str | None
    prefixes: int
    environment: Mapping[str, str]


class ConflictingStores(UsageError):
    """The options and the environment name different stores."""


@contextmanager
def running(local: LocalSettings, print_line: PrintLine) -> Iterator[RunningSystem]:
    """Start the system and shut it down at the end.

    `print_line` is called with messages and warnings of the start. Raises `UsageError` if the store or a key cannot be
    used, `StoreUnavailable`.
    """
    environment = {LOG_REQUESTS: "off", **os.environ, "PUBLIC_BASE_URL": local.base_url}
    if local.read_only:
        environment[READ_ONLY] = "on"
    with ExitStack() as ends:
        with _start_lock(local, print_line):
            first_import = ends.enter_context(_opened_store(local, environment, print_line))
            settings = Settings.read(environment, writes=True)
            settings_of_operator = operator_environment(environment)
            read_notices(settings_of_operator)
            read_identity(settings_of_operator)
            configured_peers(settings_of_operator)
            key = None if settings.read_only else _prepare(first_import, local, settings, print_line)
        start_sequencer(settings, ends)
        if local.probe:
            from coolid.local.background_checks import BackgroundChecks

            checks = BackgroundChecks(environment, local.probe, local.networks, write_error_line)
            if checks.include_targets:
                environment[CHECK_QUEUE] = STORE_QUEUE
            checks.start()
            ends.callback(checks.stop)
        yield RunningSystem(key, first_import.count(), environment)


def database_file(local: LocalSettings) -> Path | None:
    """Return the path of the database, or None for DynamoDB. Raises `ConflictingStores`, `InvalidSettings`."""
    store = os.environ.get(STORE)
    endpoint = next((name for name in _ENDPOINTS if os.environ.get(name)), None)
    if local.data or local.memory:
        if (local.data and local.memory) or store or endpoint:
            names = [name for name, value in (("--data", local.data), ("--memory", local.memory)) if value]
            others = [name for name in (STORE if store else None, endpoint) if name]
            raise ConflictingStores(f"use only one of {', '.join([*names, *others])}: each names a store")
        return local.data or Path(DATABASE)
    if store:
        path = database_path(os.environ)
        return Path(path) if path else None
    return None if endpoint else local.folder / DATABASE


def _start_lock(local: LocalSettings, print_line: PrintLine) -> AbstractContextManager[None]:
    """Return the lock of a start that may fill a database. Raises `UnconvertedSnapshot` if it is another file."""
    path = database_file(local)
    if path is None or local.memory:
        return nullcontext()
    refuse_snapshot(path)
    return nullcontext() if local.read_only else start_lock(path.absolute(), print_line)


@contextmanager
def _opened_store(local: LocalSettings, environment: dict[str, str], print_line: PrintLine) -> Iterator[FirstImport]:
    """Open the store, and set its name and that of the signing key in the environment."""
    with ExitStack() as ends:
        path = database_file(local)
        if path is None:
            from coolid.local.table_setup import prepare_tables

            _provide_signing_key(environment, local.folder / SIGNING_KEY)
            yield prepare_tables(environment, may_create=not read_only(environment))
            return
        if local.memory:
            path = Path(ends.enter_context(TemporaryDirectory(prefix="coolid-"))) / path
        path = path.absolute()
        access = ends.enter_context(
            open_database_access(path, is_durable=not local.memory, may_create=not local.read_only)
        )
        environment[STORE] = f"{SQLITE_SCHEME}{path}"
        new_key = _provide_signing_key(environment, signing_key_file(path))
        new_log_key = provide_log_key(environment, log_key_file(path), may_create=not local.read_only)
        for warning in start_warnings(access, local.base_url, new_key, new_log_key):
            print_line(warning)
        if has_full_text_search() and not local.read_only:
            indexing = SearchIndexer(access.database, write_error_line)
            indexing.start()
            ends.callback(indexing.stop)
        yield DatabaseImport(access.database)


def _provide_signing_key(environment: dict[str, str], file: Path) -> Path | None:
    """Set the signing key in the environment: the configured key, or the key in the file, which is created if missing.

    Return the file if it was created. Every key that has signed stays published. The key is therefore in a file, so
    that each start uses the same one.
    """
    if any(environment.get(name) for name in SIGNING_KEYS):
        return None
    is_new = not file.exists()
    key_file.ensure(file)
    environment["SIGNING_KEY_FILE"] = str(file)
    return file if is_new else None


def _prepare(first_import: FirstImport, local: LocalSettings, settings: Settings, print_line: PrintLine) -> str | None:
    """Fill a new store. Return the key of its administrator, or None if an earlier start created it."""
    store = open_store(settings)
    if first_import.begin():
        _fill(first_import, local, settings, store, print_line)
    if not first_import.needs_administrator():
        return None
    folder = Path(settings.database).parent if local.memory else local.folder
    return admin_key.ensure(folder / ADMIN_KEY, store.clients, SystemClock(), SystemEntropy())


def _fill(
    first_import: FirstImport, local: LocalSettings, settings: Settings, store: Store, print_line: PrintLine
) -> None:
    """Store the Bioregistry's prefixes and the demonstration, as far as they are requested."""
    from coolid.local import bioregistry_prefixes, demonstration

    rows = []
    if local.with_registry:
        print_line("Loading the Bioregistry's prefixes …")
        rows = bioregistry_prefixes.cached_rows(local.folder)
    first_import.put(rows)
    if local.with_demonstration:
        minter = build_minter(settings, store, prover(settings, store))
        demonstration.install(minter, store.prefixes, store.repositories, with_linkids=local.with_linkids)
    first_import.end(sum("body" in row for row in rows))
