"""Verification of a record at its service, as a flow: its signature, its earlier versions, and the transparency log.

It makes the checks of `coolid verify URL`. Keys of issuers before or after a transfer of custody come from these.
"""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final, TypedDict

from msgspec.structs import replace

from coolid.client.documents import Record
from coolid.client.errors import ClientError, RefusedByClient, RequestDeclined
from coolid.client.flows import Flow
from coolid.client.http_request import HttpRequest
from coolid.client.proof_sources import MOST_VERSIONS, check_requested, is_from_issuer, other_issuers
from coolid.client.record_operations import get_public
from coolid.client.request_url import pid_of
from coolid.client.retries import RetryPolicy, is_success, with_retries
from coolid.client.service_api import ServiceApi
from coolid.client.transparency.log_requests import LogRequests
from coolid.client.transparency.log_verifier import LogVerifier
from coolid.client.transparency.seen_logs import SeenLogs
from coolid.client.url_policy import checked
from coolid.client.user_state.stored_keys import StoredKeys
from coolid.linkid.trusted_resolvers import TrustedResolvers
from coolid.log.policies import Policy
from coolid.proofs.custody_checks import issuers_of
from coolid.proofs.key_sets import KEYS_PATH
from coolid.proofs.verdicts import CheckOutcome, Verdict, quoted
from coolid.proofs.verification import check_version, verdict_with_history

_KEY_SETS: Final = "application/jwk-set+json, application/json"


class VerificationOptions(TypedDict, total=False):
    """What to trust, and what to verify.

    `keys` is a key set (RFC 7517), in place of the service's own. `resolvers` are trusted resolvers, or their list as
    JSON text; their keys verify the versions of earlier issuers of a record whose custody was transferred, as do keys
    that the user trusts since an earlier resolution. `policy` is the text of a tlog-policy, which then
    requires that the record is in a log. `state` is the folder with what was seen of logs, in place of the user's.
    Without `chain`, no earlier version is verified, and without `log`, no log.
    """

    keys: Mapping[str, Any] | None
    resolvers: TrustedResolvers | str | bytes | None
    policy: str | bytes | None
    state: str | Path | None
    chain: bool
    log: bool


def verify(
    api: ServiceApi,
    pid: str | Record,
    version: int | None,
    *,
    keys: Mapping[str, Any] | None = None,
    resolvers: TrustedResolvers | str | bytes | None = None,
    policy: str | bytes | None = None,
    state: str | Path | None = None,
    chain: bool = True,
    log: bool = True,
) -> Flow[Verdict]:
    """Return the verdict on a record, or on an older version of it. See `VerificationOptions`.

    Raises `ValueError` for a malformed policy, `UsageError` for an invalid list of resolvers or a damaged file in the
    state, and `OSError`.
    """
    trusted = Policy.parse(policy) if policy is not None else None
    document = (yield from get_public(api, pid, version)).document
    requested = _requested(api, pid, version, document)
    issuer = document.get("issuer")
    if keys is None:
        if not is_from_issuer(f"{api.base_url}/", issuer):
            detail = f"the record did not come from its issuer, {quoted(issuer)}; pass the keys to trust"
            return Verdict((requested, CheckOutcome("key", False, detail)))
        keys = (yield from api.read_public(KEYS_PATH.lstrip("/"), _KEY_SETS, is_success)).json_object()
    checks, newest = check_version(document, keys)
    is_good = newest is not None and all(check.passed for check in (requested, *checks))
    older = (yield from _older_versions(api, document)) if chain and is_good else []
    folder = Path(state) if state is not None else None
    stored = StoredKeys(resolvers, folder).of(issuers_of(newest)) if newest is not None else {}
    others = (yield from _other_keys(api, document, stored)) if chain and is_good else {}
    verdict = verdict_with_history([requested, *checks], newest, keys, older, {**others, **stored})
    if not (log and verdict.ok):
        return replace(verdict, complete=verdict.complete and verdict.ok)
    seen = SeenLogs(folder)
    found = yield from LogVerifier(seen, LogRequests(api.seconds, api.policy), trusted).verify(document)
    return replace(verdict, checks=(*verdict.checks, *found.checks), notes=(*verdict.notes, *found.notes))


def inclusion_proof(api: ServiceApi, pid: str | Record, version: int | None) -> Flow[str]:
    """Return the proof that a version is in the log, as text (C2SP tlog-proof). Nothing is verified."""
    found = pid_of(pid.pid if isinstance(pid, Record) else pid, api.base_url)
    query = "?format=tlog-proof" + (f"&version={version}" if version is not None else "")
    answer = yield from api.read_public(f"{found.path}{query}", "text/plain", is_success)
    return answer.body.decode("utf-8", "replace")


def _requested(api: ServiceApi, pid: str | Record, version: int | None, document: Mapping[str, Any]) -> CheckOutcome:
    """Check that the record is the requested one, without trusting the service."""
    if isinstance(pid, Record):
        is_same = pid.pid == document.get("pid")
        detail = "the PID is that of the record" if is_same else f"the record has another PID: {quoted(pid.pid)}"
        requested = CheckOutcome("asked", is_same, detail)
        if not is_same:
            return requested
    query = f"?version={version}" if version is not None else ""
    path = pid_of(pid.pid if isinstance(pid, Record) else pid, api.base_url).path
    return check_requested(f"{api.base_url}/{path}{query}", document)


def _older_versions(api: ServiceApi, document: Mapping[str, Any]) -> Flow[list[Mapping[str, Any]]]:
    """Return the earlier versions of a verified record, newest first, until one is not public."""
    version, older = document["version"], list[Mapping[str, Any]]()
    for number in range(version - 1, max(0, version - 1 - MOST_VERSIONS), -1):
        try:
            older.append((yield from get_public(api, document["pid"], number)).document)
        except (RequestDeclined, RefusedByClient):
            break
    return older


def _other_keys(api: ServiceApi, document: Mapping[str, Any], stored: Collection[str]) -> Flow[dict[str, Any]]:
    """Return the key sets of a verified record's other issuers, as `fetch_other_keys` does."""
    found = {}
    for issuer in other_issuers(document, stored):
        try:
            url = checked(issuer).rstrip("/") + KEYS_PATH
            request = HttpRequest("GET", url, {"Accept": _KEY_SETS}, seconds=api.seconds)
            found[issuer] = (yield from with_retries(request, RetryPolicy(max_tries=1))).json_object()
        except ClientError:
            continue
    return found
