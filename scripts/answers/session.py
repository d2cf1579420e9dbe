"""The session of one recording: sends requests in order, writes each with its response, and stores created names."""

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, Final, TypeVar
from urllib.parse import quote

from scripts.answers.determinism import STEP, Clock, Entropy
from scripts.answers.event import Answer, Request, build_event, parse_answer
from scripts.answers.service import ADMIN_KEY, BASE_URL, Service

LONGEST_TEXT: Final = 4_096
"""Characters of a request's body that are written; of a longer one the digest is."""
THINNED: Final = 40
"""A brief recording sends one request in so many."""
RECORDS: Final = "/api/v1/records"

MISSING: Final = "/missing"
"""The path of a record that could not be created: a recording goes on without it."""
CREATED: Final = 201

Item = TypeVar("Item")


class Paths(dict[str, str]):
    """Paths of records by names; that of one that could not be created is `MISSING`."""

    def __missing__(self, name: str) -> str:
        return MISSING


class Recording:
    """A file of JSON Lines, compressed, which depends on nothing but its lines.

    `groups` and `statuses` count its lines. No answer may contain the text `forbidden`, if one is present.
    """

    def __init__(self, path: Path, forbidden: str = "") -> None:
        self._forbidden = forbidden
        self._file = path.open("wb")
        self._stream = gzip.GzipFile("", "wb", compresslevel=6, fileobj=self._file, mtime=0)
        self.groups: dict[str, int] = {}
        self.statuses: dict[int, int] = {}

    def write(self, number: int, group: str, request: Mapping[str, Any], answer: Answer) -> None:
        """Write a request with its answer."""
        line = {"n": number, "group": group, "request": request, "status": answer.status}
        line |= {"headers": dict(sorted(answer.headers.items())), "body": encode_body(answer.body)}
        text = json.dumps(line, ensure_ascii=False)
        if self._forbidden and self._forbidden in text:
            raise RuntimeError(f"request {number} or its answer contains {self._forbidden}")
        self._stream.write(text.encode("utf-8", "surrogatepass") + b"\n")
        self.groups[group] = self.groups.get(group, 0) + 1
        self.statuses[answer.status] = self.statuses.get(answer.status, 0) + 1

    def close(self) -> None:
        """Finish the file."""
        self._stream.close()
        self._file.close()


class Session:
    """Sends requests to a service. `pids` are the paths of records, and `names` other texts, by what they are."""

    def __init__(self, service: Service, recording: Recording, clock: Clock, entropy: Entropy, *, brief: bool) -> None:
        self.service = service
        self.recording = recording
        self.clock = clock
        self.random = Random()  # noqa: S311 - seeded by each group
        self.pids = Paths()
        self.names = Paths()
        self._entropy = entropy
        self._brief = brief
        self._groups = 0
        self._group = ""
        self._number = 0
        self._position = 0

    @contextmanager
    def group(self, name: str, *, continues: bool = False) -> Iterator[None]:
        """While this lasts, requests belong to a group. It begins at a time of its own unless it continues another."""
        self._group, self._position = name, 0
        self._groups += 1
        self.random.seed(name)
        if not continues:
            self.clock.begin(self._groups)
        yield

    def thin(self, items: Iterable[Item]) -> Sequence[Item]:
        """Return the items, or some of them in a brief recording."""
        listed = list(items)
        return listed[::THINNED] if self._brief else listed

    def sample(self, items: Iterable[Item], count: int) -> Sequence[Item]:
        """Return so many of the items, drawn at random, or fewer in a brief recording."""
        listed = list(items)
        drawn = self.random.sample(listed, min(count, len(listed)))
        return drawn[: max(1, count // THINNED)] if self._brief else drawn

    def send(
        self,
        method: str,
        path: str,
        document: Any = None,
        *,
        query: str = "",
        headers: Mapping[str, str | list[str]] | None = None,
        body: bytes | None = None,
        key: str | None = None,
    ) -> Answer:
        """Send a request with a JSON document or a body, and with an API key if one is present."""
        sent = dict(headers or {})
        if body is None:
            body = b"" if document is None else json.dumps(document).encode()
            if body:
                sent.setdefault("Content-Type", "application/json")
        if key is not None:
            sent["Authorization"] = f"Bearer {key}"
        return self.send_event(build_event(Request(method, path, query, sent, body), self._identifier()))

    def send_event(self, sent: Mapping[str, Any], function: str | None = None) -> Answer:
        """Send an event to its function, or to another."""
        self._number += 1
        self._position += 1
        self.clock.advance(STEP)
        self._entropy.begin(f"{self._group}/{self._position}")
        answer = parse_answer(self.service.invoke(sent, function))
        self.recording.write(self._number, self._group, _describe_event(sent), answer)
        return answer

    def get(
        self, path: str, query: str = "", accept: str | None = None, *, key: str | None = None, **headers: str
    ) -> Answer:
        """Send GET; `headers` with `_` for `-`."""
        sent: dict[str, str | list[str]] = {name.replace("_", "-"): value for name, value in headers.items()}
        if accept is not None:
            sent["Accept"] = accept
        return self.send("GET", path, query=query, headers=sent, key=key)

    def admin(self, method: str, path: str, document: Any = None, **headers: str) -> Answer:
        """Send a request of the administrator; `headers` with `_` for `-`."""
        sent: dict[str, str | list[str]] = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.send(method, path, document, headers=sent, key=ADMIN_KEY)

    def mint(self, prefix: str, name: str = "", **members: Any) -> str:
        """Mint a record and return the path of its PID, and store it under a name if there is one."""
        answer = self.admin("POST", RECORDS, {"prefix": prefix, **members})
        if answer.status != CREATED:
            return MISSING
        path = answer.member("pid").removeprefix(BASE_URL)
        if name:
            self.pids[name] = path
        return path

    def change(self, method: str, path: str, document: Any, tag: str = "*", **headers: str) -> Answer:
        """Change the record at the path of a PID."""
        return self.admin(method, RECORDS + path, document, If_Match=tag, **headers)

    def create_repository(self, *prefixes: str, **members: Any) -> str:
        """Create a repository with prefixes and return its id."""
        made = self.admin("POST", "/api/v1/repositories", {"title": f"Repository of {prefixes[0]}", **members})
        identifier = made.member("id")
        for prefix in prefixes:
            alias = {"kind": "namespace", "repository": identifier, "title": f"Things of {prefix}"}
            self.admin("PUT", f"/api/v1/prefixes/{quote(prefix, safe='/:')}", alias)
        self.names[prefixes[0]] = identifier
        return identifier

    def register_provider(self, prefix: str, *urls: str, **members: Any) -> Answer:
        """Register a prefix of identifiers of another service."""
        providers = [{"code": f"p{position}", "url": url} for position, url in enumerate(urls)]
        document = {"kind": "provider", "providers": providers, **members}
        return self.admin("PUT", f"/api/v1/prefixes/{quote(prefix, safe='/:')}", document)

    def create_client(self, *scopes: str, **members: Any) -> str:
        """Create a client and return its key."""
        return self.admin("POST", "/api/v1/clients", {"scopes": list(scopes), **members}).member("key")

    def _identifier(self) -> str:
        return f"{self._group}/{self._position + 1}"


def encode_body(body: bytes) -> str | dict[str, Any]:
    """Return a body as a text, or the digest and the size of one that is no text.

    >>> encode_body(b"text"), sorted(encode_body(bytes([255])))
    ('text', ['bytes', 'sha256'])
    """
    try:
        return body.decode()
    except UnicodeDecodeError:
        return {"sha256": hashlib.sha256(body).hexdigest(), "bytes": len(body)}


def _describe_event(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a recording holds of an event: all that a client sends."""
    names: tuple[str, ...] = (
        "httpMethod",
        "path",
        "multiValueQueryStringParameters",
        "multiValueHeaders",
        "body",
        "isBase64Encoded",
    )
    if not {"httpMethod", "path"} <= sent.keys():
        names = tuple(sent)
    written = {name: sent[name] for name in names if sent.get(name)}
    body = written.get("body")
    if isinstance(body, str) and len(body) > LONGEST_TEXT:
        digest = hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()
        written["body"] = {"sha256": digest, "characters": len(body)}
    return written
