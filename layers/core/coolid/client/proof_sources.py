"""Requests for the inputs of a verification: a record, its older versions, and its issuer's keys.

Redirects are not followed. Only the issuer's own URL, over HTTPS, is a source of its keys. A record that came from its
issuer is therefore verified with the keys from there. For a record from another host, the user names the issuer or
the keys.

>>> is_from_issuer("https://id.example.org/2021/06/mp/tw0t-ywdj-94?lang=en", "https://id.example.org")
True
>>> is_from_issuer("https://mirror.example.net/2021/06/mp/tw0t-ywdj-94", "https://id.example.org")
False
"""

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import unquote

from coolid.client.errors import ClientError, NotServed, RefusedByClient, Unreachable
from coolid.client.http_request import LINKID, HttpAnswer, is_unavailable
from coolid.client.single_request import get
from coolid.client.url_policy import checked
from coolid.identifiers.schemes import linkid, lui, uuid
from coolid.model.custody import stated_custody
from coolid.proofs.key_sets import KEYS_PATH
from coolid.proofs.verdicts import CheckOutcome, quoted

MOST_VERSIONS: Final = 1000
MOST_ISSUERS: Final = 16


def is_url(text: str) -> bool:
    """Return whether the text is an HTTP URL, not the name of a file.

    >>> is_url("HTTPS://id.example.org/a"), is_url("a.json")
    (True, False)
    """
    return text[:8].lower().startswith(("http://", "https://"))


def fetch_record(url: str) -> Any:
    """Return the record or tombstone at a PID's URL in any spelling. Raises `NotServed` and the errors of `get`."""
    target, _, _ = url.partition("#")
    path, _, query = target.partition("?")
    parameters = [part for part in query.split("&") if part and part.partition("=")[0] != "format"]
    return _fetch_json(f"{path}?{'&'.join([*parameters, 'format=linkid'])}", LINKID, (HTTPStatus.OK, HTTPStatus.GONE))


def fetch_older(document: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the earlier versions of a record, newest first, at most `MOST_VERSIONS`, until one is not public.

    The document must be verified, because the requests go to its PID.
    """
    version = document["version"]
    for older in range(version - 1, max(0, version - 1 - MOST_VERSIONS), -1):
        try:
            yield fetch_record(f"{document['pid']}?version={older}")
        except (NotServed, RefusedByClient):
            return


def fetch_keys(url: str) -> Any:
    """Return the key set at a URL. Raises the errors of `fetch_record`."""
    return _fetch_json(url, "application/jwk-set+json, application/json", (HTTPStatus.OK,))


def fetch_issuer_keys(issuer: str) -> Any:
    """Return the key set that an issuer publishes. Raises the errors of `fetch_record`."""
    return fetch_keys(issuer.rstrip("/") + KEYS_PATH)


def fetch_other_keys(document: Mapping[str, Any], stored: Collection[str] = ()) -> dict[str, Any]:
    """Return the key sets of a record's other issuers, before and after transfers of its custody, by issuer.

    Nothing is requested from issuers whose keys are `stored`.

    Each comes from the issuer's own URL. One that cannot be fetched is left out, because that service may be gone. The
    document must be verified, because the requests go to the issuers that it names.
    """
    found = {}
    for issuer in other_issuers(document, stored):
        with suppress(ClientError):
            found[issuer] = fetch_issuer_keys(issuer)
    return found


def other_issuers(document: Mapping[str, Any], stored: Collection[str] = ()) -> tuple[str, ...]:
    """Return the issuers that a record's transfers name beside its own and those `stored`, at most `MOST_ISSUERS`.

    >>> transfer = {"from": "https://a.example", "to": "https://b.example", "at": "", "version": 3, "acceptance": ""}
    >>> other_issuers({"issuer": "https://b.example", "metadata": {"linkid": {"transfers": [transfer]}}})
    ('https://a.example',)
    """
    transfers = stated_custody(document).transfers
    named = dict.fromkeys(issuer for each in transfers for issuer in (each.sender, each.recipient))
    return tuple(issuer for issuer in named if issuer not in (document.get("issuer"), *stored))[-MOST_ISSUERS:]


def is_from_issuer(url: str, issuer: Any) -> bool:
    """Return whether a URL is below the issuer's own, so that its documents come from the issuer."""
    if not isinstance(issuer, str):
        return False
    try:
        return checked(url).startswith(checked(issuer).rstrip("/") + "/")
    except RefusedByClient:
        return False


def check_requested(url: str, document: Any) -> CheckOutcome:
    """Check that the record is the one that the URL names, without trusting the resolver.

    The URL must be the PID, or have its whole path at a mirror. At the issuer's own URL the same local part suffices,
    byte for byte, as the same LUI or as the same LinkID, because the issuer defines its prefixes.
    """
    pid, own, version = (document.get(member) for member in ("pid", "id", "version"))
    path, _, query = url.partition("#")[0].partition("?")
    requested = re.search(r"(?:^|&)version=(\d+)(?:&|$)", query)
    if requested and requested[1] != str(version):
        return CheckOutcome("asked", False, f"the record has version {quoted(version)}, not {requested[1]}")
    if not isinstance(pid, str) or not isinstance(own, str):
        return CheckOutcome("asked", False, "the document has no pid or no id")
    try:
        if checked(path) == checked(pid):
            return CheckOutcome("asked", True, "the PID is the requested URL")
    except RefusedByClient:
        pass
    local = unquote(path.partition("://")[2].partition("/")[2])
    if isinstance(issuer := document.get("issuer"), str) and local == unquote(pid.removeprefix(issuer).lstrip("/")):
        return CheckOutcome("asked", True, "the PID has the requested path")
    same = own and (local == own or local.endswith(("/" + own, ":" + own)) or _is_same_id(local, own))
    if same and is_from_issuer(url, issuer):
        detail = f"{quoted(own)} was requested; the issuer says that its prefix is that of {quoted(pid)}"
        return CheckOutcome("asked", True, detail)
    return CheckOutcome("asked", False, f"nothing shows that {quoted(url)} means {quoted(pid)}; if it does, use --pid")


def _is_same_id(local: str, own: str) -> bool:
    """Return whether a path ends with another spelling of a LUI or LinkID."""
    text = re.split("[/:]", local)[-1]
    if linkid.is_valid(linkid.LABEL + text):  # the same UUID has no hyphens under `lid`
        return uuid.is_valid(own) and uuid.compact(text) == uuid.compact(own)
    symbols = len(lui.compact(own)) - lui.CHECK_DIGITS
    return (
        symbols > 0
        and lui.is_valid(own, symbols)
        and lui.is_valid(text, symbols)
        and lui.compact(text) == lui.compact(own)
    )


def _fetch_json(url: str, accept: str, statuses: tuple[int, ...]) -> Any:
    """Return the JSON at a URL. The messages of errors begin with the URL."""
    try:
        answer = get(url, accept=accept)
        if answer.status in statuses:
            return answer.json()
        raise _error_of(answer)
    except ClientError as error:
        raise type(error)(f"{quoted(url)}: {error}") from error


def _error_of(answer: HttpAnswer) -> ClientError:
    if 300 <= answer.status < 400:
        location = quoted(answer.headers.get("location", "nowhere"))
        return NotServed(f"it redirects to {location}, which is not followed")
    kind = Unreachable if is_unavailable(answer.status) else NotServed
    return kind(f"it answers {answer.status}")
