"""Proofs: what is signed of a record, and how a signature is written down.

A proof is a compact JWS (RFC 7515) with ES256 (RFC 7518). Its payload is the RFC 8785 form of the statement
`{"pid", "version", "digest", "iss", "iat"}`; the digest is SHA-256 over the RFC 8785 form of the record's document
without its `proof`, written as RFC 9530 writes digests. So the signed text is short however long the record is, and
whoever has the record and the public keys needs nobody's word.

>>> digest_of({"b": 1.0, "a": "é"})
'sha-256=:qlj7qEg2I77TfBsC7fzL3ZpTEjg3wgv6TLQEmZOihy4=:'
>>> digest_of({"a": "é", "b": 1, "proof": "eyJ..."}) == digest_of({"b": 1.0, "a": "é"})
True
"""

import re
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

ALGORITHM: Final = "ES256"
SIGNATURE_BYTES: Final = 64
ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""N, the order of P-256 (SEC 2, section 2.4.2)."""
PROOF: Final = "proof"
_POINT: Final = ("kty", "crv", "x", "y")
OTHER_SYMBOL: Final = re.compile(r"[^A-Za-z0-9_-]")
"""What does not stand in base64url."""


def canonical(value: Any) -> bytes:
    """The JSON Canonicalization Scheme's form (RFC 8785) of a JSON value.

    >>> canonical({"b": [1e21, 0.5], "a": None})
    b'{"a":null,"b":[1e+21,0.5]}'
    """
    import rfc8785

    return rfc8785.dumps(value)


def digest_of(document: Mapping[str, Any]) -> str:
    """The digest of a record's document, whether or not its proof is in it."""
    signed = {member: value for member, value in document.items() if member != PROOF}
    return f"sha-256=:{b64encode(sha256(canonical(signed)).digest()).decode()}:"


def statement_of(document: Mapping[str, Any], issued_at: int) -> dict[str, Any]:
    """What a proof states of a record's document; `issued_at` in seconds since 1970."""
    return {
        "pid": document["pid"],
        "version": document["version"],
        "digest": digest_of(document),
        "iss": document["issuer"],
        "iat": issued_at,
    }


def signing_input(statement: Mapping[str, Any], key_id: str) -> bytes:
    """The bytes that the key signs (RFC 7515, section 5.1): protected header, a dot, payload."""
    return f"{base64url(canonical({'alg': ALGORITHM, 'kid': key_id}))}.{base64url(canonical(statement))}".encode()


def compact(signed: bytes, signature: bytes) -> str:
    """The compact serialization (RFC 7515, section 7.1) of what was signed and its signature."""
    return f"{signed.decode()}.{base64url(signature)}"


def base64url(octets: bytes) -> str:
    """As RFC 7515, section 2, has it: without padding."""
    return urlsafe_b64encode(octets).rstrip(b"=").decode()


def from_base64url(text: str) -> bytes | None:
    """What a base64url text without padding stands for (RFC 7515, section 2); None unless it is the only such text."""
    if OTHER_SYMBOL.search(text) or len(text) % 4 == 1:
        return None
    octets = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return octets if base64url(octets) == text else None


def raw_signature(encoded: bytes) -> bytes:
    """The 64 bytes that a JWS has (RFC 7518, section 3.4) of a DER signature (RFC 3279); `ValueError` if it is none."""
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

    try:
        return b"".join(number.to_bytes(SIGNATURE_BYTES // 2, "big") for number in decode_dss_signature(encoded))
    except OverflowError as error:
        raise ValueError("this is not a signature on P-256") from error


def in_low_form(signature: bytes) -> bytes:
    """Return the one of the two ES256 signatures with the same R whose S is at most half of the order of P-256.

    (R, S) and (R, N - S) both are signatures of the same text, and anybody can make one of the other. New proofs have
    the low form. Bytes that are no signature are returned as they are.
    """
    half = SIGNATURE_BYTES // 2
    s = int.from_bytes(signature[half:], "big")
    if len(signature) != SIGNATURE_BYTES or not ORDER // 2 < s < ORDER:
        return signature
    return signature[:half] + (ORDER - s).to_bytes(half, "big")


def is_signed_by(proof: str, public_key: Mapping[str, Any]) -> bool:
    """Whether a compact JWS is signed with ES256 by the private half of a JSON Web Key; no other algorithm will do.

    This is the bare signature; all that a proof must be is checked by `coolid.proofs.verification`. Both forms of S pass
    (`in_low_form`): RFC 7518 (section 3.4) permits both, and older proofs have either.
    """
    from joserfc import jws
    from joserfc.errors import JoseError

    try:
        jws.deserialize_compact(proof, _imported(*(public_key[member] for member in _POINT)), algorithms=[ALGORITHM])
    except (JoseError, ValueError):
        return False
    return True


def signs(message: bytes, signature: bytes, public_key: Mapping[str, Any]) -> bool:
    """Whether 64 bytes are the ES256 signature (RFC 7518, section 3.4) of a message by the private half of a JWK.

    Whatever else is given is none.
    """
    from joserfc.errors import JoseError
    from joserfc.jws import JWSRegistry

    try:
        key = _imported(*(public_key[member] for member in _POINT))
        es256 = JWSRegistry(algorithms=[ALGORITHM]).get_alg(ALGORITHM)
        es256.check_key(key)
        return es256.verify(message, signature, key)
    except (JoseError, KeyError, TypeError, ValueError, AttributeError):
        return False


@lru_cache(maxsize=8)
def _imported(kty: str, crv: str, x: str, y: str) -> Any:
    """A public key as joserfc has it; one function signs with one key, and to read it costs half a verification."""
    from joserfc.jwk import ECKey

    return ECKey.import_key({"kty": kty, "crv": crv, "x": x, "y": y})
