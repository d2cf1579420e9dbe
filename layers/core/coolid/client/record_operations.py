"""Operations on records, as flows: mint, read, change, withdraw, list, resolve.

Mint requests have an Idempotency-Key, so that they can be repeated after a lost response. Changes have the entity tag
of the version to change.
"""

import re
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from coolid.client.documents import Record, Version, read_document, read_record
from coolid.client.errors import BadAnswer, RefusedByClient, RequestDeclined, ResourceNotFound, Withdrawn
from coolid.client.flows import Flow
from coolid.client.http_request import LINKID, PROBLEM, HttpAnswer
from coolid.client.linkid.linkid_text import read_linkid
from coolid.client.request_url import Pid, pid_of, read, template_of
from coolid.client.resolution import (
    Resolution,
    first_request,
    refuse_representation,
    resolution_of,
    resolve_at,
)
from coolid.client.retries import is_success, with_retries
from coolid.client.service_api import JSON, PAGE_LENGTH, Listing, ServiceApi, query_of

if TYPE_CHECKING:
    from coolid.client.linkid.linkid_options import LinkIdOptions

ETAG: Final = re.compile(r'(W/)?"[!#-~]*"|\*')
"""An entity tag, or `*`, in `If-Match` (RFC 9110, section 13.1.1)."""
MERGE_PATCH: Final = "application/merge-patch+json"


def new_idempotency_key() -> str:
    """Return a random idempotency key."""
    return secrets.token_urlsafe(18)


def mint(api: ServiceApi, document: Mapping[str, object], idempotency_key: str | None = None) -> Flow[Record]:
    """Mint a record. The same idempotency key and document return the same record for a day."""
    headers = {"Idempotency-Key": idempotency_key or new_idempotency_key()}
    return record_of((yield from api.call("POST", "records", document, headers)))


def get(api: ServiceApi, pid: str | Record, version: int | None = None) -> Flow[Record]:
    """Return a record as stored, or an older version of it."""
    found = _pid(api, pid)
    query = f"?version={version}" if version is not None else ""
    return _require_same_host(found, record_of((yield from api.call("GET", f"records/{found.path}{query}"))))


def get_public(api: ServiceApi, pid: str | Record, version: int | None = None) -> Flow[Record]:
    """Return the public representation of a record, or its tombstone. No key is sent."""
    found = _pid(api, pid)
    query = "?format=linkid" + (f"&version={version}" if version is not None else "")
    answer = yield from api.read_public(f"{found.path}{query}", f"{LINKID}, {PROBLEM}", _is_public)
    location = answer.headers.get("location")
    if 300 <= answer.status < 400 and location is not None:
        raise ResourceNotFound(answer.status, {"detail": f"Another service has this record: {location}"})
    return _require_same_host(found, record_of(answer, LINKID))


def update(api: ServiceApi, pid: str | Record, patch: Mapping[str, object], etag: str | None = None) -> Flow[Record]:
    """Change a record by a merge patch (RFC 7396). Without an `etag` of a version, the present one is changed."""
    found, etag = yield from version_to_change(api, pid, etag)
    headers = {"If-Match": etag, "Content-Type": MERGE_PATCH}
    return record_of((yield from api.call("PATCH", f"records/{found.path}", patch, headers)))


def withdraw(
    api: ServiceApi,
    pid: str | Record,
    reason: str,
    successor: str | None = None,
    etag: str | None = None,
    state: str | None = None,
) -> Flow[Record]:
    """Withdraw a record permanently. Return the tombstone."""
    found, etag = yield from version_to_change(api, pid, etag)
    optional = {"successor": successor, "state": state}
    document = {"reason": reason} | {name: value for name, value in optional.items() if value is not None}
    try:
        return record_of((yield from api.call("DELETE", f"records/{found.path}", document, {"If-Match": etag})))
    except RequestDeclined as declined:
        if declined.status != HTTPStatus.CONFLICT or declined.tries == 1:
            raise
        conflict = declined
    stored = yield from get(api, pid)  # the first try may have succeeded, with its response lost
    if stored.withdrawn is None or stored.withdrawn.reason != reason:
        raise conflict
    return stored


def history(api: ServiceApi, pid: str | Record) -> Flow[tuple[Version, ...]]:
    """Return all versions of a record, newest first."""
    found = _pid(api, pid)
    if found.host is not None:
        yield from get(api, pid)  # requires that the record is of that host
    versions: list[Version] = []
    query = ""
    while True:
        page = (yield from api.call("GET", f"history/{found.path}{query}")).json_object()
        listed, following = page.get("versions"), page.get("next")
        if not isinstance(listed, list):
            raise BadAnswer("its body is not a history")
        versions += map(_version, listed)
        if following is None:
            return tuple(versions)
        if not listed or not isinstance(following, str) or query == (query := f"?{query_of({'cursor': following})}"):
            raise BadAnswer("its body is not a page of a history")


def listing(prefix: str, page_length: int = PAGE_LENGTH) -> Listing[Record]:
    """Return the list of the records of the repository that a prefix names."""
    return Listing(Record, "records", "records", {"prefix": prefix}, page_length)


def search_listing(
    words: str = "",
    *,
    prefix: str | None = None,
    status: str | None = None,
    target_host: str | None = None,
    health: str | None = None,
    updated_after: datetime | str | None = None,
    sort: str | None = None,
    page_length: int = PAGE_LENGTH,
) -> Listing[Record]:
    """Return the list of the records that match, newest changes first."""
    if isinstance(updated_after, datetime):
        updated_after = updated_after.astimezone(UTC).isoformat()
    query = {"q": words, "prefix": prefix, "status": status, "target_host": target_host, "health": health}
    query |= {"updated_after": updated_after, "sort": sort or "-updated"}
    given = {name: value for name, value in query.items() if value}
    return Listing(Record, "records", "records", given, page_length, mark="health")


def resolve(
    api: ServiceApi,
    text: str,
    parameters: Mapping[str, str | int | None],
    *,
    accept: str | None = None,
    follow_redirects: bool = False,
    options: "LinkIdOptions | None" = None,
) -> Flow[Resolution]:
    """Resolve a text at the service. No key is sent. A LinkID is resolved as `linkid_service.resolve_linkid` does.

    Raises `RequestDeclined` if the service does not resolve it; `Withdrawn`, whose `problem` is the tombstone, if it
    was withdrawn. The outcome at other hosts, after a redirect, is that of the resolution.
    """
    overrides = {name: None if value is None else str(value) for name, value in parameters.items()}
    linkid = read_linkid(text)
    if linkid is not None:
        from coolid.client.linkid.linkid_service import resolve_linkid  # other identifiers do not need it

        refuse_representation(overrides.get("format"), overrides.get("version"))
        found = yield from resolve_linkid(api, linkid, options or {}, overrides.get("lang"))
        return (yield from resolution_of(found, accept, follow_redirects=follow_redirects, seconds=api.seconds))
    request, template = read(text, overrides), template_of(api.base_url)
    first = first_request(template, request, accept, api.seconds)
    answer = yield from with_retries(first, api.policy, accepted=_is_resolved)
    if answer.status == HTTPStatus.GONE:
        raise Withdrawn(answer.status, answer.json_object())
    return (yield from resolve_at(template, request, first, answer, follow_redirects=follow_redirects))


def _pid(api: ServiceApi, pid: str | Record) -> Pid:
    return pid_of(pid.pid if isinstance(pid, Record) else pid, api.base_url)


def version_to_change(api: ServiceApi, pid: str | Record, etag: str | None) -> Flow[tuple[Pid, str]]:
    """Return the PID, and the entity tag of the version to change: `etag`, that of the record, or the present one.

    Raises `RefusedByClient` for a URL of another host unless the record is of that host, and `BadAnswer` if the
    response had no entity tag.
    """
    found = _pid(api, pid)
    if not etag and isinstance(pid, Record):
        etag = pid.etag
    if not etag or found.host is not None:
        present = yield from get(api, pid)
        etag = etag or required_etag(present.etag)
    return found, etag


def required_etag(etag: str | None) -> str:
    """Return an entity tag. Raises `BadAnswer` if the response had none."""
    if not etag or not ETAG.fullmatch(etag):
        raise BadAnswer("the response has no ETag, without which no change is safe")
    return etag


def _is_public(answer: HttpAnswer) -> bool:
    """Return whether it is a record, a tombstone, or a redirect to another service."""
    is_elsewhere = 300 <= answer.status < 400 and "location" in answer.headers
    return answer.status == HTTPStatus.OK or is_elsewhere or _is_tombstone(answer)


def _is_resolved(answer: HttpAnswer) -> bool:
    """Return whether it is a redirect, a record, a list of alternatives, or a tombstone."""
    return is_success(answer) or 300 <= answer.status < 400 or _is_tombstone(answer)


def _is_tombstone(answer: HttpAnswer) -> bool:
    return answer.status == HTTPStatus.GONE and answer.media_type == LINKID


def record_of(answer: HttpAnswer, kind: str = JSON) -> Record:
    if answer.media_type != kind:
        raise BadAnswer(f"it answers unlike this service ({answer.media_type or 'no media type'})")
    etag = answer.headers.get("etag") if kind == JSON else None
    return read_record(answer.json_object(), etag)


def _version(document: object) -> Version:
    record = read_document(Record, document.get("record") if isinstance(document, dict) else None, "a history")
    return read_document(Version, document, "a history", record=record)


def _require_same_host(requested: Pid, record: Record) -> Record:
    """Return the record. Raises `RefusedByClient` if the requested URL has another host than the record."""
    if not requested.is_of(record.pid):
        raise RefusedByClient(
            f"{requested.host} is another host than this service's, which has {record.pid} under that path"
        )
    return record
