"""The components that the applications for mints and for management have in common."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from time import monotonic
from typing import Final

from coolid.aws.clock import SystemClock
from coolid.aws.settings import Settings
from coolid.aws.telemetry.metrics import COUNTED_MINT_ERRORS, error_counter
from coolid.deadlines import Deadline, limited
from coolid.http.application import Application, Listeners
from coolid.http.routes import Route
from coolid.metric_names import MINTED
from coolid.model.records import Record
from coolid.proofs.statements import Prover
from coolid.records.minter import Minter, home_check
from coolid.records.quotas import Quotas
from coolid.registry.home_regions import Region
from coolid.wiring.read_access import caching_reader, provide_identity
from coolid.wiring.write_access import build_minter, open_store, signer

REQUEST_SECONDS: Final = 25.0
"""The time limit of a request. API Gateway waits 29 seconds, of which a cold start takes up to 3."""


class WriteComponents:
    """The components over the store and the key that the settings name. They report to `listeners`."""

    def __init__(self, settings: Settings, listeners: Listeners) -> None:
        self.settings = settings
        self.base_url = settings.public_base_url
        self.store = open_store(settings)
        self.clock = SystemClock()
        self.region = Region(settings.region, settings.home_region)
        self.require_home = home_check(self.region, self.store.repositories, self.clock)
        self.signer = signer(settings)
        self.prover = Prover(self.signer, self.store.public_keys, self.clock)
        self.quotas = Quotas(self.store.quotas, self.clock, self.region.name)
        self.reader = caching_reader(settings)
        provide_identity()
        self.count = listeners.count
        self.report = listeners.report
        self.on_error = error_counter(listeners.count, COUNTED_MINT_ERRORS)

    def minter(self, on_collisions: Callable[[int], None] = lambda _: None) -> Minter:
        """Return a minter. `on_collisions` receives the number of random identifiers that were taken."""
        return build_minter(self.settings, self.store, self.prover, self.require_home, on_collisions)

    def on_minted(self, record: Record) -> None:
        """Count a new record, and remove it from the cache, where it is cached as absent."""
        self.reader.evict_record(record.repository, record.key)
        self.count(MINTED, repository=record.repository)

    def application(self, routes: tuple[Route, ...]) -> Application:
        """Return the application with these routes."""
        return Application(routes, self.base_url, self.report, self.on_error, limit=request_limit)


def request_limit() -> AbstractContextManager[None]:
    """Return a context with the deadline of a request that begins now."""
    return limited(Deadline(REQUEST_SECONDS, monotonic))
