"""Acceptances of custody: statements by which a service takes over a record that another service offers to it.

An acceptance is a compact JWS in the form of proofs (`jws`): ES256, the RFC 7638 thumbprint of the key, and a payload
in the form of RFC 8785. Its members name the LinkID, the PID, version number and digest of the offer, and the issuer of
the acceptance, which is also the recipient. So it is worthless for another LinkID, offer or recipient. A statement
about a record has other members, so neither passes for the other.

>>> read_acceptance("eyJhbGciOiJub25lIn0.e30.")
Traceback (most recent call last):
...
coolid.proofs.verdicts.FailedCheck: the acceptance: the proof's algorithm is 'none', which is no signature; ...
"""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from coolid.errors import InvalidIdentifier
from coolid.identifiers.schemes import linkid
from coolid.model.records import Record
from coolid.proofs.canonical_json import canonical
from coolid.proofs.jws import SignatureCheck, json_object, read_proof
from coolid.proofs.key_sets import find_key
from coolid.proofs.statements import DIGEST, digest_of, is_signature
from coolid.proofs.verdicts import FailedCheck, quoted

ACCEPTANCE: Final = "acceptance"
"""The name of the check, and the value of the member `custody`."""
MAX_CHARACTERS: Final = 8192
_MEMBERS: Final = {
    "custody": str,
    "linkid": str,
    "pid": str,
    "version": int,
    "digest": str,
    "to": str,
    "iss": str,
    "iat": int,
}


class Acceptance(Struct, frozen=True):
    """What an acceptance says: the service `to` accepts the record `linkid`, as offered by a version of the PID `pid`.

    `version` and `digest` are those of the offer. `issuer` equals `to`. `issued_at` is in seconds since 1970.
    """

    linkid: str
    pid: str
    version: int
    digest: str
    to: str
    issuer: str
    issued_at: int

    def accepts(self, offer: Record, recipient: str) -> bool:
        """Return whether this is the acceptance, by this recipient, of exactly this version."""
        return self.covers(linkid.format(offer.id), offer.pid, offer.version, digest_of(offer.to_document()), recipient)

    def covers(self, linkid: str, pid: str, version: int, digest: str | None, recipient: str) -> bool:
        """Return whether this is the acceptance, by this recipient, of the version with these members."""
        offer = (self.linkid, self.pid, self.version, self.digest, self.to, self.issuer)
        return offer == (linkid, pid, version, digest, recipient, recipient)


def acceptance_statement(offer: Record, recipient: str) -> dict[str, Any]:
    """Return the statement without `iss` and `iat`, which `Prover.prove_statement` adds with the issuer `recipient`."""
    return {
        "custody": ACCEPTANCE,
        "linkid": linkid.format(offer.id),
        "pid": offer.pid,
        "version": offer.version,
        "digest": digest_of(offer.to_document()),
        "to": recipient,
    }


def read_acceptance(jws: Any) -> tuple[str, Acceptance]:
    """Return the identifier of the signing key, and what the acceptance says. The signature is not verified.

    Raises `FailedCheck`.
    """
    key_id, members = _read(jws)
    if (reason := _contradiction(members)) is not None:
        raise FailedCheck(ACCEPTANCE, f"the acceptance: {reason}")
    values = (members[name] for name in ("linkid", "pid", "version", "digest", "to", "iss", "iat"))
    return key_id, Acceptance(*values)


def require_signature(jws: str, keys: Any, signature_check: SignatureCheck = is_signature) -> None:
    """Raise `FailedCheck` unless a key of the recipient's JWK Set signed a well-formed acceptance."""
    try:
        signed = read_proof(jws)
        key = find_key(keys, signed.key_id)
    except FailedCheck as failure:
        raise FailedCheck(ACCEPTANCE, f"the acceptance: {failure}") from failure
    if not signature_check(signed.signing_input, signed.signature, key):
        raise FailedCheck(ACCEPTANCE, "the acceptance: the signature was not made with the recipient's key")


def _read(jws: Any) -> tuple[str, Mapping[str, Any]]:
    if isinstance(jws, str) and len(jws) > MAX_CHARACTERS:
        raise FailedCheck(ACCEPTANCE, f"the acceptance has more than {MAX_CHARACTERS} characters")
    try:
        signed = read_proof(jws)
        members = json_object(signed.payload, "statement", "payload")
    except FailedCheck as failure:
        raise FailedCheck(ACCEPTANCE, f"the acceptance: {failure}") from failure
    if members.keys() != _MEMBERS.keys():
        raise FailedCheck(ACCEPTANCE, f"the acceptance has the members {quoted(', '.join(sorted(members)))}")
    for member, kind in _MEMBERS.items():
        value = members[member]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise FailedCheck(ACCEPTANCE, f"the acceptance: its {member} is {quoted(value)}")
    if signed.payload != canonical(dict(members)):
        raise FailedCheck(ACCEPTANCE, "the acceptance is not in the form of RFC 8785")
    return signed.key_id, members


def _contradiction(members: Mapping[str, Any]) -> str | None:
    if members["custody"] != ACCEPTANCE:
        return f"it is no acceptance, but {quoted(members['custody'])}"
    if members["iss"] != members["to"]:
        return f"its recipient is {quoted(members['to'])}, its issuer {quoted(members['iss'])}"
    if members["version"] < 1 or members["iat"] < 0:
        return "its version or its time is out of range"
    if not DIGEST.fullmatch(members["digest"]):
        return f"{quoted(members['digest'])} is no digest"
    try:
        is_canonical = members["linkid"] == linkid.canonical(members["linkid"])
    except InvalidIdentifier as error:
        return str(error)
    return None if is_canonical else f"{quoted(members['linkid'])} is not in lower case"
