"""Public keys as JSON Web Keys (RFC 7517): elliptic curve P-256, for ES256, named by their thumbprint (RFC 7638)."""

from collections.abc import Mapping
from typing import Any, Final

from coolid.domain.proofs import ALGORITHM, SIGNATURE_BYTES

CURVE: Final = "P-256"
_PUBLIC_MEMBERS: Final = ("kty", "crv", "x", "y")


def public_jwk(encoded: bytes | Mapping[str, Any]) -> dict[str, str]:
    """The JSON Web Key of a public key: from its PEM or DER (SubjectPublicKeyInfo), or from a JWK that says more.

    `ValueError` for whatever is no public key on P-256.
    """
    from joserfc.errors import JoseError
    from joserfc.jwk import ECKey

    try:
        key = ECKey.import_key(encoded if isinstance(encoded, bytes) else dict(encoded))
        members = key.as_dict(private=False)
        if members["crv"] != CURVE:
            raise ValueError(f"the key is on the curve {members['crv']}, not on {CURVE}")
        told = {member: str(members[member]) for member in _PUBLIC_MEMBERS}
        return told | {"kid": key.thumbprint(), "alg": ALGORITHM, "use": "sig"}
    except (JoseError, TypeError, KeyError) as error:
        raise ValueError("this is not the public half of an elliptic curve key") from error


def raw_signature(encoded: bytes) -> bytes:
    """The 64 bytes that a JWS has (RFC 7518, section 3.4) of a DER signature (RFC 3279); `ValueError` if it is none."""
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

    try:
        return b"".join(number.to_bytes(SIGNATURE_BYTES // 2, "big") for number in decode_dss_signature(encoded))
    except OverflowError as error:
        raise ValueError("this is not a signature on P-256") from error
