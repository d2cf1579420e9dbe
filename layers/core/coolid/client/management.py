"""A client of a service's management API (`infra/openapi.yaml`).

Mint requests have an Idempotency-Key, so that they can be repeated after a lost response. Updates have the entity tag
of the version to change.

>>> Management("http://example.org").history("demo:x")
Traceback (most recent call last):
...
coolid.client.errors.RefusedByClient: refused http; resolution uses https, except on this machine
"""

import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote, urlencode

from coolid.client.errors import BadAnswer, RefusedByClient, RequestDeclined
from coolid.client.http_request import LINKID, NO_HEADERS, PROBLEM, TIMEOUT_SECONDS, HttpAnswer, send
from coolid.client.request_url import Pid, pid_of
from coolid.client.retries import is_success, with_retries
from coolid.client.url_policy import service_url
from coolid.errors import Unauthenticated
from coolid.model.clients import split_key
from coolid.model.prefixes import as_path
from coolid.strict_json import dump

MERGE_PATCH: Final = "application/merge-patch+json"
JSON: Final = "application/json"
ATOM: Final = "application/atom+xml"
MAX_BYTES: Final = 10_000_000
"""The maximum size of a response body; API Gateway passes no larger one."""

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Stored:
    """A record and its entity tag, which the public representation does not have."""

    record: Document
    etag: str | None = None

    @property
    def pid(self) -> str:
        """Return the canonical PID."""
        return str(self.record["pid"])


@dataclass(frozen=True, slots=True)
class Management:
    """A service at `url`, and an API key for it. `wait` is called with the seconds between two tries.

    A PID can have any spelling, including a URL. The key is sent only over HTTPS, and never to another host. Every
    method raises the errors of `with_retries`, and `BadReference` for a text that cannot be a PID.
    """

    url: str
    key: str | None = field(default=None, repr=False)
    wait: Callable[[float], None] = time.sleep
    seconds: float = TIMEOUT_SECONDS

    @property
    def base_url(self) -> str:
        """Return the URL that all addresses begin with, without a trailing slash."""
        return service_url(self.url)

    def mint(self, document: Mapping[str, Any], idempotency_key: str | None = None) -> Stored:
        """Mint a record. The same idempotency key and document return the same record for a day."""
        headers = {"Idempotency-Key": idempotency_key or new_idempotency_key()}
        return _stored(self._request("POST", "records", document, headers))

    def record(self, pid: str, version: int | None = None) -> Stored:
        """Return a record as stored, or an older version of it."""
        found = pid_of(pid, self.base_url)
        query = f"?version={version}" if version is not None else ""
        return _require_same_host(found, _stored(self._request("GET", f"records/{found.path}{query}")))

    def public(self, pid: str, version: int | None = None) -> Stored:
        """Return the public representation of a record, or its tombstone. No key is sent."""
        found = pid_of(pid, self.base_url)
        query = "?format=linkid" + (f"&version={version}" if version is not None else "")
        headers = {"Accept": f"{LINKID}, {PROBLEM}"}
        answer = self._send("GET", f"{found.path}{query}", headers, accepted=_is_public)
        location = answer.headers.get("location")
        if 300 <= answer.status < 400 and location is not None:
            raise RequestDeclined(answer.status, {"detail": f"Another service has this record: {location}"})
        return _require_same_host(found, _stored(answer, kind=LINKID))

    def patch(self, pid: str, patch: Mapping[str, Any], etag: str) -> Stored:
        """Change a record by a merge patch (RFC 7396)."""
        headers = {"If-Match": etag, "Content-Type": MERGE_PATCH}
        return _stored(self._request("PATCH", f"records/{self._checked_pid(pid).path}", patch, headers))

    def withdraw(self, pid: str, reason: str, etag: str, successor: str | None = None) -> Stored:
        """Withdraw a record permanently. Return the tombstone."""
        document = {"reason": reason} | ({"successor": successor} if successor is not None else {})
        path = f"records/{self._checked_pid(pid).path}"
        try:
            return _stored(self._request("DELETE", path, document, {"If-Match": etag}))
        except RequestDeclined as declined:
            if declined.status != HTTPStatus.CONFLICT or declined.tries == 1:
                raise
            stored = self.record(pid)  # the first try may have succeeded, with its response lost
            withdrawn = stored.record.get("withdrawn")
            if not isinstance(withdrawn, dict) or withdrawn.get("reason") != reason:
                raise
            return stored

    def history(self, pid: str) -> tuple[Document, ...]:
        """Return all versions of a record, newest first, each with `version`, `author` and `record`."""
        document = self._request("GET", f"history/{self._checked_pid(pid).path}").json_object()
        versions = document.get("versions")
        if not isinstance(versions, list) or not all(_is_version(each) for each in versions):
            raise BadAnswer("its body is not a history")
        return tuple(versions)

    def prefix(self, name: str) -> Document:
        """Return the public document of a prefix, which has a `kind`. No key is sent."""
        headers = {"Accept": f"{JSON}, {PROBLEM}"}
        answer = self._send("GET", f"{as_path(name)}?format=json", headers, accepted=lambda answer: answer.status < 400)
        document = answer.json() if answer.status == 200 and answer.media_type == JSON else None
        if not isinstance(document, dict) or document.get("kind") not in ("namespace", "provider"):
            raise RequestDeclined(answer.status, {"detail": f"{name} is not a registered prefix there"})
        return document

    def links(self, prefix: str, states: Sequence[str] = ()) -> Iterator[Document]:
        """Yield the links of a repository's records that are dead, failing or moved, or in one of these states."""
        start: Any = ""
        while isinstance(start, str):
            page = self._request("GET", _report(prefix, states, cursor=start)).json_object()
            found, after = page.get("links"), page.get("next")
            if not isinstance(found, list) or not all(isinstance(each, dict) for each in found) or after in ("", start):
                raise BadAnswer("its body is not a report of links")
            yield from found
            start = after

    def feed(self, prefix: str, states: Sequence[str] = ()) -> str:
        """Return the first page of the same links as an Atom feed."""
        answer = self._request("GET", _report(prefix, states, format="atom"), headers={"Accept": f"{ATOM}, {PROBLEM}"})
        if answer.media_type != ATOM:
            raise BadAnswer("its body is not a feed")
        return answer.body.decode("utf-8", "replace")

    def create_client(self, document: Mapping[str, Any]) -> Document:
        """Create a client. Only this response contains its `key`. The request is not repeated."""
        created = self._request("POST", "clients", document, repeatable=False).json_object()
        if not all(isinstance(created.get(member), str) for member in ("id", "key")):
            raise BadAnswer("its body is not a client")
        return created

    def revoke_client(self, client_id: str) -> Document:
        """Revoke a client's key permanently. Return the client's document."""
        return self._request("DELETE", f"clients/{quote(client_id, safe='')}").json_object()

    def own_client(self) -> Document | None:
        """Return the client of the key with its scopes, or None from a release that shows it only to administrators.

        Raises `RequestDeclined` with status 401 for a key that the service does not accept.
        """
        client_id, _ = split_key(_checked_key(self.key or ""))
        try:
            return self._request("GET", f"clients/{client_id}").json_object()
        except RequestDeclined as declined:
            if declined.status != HTTPStatus.FORBIDDEN:
                raise
            return None

    def _checked_pid(self, pid: str) -> Pid:
        """Return the PID. If it is a URL of another host, raise `RefusedByClient` unless the record is of that host."""
        found = pid_of(pid, self.base_url)
        if found.host is not None:
            self.record(pid)
        return found

    def _request(
        self,
        method: str,
        path: str,
        document: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] = NO_HEADERS,
        *,
        repeatable: bool = True,
    ) -> HttpAnswer:
        """Return the answer of the management API."""
        sent = {"Accept": f"{JSON}, {PROBLEM}"} | ({"Content-Type": JSON} if document is not None else {})
        if self.key is not None:
            sent["Authorization"] = f"Bearer {_checked_key(self.key)}"
        try:
            body = dump(document).encode() if document is not None else b""
        except UnicodeEncodeError:
            raise RefusedByClient("a text in the document is not Unicode") from None
        return self._send(method, f"api/v1/{path}", sent | dict(headers), body, repeatable=repeatable)

    def _send(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes = b"",
        *,
        repeatable: bool = True,
        accepted: Callable[[HttpAnswer], bool] = is_success,
    ) -> HttpAnswer:
        url = f"{self.base_url}/{path}"
        return with_retries(
            lambda: send(method, url, headers, body, max_bytes=MAX_BYTES, seconds=self.seconds),
            repeatable=repeatable,
            accepted=accepted,
            wait=self.wait,
        )


def new_idempotency_key() -> str:
    """Return a random idempotency key."""
    return secrets.token_urlsafe(18)


def _checked_key(key: str) -> str:
    """Return a valid API key. Raises `RefusedByClient`, whose message does not contain the key."""
    try:
        split_key(key)
    except Unauthenticated as error:
        raise RefusedByClient(str(error)) from None
    return key


def _is_public(answer: HttpAnswer) -> bool:
    """Return whether it is a record, a tombstone, or a redirect to another service."""
    is_elsewhere = 300 <= answer.status < 400 and "location" in answer.headers
    return answer.status == 200 or is_elsewhere or (answer.status == HTTPStatus.GONE and answer.media_type == LINKID)


def _is_version(document: Any) -> bool:
    return isinstance(document, dict) and isinstance(document.get("record"), dict)


def _report(prefix: str, states: Sequence[str], **parameters: str) -> str:
    """Return the path of a link report, with pages of the maximum size."""
    query = {"state": ",".join(states), "limit": "1000", **parameters}
    return f"links/{as_path(prefix)}?{urlencode({name: value for name, value in query.items() if value})}"


def _stored(answer: HttpAnswer, kind: str = JSON) -> Stored:
    if answer.media_type != kind:
        raise BadAnswer(f"it answers unlike this service ({answer.media_type or 'no media type'})")
    record = answer.json_object()
    if not isinstance(record.get("pid"), str) or not isinstance(record.get("version"), int):
        raise BadAnswer("its body is not a record")
    return Stored(record, answer.headers.get("etag") if kind == JSON else None)


def _require_same_host(requested: Pid, stored: Stored) -> Stored:
    """Return the record. Raises `RefusedByClient` if the requested URL has another host than the record."""
    if not requested.is_of(stored.pid):
        raise RefusedByClient(
            f"{requested.host} is another host than this service's, which has {stored.pid} under that path"
        )
    return stored
