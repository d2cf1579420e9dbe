"""A signing key in a file (PEM, PKCS #8), for tests, DynamoDB Local and installations without a key service.

Proofs are signed with ES256 keys on P-256, checkpoints of the transparency log and cosignatures with Ed25519 keys.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
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
    """The file contains no private key of the required kind."""


class KeyFileSigner:
    """Implements `coolid.ports.Signer` with the key of a file. Raises `BadSigningKey` for an invalid file."""

    def __init__(self, path: Path) -> None:
        key = _private_key(path)
        if not isinstance(key, EllipticCurvePrivateKey) or not isinstance(key.curve, SECP256R1):
            raise BadSigningKey(f"{path} contains a key that is not an elliptic curve key on P-256")
        self._key = key
        encoded = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self._public_key = public_jwk(encoded)

    def public_key(self) -> Mapping[str, Any]:
        return self._public_key

    def sign(self, message: bytes) -> bytes:
        return raw_signature(self._key.sign(message, ECDSA(SHA256())))


class KeyFileNoteSigner:
    """Implements `coolid.ports.NoteSigner` with the key of a file. Raises `BadSigningKey` for an invalid file."""

    def __init__(self, path: Path) -> None:
        key = _private_key(path)
        if not isinstance(key, Ed25519PrivateKey):
            raise BadSigningKey(f"{path} contains a key that is not an Ed25519 key")
        self._key = key

    def public_key(self) -> bytes:
        return self._key.public_key().public_bytes_raw()

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)


def ensure(path: Path) -> None:
    """Create a file with a new ES256 key, as `_ensure` does."""
    _ensure(path, partial(generate_private_key, SECP256R1()))


def ensure_note_key(path: Path) -> None:
    """Create a file with a new Ed25519 key, as `_ensure` does."""
    _ensure(path, Ed25519PrivateKey.generate)


def _ensure(path: Path, generate: Callable[[], EllipticCurvePrivateKey | Ed25519PrivateKey]) -> None:
    """Create a file of mode 600 with a new key, atomically, unless a regular file exists. Raises `OSError`."""
    if private_files.exists(path):
        return
    with suppress(FileExistsError):  # another process created it
        private_files.create(path, generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    private_files.exists(path)  # raises if the path is not a regular file


def _private_key(path: Path) -> PrivateKeyTypes:
    try:
        return load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise BadSigningKey(f"{path} contains no readable private key: {error}") from error
