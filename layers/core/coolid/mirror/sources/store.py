"""A store as a source: its records, answered as the service over it would answer them."""

from collections.abc import Iterable, Iterator, Sequence
from time import monotonic

from coolid.errors import StoreUnavailable, UsageError
from coolid.http.application import Application
from coolid.http.message import Request
from coolid.http.public.discovery import DiscoveryEndpoint
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.mirror.inventory import Inventory
from coolid.mirror.sources.source import Answer, NamedRepository
from coolid.model.prefixes import Namespace
from coolid.model.records import RESERVED, Record, format_time
from coolid.ports import Clock
from coolid.resolution.caching_reader import CachingReader
from coolid.store.bulk import BulkReader
from coolid.store.reader import StoreReader
from coolid.store.rows import record_of
from coolid.store.store import Store


class StoreSource:
    """The records of a store at the moments of a clock. Without a `base_url`, it is the issuer of the first record."""

    lists_all = True

    def __init__(self, store: Store, reader: BulkReader, base_url: str, clock: Clock) -> None:
        self._store = store
        self._reader = reader
        self.base_url = base_url.rstrip("/") or self._issuer()
        caching = CachingReader(StoreReader(store.prefixes, store.records, store.public_keys), monotonic)
        resolution = ResolutionEndpoint(caching, clock, self.base_url)
        routes = (*DiscoveryEndpoint(caching, self.base_url).routes(), *resolution.routes())
        self._application = Application(routes, self.base_url, _raise, public=True)

    def newest(self) -> str:
        """See `RecordSource`."""
        return max((format_time(each.updated) for each in self._public_records()), default="")

    def paths(self, _inventory: Inventory) -> Iterator[str]:
        """See `RecordSource`."""
        for record in self._public_records():
            base = self.base_url if record.pid.startswith(f"{self.base_url}/") else record.issuer
            yield record.pid.removeprefix(base)

    def namespaces(self, _names: Iterable[str]) -> Sequence[NamedRepository]:
        """See `RecordSource`."""
        found = (each for each in self._store.prefixes.all_prefixes() if isinstance(each, Namespace))
        return [NamedRepository(each.name, each.repository.id, each.repository.rules) for each in found]

    def answers(self, requests: Sequence[tuple[str, str]]) -> Sequence[Answer]:
        """See `RecordSource`. Raises `StoreUnavailable`."""
        return [self._answer(method, path) for method, path in requests]

    def _answer(self, method: str, path: str) -> Answer:
        plain, _, query = path.partition("?")
        pairs = tuple((name, value) for name, _, value in (pair.partition("=") for pair in query.split("&") if pair))
        response = self._application(Request(method, plain, pairs, {"accept": "*/*"}))
        if response.status >= 500:
            raise StoreUnavailable(f"the store does not answer for {plain}")
        body = response.body.encode() if isinstance(response.body, str) else response.body
        return Answer(response.status, response.headers.get("Location", ""), body)

    def _public_records(self) -> Iterator[Record]:
        for repository in self._reader.repositories():
            for row in self._reader.record_rows(repository.id):
                if row.is_current and row.status != RESERVED:
                    yield record_of(row.body, row.author, row.pid)

    def _issuer(self) -> str:
        first = next((each for each in self._public_records() if each.stated_repository is None), None)
        if first is None:
            raise UsageError("there is no public record, so name the service: --base-url URL")
        return first.issuer


def _raise(error: Exception, _request: Request) -> None:
    raise error
