"""Transfers of custody that fail or are overtaken at every write, signature and message, and are repeated."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from coolid.http.message import Response
from tests.linkid.custody.faults import (
    EventfulOperators,
    Events,
    followed,
    require_one_chain,
    require_verified,
)
from tests.support.effort import IS_DRILL, size
from tests.support.fixtures.operators import TARGET, Operator, name_of

MOVED = "https://content.example.org/v2"
MOST = 40
"""More than the events of an acceptance."""
WHENS = ("before", "after") if IS_DRILL else ("after",)
"""Before an event is hardly different from after the one before."""


class World:
    """Two operators, and a record that the first one offers to the second one."""

    def __init__(self, folder: Path) -> None:
        self.events = Events()
        self.operators = EventfulOperators(folder)
        self.operators.events = self.events
        self.a, self.b = (self.operators.operator(name) for name in "ab")
        self.name = name_of(self.a.mint())
        assert self.offer() == 200
        self.targets = {TARGET}
        self.events.watch = self.watch

    def watch(self) -> None:
        """Require one chain, and that every request gets a right target."""
        require_one_chain(self.operators, self.name)
        for operator in (self.a, self.b):
            target = followed(self.operators, operator, self.name)
            assert target in self.targets or (target is None and operator is self.b), target

    def offer(self) -> int:
        return self.a.manage("PUT", f"custody/{self.name}", {"to": self.b.base_url}).status

    def accept(self) -> int:
        document = {"linkid": self.name, "from": self.a.base_url}
        return self.b.manage("POST", "custody/acceptances", document).status

    def revoke(self) -> int:
        return self.a.manage("DELETE", f"custody/{self.name}").status

    def move(self, operator: Operator) -> int:
        """Change the target. Until the next acceptance, the copy of a revoked offer may have the former one."""
        self.targets.add(MOVED)
        return operator.manage("PUT", f"records/{self.name}", {"uri": MOVED}).status

    def close(self) -> None:
        self.operators.close()


def worlds(event: Callable[[World, int, str], bool]) -> int:
    """Call `event` for each event of an acceptance, in a world of its own, and return the number of events.

    `event` returns whether the acceptance has so many events.
    """
    for number in range(1, MOST):
        for when in WHENS:
            with TemporaryDirectory() as folder:
                world = World(Path(folder))
                try:
                    if not event(world, number, when):
                        return number - 1
                finally:
                    world.close()
    raise AssertionError("there are more events")


def test_an_acceptance_that_fails_anywhere_is_completed_by_its_repetition() -> None:
    def event(world: World, number: int, when: str) -> bool:
        world.events.expect(number, when)
        is_reached = world.accept() == 503
        assert is_reached == (world.events.count >= number)
        world.events.expect(0, when)
        world.watch()
        assert world.accept() == 200
        assert require_verified(world.operators, world.name) is world.b
        world.watch()
        assert world.move(world.b) == 200
        world.targets = {MOVED}
        world.watch()
        return is_reached

    assert worlds(event) == 10


def test_after_a_failure_the_sender_has_revoked_or_transferred() -> None:
    """A copy may answer with the targets of a revoked offer until the acceptance is repeated, as the sender did."""

    def event(world: World, number: int, when: str) -> bool:
        world.events.expect(number, when)
        is_reached = world.accept() == 503
        world.events.expect(0, when)
        if world.revoke() == 200:
            assert world.move(world.a) == 200
            assert followed(world.operators, world.a, world.name) == MOVED
            assert world.accept() == 409
            assert require_verified(world.operators, world.name) is world.a
            world.targets = {MOVED}
            world.watch()
            assert world.offer() == 200
        assert world.accept() == 200
        assert require_verified(world.operators, world.name) is world.b
        world.watch()
        return is_reached

    worlds(event)


def test_an_acceptance_during_another_one() -> None:
    def event(world: World, number: int, when: str) -> bool:
        statuses: list[int] = []
        world.events.expect(number, when, lambda: statuses.append(world.accept()))
        assert world.accept() == 200
        assert statuses in ([200], [])
        assert require_verified(world.operators, world.name) is world.b
        world.watch()
        return bool(statuses)

    worlds(event)


def test_a_revocation_and_a_change_during_an_acceptance() -> None:
    def event(world: World, number: int, when: str) -> bool:
        statuses: list[tuple[int, int]] = []
        world.events.expect(number, when, lambda: statuses.append((world.revoke(), world.move(world.a))))
        accepted = world.accept()
        if statuses and statuses[0][0] == 200:
            assert (accepted, statuses) == (409, [(200, 200)])
            assert require_verified(world.operators, world.name) is world.a
            world.targets = {MOVED}
        else:
            assert (accepted, statuses) in ((200, [(409, 409)]), (200, []))
            world.targets = {TARGET}
            assert require_verified(world.operators, world.name) is world.b
        world.events.expect(0, when)
        world.watch()
        return bool(statuses)

    worlds(event)


STEPS = st.tuples(
    st.sampled_from(["offer", "revoke", "move", "accept", "return", "take back"]),
    st.integers(0, 14),
    st.sampled_from(["before", "after"]),
)


@given(steps=st.lists(STEPS, min_size=4, max_size=10))
@settings(max_examples=size(500, 10))
def test_any_sequence_of_operations_and_failures_leaves_one_chain(steps: list[tuple[str, int, str]]) -> None:
    with TemporaryDirectory() as folder:
        world = World(Path(folder))
        try:
            _run(world, steps)
        finally:
            world.close()


def _run(world: World, steps: list[tuple[str, int, str]]) -> None:
    a, b, name = world.a, world.b, world.name
    operations: dict[str, Callable[[], Response]] = {
        "offer": lambda: a.manage("PUT", f"custody/{name}", {"to": b.base_url}),
        "revoke": lambda: a.manage("DELETE", f"custody/{name}"),
        "move": lambda: b.manage("PUT", f"records/{name}", {"uri": MOVED}),
        "accept": lambda: b.manage("POST", "custody/acceptances", {"linkid": name, "from": a.base_url}),
        "return": lambda: b.manage("PUT", f"custody/{name}", {"to": a.base_url}),
        "take back": lambda: a.manage("POST", "custody/acceptances", {"linkid": name, "from": b.base_url}),
    }
    world.targets = {TARGET, MOVED}
    for operation, number, when in steps:
        world.events.expect(number, when)
        assert operations[operation]().status in (200, 404, 409, 412, 503)
    world.events.expect(0, "before")
    for operation in ("accept", "take back"):
        operations[operation]()
    require_verified(world.operators, name)
    world.watch()
