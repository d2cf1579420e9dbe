"""The service that checks providers and targets, with a supplied queue."""

from collections.abc import Callable, Mapping
from functools import partial
from ipaddress import ip_network
from time import monotonic
from typing import Final

from coolid.aws.clock import SystemClock
from coolid.aws.settings import PULSE_TABLE, InvalidSettings, Settings
from coolid.health.address_check import AddressChecker
from coolid.health.check_service import CheckService
from coolid.health.checker import Checker
from coolid.health.messages import MessageQueue
from coolid.health.planner import Planner
from coolid.health.schedule import TICK_SECONDS, CheckSchedule
from coolid.health.webhook_delivery import WebhookNotifier, post
from coolid.net.guarded_client import GuardedClient
from coolid.ports import Count, Log
from coolid.registry.home_regions import SINGLE_REGION, Region
from coolid.wiring.write_access import open_store

HOURS: Final = "PROBE_HOURS"
TARGETS: Final = "PROBE_TARGETS"
NETWORKS: Final = "PROBE_NETWORKS"


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
    own_region = SINGLE_REGION
    if not settings.database:
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
    planner = Planner(store, queue, schedule, own_region, seconds)
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
