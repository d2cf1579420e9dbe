"""A strict parser of proofs: compact JWS (RFC 7515) with exactly one form of header.

The JWS header can choose the algorithm, the key and extensions, and an attacker can write it. So the header must be
exactly `{"alg":"ES256","kid":THUMBPRINT}`.

>>> read_proof("eyJhbGciOiJub25lIn0.e30.")
Traceback (most recent call last):
...
coolid.proofs.verdicts.FailedCheck: the proof's algorithm is 'none', which is no signature; only ES256 is accepted
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct

from coolid.proofs.canonical_json import canonical
from coolid.proofs.statements import ALGORITHM, NON_BASE64URL, SIGNATURE_BYTES, from_base64url
from coolid.proofs.verdicts import FailedCheck, quoted
from coolid.strict_json import NotJson, load

SignatureCheck = Callable[[bytes, bytes, Mapping[str, Any]], bool]
"""Whether a signature, the second argument, is that of a message by the key of a JWK.

`coolid.proofs.statements.is_signature` needs a library, `coolid.proofs.p256.is_signature` none.
"""

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
    "HS256": "whose key is a shared secret, not a public key",
    "HS384": "whose key is a shared secret, not a public key",
    "HS512": "whose key is a shared secret, not a public key",
}


class SignedStatement(Struct, frozen=True):
    """The contents of a proof: the identifier of the signing key, the payload, and the signature of `signing_input`.

    The signature is not verified.
    """

    key_id: str
    payload: bytes
    signing_input: bytes
    signature: bytes


def read_proof(proof: Any) -> SignedStatement:
    """Return the contents of a compact JWS; raise `FailedCheck` named proof, algorithm, key or signature."""
    if proof is None:
        raise FailedCheck("proof", "the record has no proof")
    if not isinstance(proof, str):
        raise FailedCheck("proof", f"the proof is not a string but {quoted(proof)}")
    parts = proof.split(".")
    if len(parts) != len(_PARTS):
        raise FailedCheck("proof", f"the proof has {len(parts)} parts between dots; a compact JWS has three")
    header, payload, signature = map(_decoded, parts, _PARTS)
    key_id = _key_id(header)
    if len(signature) != SIGNATURE_BYTES:
        raise FailedCheck("signature", _wrong_size(signature))
    return SignedStatement(key_id, payload, proof.rpartition(".")[0].encode(), signature)


def json_object(octets: bytes, name: str, what: str) -> Mapping[str, Any]:
    """Return the JSON object in a part of a proof, parsed strictly; raise `FailedCheck` if it is not one."""
    try:
        value = load(octets)
    except NotJson as error:
        raise FailedCheck(name, f"the proof's {what} cannot be read as JSON: {quoted(str(error))}") from error
    if not isinstance(value, dict):
        raise FailedCheck(name, f"the proof's {what} is not a JSON object")
    return value


def _decoded(text: str, part: str) -> bytes:
    foreign = NON_BASE64URL.search(text)
    if foreign:
        problem = "padded with =" if foreign[0] == "=" else f"not base64url: it contains {quoted(foreign[0])}"
        raise FailedCheck("proof", f"the proof's {part} is {problem}")
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
            f"the proof's algorithm is {quoted(algorithm)}, {why}; only {ALGORITHM} is accepted"
            if why
            else f"the proof's algorithm is {quoted(algorithm)}; only {ALGORITHM} is accepted",
        )
    others = sorted(header.keys() - {"alg", "kid"})
    if others:
        raise FailedCheck("algorithm", f"the proof's header has members that no proof has: {quoted(', '.join(others))}")
    key_id = header.get("kid")
    if not isinstance(key_id, str):
        raise FailedCheck("key", "the proof does not say by kid which key signed it")
    if octets != canonical(dict(header)):
        raise FailedCheck("algorithm", "the proof's header is not in the form of RFC 8785")
    return key_id


def _wrong_size(signature: bytes) -> str:
    is_der = len(signature) > 2 and signature[0] == _DER_SEQUENCE and signature[1] == len(signature) - 2
    text = f"the signature has {len(signature)} bytes; ES256 in a JWS has {SIGNATURE_BYTES}"
    return f"{text}. It looks like DER, as X.509 writes signatures" if is_der else text
