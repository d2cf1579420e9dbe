"""Acceptances of custody: each is for one record, offer and recipient, and nothing else passes for one."""

import re
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.model.records import Record
from coolid.proofs.acceptances import MAX_CHARACTERS, acceptance_statement, read_acceptance, require_signature
from coolid.proofs.canonical_json import canonical
from coolid.proofs.p256 import is_signature
from coolid.proofs.statements import statement_of
from coolid.proofs.verdicts import FailedCheck
from coolid.proofs.verification import verify
from tests.support.builders.samples import record
from tests.support.builders.signed_documents import Key, key_set

KEY, OTHER = Key(1), Key(2)
UUID = "00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
LINKID = f"linkid:{UUID}"
A, B = "https://a.example", "https://b.example"
OFFER: Record = replace(record(), id=UUID, issuer=A, pid=f"{A}/{LINKID}", version=2, previous=f"sha-256=:{'A' * 43}=:")
STATEMENT = acceptance_statement(OFFER, B) | {"iss": B, "iat": 1_790_000_000}
HEADER = {"alg": "ES256", "kid": KEY.jwk["kid"]}


def test_an_acceptance_is_for_one_offer_and_one_recipient() -> None:
    jws = KEY.proof(STATEMENT)
    key_id, acceptance = read_acceptance(jws)
    assert key_id == KEY.jwk["kid"]
    assert (acceptance.linkid, acceptance.issued_at) == (LINKID, 1_790_000_000)
    assert acceptance.accepts(OFFER, B)
    assert not acceptance.accepts(OFFER, A)
    for change in (
        {"id": UUID.replace("c", "d")},
        {"pid": f"{A}/lid:{UUID}"},
        {"version": 3},
        {"metadata": {"who": "another"}},
    ):
        assert not acceptance.accepts(replace(OFFER, **change), B)


def test_the_signature_is_by_a_key_of_the_recipient_with_and_without_a_library() -> None:
    jws = KEY.proof(STATEMENT)
    require_signature(jws, key_set(OTHER, KEY))
    require_signature(jws, key_set(OTHER, KEY), is_signature)
    with pytest.raises(FailedCheck, match="not in the issuer's key set"):
        require_signature(jws, key_set(OTHER))
    header, payload, signature = jws.split(".")
    forged = f"{header}.{payload}.{'A' * len(signature)}"
    for check in ({}, {"signature_check": is_signature}):
        with pytest.raises(FailedCheck, match="was not made with the recipient's key"):
            require_signature(forged, key_set(KEY), **check)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"custody": "offer"}, "it is no acceptance"),
        ({"to": A}, "its recipient is 'https://a.example', its issuer 'https://b.example'"),
        ({"iss": A}, "its issuer 'https://a.example'"),
        ({"version": 0}, "out of range"),
        ({"version": True}, "its version is True"),
        ({"version": "2"}, "its version is '2'"),
        ({"iat": -1}, "out of range"),
        ({"digest": "sha-256=:AAAA=:"}, "is no digest"),
        ({"linkid": LINKID.upper()}, "is not in lower case"),
        ({"linkid": UUID}, "does not begin with linkid:"),
        ({"linkid": f"{LINKID}?"}, "there must be a UUID"),
        ({"pid": None}, "its pid is None"),
        ({"more": "x"}, "has the members"),
    ],
)
def test_another_statement_is_refused_with_the_reason(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(FailedCheck, match=re.escape(reason)) as raised:
        read_acceptance(KEY.proof(STATEMENT | change))
    assert raised.value.check.name == "acceptance"


@pytest.mark.parametrize("member", sorted(STATEMENT))
def test_a_missing_member_is_refused(member: str) -> None:
    with pytest.raises(FailedCheck, match="has the members"):
        read_acceptance(KEY.proof({name: value for name, value in STATEMENT.items() if name != member}))


@pytest.mark.parametrize(
    ("jws", "reason"),
    [
        (None, "no proof"),
        (5, "not a string"),
        ("x.y", "2 parts"),
        ("A" * (MAX_CHARACTERS + 1), "more than 8192"),
        (KEY.proof_of(HEADER | {"jwk": KEY.jwk}, canonical(STATEMENT)), "jwk"),
        (KEY.proof_of(HEADER, canonical(STATEMENT).replace(b":", b": ", 1)), "RFC 8785"),
        (KEY.proof_of(HEADER, b"[]"), "not a JSON object"),
        (KEY.proof_of(HEADER, canonical(STATEMENT)[:-1] + b',"iat":1}'), "occurs twice"),
    ],
    ids=lambda value: "" if isinstance(value, str) and len(value) > 20 else None,  # signatures differ between workers
)
def test_another_form_is_refused_with_the_reason(jws: Any, reason: str) -> None:
    with pytest.raises(FailedCheck, match=re.escape(reason)):
        read_acceptance(jws)


def test_a_record_is_no_acceptance_and_an_acceptance_no_proof_of_a_record() -> None:
    document = OFFER.to_document()
    with pytest.raises(FailedCheck, match="has the members"):
        read_acceptance(KEY.proof(statement_of(document, 5)))
    assert not verify(document | {"proof": KEY.proof(STATEMENT)}, key_set(KEY)).ok
