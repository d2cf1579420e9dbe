"""The ports of the public keys that verify proofs."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class PublicKeyReader(Protocol):
    """The published keys."""

    def public_keys(self) -> Sequence[Mapping[str, Any]]:
        """Return every public key that ever signed, as JSON Web Keys with `kid`, the newest last."""


class PublicKeyStore(PublicKeyReader, Protocol):
    """The published keys. A key is never removed, because the records that it signed remain."""

    def add_public_key(self, key: Mapping[str, Any]) -> None:
        """Add a public key to the published ones, once; concurrent calls do not lose each other's keys."""
