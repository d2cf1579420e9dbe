"""Strict lookup of a public key in an issuer's JWK Set (RFC 7517).

The key's identifier must equal its computed RFC 7638 thumbprint. Keys of other kinds are ignored (RFC 7517, section 5),
so issuers may publish them in the same set. A set that contains a private key or a duplicate identifier is rejected as
a whole.

>>> find_key({"keys": []}, "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s")
Traceback (most recent call last):
...
coolid.proofs.verdicts.FailedCheck: the key 'cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s' is not in the issuer's key set
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from coolid.proofs.canonical_json import canonical
from coolid.proofs.p256 import public_point
from coolid.proofs.statements import ALGORITHM, CURVE, base64url
from coolid.proofs.verdicts import FailedCheck, quoted

KEYS_PATH: Final = "/.well-known/jwks.json"
"""Where an issuer publishes its key set, below its public base URL."""
_PRIVATE_MEMBERS: Final = ("d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv")
_REQUIRED: Final = {"kty": "EC", "crv": CURVE}
_COORDINATES: Final = ("x", "y")


def find_key(keys: Any, key_id: str) -> dict[str, str]:
    """Return the key as a JWK of four members that can verify ES256; raise `FailedCheck` if there is none."""
    found = [key for key in _public_keys(keys) if key.get("kid") == key_id]
    if not found:
        raise FailedCheck("key", f"the key {quoted(key_id)} is not in the issuer's key set")
    key = found[0]
    for member, value in _REQUIRED.items():
        if key.get(member) != value:
            raise _unfit(key_id, f"its {member} is {quoted(key.get(member))}, not {value}")
    if key.get("alg", ALGORITHM) != ALGORITHM:
        raise _unfit(key_id, f"it is for {quoted(key['alg'])}, not for {ALGORITHM}")
    if key.get("use", "sig") != "sig":
        raise _unfit(key_id, f"its use is {quoted(key['use'])}, not sig")
    operations = key.get("key_ops", ["verify"])
    if not isinstance(operations, list) or "verify" not in operations:
        raise _unfit(key_id, f"its key_ops are {quoted(operations)}, without verify")
    try:
        public_point(key)
    except ValueError as error:
        raise _unfit(key_id, str(error)) from None
    jwk = {member: key[member] for member in (*_REQUIRED, *_COORDINATES)}
    if (computed := thumbprint(jwk)) != key_id:
        raise _unfit(key_id, f"its thumbprint (RFC 7638) is {computed}: the set has another key under this identifier")
    return jwk


def thumbprint(key: Mapping[str, str]) -> str:
    """Return the thumbprint (RFC 7638) of a public key on P-256."""
    members = {member: key[member] for member in (*_REQUIRED, *_COORDINATES)}
    return base64url(sha256(canonical(members)).digest())


def _public_keys(keys: Any) -> list[Mapping[str, Any]]:
    """Return the keys of a set without private keys and duplicate identifiers."""
    listed = keys.get("keys") if isinstance(keys, Mapping) else None
    if not isinstance(listed, list | tuple) or not all(isinstance(key, Mapping) for key in listed):
        raise FailedCheck("key", 'the key set is not a JWK Set: {"keys": [...]}')
    names: set[str] = set()
    for key in listed:
        name = key.get("kid")
        private = [member for member in _PRIVATE_MEMBERS if member in key]
        if private:
            raise FailedCheck("key", f"the key set discloses a private key ({private[0]} of {quoted(name)})")
        if isinstance(name, str) and name in names:
            raise FailedCheck("key", f"the key set has two keys of the name {quoted(name)}")
        if isinstance(name, str):
            names.add(name)
    return list(listed)


def _unfit(key_id: str, why: str) -> FailedCheck:
    return FailedCheck("key", f"the key {quoted(key_id)} of the issuer's set cannot be used: {why}")
