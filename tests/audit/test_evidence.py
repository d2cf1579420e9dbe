"""Evidence that was altered or invented: it is refuted, never accepted, and never an error of the program."""

from copy import deepcopy
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.audit.entry_statements import read_entry
from coolid.audit.evidence import PROVED, REFUTED, log_key, verify_evidence
from coolid.audit.findings import RULES
from coolid.log.malformed_data import MalformedData
from coolid.log.split_views import EVIDENCE_FORMAT
from coolid.proofs.verdicts import FailedCheck
from tests.audit.conftest import RunAudit
from tests.audit.test_log_audit import alter, change_after_withdrawal, honest, reuse
from tests.support.builders.lying_service import LyingService
from tests.support.builders.samples import json_values
from tests.support.builders.signed_documents import Key, key_set

KEY = LyingService().note_key.verifier()
MEMBERS = ("entries", "documents", "keys", "checkpoints", "root", "hashes")


def verdicts(findings: Any) -> list[str]:
    document = {"format": EVIDENCE_FORMAT, "log": str(KEY), "findings": findings}
    return [each.outcome for each in verify_evidence(document, log_key(document, [KEY]))]


def evidence_of(run_audit: RunAudit, *lies: Any) -> list[dict[str, Any]]:
    """Return the findings in the evidence against a service after these lies."""
    service = honest()
    for lie in lies:
        lie(service)
    service.publish()
    document: dict[str, Any] = orjson.loads(orjson.dumps(run_audit(service).evidence))
    found: list[dict[str, Any]] = document["findings"]
    return found


@given(
    st.lists(
        st.fixed_dictionaries(
            {"rule": st.sampled_from([*RULES, "other"])},
            optional=dict.fromkeys(MEMBERS, json_values | st.lists(json_values)),
        )
    )
)
def test_invented_evidence_proves_nothing(findings: list[dict[str, Any]]) -> None:
    assert PROVED not in verdicts(findings)


@given(
    st.binary(max_size=200)
    | json_values.map(lambda value: Key(1).proof_of({"alg": "ES256", "kid": "x"}, orjson.dumps(value)).encode())
)
def test_any_entry_is_a_statement_or_malformed(entry: bytes) -> None:
    try:
        statement = read_entry(3, entry)
    except FailedCheck:
        return
    assert statement is None or statement.index == 3


def test_an_accuser_cannot_sign_with_a_key_of_their_own(run_audit: RunAudit) -> None:
    (finding,) = evidence_of(run_audit, alter)
    assert verdicts([finding]) == [PROVED]
    forged, forger = deepcopy(finding), Key(7)
    forged["documents"] = [forger.sign(finding["documents"][0])]
    assert PROVED not in verdicts([forged])
    for keys in (key_set(forger)["keys"], [{"entry": forger.proof({"public_key": forger.jwk["kid"]}), "proof": "x"}]):
        assert PROVED not in verdicts([{**forged, "keys": keys}])


@pytest.mark.parametrize("lie", [reuse, change_after_withdrawal])
def test_evidence_of_which_a_part_is_missing_or_moved_is_refuted(lie: Any, run_audit: RunAudit) -> None:
    finding = next(each for each in evidence_of(run_audit, lie) if each["rule"] in ("reused-pid", "after-withdrawal"))
    assert verdicts([finding]) == [PROVED]
    first, second = finding["entries"]
    for entries in ([], [first], [second, second], [{**first, "entry": second["entry"]}, second]):
        assert verdicts([{**finding, "entries": entries}]) == [REFUTED]
    assert verdicts([{**finding, "rule": "moved-alias"}]) == [REFUTED]


@pytest.mark.parametrize("document", [[], {}, {"format": "other"}, {"format": EVIDENCE_FORMAT, "log": "no key"}])
def test_another_document_is_no_evidence(document: Any) -> None:
    with pytest.raises(MalformedData):
        log_key(document, [])
