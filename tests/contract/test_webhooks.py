"""The duties of every store of webhooks."""

from typing import Any

import pytest
from msgspec.structs import replace

from coolid.model.check_state import CheckState, CheckSubject, repository_owner, target_name
from coolid.model.conditions import DOWN
from coolid.model.webhooks import Webhook
from tests.support.builders.samples import LATER, MOMENT

OWNER = "r4k2-9m3x-62"
OTHER = "h4nd-1e5x-00"
WEBHOOK = Webhook("https://hook.example/a?b=c", "whsec_" + "A" * 44, MOMENT)


def test_one_is_read_back_equal_and_is_of_its_repository_alone(store: Any) -> None:
    assert store.webhooks.webhook(OWNER) is None
    store.webhooks.put_webhook(OWNER, WEBHOOK)
    assert store.webhooks.webhook(OWNER) == WEBHOOK
    assert store.webhooks.webhook(OTHER) is None


def test_another_takes_its_place(store: Any) -> None:
    store.webhooks.put_webhook(OWNER, WEBHOOK)
    store.webhooks.put_webhook(OWNER, replace(WEBHOOK, url="https://hook.example/new", since=LATER))
    assert store.webhooks.webhook(OWNER) == replace(WEBHOOK, url="https://hook.example/new", since=LATER)


def test_one_that_was_dropped_is_gone_and_may_be_dropped_again(store: Any) -> None:
    store.webhooks.put_webhook(OWNER, WEBHOOK)
    store.webhooks.put_webhook(OTHER, WEBHOOK)
    for _ in range(2):
        store.webhooks.delete_webhook(OWNER)
        assert store.webhooks.webhook(OWNER) is None
    assert store.webhooks.webhook(OTHER) == WEBHOOK


def test_it_is_no_check_state_of_its_repository_nor_do_check_states_touch_it(store: Any) -> None:
    subject = CheckSubject(repository_owner(OWNER), target_name("tw0tywdj94", "https://a.example/"))
    seen = CheckState(url="https://a.example/", state=DOWN, since=MOMENT, checked=MOMENT)
    store.webhooks.put_webhook(OWNER, WEBHOOK)
    store.check_states.put_check_state(subject, seen)
    assert store.check_states.ailing(repository_owner(OWNER), 10, None) == ([(subject, seen)], None)
    store.check_states.delete_check_state(subject)
    assert store.webhooks.webhook(OWNER) == WEBHOOK


@pytest.mark.parametrize("returned", [repr, str, "{}".format])
def test_its_secret_is_in_no_text_of_it(returned: Any) -> None:
    assert WEBHOOK.secret not in returned(WEBHOOK)
