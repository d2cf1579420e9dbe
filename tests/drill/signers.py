"""Signers: a key service that is as good as networks and services are, and keys that follow from a seed."""

from collections.abc import Callable, Mapping
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, derive_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from coolid.errors import SignerUnavailable
from coolid.proofs.statements import public_jwk, raw_signature
from tests.drill.faults import KEY, NONSENSE
from tests.drill.sites import Site


class SeededSigner:
    """A signer whose key and signatures follow from a number (RFC 6979)."""

    def __init__(self, number: int) -> None:
        self._key = derive_private_key(number, SECP256R1())
        spki = self._key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self._public_key = public_jwk(spki)

    def public_key(self) -> Mapping[str, Any]:
        return self._public_key

    def sign(self, message: bytes) -> bytes:
        return raw_signature(self._key.sign(message, ECDSA(SHA256(), deterministic_signing=True)))


class FaultySigner:
    """Passes on to a signer; the public key is asked for once, as of `coolid.aws.kms`."""

    def __init__(self, signer: Any, site: Site) -> None:
        self._signer = signer
        self._site = site
        self._public_key: Mapping[str, Any] | None = None

    def public_key(self) -> Mapping[str, Any]:
        if self._public_key is None:
            self._public_key = self._asked(self._signer.public_key)
        return self._public_key

    def sign(self, message: bytes) -> bytes:
        signature: bytes = self._asked(lambda: self._signer.sign(message))
        if self._site.faults.draw((NONSENSE,)):
            self._site.faults.count(NONSENSE)
            return bytes(reversed(signature))
        return signature

    def _asked(self, deed: Callable[[], Any]) -> Any:
        site = self._site
        site.step()
        throttled, failed, stalled, unheard = KEY
        fault = site.faults.draw(KEY)
        if fault is not None:
            site.faults.count(fault)
        if fault in (throttled, failed):
            raise SignerUnavailable(fault)
        if fault == stalled:
            site.baton.sleep(site.dice.uniform(0.2, 4))
        result = deed()
        if fault == unheard:
            raise SignerUnavailable(fault)
        site.step()
        return result
