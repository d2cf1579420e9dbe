"""The keys of issuers: pinned by the configuration, or published by the issuer and pinned at the first use.

Keys that are published come over HTTPS from the issuer's own URL. A later set without any of the pinned keys is
refused: the message says how to accept the change. New keys beside a pinned one are accepted (key rotation).
"""

from http import HTTPStatus
from typing import Any, Final

from msgspec import Struct

from coolid.client.errors import BadAnswer
from coolid.client.flows import Flow
from coolid.client.http_request import HttpAnswer, HttpRequest
from coolid.client.retries import RetryPolicy, with_retries
from coolid.client.user_state.seen_keys import SeenKeyFiles, SeenKeys
from coolid.errors import UsageError
from coolid.linkid.evidence import KEY
from coolid.linkid.pinned_keys import parse_pinned_key
from coolid.linkid.trusted_resolvers import TrustedResolvers
from coolid.proofs.key_sets import KEYS_PATH
from coolid.proofs.verdicts import FailedCheck, quoted

_ACCEPTED: Final = "application/jwk-set+json, application/json"
_ABSENT: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})


class TrustedKeys(Struct, frozen=True):
    """The key set to trust for an issuer, None if it publishes none; `trust` says why, as a clause.

    `seen` are the keys that a user trusts since an earlier use, `first_seen` those to be pinned after a verification.
    """

    key_set: dict[str, Any] | None
    trust: str
    seen: SeenKeys | None = None
    first_seen: SeenKeys | None = None

    def has(self, key_id: str) -> bool:
        """Return whether there is a key with this identifier."""
        return any(key["kid"] == key_id for key in (self.key_set or {}).get("keys", ()))


class KeyTrust:
    """Returns the keys of issuers for one resolution, by the configuration, the user's files and requests."""

    def __init__(self, trusted: TrustedResolvers, files: SeenKeyFiles, policy: RetryPolicy, seconds: float) -> None:
        self._trusted = trusted
        self._files = files
        self._policy = policy
        self._seconds = seconds
        self._found: dict[str, TrustedKeys] = {}

    def keys(self, issuer: str) -> Flow[TrustedKeys]:
        """Return the keys of an issuer.

        Raises the errors of requests, `UsageError` for a damaged file, and `OSError`.
        """
        if issuer not in self._found:
            self._found[issuer] = yield from self._keys(issuer)
        return self._found[issuer]

    def keys_with(self, issuer: str, key_id: str) -> Flow[TrustedKeys]:
        """Return the keys of an issuer, read anew if the pinned ones lack this key.

        Raises `FailedCheck` if the published set has none of the keys that were pinned before.
        """
        keys = yield from self.keys(issuer)
        if keys.seen is None or keys.first_seen is not None or keys.has(key_id):
            return keys
        published = yield from self._published(issuer)
        pinned = {key["kid"] for key in keys.seen.keys}
        if published is None or not pinned & {key["kid"] for key in published.keys}:
            raise FailedCheck(KEY, self._change(issuer, published))
        trust = f"{issuer} published the key beside one that this user trusts already"
        self._found[issuer] = TrustedKeys(published.key_set, trust, keys.seen, published)
        return self._found[issuer]

    def pin(self, issuer: str) -> str | None:
        """Write the keys of an issuer that were used first. Return a note if that is not possible, or None."""
        keys = self._found.get(issuer)
        if keys is None or keys.first_seen is None:
            return None
        try:
            self._files.replace(keys.first_seen, keys.seen)
        except OSError as error:
            return f"the keys of {issuer} cannot be pinned: {error.strerror or error}"
        return None

    def _keys(self, issuer: str) -> Flow[TrustedKeys]:
        configured = self._trusted.of(issuer)
        if configured is not None and configured.keys:
            return TrustedKeys(configured.key_set, f"the keys of {issuer} are pinned in the list of resolvers")
        seen = self._files.read(issuer)
        if seen is not None:
            return TrustedKeys(seen.key_set, f"this user trusts the keys of {issuer} since an earlier use", seen)
        published = yield from self._published(issuer)
        if published is None:
            return TrustedKeys(None, f"{issuer} publishes no keys")
        trust = f"first use: the keys that {issuer} publishes are trusted from now on"
        return TrustedKeys(published.key_set, trust, None, published)

    def _published(self, issuer: str) -> Flow[SeenKeys | None]:
        """Return the keys on P-256 that an issuer publishes, or None if it has no key set."""
        request = HttpRequest("GET", issuer + KEYS_PATH, {"Accept": _ACCEPTED}, seconds=self._seconds)
        answer: HttpAnswer = yield from with_retries(request, self._policy, accepted=_is_key_set_or_absent)
        if answer.status in _ABSENT:
            return None
        listed = answer.json_object().get("keys")
        keys = []
        for document in listed if isinstance(listed, list) else []:
            try:
                keys.append(parse_pinned_key(document))
            except UsageError:
                continue  # RFC 7517, section 5: keys of other kinds are ignored
        if not keys:
            raise BadAnswer(f"the key set of {issuer} has no key on P-256")
        return SeenKeys(issuer, tuple(keys))

    def _change(self, issuer: str, published: SeenKeys | None) -> str:
        what = "it publishes none now" if published is None else f"it publishes {_ids(published)} now"
        seen = self._found[issuer].seen
        trusted = f"where this user trusts {_ids(seen)}" if seen else ""
        remedy = f"pin the new keys in the list of resolvers, or remove {self._files.path(issuer)}"
        return f"THE KEYS OF {issuer} CHANGED: {what}, {trusted}. If its operator confirms the change, {remedy}"


def _ids(keys: SeenKeys) -> str:
    return ", ".join(quoted(key["kid"]) for key in keys.keys[:3]) + (", …" if len(keys.keys) > 3 else "")


def _is_key_set_or_absent(answer: HttpAnswer) -> bool:
    return answer.status == HTTPStatus.OK or answer.status in _ABSENT
