"""A signing key in a file (PEM, PKCS #8): for tests, for work without a key service, and beside DynamoDB Local."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    SECP256R1,
    EllipticCurvePrivateKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from coolid.aws import private_files
from coolid.proofs.public_keys import public_jwk
from coolid.proofs.statements import raw_signature


class BadSigningKey(Exception):
    """The file holds no private key on P-256."""


class KeyFileSigner:
    """Implements `coolid.ports.RequestSigner` with the key of a file; `BadSigningKey` if there is none in it."""

    def __init__(self, path: Path) -> None:
        try:
            key = load_pem_private_key(path.read_bytes(), password=None)
        except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise BadSigningKey(f"{path} holds no private key that can be read: {error}") from error
        if not isinstance(key, EllipticCurvePrivateKey) or not isinstance(key.curve, SECP256R1):
            raise BadSigningKey(f"{path} holds a key that is not an elliptic curve key on P-256")
        self._key = key
        encoded = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self._public_key = public_jwk(encoded)

    def public_key(self) -> Mapping[str, Any]:
        """As of `RequestSigner`."""
        return self._public_key

    def sign(self, message: bytes) -> bytes:
        """As of `RequestSigner`."""
        return raw_signature(self._key.sign(message, ECDSA(SHA256())))


def ensure(path: Path) -> None:
    """Put a new key into the file, for its owner to read, unless the file exists; it appears with the key in it.

    Raises `OSError`, also if something that is not a regular file has the name.
    """
    if private_files.exists(path):
        return
    key = generate_private_key(SECP256R1())
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent) as new:  # of mode 600, whatever the umask
        new.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        new.flush()
        with suppress(FileExistsError):  # somebody else was faster
            path.hardlink_to(new.name)
    private_files.exists(path)  # raises if it was not a key file that came first
