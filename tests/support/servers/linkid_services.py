"""Several `coolid serve` with a repository for LinkIDs each, and clients that request LinkIDs from them."""

import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote

from typer.testing import CliRunner, Result

from coolid.cli import app
from coolid.linkid.states import ACTIVE
from coolid.local.service_files import DATABASE, FOLDER, signing_key_file
from tests.support.servers.coolid_server import Server, prepare, serving
from tests.support.servers.responses import Reply

JSON = "application/json"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
HOPS = 5
"""The redirects that a browser of these tests follows."""


@dataclass(frozen=True)
class LinkIdService:
    """A running service, whose repository with the prefix `linkid` mints UUIDs of version 4."""

    server: Server

    @property
    def url(self) -> str:
        return self.server.url

    @property
    def signing_key(self) -> Path:
        return signing_key_file(self.server.folder / FOLDER / DATABASE)

    def jwks(self) -> Any:
        return self.server.request("GET", "/.well-known/jwks.json").json()

    def admin(self, method: str, path: str, document: Any, **headers: str) -> Reply:
        """Send a request with the administrator's key. Fails unless it succeeds."""
        sent = {"Authorization": f"Bearer {self.server.key}", "Content-Type": JSON} | headers
        reply = self.server.request(method, path, json.dumps(document).encode(), sent)
        assert reply.status < 300, (reply.status, reply.text)
        return reply

    def mint(self, target: str, linkid: str | None = None) -> str:
        """Mint a LinkID, by default a new one, and return it."""
        chosen = {"id": linkid.partition(":")[2]} if linkid else {}
        minted = self.admin("POST", "/api/v1/records", {"prefix": "linkid", "uri": target} | chosen).json()
        return str(minted["pid"].removeprefix(f"{self.url}/"))

    def change(self, linkid: str, target: str) -> None:
        path = f"/api/v1/records/{linkid}"
        headers = {"Authorization": f"Bearer {self.server.key}"}
        tag = self.server.request("GET", path, headers=headers).headers["etag"]
        self.admin("PATCH", path, {"records": [{"uri": target}]}, **{"If-Match": tag})

    def resolve(self, linkid: str) -> Reply:
        """Request the resolution result as section 5.3 of the draft says."""
        return self.server.request("GET", f"/resolve/{quote(linkid, safe='')}", headers={"Accept": JSON})

    def redirect(self, linkid: str) -> str | None:
        """Return where a browser is sent, or None."""
        reply = self.server.request("GET", f"/{linkid}", headers={"Accept": BROWSER})
        return reply.headers.get("location") if 300 <= reply.status < 400 else None

    def command(self, *arguments: str) -> Result:
        """Run `coolid` as the administrator of this service."""
        return command(self.server.folder, *arguments, COOLID_URL=self.url, COOLID_KEY=self.server.key)


def command(folder: Path, *arguments: str, **environment: str) -> Result:
    """Run `coolid` in this process, with its configuration and state in a folder."""
    homes = {name: str(folder / name.lower()) for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME")}
    return CliRunner().invoke(app, arguments, env=homes | environment)


@contextmanager
def linkid_service(folder: Path, *arguments: str, ttl: int = 1) -> Iterator[LinkIdService]:
    """A service in a new folder. Its LinkIDs have a lifetime of `ttl` seconds."""
    folder.mkdir(exist_ok=True)
    prepare(folder)
    with serving(folder, "--no-demo", *arguments) as server:
        service = LinkIdService(server)
        rules = {"title": "LinkIDs", "scheme": "uuid", "rules": {"version": 4}, "ttl": ttl}
        repository = service.admin("POST", "/api/v1/repositories", rules).json()["id"]
        service.admin("PUT", "/api/v1/prefixes/linkid", {"kind": "namespace", "repository": repository})
        yield service


@dataclass(frozen=True)
class LinkIdClient:
    """A user who trusts one issuer, whose keys are pinned, wherever the results come from."""

    folder: Path
    trusted: Mapping[str, Any]

    def resolve(self, linkid: str, resolver: str) -> tuple[int, str | None, str]:
        """Run `coolid resolve` with a resolver. Return the exit code, the target, and all that was printed."""
        file = self._resolvers(endpoint=f"{resolver}/resolve/{{identifier}}")
        done = command(self.folder, "resolve", linkid, "--resolvers", file, "--no-follow", "--json")
        return done.exit_code, json.loads(done.stdout).get("target"), done.output

    def verify(self, url: str, issuer: str) -> Result:
        """Run `coolid verify` for a record of this issuer, with the pinned keys for earlier versions."""
        return command(self.folder, "verify", url, "--issuer", issuer, "--resolvers", self._resolvers())

    def _resolvers(self, **members: str) -> str:
        return str(resolvers_file(self.folder / "resolvers.json", [{**self.trusted, **members}]))


def resolvers_file(path: Path, resolvers: Iterable[Mapping[str, Any]]) -> Path:
    """Write a list of trusted resolvers, which clients and services read."""
    path.write_text(json.dumps({"resolvers": [*resolvers]}), encoding="utf-8")
    return path


def pinned(service: LinkIdService, **members: Any) -> dict[str, Any]:
    """Return the entry of a service in a list of trusted resolvers, with its keys."""
    return {"issuer": service.url, "keys": service.jwks()["keys"], **members}


@dataclass
class Traffic:
    """Requests of one LinkID in a loop, from one thread for each service and each kind of client.

    `targets` has the answers of each loop in order: the target, or a description of the failure.
    """

    linkid: str
    services: Mapping[str, LinkIdService]
    targets: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    _stopped: threading.Event = field(default_factory=threading.Event)
    _progress: threading.Condition = field(default_factory=threading.Condition)

    @contextmanager
    def running(self) -> Iterator[None]:
        loops = [(name, kind) for name in self.services for kind in (JSON, BROWSER)]
        self.targets.update({loop: [] for loop in loops})
        with ThreadPoolExecutor(len(loops)) as threads:
            for loop in loops:
                threads.submit(self._loop, *loop)
            try:
                yield
            finally:
                self._stopped.set()

    def wait(self, count: int = 3) -> None:
        """Wait until each loop has so many more answers."""
        wanted = {loop: len(targets) + count for loop, targets in self.targets.items()}
        with self._progress:
            reached = self._progress.wait_for(lambda: all(len(self.targets[x]) >= wanted[x] for x in wanted), 60)
        assert reached, self.targets

    def wait_for(self, target: str) -> None:
        """Wait until the newest answer of each loop is this target."""
        with self._progress:
            reached = self._progress.wait_for(lambda: {each[-1] for each in self.targets.values()} == {target}, 60)
        assert reached, self.targets

    def distinct_answers(self) -> set[str]:
        return {target for targets in self.targets.values() for target in targets}

    def _loop(self, name: str, kind: str) -> None:
        while not self._stopped.is_set():
            answer = self._target(name, kind)
            with self._progress:
                self.targets[name, kind].append(answer)
                self._progress.notify_all()
            self._stopped.wait(0.05)

    def _target(self, name: str, kind: str) -> str:
        """Return the target of one request, or what went wrong."""
        try:
            return self._from(name, kind)
        except (OSError, HTTPException, ValueError) as error:
            return f"{type(error).__name__}: {error}"

    def _from(self, name: str, kind: str) -> str:
        """Follow answers that lead to another service, and return the first target elsewhere."""
        urls = {f"{service.url}/{self.linkid}": service for service in self.services.values()}
        location = f"{self.services[name].url}/{self.linkid}"
        for _ in range(HOPS):
            if location not in urls:
                return location
            service = urls[location]
            followed = service.redirect(self.linkid) if kind == BROWSER else self._result_of(service)
            if followed is None:
                return f"no redirect from {location}"
            location = followed
        return f"more than {HOPS} redirects"

    def _result_of(self, service: LinkIdService) -> str:
        reply = service.resolve(self.linkid)
        result = reply.json()
        if (reply.status, result.get("id"), result.get("status")) == (200, self.linkid, ACTIVE):
            return str(result["target_url"])
        return f"{reply.status} {reply.text}"
