"""Managing: the management API of a service, as its clients use it.

`infra/openapi.yaml` describes its calls. Mints carry an Idempotency-Key, so that they can be sent again when the answer
was lost; changes carry the tag of the version that their author saw.

>>> Management("http://example.org").history("demo:x")
Traceback (most recent call last):
...
coolid.client.errors.RefusedByClient: refused http; resolution uses https, except on this machine
"""

import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote, urlencode

from coolid.client.errors import BadAnswer, RefusedByClient
from coolid.client.http_get import SECONDS, HttpAnswer
from coolid.client.http_send import PROBLEM, RequestDeclined, document_of, is_done, send_until_answered
from coolid.client.pids import Pid, pid_of
from coolid.client.url_policy import checked
from coolid.model.prefixes import as_path
from coolid.strict_json import dump

LINKID: Final = "application/linkid+json"
MERGE_PATCH: Final = "application/merge-patch+json"
JSON: Final = "application/json"
ATOM: Final = "application/atom+xml"

_CONFLICT: Final = 409
_GONE: Final = 410
_ROOT: Final = "/api/v1/"

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Stored:
    """A record as the service has it, and the tag to change it by (of what is public there is none)."""

    record: Document
    etag: str | None = None

    @property
    def pid(self) -> str:
        """Its canonical link."""
        return str(self.record["pid"])


@dataclass(frozen=True, slots=True)
class Management:
    """A service, by the `url` it begins with, and the API key that opens it; `wait` is called between two tries.

    PIDs may be given in any spelling, as a URL too. Every call raises `RequestDeclined` where the service says no,
    `Unreachable` where it cannot be reached or cannot answer now, `BadAnswer` where something else answers, `RefusedByClient`
    for what is not asked, `BadReference` for what cannot be a PID.
    """

    url: str
    key: str | None = field(default=None, repr=False)
    wait: Callable[[float], None] = time.sleep
    seconds: float = SECONDS

    @property
    def base_url(self) -> str:
        """The URL that all addresses begin with, without a slash at its end."""
        url = checked(self.url)
        if "?" in url or "#" in url:
            raise RefusedByClient("the URL of a service has no query and no fragment")
        return url.rstrip("/")

    def mint(self, document: Mapping[str, Any], idempotency_key: str | None = None) -> Stored:
        """Mint a record; with a key that was used for the same document in the last day, it is the same record."""
        headers = {"Idempotency-Key": idempotency_key or new_idempotency_key()}
        return _stored(self._ask("POST", "records", document, headers))

    def record(self, pid: str, version: int | None = None) -> Stored:
        """The record as it is stored, or an older version of it."""
        name = pid_of(pid, self.base_url)
        stored = _stored(self._ask("GET", _within("records", name, version)))
        _demand_same(name, stored.record)
        return stored

    def public(self, pid: str, version: int | None = None) -> Stored:
        """The record as everybody may see it, a tombstone too; no key is sent."""
        name = pid_of(pid, self.base_url)
        query = f"?format=linkid&version={version}" if version is not None else "?format=linkid"
        headers = {"Accept": f"{LINKID}, {PROBLEM}"}
        answer = self._send("GET", f"{self.base_url}/{name.path}{query}", headers, key=None, accepted=_is_public)
        location = answer.headers.get("location")
        if 300 <= answer.status < 400 and location is not None:
            raise RequestDeclined(answer.status, {"detail": f"It is not kept here, but at {location}"})
        stored = _stored(answer, kind=LINKID)
        _demand_same(name, stored.record)
        return stored

    def patch(self, pid: str, patch: Mapping[str, Any], etag: str) -> Stored:
        """Change a record by a merge patch (RFC 7396)."""
        headers = {"If-Match": etag, "Content-Type": MERGE_PATCH}
        return _stored(self._ask("PATCH", _within("records", self._meant(pid)), patch, headers))

    def withdraw(self, pid: str, reason: str, etag: str, successor: str | None = None) -> Stored:
        """Withdraw a record, for good: the tombstone."""
        document = {"reason": reason} | ({"successor": successor} if successor is not None else {})
        path = _within("records", self._meant(pid))
        try:
            return _stored(self._ask("DELETE", path, document, {"If-Match": etag}))
        except RequestDeclined as declined:
            if declined.status != _CONFLICT or declined.tries == 1:
                raise
            stored = self.record(pid)  # done perhaps, only that the first answer was lost
            withdrawn = stored.record.get("withdrawn")
            if not isinstance(withdrawn, dict) or withdrawn.get("reason") != reason:
                raise
            return stored

    def history(self, pid: str) -> tuple[Document, ...]:
        """All versions of a record, the newest first, each a `version` with its `author` and the `record` as it was."""
        document = document_of(self._ask("GET", _within("history", self._meant(pid))))
        versions = document.get("versions")
        if not isinstance(versions, list) or not all(_is_version(each) for each in versions):
            raise BadAnswer("its body is not a history")
        return tuple(versions)

    def prefix(self, name: str) -> Document:
        """A prefix as everybody may see it, of a `kind`; no key is sent."""
        url = f"{self.base_url}/{as_path(name)}?format=json"
        headers = {"Accept": f"{JSON}, {PROBLEM}"}
        answer = self._send("GET", url, headers, key=None, accepted=lambda answer: answer.status < 400)
        document = answer.json() if answer.status == 200 and answer.media_type == JSON else None
        if not isinstance(document, dict) or document.get("kind") not in ("namespace", "provider"):
            raise RequestDeclined(answer.status, {"detail": f"{name} is no prefix that is registered there"})
        return document

    def links(self, prefix: str, states: Sequence[str] = ()) -> Iterator[Document]:
        """The links of a repository's records that are dead, failing or have moved, or are in one of these states."""
        at: Any = ""
        while isinstance(at, str):
            page = document_of(self._ask("GET", _links(prefix, states, cursor=at)))
            found, behind = page.get("links"), page.get("next")
            if not isinstance(found, list) or not all(isinstance(each, dict) for each in found) or behind in ("", at):
                raise BadAnswer("its body is not a report of links")
            yield from found
            at = behind

    def feed(self, prefix: str, states: Sequence[str] = ()) -> str:
        """The Atom feed of the same, as much of it as is on a page."""
        answer = self._ask("GET", _links(prefix, states, format="atom"), headers={"Accept": f"{ATOM}, {PROBLEM}"})
        if answer.media_type != ATOM:
            raise BadAnswer("its body is not a feed")
        return answer.body.decode("utf-8", "replace")

    def create_client(self, document: Mapping[str, Any]) -> Document:
        """Create a client; its `key` is told this once. It is not sent again when the answer is lost."""
        created = document_of(self._ask("POST", "clients", document, repeatable=False))
        if not all(isinstance(created.get(member), str) for member in ("id", "key")):
            raise BadAnswer("its body is not a client")
        return created

    def revoke_client(self, client_id: str) -> Document:
        """Revoke a client's key, for good; the client as it is now."""
        return document_of(self._ask("DELETE", f"clients/{quote(client_id, safe='')}"))

    def _meant(self, pid: str) -> Pid:
        """The PID; where it is the URL of another host, only if the record says that it is of there."""
        if pid_of(pid, self.base_url).host is not None:
            self.record(pid)
        return pid_of(pid, self.base_url)

    def _ask(
        self,
        method: str,
        path: str,
        document: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        repeatable: bool = True,
    ) -> HttpAnswer:
        """The answer of the management API."""
        sent = {"Accept": f"{JSON}, {PROBLEM}"} | ({"Content-Type": JSON} if document is not None else {})
        try:
            body = dump(document).encode() if document is not None else b""
        except UnicodeEncodeError:
            raise RefusedByClient("a text in the document is not Unicode") from None
        url = f"{self.base_url}{_ROOT}{path}"
        return self._send(method, url, sent | dict(headers or {}), body, key=self.key, repeatable=repeatable)

    def _send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes = b"",
        *,
        key: str | None,
        repeatable: bool = True,
        accepted: Callable[[HttpAnswer], bool] = is_done,
    ) -> HttpAnswer:
        return send_until_answered(
            method,
            url,
            key=key,
            headers=headers,
            body=body,
            repeatable=repeatable,
            accepted=accepted,
            wait=self.wait,
            seconds=self.seconds,
        )


def new_idempotency_key() -> str:
    """A key that nobody else draws."""
    return secrets.token_urlsafe(18)


def _is_public(answer: HttpAnswer) -> bool:
    """Whether it is a record, a tombstone, or says who else keeps it."""
    is_elsewhere = 300 <= answer.status < 400 and "location" in answer.headers
    return answer.status == 200 or is_elsewhere or (answer.status == _GONE and answer.media_type == LINKID)


def _is_version(document: Any) -> bool:
    return isinstance(document, dict) and isinstance(document.get("record"), dict)


def _links(prefix: str, states: Sequence[str], **asked: str) -> str:
    """The address of a report, of as many on a page as there can be."""
    given = {"state": ",".join(states), "limit": "1000", **asked}
    return f"links/{as_path(prefix)}?{urlencode({name: value for name, value in given.items() if value})}"


def _within(collection: str, pid: Pid, version: int | None = None) -> str:
    return f"{collection}/{pid.path}" + (f"?version={version}" if version is not None else "")


def _stored(answer: HttpAnswer, kind: str = JSON) -> Stored:
    if answer.media_type != kind:
        raise BadAnswer(f"it answers unlike this service ({answer.media_type or 'no media type'})")
    record = document_of(answer)
    if not isinstance(record.get("pid"), str) or not isinstance(record.get("version"), int):
        raise BadAnswer("its body is not a record")
    return Stored(record, answer.headers.get("etag") if kind == JSON else None)


def _demand_same(asked: Pid, record: Document) -> None:
    if not asked.is_of(record["pid"]):
        raise RefusedByClient(
            f"{asked.host} is another host than this service's, which has {record['pid']} under that path"
        )
