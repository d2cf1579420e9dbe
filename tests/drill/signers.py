"""Signers: a faulty key service, and keys that depend on a seed."""

from collections.abc import Callable, Mapping
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, derive_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from coolid.errors import SignerUnavailable
from coolid.proofs.statements import public_jwk, raw_signature
from tests.drill.faults import KEY, WRONG_SIGNATURE
from tests.drill.hosts import Host


class SeededSigner:
    """A signer whose key and signatures depend on a number (RFC 6979)."""

    def __init__(self, number: int) -> None:
        self._key = derive_private_key(number, SECP256R1())
        spki = self._key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self._public_key = public_jwk(spki)

    def public_key(self) -> Mapping[str, Any]:
        return self._public_key

    def sign(self, message: bytes) -> bytes:
        return raw_signature(self._key.sign(message, ECDSA(SHA256(), deterministic_signing=True)))


class FaultySigner:
    """Passes calls on to a signer, with faults; caches the public key as `coolid.aws.kms` does."""

    def __init__(self, signer: Any, host: Host) -> None:
        self._signer = signer
        self._host = host
        self._public_key: Mapping[str, Any] | None = None

    def public_key(self) -> Mapping[str, Any]:
        if self._public_key is None:
            self._public_key = self._call(self._signer.public_key)
        return self._public_key

    def sign(self, message: bytes) -> bytes:
        signature: bytes = self._call(lambda: self._signer.sign(message))
        if self._host.faults.draw((WRONG_SIGNATURE,)):
            self._host.faults.count(WRONG_SIGNATURE)
            return bytes(reversed(signature))
        return signature

    def _call(self, action: Callable[[], Any]) -> Any:
        host = self._host
        host.step()
        throttled, failed, stalled, unanswered = KEY
        fault = host.faults.draw(KEY)
        if fault is not None:
            host.faults.count(fault)
        if fault in (throttled, failed):
            raise SignerUnavailable(fault)
        if fault == stalled:
            host.scheduler.sleep(host.rng.uniform(0.2, 4))
        result = action()
        if fault == unanswered:
            raise SignerUnavailable(fault)
        host.step()
        return result
