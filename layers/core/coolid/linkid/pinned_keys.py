"""Public keys that a configuration pins: JSON Web Keys on P-256, checked without a library for cryptography.

Specification: RFC 7517 (keys), RFC 7638 (thumbprints), SEC 2, section 2.4.2 (the curve).

>>> key = {"kty": "EC", "crv": "P-256",
...     "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
>>> parse_pinned_key(key)["kid"]
'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U'
"""

from typing import Any, Final

from coolid.errors import UsageError
from coolid.proofs.key_sets import thumbprint
from coolid.proofs.p256 import public_point
from coolid.proofs.statements import ALGORITHM, CURVE

_EXPECTED: Final = {"kty": "EC", "crv": CURVE}
_OPTIONAL: Final = {"alg": ALGORITHM, "use": "sig"}


def parse_pinned_key(document: Any, where: str = "key") -> dict[str, str]:
    """Return a public key as a JWK with its thumbprint as `kid`. Raises `UsageError`."""
    if not isinstance(document, dict):
        raise UsageError(f"{where}: it is not a JSON Web Key")
    if "d" in document:
        raise UsageError(f"{where}: it is a PRIVATE key; keep it secret, and write the public half here")
    for member, value in _EXPECTED.items():
        if document.get(member) != value:
            raise UsageError(f"{where}.{member}: it must be {value}")
    for member, value in _OPTIONAL.items():
        if document.get(member, value) != value:
            raise UsageError(f"{where}.{member}: it must be {value}, or absent")
    try:
        public_point(document)
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from error
    key = {member: document[member] for member in ("kty", "crv", "x", "y")}
    its_thumbprint = thumbprint(key)
    if document.get("kid", its_thumbprint) != its_thumbprint:
        raise UsageError(f"{where}.kid: the thumbprint of the key (RFC 7638) is {its_thumbprint}")
    return key | {"kid": its_thumbprint} | _OPTIONAL
