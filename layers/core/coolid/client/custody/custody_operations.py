"""Operations on the custody of records, as flows: offer, revoke and accept.

The operator who has a record offers it to a recipient, or revokes the offer. The recipient accepts it at the
recipient's own service, which requests everything else from the sender. Each operation can be repeated: what is done
already is returned as it is.
"""

from http import HTTPStatus
from typing import Final

from coolid.client.documents import Record
from coolid.client.errors import RequestDeclined
from coolid.client.flows import Flow
from coolid.client.record_operations import get, record_of, version_to_change
from coolid.client.service_api import JSON, ServiceApi, body_of
from coolid.client.url_policy import service_url
from coolid.errors import BadReference, InvalidIdentifier
from coolid.identifiers.schemes import linkid
from coolid.model.custody import Custody, custody_of

ACCEPT_SECONDS: Final = 60.0
"""The least time limit of an acceptance, because the recipient's service sends several requests to the sender."""
_CONFLICTS: Final = (HTTPStatus.CONFLICT, HTTPStatus.PRECONDITION_FAILED)


def offer(api: ServiceApi, pid: str | Record, to: str, etag: str | None = None) -> Flow[Record]:
    """Offer a record to the service with the base URL `to`. Return the version with the offer."""
    recipient = service_url(to)
    found, etag = yield from version_to_change(api, pid, etag)
    try:
        answer = yield from api.call("PUT", f"custody/{found.path}", {"to": recipient}, {"If-Match": etag})
    except RequestDeclined as declined:
        stored, custody = yield from _after_conflict(api, pid, declined)
        if custody.offer is None or custody.offer.to != recipient:
            raise
        return stored
    return record_of(answer)


def revoke(api: ServiceApi, pid: str | Record, etag: str | None = None) -> Flow[Record]:
    """Revoke the offer of a record. Return the version without it."""
    found, etag = yield from version_to_change(api, pid, etag)
    try:
        answer = yield from api.call("DELETE", f"custody/{found.path}", headers={"If-Match": etag})
    except RequestDeclined as declined:
        stored, custody = yield from _after_conflict(api, pid, declined)
        if custody.offer is not None or custody.transfer_by(stored.issuer) is not None:
            raise
        return stored
    return record_of(answer)


def accept(api: ServiceApi, linkid_uri: str, sender: str) -> Flow[Record]:
    """Accept a LinkID that the service with the base URL `sender` offers to this one. Return the record here."""
    document = {"linkid": canonical_linkid(linkid_uri), "from": service_url(sender)}
    headers = {"Content-Type": JSON}
    answer = yield from api.call_raw("POST", "custody/acceptances", body_of(document), headers, seconds=ACCEPT_SECONDS)
    return record_of(answer)


def canonical_linkid(text: str) -> str:
    """Return the canonical form of a LinkID. Raises `BadReference`.

    >>> canonical_linkid("LINKID:00C538EA-846B-47A6-A3D4-70A9EBD29D7C")
    'linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c'
    """
    try:
        return linkid.canonical(text)
    except InvalidIdentifier as error:
        raise BadReference(str(error)) from None


def _after_conflict(api: ServiceApi, pid: str | Record, declined: RequestDeclined) -> Flow[tuple[Record, Custody]]:
    """Return the present record and its custody, because an earlier try may have succeeded with its response lost.

    Raises the error itself if there was one try only, or if it is no conflict.
    """
    if declined.tries == 1 or declined.status not in _CONFLICTS:
        raise declined
    stored = yield from get(api, pid)
    return stored, custody_of(stored.metadata)
