"""The public keys of issuers: the own ones, pinned ones, and those that another service publishes.

The keys of another service are cached for some minutes, and requested again if the needed one is not among them.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from coolid.linkid.custody.other_service import OtherService, ServiceClient
from coolid.linkid.trusted_resolvers import TrustedResolvers
from coolid.ports import Clock

MAX_AGE_SECONDS: Final = 300
_MAX_ISSUERS: Final = 100

PublicKeys = Callable[[], Sequence[Mapping[str, Any]]]
"""Returns the own public keys."""


class KeySource:
    """Returns the key set of an issuer; `base_url` is the own one. `trusted` has pinned keys."""

    def __init__(
        self,
        client: ServiceClient,
        clock: Clock,
        base_url: str,
        own_keys: PublicKeys,
        trusted: TrustedResolvers,
    ) -> None:
        self._client = client
        self._clock = clock
        self._base_url = base_url
        self._own_keys = own_keys
        self._trusted = trusted
        self._cached: dict[str, tuple[int, Mapping[str, Any]]] = {}

    def keys(self, issuer: str, key_ids: Collection[str] = ()) -> Mapping[str, Any]:
        """Return the key set of an issuer, which has the keys with these ids if the issuer publishes them.

        Raises `InvalidAnswer`, `OtherServiceUnavailable`.
        """
        if issuer == self._base_url:
            return {"keys": [dict(key) for key in self._own_keys()]}
        resolver = self._trusted.of(issuer)
        if resolver is not None and resolver.key_set is not None:
            return resolver.key_set
        now = self._clock.milliseconds()
        cached = self._cached.get(issuer)
        if cached is not None and now - cached[0] < MAX_AGE_SECONDS * 1000 and _has_keys(cached[1], key_ids):
            return cached[1]
        found = OtherService(self._client, issuer).keys()
        if len(self._cached) >= _MAX_ISSUERS:
            self._cached.clear()
        self._cached[issuer] = now, found
        return found


def _has_keys(keys: Mapping[str, Any], key_ids: Collection[str]) -> bool:
    listed = keys.get("keys")
    listed_ids = {key.get("kid") for key in listed if isinstance(key, dict)} if isinstance(listed, list) else set()
    return listed_ids.issuperset(key_ids)
