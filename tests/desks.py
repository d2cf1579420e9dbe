"""Desks: the whole of coolid over the stores, clocks and dice of `tests.fakes`, without any AWS.

What goes in are the events of API Gateway, so that everything between them and the store takes part; what the public
side remembers is forgotten as in one process.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from coolid.aws.api_gateway import ApiGatewayHandler
from coolid.aws.wiring.write_access import REQUEST_SECONDS
from coolid.deadlines import Deadline, limited
from coolid.http.application import Application
from coolid.http.management.clients import ClientEndpoint
from coolid.http.management.link_reports import LinkReportEndpoint
from coolid.http.management.lists import ListEndpoint
from coolid.http.management.mint import MintEndpoint
from coolid.http.management.mint_batch import MintBatchEndpoint
from coolid.http.management.prefixes import PrefixEndpoint
from coolid.http.management.records import RecordEndpoint
from coolid.http.management.repositories import RepositoryEndpoint
from coolid.http.management.webhooks import WebhookEndpoint
from coolid.http.message import Request
from coolid.http.public.bulk_resolution import BulkResolutionEndpoint
from coolid.http.public.discovery import DiscoveryEndpoint
from coolid.http.public.explanations import ExplanationEndpoint
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.local.events import to_event
from coolid.model.clients import ADMIN, Quota, issue_client
from coolid.records.amendment import RecordAmender
from coolid.records.minter import Minter
from coolid.records.quotas import Quotas
from coolid.registry.directory import Directory
from coolid.registry.home_regions import SINGLE_REGION, HomeRegions, Region
from coolid.resolution.caching_reader import CachingReader
from tests.fakes import FixedClock, FixedProcessorClock, KeySigner, MemoryStore, SeededEntropy, prover
from tests.samples import BASE_URL, namespace, provider_prefix, repository
from tests.systems import Answer, answer_of

RECORDS = "/api/v1/records"
BATCH = "/api/v1/records/batch"
HERE = "https://content.example.org/here"
MINT = {"prefix": "demo", "uri": HERE}


@dataclass
class Desk:
    """A system over `store`; `writing` is the store that its functions see, which may fail where `store` does not.

    `demo` and `2021/06/demo` are there, and the provider prefix `go`. `reported` has the errors that nobody foresaw.
    """

    store: MemoryStore = field(default_factory=MemoryStore)
    clock: FixedClock = field(default_factory=FixedClock)
    entropy: Any = field(default_factory=SeededEntropy)
    signer: Any = field(default_factory=KeySigner)
    writing: Any = None
    region: Region = SINGLE_REGION
    processor: FixedProcessorClock = field(default_factory=FixedProcessorClock)
    reported: list[Exception] = field(default_factory=list)

    def __post_init__(self) -> None:
        owner = repository(canonical="2021/06/demo")
        if not self.store.rows:
            self.store.create_repository(repository())
            self.store.put_prefix(namespace("2021/06/demo", owner), None)
            self.store.put_prefix(namespace("demo", owner), None)
            self.store.put_prefix(provider_prefix("go", "https://go.example/{$id}"), None)
        self.admin_key = self.key_with(ADMIN)
        self.through(self.writing or self.store)

    def through(self, store: Any) -> None:
        """Go on as new processes would, which see the store as `store`."""
        memory = CachingReader(store, lambda: self.clock.milliseconds() / 1000)
        proving = prover(store, self.clock, self.signer)
        homes = HomeRegions(self.region, store, self.clock)
        self.minter = Minter(store, self.clock, self.entropy, proving, BASE_URL, require_home=homes.require_home)
        minting = MintEndpoint(
            self.minter,
            store,
            Quotas(store, self.clock, self.region.name),
            lambda record, key: memory.evict_record(record.repository, key),
        )
        reading = ResolutionEndpoint(memory, self.clock, BASE_URL)
        amender = RecordAmender(store, self.clock, proving, homes.require_home)
        routes = (
            *minting.routes(),
            *MintBatchEndpoint(minting, BASE_URL, self.report).routes(),
            *ListEndpoint(store, BASE_URL).routes(),
            *LinkReportEndpoint(store, store, self.clock, BASE_URL).routes(),
            *WebhookEndpoint(store, store, self.clock, SeededEntropy(6), BASE_URL).routes(),
            *RecordEndpoint(store, amender, BASE_URL, memory.evict_record).routes(),
            *PrefixEndpoint(store, self.clock, BASE_URL, memory.clear, self.region).routes(),
            *RepositoryEndpoint(store, self.clock, SeededEntropy(7), BASE_URL, memory.clear, self.region).routes(),
            *ClientEndpoint(store, self.clock, SeededEntropy(8), BASE_URL).routes(),
            *DiscoveryEndpoint(memory, BASE_URL).routes(),
            *BulkResolutionEndpoint(reading, self.processor).routes(),
            *ExplanationEndpoint(memory, self.clock, self.processor, BASE_URL, Directory()).routes(),
            *reading.routes(),
        )
        # `/api/v1/records` is of two functions: those of its routes that have the method come first.
        self.gateways = {
            method: ApiGatewayHandler(
                Application(
                    tuple(route for route in routes if method in (*route.endpoints, "HEAD", "OPTIONS") or route.below),
                    BASE_URL,
                    self.report,
                    limit=lambda: limited(Deadline(REQUEST_SECONDS, lambda: self.clock.milliseconds() / 1000)),
                )
            )
            for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
        }

    def report(self, error: Exception, _request: Request) -> None:
        """What nobody foresaw."""
        self.reported.append(error)

    def request(
        self,
        method: str,
        path: str,
        document: Any = None,
        *,
        key: str | None = "admin",
        query: str = "",
        headers: Iterable[tuple[str, str]] = (),
        body: bytes | None = None,
    ) -> Answer:
        """A request of the administrator's unless another key, or None, is given."""
        sent = list(headers)
        if key is not None:
            sent.append(("Authorization", f"Bearer {self.admin_key if key == 'admin' else key}"))
        if body is None:
            body = b"" if document is None else json.dumps(document).encode()
        event = to_event(method, path, query, headers=sent, body=body, request_id="a-request")
        return answer_of(self.gateways[method](event, None))

    def get(self, path: str, query: str = "", **options: Any) -> Answer:
        """GET by the public."""
        return self.request("GET", path, key=None, query=query, **options)

    def mint(self, document: Any = None, key: str = "admin", again: str | None = None) -> Answer:
        """POST to the records, with `again` as `Idempotency-Key`."""
        headers = [("Idempotency-Key", again)] if again is not None else []
        return self.request("POST", RECORDS, MINT if document is None else document, key=key, headers=headers)

    def batch(self, lines: Any, key: str = "admin", again: str | None = None) -> Answer:
        """POST an array to the batch."""
        headers = [("Idempotency-Key", again)] if again is not None else []
        return self.request("POST", BATCH, lines, key=key, headers=headers)

    def change(self, method: str, path: str, document: Any, tag: str = "*", key: str = "admin") -> Answer:
        """A change on condition."""
        return self.request(method, path, document, key=key, headers=[("If-Match", tag)])

    def key_with(self, *scopes: str, quota: Quota | None = None) -> str:
        """The API key of a new client."""
        client, key = issue_client(scopes, self.clock, _DICE, "a test", quota)
        self.store.put_client(client)
        return key

    def records(self) -> int:
        """How many records there are."""
        return len(self.store.records_by_key)


_DICE = SeededEntropy(9)
