"""The components that the mint and manage functions have in common."""

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from time import monotonic
from typing import Final

from coolid.aws.api_gateway import ApiGatewayHandler
from coolid.aws.clock import SystemClock
from coolid.aws.settings import Settings
from coolid.aws.telemetry.logs import request_logger
from coolid.aws.telemetry.metrics import COUNTED_MINT_ERRORS, error_counter
from coolid.aws.telemetry.telemetry_settings import TelemetrySettings
from coolid.aws.wiring.powertools import counter, reporter
from coolid.aws.wiring.read_access import caching_reader
from coolid.aws.wiring.write_access import build_minter, open_store, prover
from coolid.deadlines import Deadline, limited
from coolid.http.application import Application
from coolid.http.routes import Route
from coolid.metric_names import MINTED
from coolid.model.records import Record
from coolid.records.minter import Minter, any_home
from coolid.records.quotas import Quotas
from coolid.registry.home_regions import HomeRegions, Region

REQUEST_SECONDS: Final = 25.0
"""The time limit of a request. API Gateway waits 29 seconds, of which a cold start takes up to 3."""


class WriteFunction:
    """The components of the function of this name, over the tables and the key that the environment names."""

    def __init__(self, name: str, *, also: Sequence[str] = ()) -> None:
        self.settings = Settings.read(os.environ, writes=True, also=also)
        self.base_url = self.settings.public_base_url
        self.store = open_store(self.settings)
        self.clock = SystemClock()
        self.region = Region(self.settings.region, self.settings.home_region)
        homes = HomeRegions(self.region, self.store.repositories, self.clock)
        self.require_home = homes.require_home if self.region.name else any_home
        self.prover = prover(self.settings, self.store)
        self.quotas = Quotas(self.store.quotas, self.clock, self.region.name)
        self.reader = caching_reader(self.settings)
        self._telemetry = TelemetrySettings.read(os.environ, name)
        self.count = counter(self._telemetry)
        self.report = reporter(self._telemetry, self.count)
        self.on_error = error_counter(self.count, COUNTED_MINT_ERRORS)

    def minter(self, on_collisions: Callable[[int], None] = lambda _: None) -> Minter:
        """Return a minter. `on_collisions` receives the number of taken identifiers that it drew."""
        return build_minter(self.settings, self.store, self.prover, self.require_home, on_collisions)

    def on_minted(self, record: Record) -> None:
        """Count a new record, and remove it from the cache, where it is cached as absent."""
        self.reader.evict_record(record.repository, record.key)
        self.count(MINTED, repository=record.repository)

    def handler(self, routes: tuple[Route, ...]) -> ApiGatewayHandler:
        """Return the Lambda handler for these routes."""
        application = Application(routes, self.base_url, self.report, self.on_error, limit=request_limit)
        return ApiGatewayHandler(application, request_logger(self._telemetry, self.base_url, self.count))


def request_limit() -> AbstractContextManager[None]:
    """Return a context with the deadline of a request that begins now."""
    return limited(Deadline(REQUEST_SECONDS, monotonic))
