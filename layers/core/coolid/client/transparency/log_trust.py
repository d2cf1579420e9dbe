"""The trust in a log: by a policy that the user chose, or by the key that the service named at the first use.

A service that names another key later, or no log any more, fails: the message says how to accept the change.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.client.flows import Flow
from coolid.client.transparency.log_requests import LogRequests
from coolid.client.transparency.seen_logs import SeenLog, SeenLogs
from coolid.errors import UsageError
from coolid.log.entries import LOG_PATH, origin_of
from coolid.log.policies import Policy
from coolid.proofs.verdicts import CheckOutcome, FailedCheck, quoted

LOG: Final = "log"


class LogTrust(Struct, frozen=True):
    """The policy to apply, and the check of where it is from; `urls` are where logs are served, by their origins.

    `is_chosen` is true if the user chose the policy.
    """

    policy: Policy
    outcome: CheckOutcome
    urls: Mapping[str, str]
    is_chosen: bool = False
    notes: tuple[str, ...] = ()


def chosen_trust(policy: Policy, issuer: str) -> LogTrust:
    """Return the trust in the logs of a policy that the user chose."""
    urls = {origin_of(issuer): issuer + LOG_PATH} | {log.key.name: log.url for log in policy.logs if log.url}
    return LogTrust(policy, CheckOutcome(LOG, True, "the chosen policy names the logs to trust"), urls, True)


def offline_trust(issuer: str, seen_logs: SeenLogs) -> LogTrust:
    """Return the trust in a log that this user saw before. Raises `UsageError` for a log that was never seen."""
    seen = seen_logs.read(origin_of(issuer))
    if seen is None:
        raise UsageError(f"this user never saw the log {quoted(origin_of(issuer))}: name its key by --policy FILE")
    return _seen_trust(seen, seen.url)


def online_trust(issuer: str, seen_logs: SeenLogs, requests: LogRequests) -> Flow[LogTrust | None]:
    """Return the trust in the log that an issuer names, or None if it has no log, and none was seen before.

    Raises `FailedCheck` if the issuer names another key than before, `MalformedData`, and the errors of requests.
    """
    origin = origin_of(issuer)
    seen = seen_logs.read(origin)
    advertised = yield from requests.advertised(issuer)
    if advertised is None:
        if seen is None:
            return None
        detail = f"the service no longer names a log; this user saw {quoted(origin)}"
        raise FailedCheck(LOG, f"{detail}. {_remedy(seen_logs, origin)}")
    if seen is None:
        detail = f"first use: {_keys_of(advertised.policy)} is trusted from now on, because the service names it"
        return LogTrust(advertised.policy, CheckOutcome(LOG, True, detail), {origin: advertised.url})
    trust = _seen_trust(seen, advertised.url)
    if not {log.key for log in advertised.policy.logs} & {log.key for log in trust.policy.logs}:
        keys = f"{_keys_of(advertised.policy)}, where this user trusts {_keys_of(trust.policy)}"
        raise FailedCheck(LOG, f"THE KEY OF THE LOG CHANGED: the service names {keys}. {_remedy(seen_logs, origin)}")
    return trust if seen.is_chosen else replace(trust, notes=_differences(advertised.policy, trust.policy))


def _remedy(seen_logs: SeenLogs, origin: str) -> str:
    path = seen_logs.path(origin)
    return f"If you know from its operator that this is intended, name the new key by --policy, or remove {path}"


def _seen_trust(seen: SeenLog, url: str) -> LogTrust:
    outcome = CheckOutcome(LOG, True, "the key of the log is the one that this user trusts already")
    return LogTrust(Policy.parse(seen.policy), outcome, {seen.origin: url}, seen.is_chosen)


def _keys_of(policy: Policy) -> str:
    return ", ".join(quoted(str(log.key)) for log in policy.logs)


def _differences(named: Policy, trusted: Policy) -> tuple[str, ...]:
    """Return notes on what a service changed in its policy since the first use."""
    notes = [
        f"the service names a new key of its log, too: {quoted(str(log.key))}; it is not trusted yet"
        for log in named.logs
        if log.key not in {each.key for each in trusted.logs}
    ]
    if replace(named, logs=()) != replace(trusted, logs=()):
        notes.append("the service names other witnesses or another quorum than at the first use, which still apply")
    return tuple(notes)
