"""The wiring of the probe function, also with a supplied queue."""

import os
from collections.abc import Callable, Mapping
from functools import partial
from ipaddress import ip_network
from time import monotonic
from typing import Any, Final

from botocore.config import Config

from coolid.aws.check_function import CheckFunction
from coolid.aws.clock import SystemClock
from coolid.aws.edge_purge.purger import Event
from coolid.aws.fifo_queue import FifoQueue
from coolid.aws.settings import PULSE_TABLE, InvalidSettings, Settings, require_settings
from coolid.aws.telemetry.telemetry_settings import TelemetrySettings
from coolid.health.address_check import AddressChecker
from coolid.health.check_service import CheckService
from coolid.health.checker import Checker
from coolid.health.messages import MessageQueue
from coolid.health.planner import Planner
from coolid.health.schedule import TICK_SECONDS, CheckSchedule
from coolid.health.webhook_delivery import WebhookNotifier, post
from coolid.net.guarded_client import GuardedClient
from coolid.ports import Count, Log
from coolid.registry.home_regions import Region
from coolid.wiring.boto_clients import client
from coolid.wiring.powertools import counter, logger
from coolid.wiring.write_access import open_store

QUEUE: Final = "PROBE_QUEUE_URL"
HOURS: Final = "PROBE_HOURS"
TARGETS: Final = "PROBE_TARGETS"
NETWORKS: Final = "PROBE_NETWORKS"
SQS_CONFIG: Final = Config(connect_timeout=1, read_timeout=5, retries={"mode": "standard", "total_max_attempts": 3})


def handler() -> Callable[[Event, Any], dict[str, Any]]:
    """Return the Lambda handler for the schedule's events and for check batches."""
    url = require_settings(os.environ, (QUEUE,))[QUEUE]
    telemetry = TelemetrySettings.read(os.environ, "probe")
    log, count = logger(telemetry), counter(telemetry)
    service = build_check_service(os.environ, FifoQueue(client("sqs", SQS_CONFIG), url), log, count)
    check_function = CheckFunction(service, log, count)

    def probe(event: Event, context: Any) -> dict[str, Any]:
        return check_function(event, context.get_remaining_time_in_millis() / 1000)

    return probe


def build_check_service(
    environment: Mapping[str, str],
    queue: MessageQueue,
    log: Log,
    count: Count,
    *,
    tick: int = TICK_SECONDS,
    seconds: Callable[[], float] = monotonic,
) -> CheckService:
    """Return the check service with a queue; `tick` is its period in seconds. Raises `InvalidSettings`."""
    settings = Settings.read(environment, writes=False, also=[PULSE_TABLE])
    schedule, networks = check_schedule(environment, tick), allowed_networks(environment)
    store, clock = open_store(settings), SystemClock()
    own_region = Region(environment.get("AWS_REGION", ""), environment.get("HOME_REGION", ""))
    outgoing = GuardedClient(networks, settings.public_base_url)
    checker = Checker(
        store,
        AddressChecker(outgoing).check,
        queue,
        clock,
        log=log,
        count=count,
        region=own_region,
        seconds=seconds,
    )
    notifier = WebhookNotifier(store.webhooks, partial(post, client=outgoing), clock, log, count)
    planner = Planner(store, queue, schedule, own_region)
    return CheckService(planner, checker, notifier, clock, log=log, count=count)


def check_schedule(environment: Mapping[str, str], seconds: int = TICK_SECONDS) -> CheckSchedule:
    """Return the configured check schedule. Raises `InvalidSettings`.

    >>> check_schedule({"PROBE_HOURS": "6"})
    CheckSchedule(seconds=900, hours=6, targets=100)
    """
    values = {name.rpartition("_")[2].lower(): environment[name] for name in (HOURS, TARGETS) if environment.get(name)}
    try:
        schedule = CheckSchedule(seconds, **{name: int(value) for name, value in values.items()})
    except ValueError as error:
        raise InvalidSettings(f"{HOURS} and {TARGETS} must be numbers") from error
    if schedule.hours < 1 or schedule.targets < 0:
        raise InvalidSettings(f"{HOURS} must be 1 at least, {TARGETS} 0")
    return schedule


def allowed_networks(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the networks that checks may access besides the public Internet. Raises `InvalidSettings`.

    >>> allowed_networks({"PROBE_NETWORKS": "10.0.0.0/8, fd00::/8"})
    ('10.0.0.0/8', 'fd00::/8')
    """
    networks = tuple([each.strip() for each in environment.get(NETWORKS, "").split(",") if each.strip()])
    try:
        for each in networks:
            ip_network(each)
    except ValueError as error:
        raise InvalidSettings(f"{NETWORKS} must be networks such as 10.0.0.0/8, with commas between them") from error
    return networks
