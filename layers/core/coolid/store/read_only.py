"""A store that refuses every write, for a service that is being moved to another store.

>>> from coolid.errors import ReadOnly
>>> class Keys:
...     def public_keys(self):
...         return ()
...     def add_public_key(self, key):
...         raise AssertionError
>>> keys = ReadOnlyPort(Keys())
>>> keys.public_keys()
()
>>> keys.add_public_key({})
Traceback (most recent call last):
    ...
coolid.errors.ReadOnly: this service accepts no changes for the time being; nothing was written
"""

from typing import Any, Final, NoReturn

from msgspec.structs import asdict

from coolid.errors import ReadOnly
from coolid.store.jobs import JobAccess
from coolid.store.store import Store

READS: Final = frozenset({
    "prefixes", "all_prefixes", "list_prefixes", "aliases", "repository", "list_repositories",
    "record", "records", "superseded", "superseded_between", "history",
    "list_records", "list_changed", "list_versions", "change_times",
    "search",
    "idempotency_record",
    "job", "list_jobs", "waiting_jobs", "read", "size", "download_url",
    "public_keys", "client", "list_clients", "usage", "webhook", "session",
    "check_states", "ailing", "ailing_scan", "cursor",
})  # fmt: skip
"""The methods of the ports that write nothing. All others are refused, so that a new method is not overlooked."""


class ReadOnlyPort:
    """A port that passes reads to another port, and raises `ReadOnly` for writes."""

    def __init__(self, port: Any) -> None:
        self._port = port

    def __getattr__(self, name: str) -> Any:
        return getattr(self._port, name) if name in READS else _refuse


def read_only(store: Store) -> Store:
    """Return a store that reads from another one and writes nothing."""
    ports: dict[str, Any] = {name: ReadOnlyPort(port) for name, port in asdict(store).items()}
    return Store(**ports)


def read_only_jobs(access: JobAccess) -> JobAccess:
    """Return the jobs, their files and their queue without writes."""
    ports: dict[str, Any] = {name: ReadOnlyPort(port) for name, port in asdict(access).items()}
    return JobAccess(**ports)


def _refuse(*_: object, **__: object) -> NoReturn:
    raise ReadOnly
