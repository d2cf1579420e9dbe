"""The synchronous client of a service: resolve, mint and manage records over HTTP.

>>> with Client("https://id.example.org") as client:
...     client.base_url
'https://id.example.org'
>>> Client("http://example.org")
Traceback (most recent call last):
...
coolid.client.errors.RefusedByClient: refused http; resolution uses https, except on this machine
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, TypeVar, Unpack
from weakref import finalize

from coolid.client import record_operations, record_verification
from coolid.client.batches import MAX_LINES, Batch, BatchSplitter, MintResult, mint_batch
from coolid.client.bulk_jobs.job_resources import BulkJobs
from coolid.client.custody.custody_resources import RecordCustody
from coolid.client.documents import D, Record, Version
from coolid.client.flows import Flow, run
from coolid.client.http_request import TIMEOUT_SECONDS
from coolid.client.inputs import NO_MEMBERS, NewRecord, RecordContent, SearchFilters
from coolid.client.record_verification import VerificationOptions
from coolid.client.resolution import Resolution
from coolid.client.resources import ApiKeys, Prefixes, Reports, Repositories
from coolid.client.retries import MAX_TRIES, MAX_WAIT_SECONDS, RetryPolicy
from coolid.client.service_api import PAGE_LENGTH, Listing, ServiceApi
from coolid.proofs.verdicts import Verdict

if TYPE_CHECKING:
    from coolid.client.connections import Connections
    from coolid.client.linkid.linkid_options import LinkIdOptions

T = TypeVar("T")


class Client:
    """A service at `url`, and an API key for it, which only reading public things does not need.

    A PID can have any spelling, including a URL, or be a `Record`. The key is sent only over HTTPS (loopback excepted)
    and never to another host. Redirects are never followed with the key.

    Connections are kept open and used again, from any thread, until `close` or the end of a `with` block.

    Args:
        url: The service, such as `https://id.example.org`.
        key: An API key, `cool_…`.
        timeout: Seconds that an exchange may take as a whole; a batch has at least 60.
        max_tries: How often a request is sent at most, if its response is lost or the service is busy.
        max_wait: The maximum delay between two tries in seconds. A longer `Retry-After` ends the retries.
        wait: Is called with the seconds between two tries, in place of `time.sleep`.

    Raises:
        RefusedByClient: The URL or the key cannot be used.
        ValueError: `max_tries` is 0, or `max_wait` is negative.

    Every method raises `RequestDeclined` if the service declines the request, `Unreachable` if it cannot be reached or
    cannot answer now, `BadAnswer` if it answers unlike this service, and `RefusedByClient` if the request may not be
    sent. These are subclasses of `ClientError`. A text that cannot be a PID raises `BadReference`.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeout: float = TIMEOUT_SECONDS,
        max_tries: int = MAX_TRIES,
        max_wait: float = MAX_WAIT_SECONDS,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        self._api = ServiceApi(url, key, timeout, RetryPolicy(max_tries, max_wait))
        self._wait = wait
        self._connections: Connections | None = None
        self._lock = Lock()
        self.prefixes = Prefixes(self._api, self._run, self._items)
        self.repositories = Repositories(self._api, self._run, self._items)
        self.keys = ApiKeys(self._api, self._run, self._items)
        self.reports = Reports(self._api, self._run, self._items)
        self.jobs = BulkJobs(self._api, self._run, self._items)
        self.custody = RecordCustody(self._api, self._run, self._items)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

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

    def close(self) -> None:
        """Close all connections."""
        if self._connections is not None:
            self._connections.close()

    def resolve(
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
        """Resolve a PID at the service. `target` of the resolution is the URL that it leads to.

        The target itself is requested only with `follow_redirects`. No key is sent. `format` requests a representation
        of the record, `lang` and `version` one of its locations, or with `format` a version of the record.

        A LinkID (`linkid:UUID`) is resolved to a verified target; see `LinkIdOptions`, and `linkid` of the resolution.

        Raises:
            ResourceNotFound: The identifier or its prefix is not registered.
            BadRequest: The identifier breaks the rules of its prefix.
            Withdrawn: It was withdrawn; `problem` is the tombstone, or the resolution of a LinkID.
            FailedVerification: The answer about a LinkID failed verification.
            DeniedByPolicy: The resolver, or `allowed_schemes`, forbids the use of a LinkID's target.
            InvalidIdentifier: It begins with `linkid:` and is no LinkID.
        """
        parameters = {"format": format, "lang": lang, "version": version}
        flow = record_operations.resolve(
            self._api, pid, parameters, accept=accept, follow_redirects=follow_redirects, options=options
        )
        return self._run(flow)

    def mint(
        self,
        document: Mapping[str, object] = NO_MEMBERS,
        /,
        *,
        idempotency_key: str | None = None,
        **members: Unpack[NewRecord],
    ) -> Record:
        """Mint a record from a document, its members as keyword arguments, or both.

        The request is repeated safely after a lost response. The same `idempotency_key` and document return the same
        record for a day, also from another process.

        Raises:
            ValidationFailed: Members are missing, unknown or invalid; see `violations`.
            AlreadyExists: The chosen `id` exists.
        """
        return self._run(record_operations.mint(self._api, {**document, **members}, idempotency_key))

    def mint_many(
        self,
        rows: Iterable[Mapping[str, object]],
        *,
        idempotency_key: str | None = None,
        batch_size: int = MAX_LINES,
    ) -> Iterator[MintResult]:
        """Mint a record for each row, and yield the results in the order of the rows.

        Rows are taken from the iterable as they are needed, and sent in batches of at most `batch_size` lines and 1 MB.
        A batch is repeated safely after a lost response, and for lines that the service did not try or refused for the
        moment. A row that fails otherwise yields a result with its `error`; it does not stop the others.

        If the program ends or an error is raised, mint the same rows again within a day with the same
        `idempotency_key` and `batch_size`: rows that were minted return the same records.

        Raises:
            RequestDeclined: The service refuses whole batches, for example because the key is invalid.
            Unreachable: The service cannot be reached.
        """
        splitter = BatchSplitter(idempotency_key, batch_size)
        for row in rows:
            batch = splitter.add(row)
            if batch is not None:
                yield from self._mint_batch(batch)
        rest = splitter.rest()
        if rest is not None:
            yield from self._mint_batch(rest)

    def get(self, pid: str | Record, version: int | None = None) -> Record:
        """Return a record, or an older version of it: as stored with a key, otherwise the public representation."""
        if self._api.key is None:
            return self.get_public(pid, version)
        return self._run(record_operations.get(self._api, pid, version))

    def get_public(self, pid: str | Record, version: int | None = None) -> Record:
        """Return the public representation of a record, or its tombstone. No key is sent."""
        return self._run(record_operations.get_public(self._api, pid, version))

    def verify(self, pid: str | Record, version: int | None = None, **options: Unpack[VerificationOptions]) -> Verdict:
        """Verify a record: its signature, its earlier versions, and that the transparency log of the service has it.

        `options` are members of `VerificationOptions`: `keys`, `resolvers`, `policy`, `state`, `chain` and `log`. No
        API key is sent.

        Raises:
            ValueError: The policy is malformed.
        """
        return self._run(record_verification.verify(self._api, pid, version, **options))

    def inclusion_proof(self, pid: str | Record, version: int | None = None) -> str:
        """Return the proof that a version is in the transparency log, as text to keep in a file `.tlog-proof`."""
        return self._run(record_verification.inclusion_proof(self._api, pid, version))

    def update(
        self,
        pid: str | Record,
        patch: Mapping[str, object] = NO_MEMBERS,
        /,
        *,
        etag: str | None = None,
        **members: Unpack[RecordContent],
    ) -> Record:
        """Change a record by a merge patch (RFC 7396), by its members as keyword arguments, or both.

        None removes a member, `uri` replaces all locations. Only the version with the `etag` is changed. Without it,
        that is the version of the `Record` that was passed as `pid`, otherwise the present one.

        Returns:
            The new version.

        Raises:
            PreconditionFailed: The record was changed meanwhile. After a lost response, perhaps by this very change.
            Withdrawn: The record was withdrawn.
        """
        return self._run(record_operations.update(self._api, pid, {**patch, **members}, etag))

    def withdraw(
        self,
        pid: str | Record,
        reason: str,
        *,
        successor: str | None = None,
        state: Literal["revoked"] | None = None,
        etag: str | None = None,
    ) -> Record:
        """Withdraw a record permanently, with a public reason. Return the tombstone. See `update` for `etag`.

        With the state `revoked`, the identifier itself is withdrawn, not only the thing that it names.
        """
        return self._run(record_operations.withdraw(self._api, pid, reason, successor, etag, state))

    def history(self, pid: str | Record) -> tuple[Version, ...]:
        """Return all versions of a record, newest first."""
        return self._run(record_operations.history(self._api, pid))

    def list(self, prefix: str, *, page_length: int = PAGE_LENGTH) -> Iterator[Record]:
        """Yield all records of the repository that a prefix names, reserved and withdrawn ones too, page by page."""
        return self._items(record_operations.listing(prefix, page_length))

    def search(self, words: str = "", **filters: Unpack[SearchFilters]) -> Iterator[Record]:
        """Yield the records that match, newest changes first: of all repositories that the key may see, or of a prefix.

        `words` are words of the PID, titles, creators or targets, a PID, or a URL. `target_host` includes its
        subdomains. `health` is `up`, `degraded`, `down`, `moved` or `unchecked`; `sort` is `-updated` or `updated`.
        """
        return self._items(record_operations.search_listing(words, **filters))

    def _mint_batch(self, batch: Batch) -> tuple[MintResult, ...]:
        return self._run(mint_batch(self._api, batch))

    def _items(self, listing: Listing[D]) -> Iterator[D]:
        cursor: str | None = ""
        while cursor is not None:
            items, cursor = self._run(listing.page(self._api, cursor))
            yield from items

    def _run(self, flow: Flow[T]) -> T:
        return run(flow, self._opened().send, self._wait)

    def _opened(self) -> "Connections":
        """Return the connections, which all threads share."""
        with self._lock:
            if self._connections is None:
                from coolid.client.connections import Connections  # not before the first request, as httpx is slow

                self._connections = Connections()
                finalize(self, self._connections.close)  # for a client that is dropped without `close`
            return self._connections
