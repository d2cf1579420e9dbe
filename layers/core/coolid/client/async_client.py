"""The asynchronous client of a service, with the methods of `coolid.client.client.Client`.

It works with `asyncio` and with `trio`. A client belongs to one event loop.

>>> AsyncClient("https://id.example.org")
AsyncClient('https://id.example.org')
"""

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, TypeVar, Unpack

from coolid.client import record_operations, record_verification
from coolid.client.async_resources import AsyncApiKeys, AsyncPrefixes, AsyncReports, AsyncRepositories
from coolid.client.batches import MAX_LINES, Batch, BatchSplitter, MintResult, mint_batch
from coolid.client.bulk_jobs.async_job_resources import AsyncBulkJobs
from coolid.client.custody.async_custody_resources import AsyncRecordCustody
from coolid.client.documents import D, Record, Version
from coolid.client.flows import Flow, run_async
from coolid.client.http_request import TIMEOUT_SECONDS
from coolid.client.inputs import NO_MEMBERS, NewRecord, RecordContent, SearchFilters
from coolid.client.record_verification import VerificationOptions
from coolid.client.resolution import Resolution
from coolid.client.retries import MAX_TRIES, MAX_WAIT_SECONDS, RetryPolicy
from coolid.client.service_api import PAGE_LENGTH, Listing, ServiceApi
from coolid.proofs.verdicts import Verdict

if TYPE_CHECKING:
    from coolid.client.async_connections import AsyncConnections
    from coolid.client.linkid.linkid_options import LinkIdOptions

T = TypeVar("T")


class AsyncClient:
    """A service at `url`, and an API key for it. See `Client` for the arguments and the errors of all methods.

    Connections are kept open and used again, until `aclose` or the end of an `async with` block. `wait` is called
    with the seconds between two tries, and awaited, in place of `anyio.sleep`.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeout: float = TIMEOUT_SECONDS,
        max_tries: int = MAX_TRIES,
        max_wait: float = MAX_WAIT_SECONDS,
        wait: Callable[[float], Awaitable[object]] | None = None,
    ) -> None:
        self._api = ServiceApi(url, key, timeout, RetryPolicy(max_tries, max_wait))
        self._wait = wait
        self._connections: AsyncConnections | None = None
        self.prefixes = AsyncPrefixes(self._api, self._run, self._items)
        self.repositories = AsyncRepositories(self._api, self._run, self._items)
        self.keys = AsyncApiKeys(self._api, self._run, self._items)
        self.reports = AsyncReports(self._api, self._run, self._items)
        self.jobs = AsyncBulkJobs(self._api, self._run, self._items)
        self.custody = AsyncRecordCustody(self._api, self._run, self._items)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url!r})"

    @property
    def base_url(self) -> str:
        """The URL that all addresses begin with, without a trailing slash."""
        return self._api.base_url

    @property
    def has_key(self) -> bool:
        """Whether the client has an API key."""
        return self._api.key is not None

    async def aclose(self) -> None:
        """Close all connections."""
        if self._connections is not None:
            await self._connections.aclose()

    async def resolve(
        self,
        pid: str,
        *,
        format: str | None = None,  # noqa: A002 -- the parameter's name in the draft
        lang: str | None = None,
        version: int | None = None,
        accept: str | None = None,
        follow_redirects: bool = False,
        **options: Unpack["LinkIdOptions"],
    ) -> Resolution:
        """Resolve a PID at the service. See `Client.resolve`."""
        parameters = {"format": format, "lang": lang, "version": version}
        flow = record_operations.resolve(
            self._api, pid, parameters, accept=accept, follow_redirects=follow_redirects, options=options
        )
        return await self._run(flow)

    async def mint(
        self,
        document: Mapping[str, object] = NO_MEMBERS,
        /,
        *,
        idempotency_key: str | None = None,
        **members: Unpack[NewRecord],
    ) -> Record:
        """Mint a record. See `Client.mint`."""
        return await self._run(record_operations.mint(self._api, {**document, **members}, idempotency_key))

    async def mint_many(
        self,
        rows: Iterable[Mapping[str, object]] | AsyncIterable[Mapping[str, object]],
        *,
        idempotency_key: str | None = None,
        batch_size: int = MAX_LINES,
    ) -> AsyncIterator[MintResult]:
        """Mint a record for each row of an iterable or asynchronous iterable. See `Client.mint_many`."""
        splitter = BatchSplitter(idempotency_key, batch_size)
        async for row in _each(rows):
            batch = splitter.add(row)
            if batch is not None:
                for result in await self._mint_batch(batch):
                    yield result
        rest = splitter.rest()
        if rest is not None:
            for result in await self._mint_batch(rest):
                yield result

    async def get(self, pid: str | Record, version: int | None = None) -> Record:
        """Return a record, or an older version of it. See `Client.get`."""
        if self._api.key is None:
            return await self.get_public(pid, version)
        return await self._run(record_operations.get(self._api, pid, version))

    async def get_public(self, pid: str | Record, version: int | None = None) -> Record:
        """Return the public representation of a record, or its tombstone. See `Client.get_public`."""
        return await self._run(record_operations.get_public(self._api, pid, version))

    async def verify(
        self, pid: str | Record, version: int | None = None, **options: Unpack[VerificationOptions]
    ) -> Verdict:
        """Verify a record. See `Client.verify`."""
        return await self._run(record_verification.verify(self._api, pid, version, **options))

    async def inclusion_proof(self, pid: str | Record, version: int | None = None) -> str:
        """Return the proof that a version is in the transparency log. See `Client.inclusion_proof`."""
        return await self._run(record_verification.inclusion_proof(self._api, pid, version))

    async def update(
        self,
        pid: str | Record,
        patch: Mapping[str, object] = NO_MEMBERS,
        /,
        *,
        etag: str | None = None,
        **members: Unpack[RecordContent],
    ) -> Record:
        """Change a record by a merge patch. See `Client.update`."""
        return await self._run(record_operations.update(self._api, pid, {**patch, **members}, etag))

    async def withdraw(
        self,
        pid: str | Record,
        reason: str,
        *,
        successor: str | None = None,
        state: Literal["revoked"] | None = None,
        etag: str | None = None,
    ) -> Record:
        """Withdraw a record permanently. See `Client.withdraw`."""
        return await self._run(record_operations.withdraw(self._api, pid, reason, successor, etag, state))

    async def history(self, pid: str | Record) -> tuple[Version, ...]:
        """Return all versions of a record, newest first."""
        return await self._run(record_operations.history(self._api, pid))

    def list(self, prefix: str, *, page_length: int = PAGE_LENGTH) -> AsyncIterator[Record]:
        """Yield all records of the repository that a prefix names. See `Client.list`."""
        return self._items(record_operations.listing(prefix, page_length))

    def search(self, words: str = "", **filters: Unpack[SearchFilters]) -> AsyncIterator[Record]:
        """Yield the records that match. See `Client.search`."""
        return self._items(record_operations.search_listing(words, **filters))

    async def _mint_batch(self, batch: Batch) -> tuple[MintResult, ...]:
        return await self._run(mint_batch(self._api, batch))

    async def _items(self, listing: Listing[D]) -> AsyncIterator[D]:
        cursor: str | None = ""
        while cursor is not None:
            items, cursor = await self._run(listing.page(self._api, cursor))
            for item in items:
                yield item

    async def _run(self, flow: Flow[T]) -> T:
        import anyio  # not before the first request, because httpx and anyio are slow

        if self._connections is None:
            from coolid.client.async_connections import AsyncConnections

            self._connections = AsyncConnections()
        return await run_async(flow, self._connections.send, self._wait or anyio.sleep)


async def _each(
    rows: Iterable[Mapping[str, object]] | AsyncIterable[Mapping[str, object]],
) -> AsyncIterator[Mapping[str, object]]:
    if isinstance(rows, AsyncIterable):
        async for row in rows:
            yield row
    else:
        for row in rows:
            yield row
