"""Signed documents created with `cryptography` alone: key pairs, key sets, valid and invalid proofs, histories."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurve, derive_private_key
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from coolid.proofs.canonical_json import canonical
from coolid.proofs.statements import compact, digest_of, signing_input, statement_of
from tests.support.builders.samples import record

ISSUED_AT = 1_752_157_350
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of P-256 (FIPS 186-5)


def b64(octets: bytes) -> str:
    return urlsafe_b64encode(octets).rstrip(b"=").decode()


def thumbprint(key: Mapping[str, Any]) -> str:
    """Return the thumbprint (RFC 7638) of any alleged elliptic curve key."""
    return b64(sha256(canonical({member: key[member] for member in ("crv", "kty", "x", "y")})).digest())


def raw(signature: bytes, size: int = 32) -> bytes:
    """Convert a DER signature to the two numbers of a JWS."""
    return b"".join(number.to_bytes(size, "big") for number in decode_dss_signature(signature))


def other_form(signature: bytes) -> bytes:
    """Return the other signature of the same text: (R, N - S) for (R, S)."""
    return signature[:32] + (ORDER - int.from_bytes(signature[32:], "big")).to_bytes(32, "big")


def with_other_form(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a signed document with the other signature in its proof."""
    signed, _, signature = document["proof"].rpartition(".")
    octets = urlsafe_b64decode(signature + "=" * (-len(signature) % 4))
    return {**document, "proof": f"{signed}.{b64(other_form(octets))}"}


class Key:
    """A key pair on P-256, or on another curve that must be refused. The same secret gives the same pair."""

    def __init__(self, secret: int = 1, curve: EllipticCurve | None = None) -> None:
        self.private = derive_private_key(secret + 2**200, curve or SECP256R1())
        self.size = (self.private.key_size + 7) // 8
        numbers = self.private.public_key().public_numbers()
        x, y = (b64(number.to_bytes(self.size, "big")) for number in (numbers.x, numbers.y))
        self.jwk = {"kty": "EC", "crv": f"P-{self.private.key_size}", "x": x, "y": y, "alg": "ES256", "use": "sig"}
        self.jwk["kid"] = thumbprint(self.jwk)

    def der(self, message: bytes) -> bytes:
        return self.private.sign(message, ECDSA(SHA256()))

    def sign(self, document: Mapping[str, Any], **stated: Any) -> dict[str, Any]:
        """Return the document with a proof; `stated` replaces members of the statement."""
        bare = {member: value for member, value in document.items() if member != "proof"}
        return bare | {"proof": self.proof(statement_of(bare, ISSUED_AT) | stated)}

    def proof(self, statement: Mapping[str, Any]) -> str:
        signed = signing_input(statement, self.jwk["kid"])
        return compact(signed, raw(self.der(signed), self.size))

    def proof_of(self, header: bytes | Mapping[str, Any], payload: bytes) -> str:
        """Return a proof with arbitrary parts and a matching signature."""
        octets = header if isinstance(header, bytes) else canonical(dict(header))
        signed = f"{b64(octets)}.{b64(payload)}".encode()
        return compact(signed, raw(self.der(signed), self.size))


def key_set(*keys: Key | Mapping[str, Any]) -> dict[str, Any]:
    return {"keys": [dict(key.jwk) if isinstance(key, Key) else dict(key) for key in keys]}


def document(**members: Any) -> dict[str, Any]:
    """Return the unsigned document of a record's first version; None removes a member."""
    made = record().to_document() | members
    return {member: value for member, value in made.items() if value is not None}


def history(key: Key, count: int, changes: Iterable[dict[str, Any]] = ()) -> list[dict[str, Any]]:
    """Return the versions of a record, oldest first, each signed and linked to the one before; `changes` has the
    changes of each version.
    """
    versions: list[dict[str, Any]] = []
    for version, change in zip(range(1, count + 1), [*changes, *[{}] * count], strict=False):
        plain = document(
            version=version,
            updated=f"2025-07-{9 + version:02d}T14:22:30Z",
            records=[{"uri": f"https://content.example.org/v{version}", "status": "active"}],
            previous=digest_of(versions[-1]) if versions else None,
        )
        versions.append(key.sign(plain | change))
    return versions
