"""Public keys as JSON Web Keys (RFC 7517): elliptic curve P-256 for ES256, named by thumbprint (RFC 7638)."""

from collections.abc import Mapping
from typing import Any, Final

from coolid.proofs.statements import ALGORITHM

CURVE: Final = "P-256"
_PUBLIC_MEMBERS: Final = ("kty", "crv", "x", "y")


def public_jwk(encoded: bytes | Mapping[str, Any]) -> dict[str, str]:
    """Return the JWK of a public key from its PEM or DER (SubjectPublicKeyInfo), or from a JWK with more members.

    Raises `ValueError` for anything but a public key on P-256.
    """
    from joserfc.errors import JoseError
    from joserfc.jwk import ECKey

    try:
        key = ECKey.import_key(encoded if isinstance(encoded, bytes) else dict(encoded))
        members = key.as_dict(private=False)
        jwk = {member: str(members[member]) for member in _PUBLIC_MEMBERS} | {"kid": key.thumbprint()}
    except (JoseError, TypeError, KeyError, ValueError) as error:
        raise ValueError("this is not the public half of an elliptic curve key") from error
    if jwk["crv"] != CURVE:
        raise ValueError(f"the key is on the curve {jwk['crv']}, not on {CURVE}")
    return jwk | {"alg": ALGORITHM, "use": "sig"}
