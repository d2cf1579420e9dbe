"""The public keys of issuers: pinned by the configuration, or fetched from the issuer and kept for a while.

Fetched keys are trusted because of the issuer's host certificate. They are fetched again after an hour, or if a proof
names an absent key. A set that has no key in common with the one before is refused, because rotation keeps retired
keys in the set. Only a restart of the process accepts it; pinned keys give more protection.
"""

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Any, Final

from msgspec import Struct

from coolid.deadlines import Deadline
from coolid.linkid.back_off import BackOffs
from coolid.linkid.peer_replies import PeerClient, PeerResponse
from coolid.linkid.trusted_resolvers import TrustedResolvers
from coolid.ports import Seconds
from coolid.proofs.key_sets import KEYS_PATH
from coolid.strict_json import NotJson, load

LIFETIME_SECONDS: Final = 3600.0
MAX_AGE_SECONDS: Final = 86_400.0
"""For how long fetched keys may be used while the issuer cannot be reached."""
RENEWAL_SECONDS: Final = 60.0
"""The least time between two requests for the keys of one issuer, except after a failure."""
MAX_ISSUERS: Final = 100
MAX_KEYS: Final = 100
"""The most keys of one issuer, retired ones included."""


class KeysUnavailable(Exception):
    """The keys of an issuer cannot be fetched now; the message gives the reason."""


class KeysReplaced(Exception):
    """The issuer's key set has no key in common with the one before."""


class _FetchedKeys(Struct, frozen=True):
    key_set: Mapping[str, Any]
    key_ids: frozenset[str]
    fetched_at: float


class IssuerKeys:
    """Returns the key sets of issuers. `clock` returns seconds. Thread-safe."""

    def __init__(self, resolvers: TrustedResolvers, client: PeerClient, back_offs: BackOffs, clock: Seconds) -> None:
        self._pinned = {each.issuer: each.key_set for each in resolvers.resolvers if each.key_set is not None}
        self._client = client
        self._back_offs = back_offs
        self._clock = clock
        self._lock = Lock()
        self._fetched: OrderedDict[str, _FetchedKeys] = OrderedDict()

    def key_set(self, issuer: str, deadline: Deadline, *, renew: bool = False) -> Mapping[str, Any]:
        """Return the JWK Set of an issuer, fetched again if it is old, or if `renew` and it is not quite new.

        Raises `KeysUnavailable`, `KeysReplaced`.
        """
        pinned = self._pinned.get(issuer)
        if pinned is not None:
            return pinned
        with self._lock:
            cached = self._fetched.get(issuer)
        if cached is not None:
            age = self._clock() - cached.fetched_at
            if age < RENEWAL_SECONDS or (age < LIFETIME_SECONDS and not renew):
                return cached.key_set
        try:
            keys = self._fetch(issuer, deadline)
        except KeysUnavailable:
            if cached is None or self._clock() - cached.fetched_at > MAX_AGE_SECONDS:
                raise
            return cached.key_set
        if cached is not None and cached.key_ids.isdisjoint(keys.key_ids):
            raise KeysReplaced(f"all keys of {issuer} were replaced at once, so they are not trusted")
        with self._lock:
            self._fetched[issuer] = keys
            self._fetched.move_to_end(issuer)
            while len(self._fetched) > MAX_ISSUERS:
                self._fetched.popitem(last=False)
        return keys.key_set

    def _fetch(self, issuer: str, deadline: Deadline) -> _FetchedKeys:
        back_off = self._back_offs.of(issuer)
        token = back_off.begin()
        if token is None:
            raise KeysUnavailable(f"{issuer} failed a moment ago")
        try:
            keys = _read(PeerResponse(*self._client.get(issuer + KEYS_PATH, deadline)), self._clock())
        except (ConnectionError, NotJson, ValueError) as error:
            back_off.failed(token)
            raise KeysUnavailable(f"the keys of {issuer} cannot be read: {error}") from error
        back_off.succeeded()
        return keys


def _read(response: PeerResponse, now: float) -> _FetchedKeys:
    """Return the keys in a response. Raises `NotJson`, `ValueError`."""
    document = load(response.body) if response.status == 200 else None
    listed = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(listed, list) or not all(isinstance(key, dict) for key in listed) or len(listed) > MAX_KEYS:
        raise ValueError(f"the response has the status {response.status} and no keys")
    key_ids = frozenset(key["kid"] for key in listed if isinstance(key.get("kid"), str))
    return _FetchedKeys({"keys": listed}, key_ids, now)
