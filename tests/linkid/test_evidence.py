"""Evidence of resolution results: honest chains of custody are accepted, and every altered one is refused.

A machine builds the histories of one LinkID at 1 to 4 operators, with changes, revoked offers and withdrawals between
the transfers. Then it makes one alteration. The attacker has the key of a rogue operator. Where an alteration needs the
key of another operator, that one is assumed to cheat, too.
"""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.linkid.custody_evidence import MAX_TRANSFERS
from coolid.linkid.evidence import ResultVerdict, verify_result
from coolid.linkid.results import InvalidResult, from_document
from coolid.proofs import p256, statements
from coolid.proofs.statements import digest_of
from coolid.proofs.verification import verify
from tests.support.builders.custody_chains import (
    KEYS,
    LINKID,
    NOW,
    OTHER_UUID,
    ROGUE,
    UUID,
    A,
    B,
    C,
    CustodyChain,
    D,
    Operator,
    result_of,
)
from tests.support.effort import examples

Result = dict[str, Any]
OPERATORS = {operator.issuer: operator for operator in (A, B, C, D, ROGUE)}
LOOKALIKES = (
    "https://{}.EXAMPLE",
    "https://{}.example/",
    "http://{}.example",
    "https://{}.example.",
    "https://{}.example:443",
    "https://{}.example/x",
    "https://user@{}.example",
    "https://{}.ex\u0430mple",
    "https://{}。example",
)
"""URLs that resemble an issuer's. Those with keys in the tests have the issuer's own."""
VALID = ("https://{}.example.", "https://{}.example/x")
"""Those of them that could be issuers themselves."""


def verdict_on(result: Result, trusted: tuple[str, ...] = (A.issuer,), now: float = NOW, **keys: Any) -> ResultVerdict:
    """Return the verdict, which is the same with and without a library. An invalid document counts as refused."""
    known = {**KEYS, **keys.get("keys", {})}
    try:
        parsed = from_document(result)
    except InvalidResult as error:
        pytest.fail(f"the test has no result: {error}")
    pure = verify_result(parsed, LINKID, known, trusted, now, signature_check=p256.is_signature)
    assert pure == verify_result(parsed, LINKID, known, trusted, now, signature_check=statements.is_signature)
    assert pure.ok == (pure.failure is None)
    assert [check.passed for check in pure.checks[:-1]] == [True] * (len(pure.checks) - 1)
    return pure


@st.composite
def chains(draw: st.DrawFn, transfers: st.SearchStrategy[int] = st.integers(0, 3)) -> CustodyChain:  # noqa: B008 - immutable
    """Draw an honest history that begins at A; `newest` may be any kind of version."""
    chain = CustodyChain(A)
    chain.mint()
    for _ in range(draw(transfers)):
        change(draw, chain)
        chain.move(draw(st.sampled_from([each for each in (A, B, C, D) if each != chain.operator])))
    change(draw, chain)
    match draw(st.sampled_from(["active", "inactive", "withdrawn", "revoked", "deprecated", "offered", "transferred"])):
        case "inactive":
            chain.update()
        case "withdrawn" | "revoked" | "deprecated" as kind:
            chain.withdraw("https://s.example/" if kind == "deprecated" else None, revoked=kind == "revoked")
            if draw(st.booleans()):
                chain.move(D if chain.operator != D else C)
        case "offered":
            chain.offer(D if chain.operator != D else C)
        case "transferred":
            recipient = D if chain.operator != D else C
            chain.offer(recipient)
            chain.transfer(recipient)
    return chain


def change(draw: st.DrawFn, chain: CustodyChain) -> None:
    """Add versions between two transfers."""
    for kind in draw(st.lists(st.sampled_from(["update", "revoked offer"]), max_size=2)):
        if kind == "update":
            chain.update(*(f"https://content.example.org/{place}" for place in range(draw(st.integers(1, 2)))))
        else:
            chain.offer(ROGUE)
            chain.revoke()


class TestHonestResults:
    @examples(150)
    @given(chains(), st.data())
    def test_each_is_accepted_by_its_first_issuer(self, chain: CustodyChain, data: st.DataObject) -> None:
        verdict = verdict_on(chain.result())
        assert verdict.ok, verdict.failure
        assert (verdict.root, verdict.issuer) == (A.issuer, chain.newest["issuer"])
        assert (verdict.version, verdict.digest) == (chain.newest["version"], digest_of(chain.newest))
        assert verdict.authority == chain.result()["authority"]
        older = data.draw(st.sampled_from(chain.versions))
        assert verdict_on(result_of(older, chain.versions)).ok

    @examples(100)
    @given(chains())
    def test_its_history_is_accepted_with_the_keys_of_all_issuers(self, chain: CustodyChain) -> None:
        *older, newest = chain.versions
        verdict = verify(newest, KEYS[newest["issuer"]], older, issuer_keys=KEYS)
        assert (verdict.ok, verdict.complete) == (True, True)

    @examples(50)
    @given(chains())
    def test_a_later_issuer_may_be_trusted_instead(self, chain: CustodyChain) -> None:
        result = chain.result()
        for transfer in result["custody"]:
            verdict = verdict_on(result, (transfer["to"], "https://unrelated.example"))
            assert verdict.ok == (transfer["to"] in {each["issuer"] for each in chain.versions}), verdict.failure
        assert not verdict_on(result, ("https://unrelated.example",)).ok
        assert not verdict_on(result, ()).ok

    def test_the_oldest_trusted_issuer_is_the_root(self) -> None:
        chain = moved(B, C)
        for trusted, root in (((A.issuer, C.issuer), A), ((C.issuer, A.issuer), A), ((C.issuer, B.issuer), B)):
            verdict = verdict_on(chain.result(), trusted)
            assert (verdict.ok, verdict.root) == (True, root.issuer)
        assert verdict_on(chain.result(), (C.issuer,)).notes

    def test_a_record_may_return(self) -> None:
        verdict = verdict_on(moved(B, A, B).result(), (B.issuer,))
        assert (verdict.ok, verdict.root) == (True, B.issuer)

    def test_a_transfer_refers_to_the_recipient(self) -> None:
        chain = moved(B)
        assert not verdict_on(chain.result()).is_referral
        chain.offer(C)
        assert not verdict_on(chain.result()).is_referral
        chain.transfer(C)
        verdict = verdict_on(chain.result())
        assert (verdict.ok, verdict.is_referral, verdict.issuer, verdict.authority) == (True, True, B.issuer, C.issuer)

    @pytest.mark.parametrize("status", ["unknown", "temporarily-unavailable", "policy-denied", "integrity-failure"])
    def test_a_state_that_leads_nowhere_needs_no_record_and_has_no_target(self, status: str) -> None:
        verdict = verdict_on({"id": LINKID, "status": status, "target_url": None, "error": "x"})
        assert (verdict.ok, verdict.root, verdict.issuer) == (True, None, None)
        assert not verdict_on({"id": LINKID, "status": status, "target_url": "https://evil.example/", "error": "x"}).ok

    def test_members_that_are_absent_are_not_compared(self) -> None:
        result = moved(B).result()
        required = {name: result[name] for name in ("id", "status", "target_url", "record", "custody")}
        assert verdict_on(required).ok


class TestMissingKeys:
    def test_the_next_issuer_whose_keys_are_needed_is_named_step_by_step(self) -> None:
        """A recipient is named only after the sender's signature of the transfer was verified."""
        result = from_document(moved(B, C).result())
        known: dict[str, Any] = {}
        for operator in (A, B, C):
            verdict = verify_result(result, LINKID, known, [A.issuer], NOW)
            assert (verdict.ok, verdict.unknown_issuer) == (False, operator.issuer)
            known[operator.issuer] = KEYS[operator.issuer]
        verdict = verify_result(result, LINKID, known, [A.issuer], NOW)
        assert (verdict.ok, verdict.unknown_issuer) == (True, None)

    def test_nobody_is_named_by_a_forged_transfer(self) -> None:
        chain = moved(B)
        chain.versions[2] = ROGUE.key.sign(chain.versions[2])
        verdict = verify_result(from_document(chain.result()), LINKID, {A.issuer: KEYS[A.issuer]}, [A.issuer], NOW)
        assert (verdict.ok, verdict.unknown_issuer) == (False, None)

    @pytest.mark.parametrize("is_last", [True, False])
    def test_nobody_is_named_by_a_transfer_of_another_sender(self, is_last: bool) -> None:
        """The rogue continues a genuine transfer from A to B, as if it had received the record."""
        chain = moved(B)
        chain.operator = ROGUE
        if is_last:
            chain.add(ROGUE, issuer=ROGUE.issuer, pid=ROGUE.pid())
        else:
            chain.move(D)
        known = {A.issuer: KEYS[A.issuer], B.issuer: KEYS[B.issuer]}
        for keys in (known, KEYS):
            verdict = verify_result(from_document(chain.result()), LINKID, keys, [A.issuer], NOW)
            assert (verdict.ok, verdict.unknown_issuer, verdict.checks[-1].name) == (False, None, "custody")

    def test_nobody_is_named_who_is_not_trusted(self) -> None:
        verdict = verify_result(from_document(moved(B).result()), LINKID, {}, [C.issuer], NOW)
        assert (verdict.ok, verdict.unknown_issuer) == (False, None)


def moved(*operators: Operator) -> CustodyChain:
    """Return a history that begins at A and ends at the last operator."""
    chain = CustodyChain(A)
    chain.mint()
    for operator in operators:
        chain.move(operator)
    return chain


# Alterations. Each changes a result that has at least one transfer, and returns what an attacker would serve.

Alteration = Callable[[Any, CustodyChain, Result], Result]
ALTERATIONS: dict[str, Alteration] = {}


def alteration(function: Alteration) -> Alteration:
    ALTERATIONS[function.__name__] = function
    return function


def entry(draw: st.DrawFn, result: Result) -> Any:
    return draw(st.sampled_from(result["custody"]))


def signer(document: Result) -> Operator:
    return OPERATORS[document["issuer"]]


def resigned(result: Result, **members: Any) -> Result:
    """Return a result whose record has other members, signed by its own issuer, who cheats."""
    record = {**result["record"], **members}
    return {**result, "record": signer(result["record"]).key.sign(record), "custody": result["custody"]}


@alteration
def drop_a_transfer(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    result["custody"].remove(entry(draw, result))
    return result


@alteration
def drop_all_transfers(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    return {**result, "custody": []}


@alteration
def repeat_a_transfer(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    result["custody"].append(entry(draw, result))
    return result


@alteration
def replace_a_transfer_by_another_version(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    chosen = entry(draw, result)
    others = [version for version in chain.versions if version != chosen["record"]]
    chosen["record"] = draw(st.sampled_from(others))
    return result


@alteration
def rename_a_side_of_a_transfer(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    entry(draw, result)[draw(st.sampled_from(["from", "to", "at"]))] = draw(st.sampled_from([ROGUE.issuer, D.pid()]))
    return result


@alteration
def sign_a_transfer_with_another_key(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    chosen = entry(draw, result)
    chosen["record"] = ROGUE.key.sign(chosen["record"])
    return result


@alteration
def sign_the_record_with_another_key(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    key = draw(st.sampled_from([each for each in (A, B, C, D, ROGUE) if each != signer(result["record"])])).key
    return {**result, "record": key.sign(result["record"])}


@alteration
def use_the_proof_of_another_version(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    others = [version["proof"] for version in chain.versions if version["version"] != result["record"]["version"]]
    result["record"]["proof"] = draw(st.sampled_from(others))
    return result


@alteration
def change_a_text_of_the_record(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    result["record"]["metadata"]["who"] += "!"
    return result


@alteration
def change_a_text_of_a_transfer(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    entry(draw, result)["record"]["metadata"]["who"] += "!"
    return result


@alteration
def change_the_signed_custody(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    """The issuer of the record states another past of it."""
    custody = deepcopy(result["record"]["metadata"]["linkid"])
    transfers = custody["transfers"]
    chosen = draw(st.integers(0, len(transfers) - 1))
    match draw(st.sampled_from(["drop", "version", "recipient", "sender", "acceptance", "malformed"])):
        case "drop":
            del transfers[chosen]
        case "version":
            transfers[chosen]["version"] += draw(st.sampled_from([-1, 1, 100]))
        case "recipient":
            transfers[chosen]["to"] = ROGUE.issuer
        case "sender":
            transfers[chosen]["from"] = ROGUE.issuer
        case "acceptance":
            transfers[chosen]["acceptance"] = draw(st.sampled_from(["", transfers[chosen]["acceptance"][:-4] + "AAAA"]))
        case "malformed":
            transfers[chosen]["version"] = None
    return resigned(result, metadata={**result["record"]["metadata"], "linkid": custody})


@alteration
def take_a_pid_elsewhere(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    own = result["record"]["issuer"]
    others = (
        f"{ROGUE.issuer}/{LINKID}",
        f"{own}/linkid:{OTHER_UUID}",
        f"{own}/x:{UUID}",
        f"{own}/2021/06/x/{UUID}",
        f"{own}/{LINKID.upper()}",
        f"{own}/{LINKID}/x",
        f"{own}.{LINKID}",
        UUID,
    )
    return resigned(result, pid=draw(st.sampled_from(others)))


@alteration
def take_another_id(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    return resigned(result, id=draw(st.sampled_from([OTHER_UUID, "tw0t-ywdj-94", ""])))


@alteration
def write_the_issuer_in_another_form(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    """The signature is the issuer's, and the keys are found under the other form, too."""
    operator = signer(result["record"])
    other = draw(st.sampled_from(LOOKALIKES)).format(operator.issuer[-9:-8])
    return {**resigned(result, issuer=other, pid=f"{other}/{LINKID}"), "authority": other}


@alteration
def date_the_record_before_its_transfer(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    return resigned(result, updated="2026-10-01T00:00:00Z")


@alteration
def change_the_time_of_creation(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    return resigned(result, created="2026-10-01T00:00:00Z")


@alteration
def lower_the_version(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    last = result["record"]["metadata"]["linkid"]["transfers"][-1]["version"]
    version = draw(st.integers(1, last - 1))
    return {**resigned(result, version=version), "version": version}


@alteration
def be_based_on_another_history(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    """The first version after a transfer, or the transfer itself, names another version before it."""
    places = [
        place for place, each in enumerate(chain.versions) if each["issuer"] != chain.versions[place - 1]["issuer"]
    ]
    first = chain.versions[places[-1]] if len(places) > 1 else chain.versions[-1]
    forked = signer(first).key.sign({**first, "previous": f"sha-256=:{'A' * 43}=:"})
    made = result_of(forked, chain.versions)
    if made["custody"] and made["custody"][-1]["record"]["version"] == forked["version"]:
        made["custody"][-1]["record"] = forked
    return made


@alteration
def show_two_versions_of_one_number(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    """The sender signs the transfer twice, with different texts, and serves one as the record, one as the evidence."""
    cheated = moved(B)
    cheated.offer(C)
    cheated.transfer(C)
    served = cheated.result()
    other = {**cheated.newest, "metadata": {**cheated.newest["metadata"], "who": "another"}}
    served["custody"][-1]["record"] = B.key.sign(other)
    return served


@alteration
def transfer_with_another_past(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    """The second sender signs a transfer in which the first one is another than in the record."""
    cheated = moved(B, C)
    served = cheated.result()
    custody = deepcopy(served["custody"][1]["record"]["metadata"]["linkid"])
    custody["transfers"][0]["at"] = "2026-10-11T00:00:00Z"
    last = served["custody"][1]["record"]
    served["custody"][1]["record"] = B.key.sign({**last, "metadata": {**last["metadata"], "linkid": custody}})
    return served


@alteration
def name_another_target(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    evil = draw(st.sampled_from(["https://evil.example/", "javascript:alert(1)", D.pid() + "?x"]))
    if draw(st.booleans()):
        return {**result, "target_url": evil}
    return {**result, "targets": [{"url": evil}]}


@alteration
def state_another_status(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    states = {"active", "inactive", "deprecated", "revoked", "tombstoned", "Active", "ok", "withdrawn"}
    status = draw(st.sampled_from(sorted(states - {result["status"]})))
    return {**result, "status": status}


@alteration
def be_about_another_linkid(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    return {**result, "id": f"linkid:{OTHER_UUID}"}


@alteration
def name_another_authority(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    return {**result, "authority": ROGUE.issuer}


@alteration
def state_another_version(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    return {**result, "version": result["version"] + 1}


@alteration
def state_another_withdrawal(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    name = draw(st.sampled_from(["withdrawn_at", "reason", "successor"]))
    return {**result, name: "https://evil.example/"}


@alteration
def withhold_the_record(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    return {**result, "record": None}


@alteration
def claim_to_have_minted_it(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    rogue = CustodyChain(ROGUE)
    rogue.mint("https://evil.example/")
    return rogue.result()


@alteration
def transfer_it_without_the_sender(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    """The rogue signs a transfer to itself on top of the newest version, which may be an offer to somebody."""
    if chain.newest["issuer"] != chain.operator.issuer or "linkid" not in chain.newest["metadata"]:
        chain.operator = signer(chain.newest)
    sender = chain.operator
    chain.operator = Operator(sender.issuer, ROGUE.key)
    chain.transfer(ROGUE)
    chain.take_over(ROGUE, records=[{"uri": "https://evil.example/", "status": "active"}])
    return chain.result()


def accepted_otherwise(**changes: Any) -> Alteration:
    """Return an alteration: the sender cheats, and transfers the record with the acceptance of something else."""

    def altered(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
        cheated = moved(B)
        cheated.offer(C)
        acceptance = cheated.acceptance(C, changes)
        cheated.transfer(C, acceptance)
        return cheated.result()

    return altered


ALTERATIONS |= {
    "accept another LinkID": accepted_otherwise(linkid=f"linkid:{OTHER_UUID}"),
    "accept another PID": accepted_otherwise(pid=A.pid()),
    "accept another version": accepted_otherwise(version=2),
    "accept another digest": accepted_otherwise(digest=f"sha-256=:{'A' * 43}=:"),
    "accept as another recipient": accepted_otherwise(to=D.issuer, iss=D.issuer),
    "accept for another recipient": accepted_otherwise(to=D.issuer),
    "accept by another issuer": accepted_otherwise(iss=D.issuer),
    "accept something else": accepted_otherwise(custody="offer"),
    "accept with another member": accepted_otherwise(more=1),
}


@alteration
def accept_in_the_name_of_the_recipient(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    cheated = moved(B)
    cheated.offer(C)
    cheated.transfer(C, cheated.acceptance(Operator(C.issuer, ROGUE.key)))
    return cheated.result()


@alteration
def reuse_an_acceptance(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    """The record returned to A, who transfers it to B once more, with B's acceptance of the first time."""
    cheated = moved(B)
    first = cheated.custody["transfers"][0]["acceptance"]
    cheated.move(A)
    cheated.offer(B)
    cheated.transfer(B, draw(st.sampled_from([first, "", "a.b.c"])))
    return cheated.result()


@alteration
def transfer_it_to_oneself(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    cheated = moved(B)
    cheated.offer(B)
    cheated.transfer(B)
    return cheated.result()


@alteration
def transfer_it_too_often(draw: st.DrawFn, chain: CustodyChain, result: Result) -> Result:
    return moved(*([B, A] * (MAX_TRANSFERS // 2)), B).result()


@pytest.mark.parametrize("name", sorted(ALTERATIONS))
@examples(60)
@given(data=st.data())
def test_each_altered_result_is_refused(name: str, data: st.DataObject) -> None:
    chain = data.draw(chains(st.integers(1, 3)))
    honest = chain.result()
    altered = ALTERATIONS[name](data.draw, chain, deepcopy(honest))
    assert altered != honest
    lookalikes = {
        form.format(operator.issuer[-9:-8]): KEYS[operator.issuer] for form in LOOKALIKES for operator in (A, B, C, D)
    }
    verdict = verdict_on(altered, keys=lookalikes)
    assert not verdict.ok
    assert verdict.failure
    assert verdict.failure.isprintable()
    assert verdict.unknown_issuer is None


@pytest.mark.parametrize("form", [form for form in LOOKALIKES if form not in VALID])
def test_a_recipient_has_one_form_of_its_url(form: str) -> None:
    """Also a chain in which all use the same other form is refused, because it could name one host as several."""
    recipient = Operator(form.format("c"), C.key)
    verdict = verdict_on(moved(B, recipient).result(), keys={recipient.issuer: KEYS[C.issuer]})
    assert (verdict.ok, verdict.checks[-1].name) == (False, "trust")


class TestTimes:
    @pytest.mark.parametrize(
        ("period", "is_usable"),
        [
            ({"validFrom": "2026-10-01T00:00:00Z", "validUntil": None}, True),
            ({"validFrom": None, "validUntil": "2026-10-31T23:58:00Z"}, True),  # the clocks may differ
            ({"validFrom": None, "validUntil": "2026-10-31T23:50:00Z"}, False),
            ({"validFrom": "2026-11-01T00:10:00Z", "validUntil": None}, False),
            ({"validFrom": "tomorrow", "validUntil": None}, False),
            ({"validFrom": "2026-10-01T00:00:00", "validUntil": None}, False),
        ],
    )
    def test_a_target_that_is_not_valid_now_is_refused(self, period: dict[str, Any], is_usable: bool) -> None:
        chain = moved(B)
        chain.add(records=[{"uri": "https://content.example.org/", "status": "active"} | period])
        assert verdict_on(chain.result()).ok == is_usable

    @pytest.mark.parametrize(
        ("begins", "is_honest"),
        [("2026-12-01T00:00:00Z", True), ("2026-10-31T12:00:00Z", True), ("2026-10-15T00:00:00Z", False)],
    )
    def test_an_inactive_result_may_be_as_old_as_a_cache_keeps_it(self, begins: str, is_honest: bool) -> None:
        chain = moved(B)
        chain.add(records=[{"uri": "https://a.example/", "status": "active", "validFrom": begins, "validUntil": None}])
        result = {**chain.result(), "status": "inactive", "target_url": None, "targets": []}
        assert verdict_on(result).ok == is_honest


@examples(200)
@given(st.data())
def test_the_verdict_on_anything_is_a_verdict(data: st.DataObject) -> None:
    """A signed record may contain anything, also what no service of coolid writes."""
    values = st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text(max_size=5)
    odd = st.recursive(values, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner))
    record = deepcopy(moved(B).newest)
    name = data.draw(st.sampled_from(sorted(record)))
    record[name] = data.draw(odd)
    try:
        signed = B.key.sign(record)
    except (TypeError, ValueError, KeyError):
        signed = record
    result = from_document({**moved(B).result(), "record": signed})
    verdict = verify_result(result, LINKID, KEYS, [A.issuer], NOW)
    assert verdict.ok == (verdict.failure is None)
