"""Processes: the whole of coolid, assembled as by `coolid.wiring`, over any store.

A process receives events of API Gateway. A killed process is replaced by one with empty caches. A new process signs
with the newest key; older processes keep theirs.
"""

import json
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from random import Random
from typing import Any, Final

from coolid.aws.api_gateway import ApiGatewayHandler
from coolid.deadlines import Deadline, limited
from coolid.http.application import Application
from coolid.http.management.idempotent_requests import IdempotentPosts
from coolid.http.management.lists import ListEndpoint
from coolid.http.management.mint import MintEndpoint
from coolid.http.management.mint_batch import MintBatchEndpoint
from coolid.http.management.prefixes import PrefixEndpoint
from coolid.http.management.record_lists import RecordListEndpoint
from coolid.http.management.records import RecordEndpoint
from coolid.http.management.repositories import RepositoryEndpoint
from coolid.http.message import Request
from coolid.http.public.bulk_resolution import BulkResolutionEndpoint
from coolid.http.public.discovery import DiscoveryEndpoint
from coolid.http.public.explanations import ExplanationEndpoint
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.http.response_cache import ResponseCache
from coolid.http.routes import Route
from coolid.ports import Entropy
from coolid.proofs.statements import Prover
from coolid.records.amendment import RecordAmender
from coolid.records.minter import Minter
from coolid.records.quotas import Quotas
from coolid.registry.directory import Directory
from coolid.resolution.caching_reader import CachingReader
from coolid.store.reader import Reader
from coolid.store.store import Store
from coolid.wiring.write_components import REQUEST_SECONDS
from tests.drill.hosts import Host, HostClock, HostProcessorClock
from tests.drill.scheduler import Killed
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.events import to_event
from tests.support.fixtures.ports import SeededEntropy
from tests.support.fixtures.system import Answer, answer_of
from tests.support.stores.store_wrappers import CountedReads

_KEPT: Final = ("/api/v1/records", "/api/v1/history/", "/api/v1/prefixes", "/api/v1/repositories")


class Process:
    """A process on `host` that writes to `store`, reads with `reader` and signs with `signer`.

    `reported` contains its unexpected errors.
    """

    def __init__(self, host: Host, store: Store, reader: Reader, signer: Any, seed: int) -> None:
        self.host = host
        self.store = store
        self.reported: list[Exception] = []
        clock, entropy = host.clock, SeededEntropy(seed)
        memory = CachingReader(CountedReads(reader, self._count), clock.tick)
        self.prover = Prover(signer, store.public_keys, clock)
        self.minter = Minter(
            store.records,
            store.prefixes,
            store.counters,
            clock=clock,
            entropy=entropy,
            prover=self.prover,
            base_url=BASE_URL,
        )
        self._public = ApiGatewayHandler(
            Application(_public_routes(memory, clock), BASE_URL, self._report, public=True, cache=ResponseCache())
        )

        def limit() -> AbstractContextManager[None]:
            return limited(Deadline(REQUEST_SECONDS, clock.tick))

        managed_record, made = self._management_routes(memory, entropy), self._mint_routes(memory)
        self._kept = ApiGatewayHandler(Application(managed_record, BASE_URL, self._report, limit=limit))
        self._record_mint = ApiGatewayHandler(Application(made, BASE_URL, self._report, limit=limit))

    def _management_routes(self, memory: CachingReader, entropy: Entropy) -> tuple[Route, ...]:
        store, clock = self.store, self.host.clock
        amender, posts = RecordAmender(store.records, clock, self.prover), IdempotentPosts(store.records, clock)
        return (
            *RecordListEndpoint(
                store.clients, store.prefixes, store.repositories, store.records, store.record_search, BASE_URL
            ).routes(),
            *ListEndpoint(store.clients, store.prefixes, store.records, BASE_URL).routes(),
            *RecordEndpoint(
                store.clients, store.prefixes, store.records, amender, BASE_URL, memory.evict_record
            ).routes(),
            *PrefixEndpoint(store.clients, store.prefixes, store.repositories, clock, BASE_URL, memory.clear).routes(),
            *RepositoryEndpoint(
                store.clients,
                posts,
                store.prefixes,
                store.repositories,
                store.counters,
                clock,
                entropy,
                BASE_URL,
                memory.clear,
            ).routes(),
        )

    def _mint_routes(self, memory: CachingReader) -> tuple[Route, ...]:
        minting = MintEndpoint(
            self.minter,
            self.store.clients,
            Quotas(self.store.quotas, self.host.clock),
            lambda record: memory.evict_record(record.repository, record.key),
        )
        return (*minting.routes(), *MintBatchEndpoint(minting, BASE_URL, self._report).routes())

    def request(
        self,
        method: str,
        path: str,
        document: Any = None,
        *,
        query: str = "",
        headers: Iterable[tuple[str, str]] = (),
        key: str | None = None,
    ) -> Answer | None:
        """Return the response to a request; None if the process was killed."""
        sent = [*headers, *([("Authorization", f"Bearer {key}")] if key else [])]
        body = b"" if document is None else json.dumps(document).encode()
        event = to_event(method, path, query, headers=sent, body=body, request_id="a-request")
        task = self.host.scheduler.task
        assert task is not None
        task.lifetime, task.read_keys = self.host, 0
        try:
            return answer_of(self._function(method, path)(event, None))
        except Killed:
            return None
        finally:
            task.lifetime = None

    def _function(self, method: str, path: str) -> ApiGatewayHandler:
        if path.startswith("/api/v1/records") and method == "POST":
            return self._record_mint
        return self._kept if path.startswith(_KEPT) else self._public

    def _count(self, keys: int) -> None:
        task = self.host.scheduler.task
        if task is not None:
            task.read_keys += keys

    def _report(self, error: Exception, _request: Request) -> None:
        self.reported.append(error)


def _public_routes(memory: CachingReader, clock: HostClock) -> tuple[Route, ...]:
    reading, processor = ResolutionEndpoint(memory, clock, BASE_URL), HostProcessorClock()
    return (
        *DiscoveryEndpoint(memory, BASE_URL).routes(),
        *ExplanationEndpoint(memory, clock, processor, BASE_URL, Directory()).routes(),
        *BulkResolutionEndpoint(reading, processor).routes(),
        *reading.routes(),
    )


class Fleet:
    """The running processes, each of which may get a request; `make` creates one."""

    def __init__(self, make: Callable[[], Process], size: int, rng: Random) -> None:
        self._make = make
        self._rng = rng
        self._processes = [make() for _ in range(size)]
        self.reported: list[Exception] = []

    def any(self) -> Process:
        """Return a running process."""
        at = self._rng.randrange(len(self._processes))
        if self._processes[at].host.over:
            self._replace(at)
        return self._processes[at]

    def restart_process(self) -> None:
        """End one process regularly, and start another."""
        self._replace(self._rng.randrange(len(self._processes)))

    def end(self) -> None:
        """Collect the reported errors of all processes."""
        for process in self._processes:
            self.reported += process.reported

    def _replace(self, at: int) -> None:
        self.reported += self._processes[at].reported
        self._processes[at] = self._make()
