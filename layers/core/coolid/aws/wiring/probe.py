"""The probe function, assembled; and its parts for who brings a queue of their own."""

import os
from collections.abc import Callable, Mapping
from functools import partial
from ipaddress import ip_network
from time import monotonic
from typing import Any, Final

from botocore.config import Config

from coolid.aws.clock import SystemClock
from coolid.aws.edge_purge.purger import Event
from coolid.aws.fifo_queue import FifoQueue
from coolid.aws.settings import PULSE_TABLE, InvalidSettings, Settings, require_settings
from coolid.aws.telemetry.telemetry_settings import TelemetrySettings
from coolid.aws.wiring.boto_clients import client
from coolid.aws.wiring.powertools import counter, logger
from coolid.aws.wiring.write_access import store
from coolid.health.address_check import AddressChecker
from coolid.health.check_function import CheckFunction
from coolid.health.checker import Checker
from coolid.health.messages import MessageQueue
from coolid.health.planner import Planner
from coolid.health.schedule import TICK, CheckSchedule
from coolid.health.webhook_delivery import WebhookNotifier
from coolid.health.webhook_post import post
from coolid.ports import Log
from coolid.registry.home_regions import Region

QUEUE: Final = "PROBE_QUEUE_URL"
HOURS: Final = "PROBE_HOURS"
TARGETS: Final = "PROBE_TARGETS"
NETWORKS: Final = "PROBE_NETWORKS"
REGION: Final = {"name": "AWS_REGION", "names_home": "HOME_REGION"}
PATIENCE: Final = Config(connect_timeout=1, read_timeout=5, retries={"mode": "standard", "total_max_attempts": 3})


def handler() -> Callable[[Event, Any], dict[str, Any]]:
    """The Lambda handler of the schedule, and of the queue of those who are to be looked at."""
    url = require_settings(os.environ, (QUEUE,))[QUEUE]
    works = build_check_function(os.environ, FifoQueue(client("sqs", PATIENCE), url))

    def probe(event: Event, context: Any) -> dict[str, Any]:
        return works(event, context.get_remaining_time_in_millis() / 1000)

    return probe


def build_check_function(
    environment: Mapping[str, str],
    queue: MessageQueue,
    *,
    tick: int = TICK,
    seconds: Callable[[], float] = monotonic,
    log: Log | None = None,
) -> CheckFunction:
    """The function over a queue, for ticks of so many seconds. Raises `InvalidSettings`."""
    settings = Settings.read(environment, writes=False, also=[PULSE_TABLE])
    pace, networks = check_schedule(environment, tick), allowed_networks(environment)
    keeper, clock, watched = store(settings), SystemClock(), TelemetrySettings.read(environment, "probe")
    here = Region(**{member: environment.get(name, "") for member, name in REGION.items()})
    log, count = log or logger(watched), counter(watched)
    looker = AddressChecker(networks, settings.public_base_url)
    sends = partial(post, networks=networks, base_url=settings.public_base_url)
    return CheckFunction(
        Planner(keeper, queue, pace, here),
        Checker(keeper, looker.check, queue, clock, log=log, count=count, region=here, seconds=seconds),
        WebhookNotifier(keeper, sends, clock, log, count),
        clock,
        log=log,
        count=count,
        longest=looker.longest,
        seconds=seconds,
    )


def check_schedule(environment: Mapping[str, str], seconds: int = TICK) -> CheckSchedule:
    """How often the settings have everything looked at. Raises `InvalidSettings`.

    >>> check_schedule({"PROBE_HOURS": "6"})
    CheckSchedule(seconds=900, hours=6, targets=100)
    """
    told = {name.rpartition("_")[2].lower(): environment[name] for name in (HOURS, TARGETS) if environment.get(name)}
    try:
        pace = CheckSchedule(seconds, **{name: int(value) for name, value in told.items()})
    except ValueError as error:
        raise InvalidSettings(f"{HOURS} and {TARGETS} must be numbers") from error
    if pace.hours < 1 or pace.targets < 0:
        raise InvalidSettings(f"{HOURS} must be 1 at least, {TARGETS} 0")
    return pace


def allowed_networks(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The networks that may be asked beside the public Internet. Raises `InvalidSettings`.

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
