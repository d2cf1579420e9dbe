"""The delay queue: messages arrive unchanged, and not before the functions' caches have expired."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.aws.edge_purge.purger import RESPONSE_TIMEOUT_SECONDS, DelayQueue, InvalidPurgeMessage, PurgeMessage
from coolid.resolution.cache import KEYS_TTL, PREFIX_TTL, RECORD_TTL
from tests.infra.cloudformation import load
from tests.support.stores.table_streams import FakeSqs


@given(st.sets(st.from_regex(r"[!-+\--~]{1,256}", fullmatch=True), min_size=1), st.integers(0, 2**40))
def test_a_message_arrives_as_it_was_sent(tags: set[str], since: int) -> None:
    letter = PurgeMessage(frozenset(tags), since)
    assert PurgeMessage.parse(letter.text()) == letter


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "[]",
        "{}",
        '{"tags": [], "since": 1}',
        '{"tags": ["keys"]}',
        '{"tags": ["keys"], "since": "yesterday"}',
        '{"tags": "keys", "since": 1}',
        '{"tags": [1], "since": 1}',
        '{"tags": ["a,b"], "since": 1}',
        '{"tags": ["a b"], "since": 1}',
        '{"requestContext": {"condition": "RetryAttemptsExhausted"}}',
    ],
)
def test_another_text_is_no_message(text: str) -> None:
    with pytest.raises(InvalidPurgeMessage):
        PurgeMessage.parse(text)


@given(st.text())
def test_no_text_does_more_than_be_refused(text: str) -> None:
    with pytest.raises(InvalidPurgeMessage):
        PurgeMessage.parse(text)


@pytest.mark.parametrize("remembered", [KEYS_TTL, RECORD_TTL, PREFIX_TTL])
def test_a_message_is_delayed_until_the_last_old_response_has_arrived(remembered: float) -> None:
    sqs = FakeSqs()
    DelayQueue(sqs, "https://queue.example/").send(PurgeMessage(frozenset(["keys"]), 0), remembered)
    ((delay, _),) = sqs.sent
    assert delay >= remembered + RESPONSE_TIMEOUT_SECONDS


def test_no_response_is_in_transit_for_longer_than_the_resolve_functions_time_limit() -> None:
    assert load()["Resources"]["ResolveFunction"]["Properties"]["Timeout"] <= RESPONSE_TIMEOUT_SECONDS
