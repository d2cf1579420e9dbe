"""One run of the drill, from its seed to its outcome."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Final

from msgspec import Struct

from coolid.identifiers.rules.base import Rules
from coolid.identifiers.rules.cooldoi import CoolDoiRules
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.rules.pilin import PilinRules
from coolid.model.clients import ADMIN, issue_client
from coolid.model.repositories import Repository
from coolid.registry.registration import create_repository, register_namespace
from coolid.store.store import Store
from tests.drill.backends import Contents, Make, MemoryBackend
from tests.drill.callers import DrillContext, Log, OwnedPrefixes
from tests.drill.faults import Faults
from tests.drill.final_checks import Checker
from tests.drill.hosts import HostClock
from tests.drill.operator_caller import Operator
from tests.drill.oracle import Oracle
from tests.drill.processes import Fleet
from tests.drill.registering_caller import RegistrationLog
from tests.drill.scheduler import Scheduler
from tests.support.fixtures.ports import SeededEntropy

CALLERS: Final = 16
PROCESSES: Final = 5
_REPOSITORY_RULES: Final[dict[str, Rules]] = {
    "2021/06/demo": LuiRules(),
    "demo": LuiRules(6),
    "count": PilinRules(),
    "noid": NoidRules(template=".reedeedk"),
    "cool": CoolDoiRules(),
    "count/two": PilinRules(),
}


class MissingFault(AssertionError):
    """A kind of fault never occurred, so the drill did not test it."""


class Outcome(Struct):
    """The result of a drill that passed."""

    seed: int
    operations: int
    requests: int
    done: Counter[str]
    answers: Counter[str]
    fired: Counter[str]
    checks: int
    records: int
    versions: int
    switches: int
    seconds: float
    """Seconds of the drill's own time."""
    digest: str
    missing_faults: list[str]
    """The kinds of faults that did not occur."""


def run(
    seed: int,
    operations: int,
    make: Make = MemoryBackend,
    *,
    strict: bool = True,
    log: str | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Outcome:
    """Run a drill with this many operations. Raises `Violation`, and if `strict` `MissingFault`."""
    rng = Random(seed)
    scheduler = Scheduler(rng)
    faults, oracle, registrations = Faults(rng, scheduler), Oracle(), RegistrationLog()
    backend = make(scheduler, faults, rng, oracle.observe_call)
    repositories, keys = _created_repositories(backend.faultless_store, scheduler, seed)
    for repository in repositories:
        oracle.names[repository.names[0]] = float("-inf")
    with backend.scheduled():
        fleet = Fleet(backend.process, PROCESSES, rng)
        notes = Log(log)
        is_exact = isinstance(backend, MemoryBackend)
        context = DrillContext(scheduler, faults, rng, fleet, oracle, notes, repositories, is_exact)
        left = iter(range(operations))
        faults.quiet = False
        operators = [partial(Operator, context, keys[at % len(keys)], registrations, backend) for at in range(CALLERS)]
        scheduler.run([partial(_work, operator, left, progress) for operator in operators])
    fleet.end()
    oracle.require(not fleet.reported, f"unexpected errors: {fleet.reported}")
    contents = backend.contents()
    checker = Checker(contents, oracle, registrations)
    checker.check()
    missing_faults = faults.missing_faults(backend.fault_kinds)
    require_all_faults(missing_faults if strict else [])
    counts = sorted(faults.fired.items()), sorted(context.statuses.items())
    notes.line(*counts, len(contents.records), len(contents.archive))
    checks = oracle.checks + checker.checks
    return _outcome(context, contents, seed, operations, checks=checks, missing_faults=missing_faults)


def _work(begin: Callable[[], Operator], left: Iterator[int], progress: Callable[[int], None]) -> None:
    operator = begin()
    for number in left:
        progress(number)
        operator.work()


def _outcome(
    context: DrillContext, contents: Contents, seed: int, operations: int, *, checks: int, missing_faults: list[str]
) -> Outcome:
    return Outcome(
        seed,
        operations,
        requests=sum(context.statuses.values()),
        done=context.done,
        answers=context.statuses,
        fired=context.faults.fired,
        checks=checks,
        records=len(contents.records),
        versions=len(contents.records) + len(contents.archive),
        switches=context.scheduler.switches,
        seconds=context.scheduler.now,
        digest=context.log.digest,
        missing_faults=missing_faults,
    )


def require_all_faults(missing_faults: list[str]) -> None:
    """Raise `MissingFault` if there are any."""
    if missing_faults:
        raise MissingFault(f"never occurred: {', '.join(missing_faults)}")


def _created_repositories(store: Store, scheduler: Scheduler, seed: int) -> tuple[list[OwnedPrefixes], list[str]]:
    """Create the repositories with their prefixes, and the keys of some clients."""
    clock, entropy = HostClock(scheduler), SeededEntropy(seed)
    repositories = []
    for name, rules in _REPOSITORY_RULES.items():
        draft = Repository("", f"Of {name}", clock.now(), clock.now(), rules)
        owner = create_repository(draft, store.repositories, entropy)
        register_namespace(name, owner.id, "", prefixes=store.prefixes, repositories=store.repositories, clock=clock)
        repositories.append(OwnedPrefixes(owner.id, owner.rules, [name]))
    keys = []
    for _ in range(3):
        client, key = issue_client((ADMIN,), clock, entropy, "a drill", None)
        store.clients.put_client(client)
        keys.append(key)
    return repositories, keys
