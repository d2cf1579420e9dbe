"""Running: a drill from its seed to its verdict."""

import gc
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
from tests.drill.baton import Baton
from tests.drill.callers import Home, Log, Scene
from tests.drill.checking import Checker
from tests.drill.faults import Faults
from tests.drill.naming import Told
from tests.drill.operating import Operator
from tests.drill.oracle import Oracle
from tests.drill.processes import Fleet
from tests.drill.sites import SiteClock
from tests.drill.worlds import Contents, Make, MemoryWorld
from tests.support.fixtures.ports import SeededEntropy

CALLERS: Final = 16
PROCESSES: Final = 5
_HOMES: Final[dict[str, Rules]] = {
    "2021/06/demo": LuiRules(),
    "demo": LuiRules(6),
    "count": PilinRules(),
    "noid": NoidRules(template=".reedeedk"),
    "cool": CoolDoiRules(),
    "count/two": PilinRules(),
}


class NeverFired(AssertionError):
    """A fault that the drill is about did not happen in it: it has shown less than it says."""


class Outcome(Struct):
    """What a drill that passed has to tell."""

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
    """Of the drill's own time."""
    digest: str
    never: list[str]
    """The kinds of faults that did not fire."""


def run(
    seed: int,
    operations: int,
    make: Make = MemoryWorld,
    *,
    strict: bool = True,
    log: str | None = None,
    tell: Callable[[int], None] = lambda _: None,
) -> Outcome:
    """A drill of so many operations. Raises `Violation`; `NeverFired`, if it is to be `strict`."""
    dice = Random(seed)
    baton = Baton(dice)
    faults, oracle, told = Faults(dice, baton), Oracle(), Told()
    world = make(baton, faults, dice, oracle.hear)
    homes, keys = _furnished(world.plain, baton, seed)
    for home in homes:
        oracle.names[home.names[0]] = float("-inf")
    with world.turns(), _undisturbed():
        fleet = Fleet(world.process, PROCESSES, dice)
        notes = Log(log)
        scene = Scene(
            baton, faults, dice, fleet, oracle, notes, homes, isinstance(world, MemoryWorld), Counter(), Counter()
        )
        left = iter(range(operations))
        faults.quiet = False
        baton.run(
            [
                partial(_work, partial(Operator, scene, keys[at % len(keys)], told, world), left, tell)
                for at in range(CALLERS)
            ]
        )
    fleet.end()
    oracle.demand(not fleet.reported, f"nobody foresaw {fleet.reported}")
    contents = world.contents()
    checker = Checker(contents, oracle, told)
    checker.check()
    never = faults.never(world.kinds)
    demand_all(never if strict else [])
    notes.line(sorted(faults.fired.items()), sorted(scene.heard.items()), len(contents.records), len(contents.archive))
    return _outcome(scene, contents, seed, operations, checks=oracle.checks + checker.checks, never=never)


def _work(begin: Callable[[], Operator], left: Iterator[int], tell: Callable[[int], None]) -> None:
    operator = begin()
    for number in left:
        tell(number)
        operator.work()


def _outcome(scene: Scene, contents: Contents, seed: int, operations: int, *, checks: int, never: list[str]) -> Outcome:
    return Outcome(
        seed,
        operations,
        requests=sum(scene.heard.values()),
        done=scene.done,
        answers=scene.heard,
        fired=scene.faults.fired,
        checks=checks,
        records=len(contents.records),
        versions=len(contents.records) + len(contents.archive),
        switches=scene.baton.switches,
        seconds=scene.baton.now,
        digest=scene.log.digest,
        never=never,
    )


def demand_all(never: list[str]) -> None:
    """`NeverFired` if there are any such."""
    if never:
        raise NeverFired(f"never fired: {', '.join(never)}")


def _furnished(store: Store, baton: Baton, seed: int) -> tuple[list[Home], list[str]]:
    """Repositories with their names, and the keys of some clients."""
    clock, entropy = SiteClock(baton), SeededEntropy(seed)
    homes = []
    for name, rules in _HOMES.items():
        draft = Repository("", f"Of {name}", clock.now(), clock.now(), rules)
        owner = create_repository(draft, store.repositories, entropy)
        register_namespace(name, owner.id, "", prefixes=store.prefixes, repositories=store.repositories, clock=clock)
        homes.append(Home(owner.id, owner.rules, [name]))
    keys = []
    for _ in range(3):
        client, key = issue_client((ADMIN,), clock, entropy, "a drill", None)
        store.clients.put_client(client)
        keys.append(key)
    return homes, keys


@contextmanager
def _undisturbed() -> Iterator[None]:
    """What is kept for the verdict need not be looked through for garbage again and again."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
