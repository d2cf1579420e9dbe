"""The manage function, assembled."""

import os

from coolid.aws.api_gateway import Gateway
from coolid.aws.clock import SystemClock
from coolid.aws.diagnostics import trials
from coolid.aws.entropy import SystemEntropy
from coolid.aws.settings import PULSE_TABLE, Settings
from coolid.aws.telemetry.logs import teller
from coolid.aws.telemetry.metrics import REFUSED_MINTS, listener
from coolid.aws.telemetry.telemetry_settings import Watched
from coolid.aws.wiring.boto_clients import READS, dynamodb
from coolid.aws.wiring.powertools import counter, reporter
from coolid.aws.wiring.shared import remembering_reader
from coolid.aws.wiring.write_access import prover, region, request_limit, signer, store
from coolid.http.application import Application
from coolid.http.dialects.handle.handle_search import HandleSearching
from coolid.http.dialects.handle.write_endpoint import HandleWriting
from coolid.http.management.clients import Clients
from coolid.http.management.diagnostics import Examining
from coolid.http.management.link_reports import Links
from coolid.http.management.lists import Listing
from coolid.http.management.prefixes import Managing
from coolid.http.management.records import Amending
from coolid.http.management.repositories import Repositories
from coolid.http.management.webhooks import Webhooks
from coolid.metric_names import MINTED
from coolid.model.records import Record
from coolid.records.amendment import Amender
from coolid.records.minter import Minter
from coolid.records.quotas import Quotas
from coolid.registry.home_regions import Homes


def handler() -> Gateway:
    """The Lambda handler of prefixes, repositories and records as they are stored."""
    settings = Settings.read(os.environ, writes=True, also=[PULSE_TABLE])
    keeper, clock, memory = store(settings), SystemClock(), remembering_reader(settings)
    entropy, base_url = SystemEntropy(), settings.public_base_url
    here = region(settings)
    homes, signing = Homes(here, keeper, clock), prover(settings, keeper)
    amender = Amender(keeper, clock, signing, homes.demand)
    minter = Minter(keeper, clock, entropy, signing, base_url, demand_home=homes.demand)
    watched = Watched.read(os.environ, "manage")
    count = counter(watched)
    report = reporter(watched, count)
    heard = listener(count, REFUSED_MINTS)
    tried = trials(settings, dynamodb(READS), signer(settings), clock)

    def minted(record: Record, key: str) -> None:
        memory.forget_record(record.repository, key)  # that it was absent a moment ago
        count(MINTED, repository=record.repository)

    quotas = Quotas(keeper, clock, here.name)
    handles = HandleWriting(keeper, minter, amender, quotas, clock, minted, memory.forget_record, heard)
    routes = (
        *Amending(keeper, amender, base_url, memory.forget_record).routes(),
        *Listing(keeper, base_url).routes(),
        *Managing(keeper, clock, base_url, memory.forget, here).routes(),
        *Repositories(keeper, clock, entropy, base_url, memory.forget, here).routes(),
        *Links(keeper, keeper, clock, base_url).routes(),
        *Webhooks(keeper, keeper, clock, entropy, base_url).routes(),
        *Clients(keeper, clock, entropy, base_url).routes(),
        *Examining(keeper, tried, clock, report).routes(),
        *handles.routes(),
        *HandleSearching(keeper, clock, heard).routes(),
    )
    return Gateway(Application(routes, base_url, report, heard, limit=request_limit), teller(watched, base_url, count))
