"""Fetching what a verification needs: a record, its older versions, and its issuer's keys.

Everything is taken from the very URL that is asked: a redirect is no answer here. Who may say which keys are an
issuer's? The issuer, at its own URL, over HTTPS. So where a record came from its issuer, its keys may come from there
too; where it came from anybody else, whoever verifies has to say whose word they take.

>>> vouches("https://id.example.org/2021/06/mp/tw0t-ywdj-94?lang=en", "https://id.example.org")
True
>>> vouches("https://mirror.example.net/2021/06/mp/tw0t-ywdj-94", "https://id.example.org")
False
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote

from coolid.client.errors import ClientError, RefusedByClient, Unreachable
from coolid.client.http_get import LINKID, HttpAnswer, get, is_unavailable
from coolid.client.url_policy import checked
from coolid.identifiers.schemes import lui
from coolid.proofs.verdicts import CheckOutcome, shown

KEYS_PATH: Final = "/.well-known/jwks.json"
MOST_VERSIONS: Final = 1000

_OK: Final = 200
_GONE: Final = 410


class NotServed(ClientError):
    """The service was reached and says that it has no such thing for the public."""


def is_url(text: str) -> bool:
    """Whether it is for fetching, not the name of a file.

    >>> is_url("HTTPS://id.example.org/a"), is_url("a.json")
    (True, False)
    """
    return text[:8].lower().startswith(("http://", "https://"))


def fetch_record(url: str) -> Any:
    """The record's document at a PID's URL in any spelling; of a withdrawn one the tombstone.

    Raises `NotServed`, or `RefusedByClient`, `Unreachable` and `BadAnswer` as `get` does.
    """
    asked, _, _ = url.partition("#")
    path, _, query = asked.partition("?")
    parameters = [part for part in query.split("&") if part and part.partition("=")[0] != "format"]
    return _fetched(f"{path}?{'&'.join([*parameters, 'format=linkid'])}", LINKID, (_OK, _GONE))


def fetch_older(document: Mapping[str, Any]) -> Iterator[Any]:
    """The documents of the versions before this one, newest first, as far as they are public and not beyond
    `MOST_VERSIONS`. Give it only a document that was verified: its PID is what is asked."""
    version = document["version"]
    for older in range(version - 1, max(0, version - 1 - MOST_VERSIONS), -1):
        try:
            yield fetch_record(f"{document['pid']}?version={older}")
        except (NotServed, RefusedByClient):
            return


def fetch_keys(url: str) -> Any:
    """The key set at a URL; errors as of `fetch_record`."""
    return _fetched(url, "application/jwk-set+json, application/json", (_OK,))


def fetch_issuer_keys(issuer: str) -> Any:
    """The key set that an issuer publishes; errors as of `fetch_record`."""
    return fetch_keys(issuer.rstrip("/") + KEYS_PATH)


def vouches(url: str, issuer: Any) -> bool:
    """Whether a URL is below the issuer's own, so that what came from it came from the issuer."""
    if not isinstance(issuer, str):
        return False
    try:
        return checked(url).startswith(checked(issuer).rstrip("/") + "/")
    except RefusedByClient:
        return False


def asked_check(url: str, document: Any) -> CheckOutcome:
    """Whether the record is the one that the URL asks for, as far as can be told without believing the resolver.

    The PID itself is certain, at a mirror its whole path. Of its own issuer the same local part will do, byte for byte
    or as the same LUI: there the issuer's word is good for what its prefixes mean. From others it proves nothing.
    """
    pid, own, version = (document.get(member) for member in ("pid", "id", "version"))
    path, _, query = url.partition("#")[0].partition("?")
    asked = re.search(r"(?:^|&)version=(\d+)(?:&|$)", query)
    if asked and asked[1] != str(version):
        return CheckOutcome("asked", False, f"version {asked[1]} was asked for, and version {shown(version)} came")
    if not isinstance(pid, str) or not isinstance(own, str):
        return CheckOutcome("asked", False, "the document does not say what it is the record of")
    try:
        if checked(path) == checked(pid):
            return CheckOutcome("asked", True, "the PID is the URL that was asked for")
    except RefusedByClient:
        pass
    local = unquote(path.partition("://")[2].partition("/")[2])
    if isinstance(issuer := document.get("issuer"), str) and local == unquote(pid.removeprefix(issuer).lstrip("/")):
        return CheckOutcome("asked", True, "the PID has the path that was asked for")
    same = own and (local == own or local.endswith(("/" + own, ":" + own)) or _is_same_lui(local, own))
    if same and vouches(url, issuer):
        said = f"{shown(own)} was asked for; that its prefix there means that of {shown(pid)} is the issuer's word"
        return CheckOutcome("asked", True, said)
    return CheckOutcome(
        "asked", False, f"it cannot be told that {shown(url)} means {shown(pid)}; if it does, say --pid"
    )


def _is_same_lui(local: str, own: str) -> bool:
    text = re.split("[/:]", local)[-1]
    symbols = len(lui.compact(own)) - lui.CHECK_DIGITS
    return (
        symbols > 0
        and lui.is_valid(own, symbols)
        and lui.is_valid(text, symbols)
        and lui.compact(text) == lui.compact(own)
    )


def _fetched(url: str, accept: str, statuses: tuple[int, ...]) -> Any:
    """The JSON at a URL; errors name it."""
    try:
        return _json(get(url, accept=accept), statuses)
    except ClientError as error:
        raise type(error)(f"{shown(url)}: {error}") from error


def _json(answer: HttpAnswer, statuses: tuple[int, ...]) -> Any:
    if 300 <= answer.status < 400:
        raise NotServed(f"it redirects to {shown(answer.headers.get('location', 'nowhere'))}, which is not followed")
    if is_unavailable(answer.status):
        raise Unreachable(f"it answers {answer.status}")
    if answer.status not in statuses:
        raise NotServed(f"it answers {answer.status}")
    return answer.json()
