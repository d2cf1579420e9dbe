"""Assembly of the endpoints of the transfer of custody."""

import os
from collections.abc import Sequence
from functools import cache
from typing import Protocol

from coolid.aws.settings import Settings
from coolid.http.management.custody.acceptances import AcceptanceEndpoint
from coolid.http.management.custody.offers import OfferEndpoint
from coolid.http.management.custody.transfers import TransferEndpoint
from coolid.http.routes import Route
from coolid.linkid.custody.acceptances import CustodyAcceptances
from coolid.linkid.custody.key_source import KeySource
from coolid.linkid.custody.other_service import ServiceClient
from coolid.linkid.custody.transfers import CustodyTransfers
from coolid.linkid.trusted_resolvers import TrustedResolvers
from coolid.net.service_client import HttpServiceClient, networks_of
from coolid.ports import Clock
from coolid.proofs.statements import Prover
from coolid.records.amendment import RecordAmender
from coolid.records.custody.adoption import RecordAdoption
from coolid.records.custody.versions import CustodyVersions
from coolid.records.minter import HomeCheck
from coolid.resolution.caching_reader import CachingReader
from coolid.store.bulk import BulkWriter, WriteGroup
from coolid.store.read_only import ReadOnlyPort
from coolid.store.store import Store
from coolid.wiring.check_service import allowed_networks
from coolid.wiring.linkid.configured_peers import configured_peers
from coolid.wiring.write_components import WriteComponents


class CustodyComponents(Protocol):
    """The components that the endpoints need, as `WriteComponents` has them."""

    store: Store
    base_url: str
    reader: CachingReader
    prover: Prover
    require_home: HomeCheck

    @property
    def clock(self) -> Clock:
        """The clock of new versions."""


class DeferredBulkWriter:
    """A bulk writer for the configured store, opened for the first write, because few requests need one."""

    def __init__(self, settings: Settings) -> None:
        self._open = cache(lambda: bulk_writer(settings))

    def put(self, groups: Sequence[WriteGroup]) -> None:
        """See `BulkWriter`."""
        self._open().put(groups)


def bulk_writer(settings: Settings) -> BulkWriter:
    """Return a bulk writer for the configured store, which refuses to write if the settings are read-only."""
    writer = _bulk_writer(settings)
    read_only: BulkWriter = ReadOnlyPort(writer)
    return read_only if settings.read_only else writer


def _bulk_writer(settings: Settings) -> BulkWriter:
    if settings.database:
        from coolid.wiring.database_access import database_access

        return database_access(settings.database).bulk_writer
    from coolid.aws.dynamodb.bulk_writer import DynamoBulkWriter
    from coolid.wiring.boto_clients import WRITES, dynamodb

    return DynamoBulkWriter(dynamodb(WRITES), settings.lui_table)


def custody_routes(components: WriteComponents, amender: RecordAmender) -> tuple[Route, ...]:
    """Return the routes of offers, acceptances and transfers."""
    base_url = components.base_url
    client = HttpServiceClient(networks_of(base_url, allowed_networks(os.environ)), base_url)
    trusted = configured_peers(os.environ)
    return build_routes(components, amender, client, DeferredBulkWriter(components.settings), trusted)


def build_routes(
    components: CustodyComponents,
    amender: RecordAmender,
    client: ServiceClient,
    writer: BulkWriter,
    trusted: TrustedResolvers,
) -> tuple[Route, ...]:
    """Return the routes with a client for other services and a writer of older versions.

    The keys that `trusted` has for a service are the only ones of that service.
    """
    store, clock, base_url = components.store, components.clock, components.base_url
    prefixes, records, evict = store.prefixes, store.records, components.reader.evict_record
    keys = KeySource(client, clock, base_url, store.public_keys.public_keys, trusted)
    versions = CustodyVersions(amender, clock)
    adoption = RecordAdoption(records, writer)
    acceptances = CustodyAcceptances(
        client, records, adoption, versions, keys, components.prover, clock, base_url, evict
    )
    transfers = CustodyTransfers(prefixes, records, versions, keys, clock, evict)
    return (
        *AcceptanceEndpoint(store.clients, prefixes, records, acceptances, components.require_home, base_url).routes(),
        *TransferEndpoint(transfers).routes(),
        *OfferEndpoint(store.clients, prefixes, records, amender, versions, base_url, evict).routes(),
    )
