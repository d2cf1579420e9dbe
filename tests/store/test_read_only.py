"""Read-only stores: each method of each port either reads, or is refused."""

import inspect
from typing import Any, get_type_hints

import pytest
from msgspec.structs import asdict

from coolid.errors import ReadOnly
from coolid.store.jobs import JobAccess
from coolid.store.read_only import READS, read_only, read_only_jobs
from coolid.store.store import Store
from tests.support.builders.samples import record
from tests.support.stores.memory_jobs import MemoryFiles, MemoryJobs, MemoryQueue
from tests.support.stores.memory_store import MemoryStore

WRITES: dict[str, set[str]] = {
    "changes": {"complete"},
    "record_search": set(),
    "prefixes": {"put_prefix"},
    "repositories": {"create_repository", "change_repository"},
    "records": {"create_record", "replace_record"},
    "public_keys": {"add_public_key"},
    "clients": {"put_client", "record_use"},
    "counters": {"reserve"},
    "quotas": {"spend"},
    "check_states": {"put_check_state", "delete_check_state"},
    "conditions": {"set_prefix_condition", "set_record_condition"},
    "check_cursors": {"put_cursor", "put_ailing_scan"},
    "check_requests": {"put_check_request", "take_check_requests"},
    "webhooks": {"put_webhook", "delete_webhook"},
    "sessions": {"create_session", "delete_session"},
    "jobs": {"create_job", "replace_job"},
    "files": {"write", "delete", "upload_url"},
    "queue": {"send"},
}


@pytest.fixture
def writable() -> Store:
    """A store with one record."""
    memory: Any = MemoryStore()
    memory.create_record(record())
    return Store(**dict.fromkeys(Store.__struct_fields__, memory))


def methods(port: type) -> set[str]:
    """The methods of a protocol."""
    return {name for name, _ in inspect.getmembers(port, inspect.isfunction) if not name.startswith("_")}


@pytest.mark.parametrize(("name", "port"), [*get_type_hints(Store).items(), *get_type_hints(JobAccess).items()])
def test_every_method_that_does_not_read_is_refused(writable: Store, name: str, port: type) -> None:
    access = JobAccess(MemoryJobs(), MemoryFiles(), MemoryQueue())
    ports = asdict(read_only(writable)) | asdict(read_only_jobs(access))
    refused = methods(port) - READS
    assert refused == WRITES[name]
    for method in refused:
        with pytest.raises(ReadOnly):
            getattr(ports[name], method)()


def test_reads_are_unchanged(writable: Store) -> None:
    stored = writable.records.record(record().repository, record().key)
    assert stored is not None
    assert read_only(writable).records.record(record().repository, record().key) == stored
