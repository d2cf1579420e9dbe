"""Results of records: a target only of an active one, usable now, and the one that a redirect leads to."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.errors import PolicyDenied
from coolid.identifiers.rules.uuid import UuidRules
from coolid.identifiers.target_policy import is_within
from coolid.linkid import states
from coolid.linkid.record_results import result_of, verified_at
from coolid.linkid.results import ResolutionResult, from_document
from coolid.model.conditions import DOWN, UP, Condition
from coolid.model.custody import REVOKED, Custody, CustodyTransfer, with_custody
from coolid.model.locations import is_valid_at
from coolid.model.records import ACTIVE, INACTIVE, WITHDRAWN, Location, Record, Withdrawal, format_time
from coolid.resolution.content_negotiation import ClientPreferences, choose
from tests.support.builders.samples import BASE_URL, MOMENT, record, repository
from tests.support.stores.memory_store import MemoryStore

KEY = "919108f752d143209bacf847db4148a8"
LINKID = "linkid:919108f7-52d1-4320-9bac-f847db4148a8"
OTHER = "https://other.example"
DENIED = "denied.example"
OWNER = repository(
    rules=UuidRules(4), denied_domains=(DENIED,), canonical="linkid", target="https://default.example/{$id}"
)
"""Its default target is in no result, because no record states it."""

times = st.none() | st.integers(-3, 3).map(lambda days: format_time(MOMENT + timedelta(days=days)))
languages = st.none() | st.sampled_from(["de", "en", "en-US"])
locations = st.builds(
    Location,
    st.sampled_from(["a.example", "b.example", DENIED, f"x.{DENIED}", f"not-{DENIED}"]).map(
        lambda host: f"https://{host}/"
    ),
    status=st.sampled_from([ACTIVE, ACTIVE, INACTIVE]),
    media_type=st.none() | st.sampled_from(["application/pdf", "text/html"]),
    language=languages,
    quality=st.none() | st.sampled_from([0.0, 0.5, 1.0]),
    valid_from=times,
    valid_until=times,
)
preferences = st.builds(
    ClientPreferences,
    languages=st.none() | st.just((("de", 1.0), ("en", 0.5))) | st.just((("en", 0.0),)),
    language=languages,
)


def linkid_record(**members: Any) -> Record:
    return record(KEY, id=KEY, pid=f"{BASE_URL}/{LINKID}", **members)


def result(stored: Record, wanted: ClientPreferences | None = None) -> ResolutionResult:
    found = result_of(stored, OWNER, wanted or ClientPreferences(), MemoryStore(), MOMENT)
    assert from_document(found.to_document()) == found
    return found


@given(st.lists(locations, max_size=5).map(tuple), preferences)
def test_only_an_active_record_has_targets_and_all_may_be_used(
    places: tuple[Location, ...], wanted: ClientPreferences
) -> None:
    valid = [each for each in places if is_valid_at(each, MOMENT)]
    usable = [each for each in valid if not is_within(each.uri, [DENIED])]
    if valid and not usable:
        with pytest.raises(PolicyDenied):
            result(linkid_record(records=places), wanted)
        return
    found = result(linkid_record(records=places), wanted)
    assert (found.id, found.status) == (LINKID, states.ACTIVE if usable else states.INACTIVE)
    assert sorted(each.url for each in found.targets) == sorted(each.uri for each in usable)
    assert found.usable_target == (found.targets[0].url if usable else None)
    firsts = [each.url for each in found.targets if not each.fallback]
    chosen = choose(usable, (), wanted)
    if isinstance(chosen, tuple):  # what a redirect would choose between
        assert firsts == [each.uri for each in chosen]
    assert [each.fallback for each in found.targets] == sorted(each.fallback for each in found.targets)


@pytest.mark.parametrize("successor", [None, "https://a.example/"])
@pytest.mark.parametrize("state", [None, REVOKED])
def test_a_tombstone_never_has_a_target(successor: str | None, state: str | None) -> None:
    places = (Location("https://a.example/"),)
    metadata = with_custody({}, Custody(state=state))
    gone = Withdrawal(MOMENT, "It is gone", successor)
    found = result(linkid_record(records=places, status=WITHDRAWN, withdrawn=gone, metadata=metadata))
    expected = states.REVOKED if state else states.DEPRECATED if successor else states.TOMBSTONED
    assert (found.status, found.target_url, found.targets, found.status_code) == (expected, None, (), 410)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (None, None),
        (Condition(UP, MOMENT), format_time(MOMENT)),
        (Condition(DOWN, MOMENT, "it answered 404"), None),
        (
            Condition(DOWN, MOMENT, "it answered 404", MOMENT - timedelta(days=1)),
            format_time(MOMENT - timedelta(days=1)),
        ),
    ],
)
def test_the_last_success_of_a_check_is_stated(condition: Condition | None, expected: str | None) -> None:
    uri = "https://a.example/"
    health = {uri: condition} if condition is not None else {}
    assert verified_at(health, uri) == expected
    assert result(linkid_record(records=(Location(uri),), health=health)).last_verified_at == expected


def test_a_record_that_was_given_away_names_its_new_authority_and_the_transfer() -> None:
    transfer = CustodyTransfer(BASE_URL, OTHER, format_time(MOMENT), 3, "a.b.c")
    metadata = with_custody({}, Custody(transfers=(transfer,)))
    given = linkid_record(version=3, metadata=metadata, records=(Location(f"{OTHER}/{LINKID}"),))
    found = result(given)
    assert (found.authoritative, found.authority, found.usable_target) == (False, OTHER, f"{OTHER}/{LINKID}")
    assert [(each.sender, each.recipient, each.record) for each in found.custody] == [
        (BASE_URL, OTHER, given.to_document())
    ]


def test_the_new_authority_shows_the_version_that_transferred_the_record() -> None:
    store = MemoryStore()
    transfer = CustodyTransfer(OTHER, BASE_URL, format_time(MOMENT), 1, "a.b.c")
    metadata = with_custody({}, Custody(transfers=(transfer,)))
    given = linkid_record(issuer=OTHER, metadata=metadata)
    store.create_record(given)
    taken = replace(given, version=2, issuer=BASE_URL)
    store.replace_record(taken, given)
    found = result_of(taken, OWNER, ClientPreferences(), store, MOMENT)
    assert (found.authoritative, found.authority) == (True, BASE_URL)
    assert [each.record for each in found.custody] == [given.to_document()]
