"""A signing key in a file (PEM, PKCS #8), for tests, DynamoDB Local and installations without a key service."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from coolid import private_files
from coolid.errors import UsageError
from coolid.proofs.statements import public_jwk, raw_signature


class BadSigningKey(UsageError):
    """The file contains no private key on P-256."""


class KeyFileSigner:
    """Implements `coolid.ports.Signer` with the key of a file. Raises `BadSigningKey` for an invalid file."""

    def __init__(self, path: Path) -> None:
        try:
            key = load_pem_private_key(path.read_bytes(), password=None)
        except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise BadSigningKey(f"{path} contains no readable private key: {error}") from error
        if not isinstance(key, EllipticCurvePrivateKey) or not isinstance(key.curve, SECP256R1):
            raise BadSigningKey(f"{path} contains a key that is not an elliptic curve key on P-256")
        self._key = key
        encoded = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self._public_key = public_jwk(encoded)

    def public_key(self) -> Mapping[str, Any]:
        return self._public_key

    def sign(self, message: bytes) -> bytes:
        return raw_signature(self._key.sign(message, ECDSA(SHA256())))


def ensure(path: Path) -> None:
    """Create a file of mode 600 with a new key, atomically, unless a regular file exists. Raises `OSError`."""
    if private_files.exists(path):
        return
    key = generate_private_key(SECP256R1())
    with suppress(FileExistsError):  # another process created it
        private_files.create(path, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    private_files.exists(path)  # raises if the path is not a regular file
