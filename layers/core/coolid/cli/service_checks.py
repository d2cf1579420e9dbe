"""The checks of `coolid doctor`: whether identifiers can be resolved, minted and verified with a service from here.

Each check is one request, or a few. They write nothing. Without a first HTTP response there are no further checks.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import Any, Final
from urllib.parse import urlsplit

from coolid.cli.connection_checks import Finding, Level, check_certificate, check_name, failed, ok, uses_proxy, warning
from coolid.client.discovery import WELL_KNOWN_PATH, endpoints
from coolid.client.documents import ApiKey
from coolid.client.errors import BadAnswer, ClientError, InvalidKey, RequestDeclined, ServiceUnavailable
from coolid.client.http_request import HttpAnswer, is_unavailable
from coolid.client.proof_sources import fetch_keys, fetch_record
from coolid.client.record_operations import listing
from coolid.client.registry_operations import own_key, prefix_listing
from coolid.client.request_url import Pid, pid_of
from coolid.client.service_api import ServiceApi
from coolid.client.single_request import get, run_alone
from coolid.client.url_policy import is_loopback
from coolid.model.clients import ADMIN
from coolid.proofs.key_sets import KEYS_PATH
from coolid.version import __version__

ARK_PATH: Final = "/.well-known/ark"
_CLOCK_WARNING: Final = 10
_CLOCK_FAILED: Final = 300
"""Seconds of difference. Webhook signatures, and requests signed for AWS, are refused after five minutes."""
_SEARCHED_PREFIXES: Final = 5
_SEARCHED_RECORDS: Final = 100
_JSON: Final = "application/json"
_START: Final = "check the URL, the network and the firewall; `coolid serve` starts a service on this machine"
_NOT_COOLID: Final = "is that the URL of a coolid service, without the path of a page?"
_FORWARD: Final = "let the server before the service forward all paths to it, unchanged"


def check_service(api: ServiceApi, pid: str | None) -> Iterator[Finding]:
    """Yield the findings about a service, and about the proof of a record: that of `pid`, or any that can be found.

    Raises `BadReference` for a text that cannot be a PID.
    """
    base = api.base_url
    requested = pid_of(pid, base) if pid is not None else None
    yield from _check_connection(base)
    health = _get(f"{base}/health", "health")
    if isinstance(health, Finding):
        yield health
        return
    report = _read_report(health)
    yield _check_health(health, report)
    yield _check_clock(health)
    own = _read_own_key(api)
    yield from _check_key(api, own)
    yield _check_description(base)
    yield _check_key_set(base)
    yield _check_ark_path(base)
    scopes = own.scopes if isinstance(own, ApiKey) else ()
    yield _check_proof(api, scopes, requested)
    yield _check_version(report)


def _check_connection(base: str) -> Iterator[Finding]:
    url = urlsplit(base)
    host = url.hostname or ""
    if is_loopback(base):
        yield ok("dns", f"{host} is this machine")
    elif uses_proxy(host):
        yield ok("dns", f"requests go through a proxy of the environment, which resolves {host}")
        return
    else:
        found = check_name(host, url.port or 443)
        yield found
        if found.level is Level.FAILED:
            return
    if url.scheme == "https":
        yield check_certificate(host, url.port or 443)


def _get(url: str, check: str, accept: str = _JSON) -> HttpAnswer | Finding:
    """Return the answer to one request, or the finding that there is none."""
    try:
        return get(url, accept=accept)
    except BadAnswer as error:
        return failed(check, f"{url} does not answer correctly: {error}", _NOT_COOLID)
    except ClientError as error:
        return failed(check, f"{url} cannot be read: {error}", _START)


def _read_report(health: HttpAnswer) -> dict[str, Any] | None:
    """Return the health report of a coolid service, or None for another answer."""
    try:
        document = health.json_object()
    except BadAnswer:
        return None
    return document if isinstance(document.get("checks"), list) else None


def _check_health(answer: HttpAnswer, report: dict[str, Any] | None) -> Finding:
    location = answer.headers.get("location")
    if 300 <= answer.status < 400 and location:
        return failed("health", f"{answer.url} redirects to {location}", "use the URL of the service that it leads to")
    if report is None:
        kind = answer.media_type or "no media type"
        later = "repeat the command in a minute; if it stays so, the service's log has the cause"
        advice = later if is_unavailable(answer.status) else _NOT_COOLID
        detail = f"{answer.url} answers unlike a coolid service (status {answer.status}, {kind})"
        return failed("health", detail, advice)
    states = {str(each.get("name")): each.get("state") for each in report["checks"] if isinstance(each, dict)}
    bad = [f"{name} is {state}" for name, state in states.items() if state != "ok"]
    if answer.status != 200:
        advice = "its operator finds the cause in the service's log; `coolid check` checks a database"
        return failed("health", f"identifiers may not resolve now: {', '.join(bad)}", advice)
    if bad:
        advice = "identifiers resolve, but nothing can be changed; a full disk is a common cause"
        return warning("health", ", ".join(bad), advice)
    return ok("health", f"{', '.join(states)} work")


def _check_clock(answer: HttpAnswer) -> Finding:
    try:
        served = parsedate_to_datetime(answer.headers.get("date", ""))
        seconds = round((served.replace(tzinfo=served.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
    except (ValueError, OverflowError):
        return warning("clock", "the response has no date to compare with", "let no proxy remove the header Date")
    detail = f"the service's clock is {abs(seconds)} s {'ahead of' if seconds > 0 else 'behind'} this machine's"
    if abs(seconds) <= _CLOCK_WARNING:
        return ok("clock", f"the clocks of the service and of this machine agree within {_CLOCK_WARNING} s")
    advice = "set both clocks by NTP: `timedatectl` shows whether a clock is synchronised"
    return (failed if abs(seconds) > _CLOCK_FAILED else warning)("clock", detail, advice)


def _read_own_key(api: ServiceApi) -> ApiKey | ClientError | None:
    """Return what the API key permits, the error, or None without a key or its scopes."""
    try:
        return run_alone(own_key(api)) if api.key else None
    except ClientError as error:
        return error


def _check_key(api: ServiceApi, own: ApiKey | ClientError | None) -> Iterator[Finding]:
    """Yield the findings about the API key; an administrator's key also shows all parts of the service."""
    if not api.key:
        yield ok("key", "no API key is configured; `coolid login` stores one for minting and managing")
    elif isinstance(own, InvalidKey):
        yield failed("key", str(own), "an administrator creates a new one: `coolid keys create`; then `coolid login`")
    elif isinstance(own, ClientError):
        yield failed("key", f"the key could not be checked: {own}", _START)
    elif own is None:
        yield ok("key", "the key is valid; this release shows only administrators what it permits")
    else:
        yield ok("key", f"the key {own.id} is valid; it permits: {', '.join(own.scopes)}")
        if ADMIN in own.scopes:
            yield _check_parts(api)


def _check_parts(api: ServiceApi) -> Finding:
    """Let the service check each of its parts, such as its signing key."""
    try:
        report = _read_report(run_alone(api.call("GET", "health")))
    except ServiceUnavailable as error:
        report = dict(error.problem)
    except ClientError as error:
        return failed("parts", f"the service could not check its parts: {error}", _START)
    checks = [each for each in (report or {}).get("checks", ()) if isinstance(each, dict)]
    bad = [f"{each.get('name')} ({each.get('detail')})" for each in checks if each.get("state") != "ok"]
    if bad or not checks:
        detail = f"not working: {', '.join(bad)}" if bad else "the service could not check its parts"
        return failed("parts", detail, "the service's log has the whole error")
    return ok("parts", f"{', '.join(str(each.get('name')) for each in checks)} work")


def _check_description(base: str) -> Finding:
    url = base + WELL_KNOWN_PATH
    answer = _get(url, "discovery")
    if isinstance(answer, Finding):
        return answer
    try:
        if answer.status != 200:
            raise BadAnswer(f"its status is {answer.status}")
        document = answer.json_object()
        endpoints(document, url)
    except ClientError as error:
        return failed("discovery", f"{url}: {error}", _FORWARD)
    issuer = document.get("issuer")
    if issuer != base:
        advice = f"use {issuer} as the URL, or correct the public base URL of the service, with which all PIDs begin"
        return warning("discovery", f"the issuer of its PIDs is {issuer}, not {base}", advice)
    return ok("discovery", f"{WELL_KNOWN_PATH} describes the resolver {issuer}")


def _check_key_set(base: str) -> Finding:
    answer = _get(base + KEYS_PATH, "keys", "application/jwk-set+json, application/json")
    if isinstance(answer, Finding):
        return answer
    try:
        keys = answer.json_object().get("keys") if answer.status == 200 else None
    except BadAnswer:
        keys = None
    if not isinstance(keys, list):
        return failed("keys", f"{KEYS_PATH} is no key set (status {answer.status})", _FORWARD)
    if not keys:
        return warning("keys", f"{KEYS_PATH} has no key", "it gets one with the first record")
    return ok("keys", f"{KEYS_PATH} has {len(keys)} {'key' if len(keys) == 1 else 'keys'}")


def _check_ark_path(base: str) -> Finding:
    answer = _get(base + ARK_PATH, "ark", "text/plain")
    if isinstance(answer, Finding):
        return answer
    if answer.status != 200 or not answer.body.startswith(b"/"):
        return failed("ark", f"{ARK_PATH} is no path for ARKs (status {answer.status})", _FORWARD)
    return ok("ark", f"{ARK_PATH} is {answer.body.decode('utf-8', 'replace').strip()}")


def _check_proof(api: ServiceApi, scopes: Sequence[str], pid: Pid | None) -> Finding:
    """Check the proof of a record with the service's key set."""
    from coolid.proofs.verification import verify

    try:
        pid = pid or _find_pid(api, scopes)
        if pid is None:
            return warning("proof", "no record was found to verify", "name one: `coolid doctor --pid PID`")
        document = fetch_record(f"{api.base_url}/{pid.path}")
        keys = fetch_keys(api.base_url + KEYS_PATH)
    except ClientError as error:
        return failed("proof", f"no record could be verified: {error}", "`coolid resolve PID` shows each step")
    verdict = verify(document, keys)
    wrong = [check.detail for check in verdict.checks if not check.passed]
    own = document.get("pid") if isinstance(document, dict) else None
    if not wrong and not pid.is_of(str(own)):
        wrong = [f"it is the record {own}"]
    if wrong:
        return failed(
            "proof", f"the proof of {pid.path} fails: {'; '.join(wrong)}", "`coolid verify URL` shows all checks"
        )
    return ok("proof", f"the proof of {own} is valid")


def _find_pid(api: ServiceApi, scopes: Sequence[str]) -> Pid | None:
    """Return the PID of an active record under the prefixes that the key may list, or None."""
    names: Iterable[str] = [each.partition(":")[2] for each in scopes if each.startswith(("mint:", "update:"))]
    if ADMIN in scopes:
        prefixes, _ = run_alone(prefix_listing().page(api, ""))
        names = [each.name for each in prefixes if each.kind == "namespace"]
    for name in islice(names, _SEARCHED_PREFIXES):
        with suppress(RequestDeclined):  # a scope can also be the beginning of prefixes
            records, _ = run_alone(listing(name, _SEARCHED_RECORDS).page(api, ""))
            for record in records:
                if record.status == "active":
                    return pid_of(record.pid, api.base_url)
    return None


def _check_version(report: dict[str, Any] | None) -> Finding:
    release = str((report or {}).get("release"))
    theirs, own = (_major_minor(each) for each in (release, __version__))
    detail = f"the service is coolid {release}, this command {__version__}"
    if theirs is None:
        return warning("version", f"the service names no release; this command is {__version__}", _NOT_COOLID)
    if own is None or theirs == own:
        return ok("version", detail)
    if theirs > own:
        return warning("version", detail, "upgrade this command: `pip install --upgrade coolid`")
    return warning("version", detail, "new commands may not work there; its operator upgrades the service")


def _major_minor(release: str) -> tuple[int, int] | None:
    numbers = re.match(r"(\d+)\.(\d+)", release)
    return (int(numbers[1]), int(numbers[2])) if numbers else None
