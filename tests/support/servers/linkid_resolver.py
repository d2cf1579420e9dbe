"""A resolver of LinkIDs over HTTP, whose answers a test chooses, and a user who resolves there."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from coolid.client import resolve
from coolid.client.linkid.linkid_resolution import LinkIdResolution
from tests.support.builders.linkid_operators import LINKID, Operator
from tests.support.servers.http_server import Behaviour, Host, Reply, host, json

PATH = f"/resolve/{LINKID.replace(':', '%3A')}"
KEYS = "/.well-known/jwks.json"
NOT_FOUND = json({"error": "not_found", "status": "unknown", "target_url": None, "id": LINKID}, 404)


@dataclass
class Resolver:
    """A running resolver with its operator, and the state of a user."""

    host: Host
    operator: Operator
    state: Path

    def serves(self, reply: Reply | Behaviour) -> None:
        self.host.answers[PATH] = reply

    def resolved(self, *others: "Resolver", **options: Any) -> LinkIdResolution:
        """Resolve the LinkID at this resolver, then at others, without following the target."""
        chosen = [each.host.url for each in (self, *others)]
        settings: dict[str, Any] = {"state": self.state, "seconds": 5.0, **options}
        found = resolve(LINKID, chosen=chosen, default=None, follow_redirects=False, **settings).linkid
        assert found is not None
        return found


@contextmanager
def resolvers(state: Path) -> Iterator[Callable[[int], Resolver]]:
    """Return a function that starts the resolver of an operator with this secret."""
    with ExitStack() as stack:

        def start(secret: int) -> Resolver:
            server = stack.enter_context(host())
            operator = Operator(server.url, secret)
            server.answers[KEYS] = json(operator.keys)
            return Resolver(server, operator, state)

        yield start


def listed(*operators: Operator, **members: Any) -> bytes:
    """Return a list of trusted resolvers with their pinned keys."""
    entries = [{"issuer": each.issuer, "keys": each.keys["keys"]} | members for each in operators]
    return orjson.dumps({"resolvers": entries})
