"""Verification of a record's document by the issuer's public keys.

Verification makes no request. `coolid.proofs.statements` specifies proofs, `jws` parses them, `key_sets` finds the key
and `history_chain` checks the chain of versions. Every input gets a verdict.

>>> verify({"id": "a"}, {"keys": []}).checks
(CheckOutcome(name='document', passed=False, detail='the document has no text for pid'),)
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final

from msgspec.structs import replace

from coolid.model.custody import stated_custody
from coolid.model.records import format_time, parse_time
from coolid.proofs.canonical_json import canonical
from coolid.proofs.custody_checks import check_acceptances, check_continuation, departure_notes, issuer_notes
from coolid.proofs.history_chain import check_chain
from coolid.proofs.jws import SignatureCheck, json_object, read_proof
from coolid.proofs.key_sets import find_key
from coolid.proofs.statements import PROOF, digest_of, is_signature
from coolid.proofs.verdicts import CheckOutcome, FailedCheck, Verdict, quoted
from coolid.proofs.version_links import VersionLink

NO_KEYS: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType({})
_STATED: Final = {"pid": "pid", "version": "version", "iss": "issuer"}
_STATEMENT: Final = {"pid": str, "version": int, "digest": str, "iss": str, "iat": int}
_ISSUER: Final = re.compile(r"https?://[^/?#@\\\s]+(?:/\S*)?")


def verify(
    document: Mapping[str, Any],
    keys: Mapping[str, Any],
    history: Iterable[Mapping[str, Any]] = (),
    *,
    pid: str | None = None,
    issuer: str | None = None,
    issuer_keys: Mapping[str, Mapping[str, Any]] = NO_KEYS,
) -> Verdict:
    """Return the verdict on a record's document, a JWK Set and the documents of older versions in any order.

    The keys count as those of the issuer that the document states. With `pid` or `issuer`, a genuine record of another
    PID or issuer fails. `issuer_keys` are the JWK Sets of other issuers of the record, before or after a transfer of
    its custody. Versions of an issuer without keys must be continued by a verified version; a note names that issuer.
    """
    return verdict_with_history(*check_version(document, keys, pid=pid, issuer=issuer), keys, history, issuer_keys)


def verdict_with_history(
    checks: Sequence[CheckOutcome],
    newest: VersionLink | None,
    keys: Mapping[str, Any],
    history: Iterable[Mapping[str, Any]],
    issuer_keys: Mapping[str, Mapping[str, Any]] = NO_KEYS,
) -> Verdict:
    """Return the verdict on a checked version and the documents of older ones. See `verify`."""
    checks = list(checks)
    keys_by_issuer = {**issuer_keys, newest.issuer: keys} if newest is not None else {}
    links, unsigned = [], []
    for position, older in enumerate(history, 1):
        own_keys = _keys_of(older, keys_by_issuer, keys)
        outcomes, link = check_version(older, own_keys) if own_keys is not None else _check_unsigned(older)
        label = f"version {link.version}" if link else f"number {position} of the older versions"
        checks += [replace(check, detail=f"{label}: {check.detail}") for check in outcomes if not check.passed]
        links += [link] if link else []
        unsigned += [link] if link and own_keys is None else []
    if newest is None:
        return Verdict(tuple(checks))
    chain, reaches_first = check_chain(newest, links)
    custody, notes = check_acceptances([newest, *links], keys_by_issuer)
    checks += [*check_continuation(unsigned, [newest, *links]), *chain, *custody]
    is_complete = reaches_first and not unsigned and all(check.passed for check in checks)
    return Verdict(tuple(checks), is_complete, (*issuer_notes(unsigned), *notes, *departure_notes(newest)))


def _keys_of(
    document: Any, keys_by_issuer: Mapping[str, Mapping[str, Any]], keys: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """Return the keys of a version's issuer, None if they are not known, and `keys` if there is no issuer to tell."""
    issuer = document.get("issuer") if keys_by_issuer and isinstance(document, Mapping) else None
    return keys_by_issuer.get(issuer) if isinstance(issuer, str) else keys


def _check_unsigned(document: Mapping[str, Any]) -> tuple[list[CheckOutcome], VersionLink | None]:
    """Return the checks of a version whose issuer has no known keys: only of its form."""
    checks, link = check_version(document, {"keys": []})
    return [check for check in checks if check.name in ("document", "digest", "identity")], link


def check_version(
    document: Any,
    keys: Any,
    *,
    pid: str | None = None,
    issuer: str | None = None,
    signature_check: SignatureCheck = is_signature,
) -> tuple[list[CheckOutcome], VersionLink | None]:
    """Return the checks of one version alone, and its link in the chain if it has one.

    The default `signature_check` needs a library; `coolid.proofs.p256.is_signature` needs none.
    """
    try:
        _require_members(document)
    except FailedCheck as failure:
        return [failure.check], None
    checks = []
    statement: Mapping[str, Any] | None = None
    try:
        signed = read_proof(document.get(PROOF))
        checks.append(CheckOutcome("proof", True, "the proof is a compact JWS"))
        checks.append(CheckOutcome("algorithm", True, "its header contains ES256 and the id of the key, nothing else"))
        key = find_key(keys, signed.key_id)
        checks.append(CheckOutcome("key", True, f"the issuer's key set has the key, {signed.key_id}"))
        checks.append(_signature_outcome(signature_check(signed.signing_input, signed.signature, key)))
        statement = read_statement(signed.payload)
        checks.append(CheckOutcome("statement", True, f"it was signed at {time_text(statement['iat'])}"))
    except FailedCheck as failure:
        checks.append(failure.check)
    digest = _digest(document)
    if digest is None:
        checks.append(
            CheckOutcome("digest", False, "the document has no form in RFC 8785: it is not JSON as all read it")
        )
        return checks, None
    if statement is not None:
        checks.append(_digest_check(digest, statement))
    checks += _identity_checks(document, statement, pid, issuer)
    return checks, _link(document, digest)


def _require_members(document: Any) -> None:
    """Raise `FailedCheck` unless the document has the members that the other checks use."""
    if not isinstance(document, Mapping):
        raise FailedCheck("document", f"the document is not a JSON object but {quoted(document)}")
    for member in ("pid", "id", "repository", "issuer", "status", "created", "updated"):
        if not isinstance(document.get(member), str):
            raise FailedCheck("document", f"the document has no text for {member}")
    version: Any = document.get("version")
    if not _has_type(version, int) or version < 1:
        raise FailedCheck("document", f"the document's version is {quoted(version)}, not a number from 1 on")
    if not isinstance(document.get("previous", ""), str):
        raise FailedCheck("document", f"the document's previous is {quoted(document['previous'])}, not a digest")
    for name in ("created", "updated"):
        if not _is_time(document[name]):
            raise FailedCheck("document", f"{name} is {quoted(document[name])}, not a UTC time to the second with Z")


def _signature_outcome(is_good: bool) -> CheckOutcome:
    if is_good:
        return CheckOutcome("signature", True, "the signature was made with that key")
    return CheckOutcome("signature", False, "the signature does not fit: the proof was altered, or another key made it")


def read_statement(payload: bytes) -> Mapping[str, Any]:
    """Return the statement in the payload of a proof. Raises `FailedCheck`."""
    statement = json_object(payload, "statement", "payload")
    missing = sorted(_STATEMENT.keys() - statement.keys())
    if missing:
        raise FailedCheck("statement", f"the statement lacks {', '.join(missing)}")
    others = sorted(statement.keys() - _STATEMENT.keys())
    if others:
        raise FailedCheck("statement", f"the statement has members that no statement has: {quoted(', '.join(others))}")
    for member, kind in _STATEMENT.items():
        if not _has_type(statement[member], kind):
            expected = "a whole number" if kind is int else "a text"
            raise FailedCheck("statement", f"the statement's {member} is {quoted(statement[member])}, not {expected}")
    if statement["iat"] < 0:
        raise FailedCheck("statement", f"the statement's iat is {statement['iat']}, before 1970")
    if payload != canonical(dict(statement)):
        raise FailedCheck("statement", "the statement is not in the form of RFC 8785")
    return statement


def _digest(document: Mapping[str, Any]) -> str | None:
    try:
        return digest_of(document)
    except (ValueError, RecursionError):
        return None


def _digest_check(digest: str, statement: Mapping[str, Any]) -> CheckOutcome:
    if statement["digest"] == digest:
        return CheckOutcome("digest", True, f"the document has the digest that was signed, {digest}")
    signed = quoted(statement["digest"])
    detail = f"the document's digest is {digest}, the one signed {signed}: the document was altered"
    return CheckOutcome("digest", False, detail)


def _identity_checks(
    document: Mapping[str, Any], statement: Mapping[str, Any] | None, pid: str | None, issuer: str | None
) -> list[CheckOutcome]:
    """Check that record, statement, issuer and the expected PID agree."""
    contradictions = [
        f"the document's {member} is {quoted(document[member])}, that of the statement {quoted(statement[stated])}"
        for stated, member in _STATED.items()
        if statement is not None and statement[stated] != document[member]
    ]
    own, its_issuer = document["pid"], document["issuer"]
    if not _ISSUER.fullmatch(its_issuer):
        contradictions.append(f"the issuer {quoted(its_issuer)} is not an http or https URL")
    elif not own.startswith(its_issuer + "/"):
        contradictions.append(f"the PID {quoted(own)} does not begin with its issuer's URL, {quoted(its_issuer + '/')}")
    if pid is not None and own != pid:
        contradictions.append(f"the record is of {quoted(own)}, not of {quoted(pid)}")
    if issuer is not None and its_issuer != issuer:
        contradictions.append(f"the record's issuer is {quoted(its_issuer)}, not {quoted(issuer)}")
    if contradictions:
        return [CheckOutcome("identity", False, detail) for detail in contradictions]
    detail = f"it is version {document['version']} of {quoted(own)}, whose issuer is {quoted(its_issuer)}"
    return [CheckOutcome("identity", True, detail)]


def _link(document: Mapping[str, Any], digest: str) -> VersionLink:
    return VersionLink(
        pid=document["pid"],
        id=document["id"],
        repository=document["repository"],
        version=document["version"],
        created=document["created"],
        updated=document["updated"],
        status=document["status"],
        digest=digest,
        previous=document.get("previous"),
        issuer=document["issuer"],
        withdrawn=document.get("withdrawn"),
        custody=stated_custody(document),
    )


def _has_type(value: Any, kind: type) -> bool:
    """Return whether a value has this JSON type; true and false are not numbers."""
    return isinstance(value, kind) and not isinstance(value, bool)


def time_text(seconds: int) -> str:
    try:
        return format_time(datetime.fromtimestamp(seconds, UTC))
    except (ValueError, OverflowError, OSError):  # beyond the year 9999
        return f"{seconds} seconds since 1970"


def _is_time(text: str) -> bool:
    try:
        return format_time(parse_time(text)) == text
    except (ValueError, OverflowError):
        return False


def issue_time(proof: Any) -> int | None:
    """Return when a proof states that it was signed, in seconds since 1970, or None. The signature is not verified."""
    try:
        issued_at: int = read_statement(read_proof(proof).payload)["iat"]
    except FailedCheck:
        return None
    return issued_at
