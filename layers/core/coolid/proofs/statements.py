"""Statements about records, their digests, ES256 signatures and public keys, and the `Prover`, which signs records.

A proof is a compact JWS (RFC 7515) with ES256 (RFC 7518). Its payload is the RFC 8785 form of the statement `{"pid",
"version", "digest", "iss", "iat"}`. The digest, in the form of RFC 9530, is SHA-256 over the RFC 8785 form of the
record's document without `proof`. So the signed text is short for any record, and the record and the public keys
suffice to verify it. Public keys are JSON Web Keys (RFC 7517) on P-256, named by thumbprint (RFC 7638).

>>> digest_of({"b": 1.0, "a": "é"})
'sha-256=:qlj7qEg2I77TfBsC7fzL3ZpTEjg3wgv6TLQEmZOihy4=:'
>>> digest_of({"a": "é", "b": 1, "proof": "eyJ..."}) == digest_of({"b": 1.0, "a": "é"})
True
"""

import re
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

from msgspec.structs import replace

from coolid.errors import InvalidInput, SignerUnavailable
from coolid.model.records import ACTIVE, INACTIVE, RESERVED, WITHDRAWN, Record
from coolid.ports import Clock, Signer
from coolid.proofs.canonical_json import canonical
from coolid.store.public_keys import PublicKeyStore

ALGORITHM: Final = "ES256"
CURVE: Final = "P-256"
MAX_BYTES: Final = 4096
"""The longest message that AWS KMS signs as a whole (Sign, `MessageType` RAW)."""
SIGNATURE_BYTES: Final = 64
COORDINATE_BYTES: Final = 32
ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""N, the order of P-256 (SEC 2, section 2.4.2)."""
PROOF: Final = "proof"
_POINT: Final = ("kty", "crv", "x", "y")
NON_BASE64URL: Final = re.compile(r"[^A-Za-z0-9_-]")
"""A character outside the base64url alphabet."""
DIGEST: Final = re.compile(r"sha-256=:[A-Za-z0-9+/]{43}=:")


class InconsistentRecord(Exception):
    """A record to sign contradicts itself, which is an error in this program, not in a request."""


class Prover:
    """Signs each version of a record with `signer` before it is written, and publishes its public key in `keys`.

    The key is published before it signs, and statement and signature are checked, because neither can be corrected
    later. If the key cannot sign, nothing is written.
    """

    def __init__(self, signer: Signer, keys: PublicKeyStore, clock: Clock) -> None:
        self._signer = signer
        self._keys = keys
        self._clock = clock
        self._published: set[str] = set()

    def check(self, record: Record) -> None:
        """Raise `InvalidInput` if the record cannot be signed. Uses no key."""
        _checked(record, round(self._clock.now().timestamp()))

    def prove(self, record: Record) -> Record:
        """Return the record with its proof; `InvalidInput` if it cannot be signed, or errors of key and store."""
        statement = _checked(record, round(self._clock.now().timestamp()))
        return replace(record, proof=self._sign(statement))

    def prove_statement(self, statement: Mapping[str, Any], issuer: str) -> str:
        """Return the proof of another statement, of which `iss` and `iat` are added. Raises the same errors."""
        now = round(self._clock.now().timestamp())
        return self._sign({**statement, "iss": issuer, "iat": now})

    def _sign(self, statement: Mapping[str, Any]) -> str:
        public_key = self._signer.public_key()
        if public_key["kid"] not in self._published:  # with an unpublished key, nobody could verify the proof
            self._keys.add_public_key(public_key)
            self._published.add(public_key["kid"])
        return sign(statement, public_key, self._signer.sign)


def _checked(record: Record, now: int) -> dict[str, Any]:
    """Return the record's statement if the record is consistent."""
    document = record.to_document()
    try:
        statement = statement_of(document, now)
    except ValueError as error:  # a value without an RFC 8785 form
        raise InvalidInput.at("", f"the record cannot be signed: {error}") from error
    for requirement, met in _requirements(record).items():
        if not met:
            raise InconsistentRecord(f"the record {record.pid} was not signed: {requirement}")
    if not record.has_document(document):
        raise InconsistentRecord(f"the record {record.pid} was not signed: its document must say all of it")
    return statement


def _requirements(record: Record) -> dict[str, bool]:
    """Return each requirement and whether the record meets it."""
    all_inactive = all(location.status == INACTIVE for location in record.records)
    return {
        "it must not have a proof yet": record.proof is None,
        "its PID must be of its issuer": record.pid.startswith(record.issuer + "/"),
        "its version must be 1 or more": record.version >= 1,
        "the first version has no previous one, all others have": (record.version == 1) == (record.previous is None),
        "previous must be a digest": record.previous is None or DIGEST.fullmatch(record.previous) is not None,
        "it must not be changed before it was created": record.created <= record.updated,
        "its status must be one that there is": record.status in (ACTIVE, RESERVED, WITHDRAWN),
        "a tombstone, and nothing else, says why": (record.status == WITHDRAWN) == (record.withdrawn is not None),
        "a tombstone leads nowhere": record.withdrawn is None or all_inactive,
    }


def digest_of(document: Mapping[str, Any]) -> str:
    """Return the digest of a record's document without its proof."""
    signed = {member: value for member, value in document.items() if member != PROOF}
    return f"sha-256=:{b64encode(sha256(canonical(signed)).digest()).decode()}:"


def statement_of(document: Mapping[str, Any], issued_at: int) -> dict[str, Any]:
    """Return the statement about a record's document; `issued_at` is in seconds since 1970."""
    return {
        "pid": document["pid"],
        "version": document["version"],
        "digest": digest_of(document),
        "iss": document["issuer"],
        "iat": issued_at,
    }


def signing_input(statement: Mapping[str, Any], key_id: str) -> bytes:
    """Return the signing input (RFC 7515, section 5.1): protected header, a dot, payload."""
    return f"{base64url(canonical({'alg': ALGORITHM, 'kid': key_id}))}.{base64url(canonical(statement))}".encode()


def sign(statement: Mapping[str, Any], public_key: Mapping[str, Any], signature_of: Callable[[bytes], bytes]) -> str:
    """Return a statement's proof. Raises `InvalidInput` if it is too long, `SignerUnavailable` if it is invalid."""
    message = signing_input(statement, public_key["kid"])
    if len(message) > MAX_BYTES:
        raise InvalidInput.at("", f"the identifier is too long to be signed: {len(message)} bytes of {MAX_BYTES}")
    signature = low_s_form(signature_of(message))
    if not is_signature(message, signature, public_key):
        raise SignerUnavailable("the signing key returned an invalid signature")
    return compact(message, signature)


def compact(signed: bytes, signature: bytes) -> str:
    """Return the compact serialization (RFC 7515, section 7.1) of a signing input and its signature."""
    return f"{signed.decode()}.{base64url(signature)}"


def base64url(octets: bytes) -> str:
    """Return base64url without padding (RFC 7515, section 2)."""
    return urlsafe_b64encode(octets).rstrip(b"=").decode()


def from_base64url(text: str) -> bytes | None:
    """Decode base64url without padding (RFC 7515, section 2); return None unless the text is its only encoding."""
    if NON_BASE64URL.search(text) or len(text) % 4 == 1:
        return None
    octets = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return octets if base64url(octets) == text else None


def raw_signature(encoded: bytes) -> bytes:
    """Convert a DER signature (RFC 3279) to the 64 bytes of a JWS (RFC 7518, section 3.4); raise `ValueError`."""
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

    try:
        return b"".join(number.to_bytes(SIGNATURE_BYTES // 2, "big") for number in decode_dss_signature(encoded))
    except OverflowError as error:
        raise ValueError("this is not a signature on P-256") from error


def low_s_form(signature: bytes) -> bytes:
    """Return the equivalent ES256 signature whose S is at most half of the order of P-256.

    (R, S) and (R, N - S) are both signatures of the same text, and anybody can convert one into the other. New proofs
    have the low form. Invalid signatures are returned unchanged.
    """
    half = SIGNATURE_BYTES // 2
    s = int.from_bytes(signature[half:], "big")
    if len(signature) != SIGNATURE_BYTES or not ORDER // 2 < s < ORDER:
        return signature
    return signature[:half] + (ORDER - s).to_bytes(half, "big")


def is_signature(message: bytes, signature: bytes, public_key: Mapping[str, Any]) -> bool:
    """Return whether `signature` is the ES256 signature of a message by the JWK's key; False for malformed input.

    This checks only the signature; `coolid.proofs.verification` checks the whole proof. Both forms of S pass (see
    `low_s_form`), because RFC 7518 (section 3.4) permits both and older proofs have either. `p256` does the same
    without a library.
    """
    from joserfc.errors import JoseError
    from joserfc.jws import JWSRegistry

    try:
        key = _import_key(*(public_key[member] for member in _POINT))
        es256 = JWSRegistry(algorithms=[ALGORITHM]).get_alg(ALGORITHM)
        es256.check_key(key)
        return es256.verify(message, signature, key)
    except (JoseError, KeyError, TypeError, ValueError, AttributeError):
        return False


def public_jwk(encoded: bytes | Mapping[str, Any]) -> dict[str, str]:
    """Return the JWK of a public key on P-256, from PEM, DER or a JWK with more members; or `ValueError`."""
    from joserfc.errors import JoseError
    from joserfc.jwk import ECKey

    try:
        key = ECKey.import_key(encoded if isinstance(encoded, bytes) else dict(encoded))
        members = key.as_dict(private=False)
        jwk = {member: str(members[member]) for member in _POINT} | {"kid": key.thumbprint()}
    except (JoseError, TypeError, KeyError, ValueError) as error:
        raise ValueError("this is not the public half of an elliptic curve key") from error
    if jwk["crv"] != CURVE:
        raise ValueError(f"the key is on the curve {jwk['crv']}, not on {CURVE}")
    return jwk | {"alg": ALGORITHM, "use": "sig"}


@lru_cache(maxsize=8)
def _import_key(kty: str, crv: str, x: str, y: str) -> Any:
    """Return joserfc's form of a public key; cached, because parsing costs half a verification."""
    from joserfc.jwk import ECKey

    return ECKey.import_key({"kty": kty, "crv": crv, "x": x, "y": y})
