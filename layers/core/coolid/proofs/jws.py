"""Signatures as proofs carry them: a compact JWS (RFC 7515) of one kind, and every other kind refused.

JWS leaves much to the header: the algorithm, where the key is, what else must be understood. Attackers write headers
too, so nothing of that is open here: the header is `{"alg":"ES256","kid":THUMBPRINT}` to the byte.

>>> read_proof("eyJhbGciOiJub25lIn0.e30.")
Traceback (most recent call last):
...
coolid.proofs.verdicts.FailedCheck: the proof's algorithm is 'none', which is no signature; only ES256 is accepted
"""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from coolid.proofs.statements import ALGORITHM, OTHER_SYMBOL, SIGNATURE_BYTES, canonical, from_base64url
from coolid.proofs.verdicts import FailedCheck, shown
from coolid.strict_json import NotJson, load

_PARTS: Final = ("header", "payload", "signature")
_DER_SEQUENCE: Final = 0x30
_REFUSED_MEMBERS: Final = {
    "crit": "a critical extension, of which none is understood",
    "b64": "another encoding of the payload (RFC 7797)",
    "jwk": "a key of the signer's choice",
    "jku": "a key of the signer's choice",
    "x5u": "a key of the signer's choice",
    "x5c": "a key of the signer's choice",
}
_REFUSED_ALGORITHMS: Final = {
    "none": "which is no signature",
    "HS256": "whose key is a shared secret: a public key is none",
    "HS384": "whose key is a shared secret: a public key is none",
    "HS512": "whose key is a shared secret: a public key is none",
}


class SignedStatement(Struct, frozen=True):
    """What a proof says: the name of the key that signed, and what was signed."""

    key_id: str
    payload: bytes


def read_proof(proof: Any) -> SignedStatement:
    """What a compact JWS says that may be a proof; an `FailedCheck` named proof, algorithm or signature if not."""
    if proof is None:
        raise FailedCheck("proof", "the record has no proof")
    if not isinstance(proof, str):
        raise FailedCheck("proof", f"the proof is not a string but {shown(proof)}")
    parts = proof.split(".")
    if len(parts) != len(_PARTS):
        raise FailedCheck("proof", f"the proof has {len(parts)} parts between dots; a compact JWS has three")
    header, payload, signature = map(_decoded, parts, _PARTS)
    key_id = _key_id(header)
    if len(signature) != SIGNATURE_BYTES:
        raise FailedCheck("signature", _wrong_size(signature))
    return SignedStatement(key_id, payload)


def json_object(octets: bytes, name: str, what: str) -> Mapping[str, Any]:
    """The JSON object that a part of a proof holds, read strictly; an `FailedCheck` if it is none."""
    try:
        value = load(octets)
    except NotJson as error:
        raise FailedCheck(name, f"the proof's {what} cannot be read as JSON: {shown(str(error))}") from error
    if not isinstance(value, dict):
        raise FailedCheck(name, f"the proof's {what} is not a JSON object")
    return value


def _decoded(text: str, part: str) -> bytes:
    foreign = OTHER_SYMBOL.search(text)
    if foreign:
        said = "padded with =" if foreign[0] == "=" else f"not base64url: it contains {shown(foreign[0])}"
        raise FailedCheck("proof", f"the proof's {part} is {said}")
    octets = from_base64url(text)
    if octets is None:
        raise FailedCheck(
            "proof", f"the proof's {part} is base64url that no encoder writes: symbols or bits are left over"
        )
    return octets


def _key_id(octets: bytes) -> str:
    header = json_object(octets, "algorithm", "header")
    for member, meaning in _REFUSED_MEMBERS.items():
        if member in header:
            raise FailedCheck("algorithm", f"the proof's header has {member}, {meaning}; that is refused")
    algorithm = header.get("alg")
    if algorithm != ALGORITHM:
        why = _REFUSED_ALGORITHMS.get(algorithm) if isinstance(algorithm, str) else None
        raise FailedCheck(
            "algorithm",
            f"the proof's algorithm is {shown(algorithm)}, {why}; only {ALGORITHM} is accepted"
            if why
            else f"the proof's algorithm is {shown(algorithm)}; only {ALGORITHM} is accepted",
        )
    others = sorted(header.keys() - {"alg", "kid"})
    if others:
        raise FailedCheck("algorithm", f"the proof's header has members that no proof has: {shown(', '.join(others))}")
    key_id = header.get("kid")
    if not isinstance(key_id, str):
        raise FailedCheck("key", "the proof does not say by kid which key signed it")
    if octets != canonical(dict(header)):
        raise FailedCheck("algorithm", "the proof's header is not in the form of RFC 8785")
    return key_id


def _wrong_size(signature: bytes) -> str:
    is_der = len(signature) > 2 and signature[0] == _DER_SEQUENCE and signature[1] == len(signature) - 2
    said = f"the signature has {len(signature)} bytes; ES256 in a JWS has {SIGNATURE_BYTES}"
    return f"{said}. It looks like DER, as X.509 writes signatures" if is_der else said
