"""Entries of the log as the rules read them: whose statement it is, its time, its digest, and who signed it.

The entry of a version is a proof (`coolid.proofs.statements`). Every other entry is a statement about one subject
(`coolid.log.entries`), such as `{"prefix": NAME, "revision": N, "digest", "iss", "iat"}`.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from coolid.log.tiles import MAX_ENTRY_BYTES
from coolid.proofs.canonical_json import canonical
from coolid.proofs.jws import json_object, read_proof
from coolid.proofs.key_sets import find_key
from coolid.proofs.statements import from_base64url, is_signature
from coolid.proofs.verdicts import FailedCheck, quoted
from coolid.proofs.verification import read_statement

VERSION: Final = "pid"
PREFIX: Final = "prefix"
PUBLIC_KEY: Final = "public_key"
NAMESPACE: Final = "namespace"
SYNONYM: Final = "synonym"
_DIGEST: Final = re.compile(r"sha-256=:[A-Za-z0-9+/]{43}=:")
_COMMON: Final = {"digest": str, "iss": str, "iat": int}
_MEMBERS: Final[Mapping[str, Mapping[str, type | tuple[type, ...]]]] = {
    "repository": {"revision": int},
    PREFIX: {"revision": int, "kind": str, "target": (str, type(None))},
    PUBLIC_KEY: {"jwk": dict},
    "key": {"revision": int},
}
"""The subjects apart from versions, and the members of each statement besides those that all have."""


class EntryStatement(Struct, frozen=True):
    """A statement at `index` of the log: `subject` is one of `_MEMBERS` or `VERSION`, `name` the thing itself.

    `number` is its version or revision; `issued_at` is in seconds since 1970. `key_id` names the key that signed it.
    """

    index: int
    subject: str
    name: str
    number: int
    digest: str
    issued_at: int
    key_id: str
    kind: str = ""
    target: str | None = None
    jwk: Mapping[str, Any] | None = None


def read_entry(index: int, entry: bytes) -> EntryStatement | None:
    """Return the statement of an entry, or None if its subject is unknown. The signature is not verified.

    Raises `FailedCheck` if the entry does not have the documented form.
    """
    if len(entry) > MAX_ENTRY_BYTES:
        raise FailedCheck("proof", f"the entry has more than {MAX_ENTRY_BYTES} bytes")
    try:
        signed = read_proof(entry.decode("ascii"))
    except UnicodeDecodeError:
        raise FailedCheck("proof", "the entry is not a compact JWS") from None
    members = json_object(signed.payload, "statement", "payload")
    if VERSION in members:
        return _version_statement(index, signed.payload, signed.key_id)
    if signed.payload != canonical(dict(members)):
        raise FailedCheck("statement", "the statement is not in the form of RFC 8785")
    subjects = [subject for subject in _MEMBERS if subject in members]
    if not subjects:
        return None
    return _change_statement(index, subjects[0], members, signed.key_id)


def is_signed(entry: bytes, jwk: Mapping[str, Any]) -> bool:
    """Return whether the signature of a well-formed entry is that of a key."""
    message, _, signature = entry.rpartition(b".")
    return is_signature(message, from_base64url(signature.decode("ascii")) or b"", jwk)


def verifier_jwk(kid: str, jwk: Mapping[str, Any]) -> dict[str, str]:
    """Return the key as a JWK that verifies ES256. Raises `FailedCheck` unless `kid` is its thumbprint."""
    return find_key({"keys": [{**jwk, "kid": kid}]}, kid)


def _version_statement(index: int, payload: bytes, key_id: str) -> EntryStatement:
    members = read_statement(payload)
    _require_digest(members["digest"])
    if members["version"] < 1:
        raise FailedCheck("statement", f"the statement's version is {members['version']}, not a number from 1 on")
    if not members["pid"].startswith(f"{members['iss']}/"):
        raise FailedCheck("statement", f"the PID {quoted(members['pid'])} does not begin with its issuer's URL")
    return EntryStatement(index, VERSION, members["pid"], members["version"], members["digest"], members["iat"], key_id)


def _change_statement(index: int, subject: str, members: Mapping[str, Any], key_id: str) -> EntryStatement:
    for member, kind in {subject: str, **_COMMON, **_MEMBERS[subject]}.items():
        if not isinstance(members.get(member), kind) or isinstance(members.get(member), bool):
            raise FailedCheck("statement", f"the {subject}'s {member} is {quoted(members.get(member))}")
    _require_digest(members["digest"])
    jwk = members.get("jwk")
    if subject == PUBLIC_KEY:
        verifier_jwk(members[subject], members["jwk"])
    return EntryStatement(
        index,
        subject,
        members[subject],
        members.get("revision", 1),
        members["digest"],
        members["iat"],
        key_id,
        kind=str(members.get("kind", "")),
        target=members.get("target"),
        jwk=jwk,
    )


def _require_digest(digest: str) -> None:
    if not _DIGEST.fullmatch(digest):
        raise FailedCheck("statement", f"the statement's digest is {quoted(digest)}")
