"""The load: locust's users, each a client with its own key, who go on until a number of requests is reached.

It runs in an environment of its own, with nothing of coolid. The soak waits for it in another process.
Run as a program: python -m scripts.soak.load WORLD ROWS OPERATIONS SECONDS SEED
"""

# locust first: it makes sockets and clocks gevent's, which must come before anybody else takes them.
from locust import constant, events
from locust.contrib.fasthttp import FastHttpUser
from locust.env import Environment
from locust.exception import StopUser

# isort: split
import sys
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any, Final

import msgspec
from msgspec import Struct

from scripts.soak import expecting
from scripts.soak.kept import World
from scripts.soak.messages import Ask, Expectation, Reply, Row
from scripts.soak.visitor import Visitor, mix

_PATIENCE: Final = 60.0
"""Seconds for an answer; longer than anything may take."""


class Bound(Struct):
    """What is left to do: so many requests, until this moment."""

    left: int
    until: float

    def take(self) -> bool:
        """One request of those that are left; false if there is none, or no time."""
        if self.left <= 0 or monotonic() > self.until:
            self.left = 0
            return False
        self.left -= 1
        return True


class Run(Struct):
    """What all users share."""

    world: World
    bound: Bound
    seed: str
    rows: list[Row]
    numbers: Any = msgspec.field(default_factory=count)


class SoakUser(FastHttpUser):  # type: ignore[misc] # locust is in an environment of its own
    """A client; each of its requests is one of locust's, under its kind's name."""

    wait_time = constant(0)
    network_timeout = connection_timeout = _PATIENCE
    max_retries = 0
    soak: Run

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        number = next(self.soak.numbers)
        owner = self.soak.world.owners[number % len(self.soak.world.owners)]
        dice = Random(f"{self.soak.seed}/{number}")  # noqa: S311 - seeded, to be repeated
        self._visitor = Visitor(self.soak.world, owner, dice, self.send)
        self._operations, self._weights = zip(*mix().items(), strict=True)
        self._dice = dice

    def request(self) -> None:
        """One operation of the mix."""
        (operation,) = self._dice.choices(self._operations, self._weights)
        operation(self._visitor)

    tasks = [request]  # noqa: RUF012 - as locust has it

    def send(self, kind: str, ask: Ask, expected: Expectation) -> Reply:
        """See `Tell`."""
        if not self.soak.bound.take():
            raise StopUser
        begun = monotonic()
        with self.client.request(
            ask.method,
            ask.path,
            name=kind,
            headers=dict(ask.headers),
            data=ask.body,
            allow_redirects=False,
            catch_response=True,
        ) as answer:
            reply = Reply(answer.status_code, _headers(answer.headers), answer.content or b"")
            ended = monotonic()
            delayed = expecting.is_delayed(ask, reply)
            told = [] if delayed else expected(reply, begun, ended)
            if told:
                answer.failure("; ".join(told))
            else:
                answer.success()
        self.soak.rows.append(Row(kind, begun, ended - begun, reply.status, tuple(told), delayed))
        return reply


def main() -> None:
    """Load a server, and write down every request."""
    world, rows, operations, seconds, seed = sys.argv[1:]
    run = Run(World.read(Path(world)), Bound(int(operations), monotonic() + float(seconds)), seed, [])
    SoakUser.soak = run
    environment = Environment(user_classes=[SoakUser], events=events, host=run.world.base_url)

    def broken(exception: Exception, **_: Any) -> None:  # else locust would say so, and go on
        run.rows.append(Row("the soak itself", monotonic(), 0, 0, (repr(exception),)))

    environment.events.user_error.add_listener(broken)
    runner = environment.create_local_runner()
    runner.start(len(run.world.owners), spawn_rate=len(run.world.owners))
    runner.spawning_greenlet.join()
    runner.user_greenlets.join()  # each ends by itself
    runner.quit()
    Path(rows).write_bytes(msgspec.json.encode(run.rows))


def _headers(headers: Any) -> Mapping[str, str]:
    """By names in lower case; the last of those that come more than once, but all links."""
    told: dict[str, str] = {}
    for name, value in (headers or {}).items():
        lowered = name.lower()
        told[lowered] = f"{told[lowered]}, {value}" if lowered == "link" and lowered in told else value
    return told


if __name__ == "__main__":
    main()
