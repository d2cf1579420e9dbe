"""Where a repository's keepers hear of their links: said by administrators, over HTTP; the secret is told once."""

import json
import re
from typing import Any

import pytest

from coolid.health.webhook_notices import LinkChange, change_event
from coolid.health.webhook_signature import signed_message
from coolid.model.conditions import DOWN, UP, Condition
from coolid.model.webhooks import Webhook
from coolid.wiring import transfer
from tests.docs.receiver import receive
from tests.support.builders.samples import BASE_URL, LATER, MOMENT
from tests.support.fixtures.application import Desk
from tests.support.fixtures.system import System
from tests.support.stores.store_wrappers import FailingStore

OWNER = "r4k2-9m3x-62"
PATH = f"/api/v1/webhooks/{OWNER}"
URL = "https://hook.example/links"
TOLD = {"repository": OWNER, "url": URL, "since": "2025-07-10T14:22:30Z"}
SECRET = re.compile(r"whsec_[A-Za-z0-9+/]{43}=")


def put(desk: Any, url: Any = URL) -> Any:
    return desk.request("PUT", PATH, {"url": url})


def test_a_webhook_is_made_and_its_secret_returned_once() -> None:
    desk = Desk()
    answer = put(desk)
    assert (answer.status, answer.headers["location"]) == (201, BASE_URL + PATH)
    assert answer.headers["cache-control"] == "no-store"
    made = answer.json()
    secret = made.pop("secret")
    assert SECRET.fullmatch(secret)
    assert made == TOLD
    answer = desk.request("GET", PATH)
    assert (answer.status, answer.json()) == (200, TOLD)
    assert "whsec" not in str(answer)


def test_with_its_secret_a_receiver_verifies_what_is_sent() -> None:
    desk = Desk()
    secret = put(desk).json()["secret"]
    kept = desk.store.webhook(OWNER)
    assert isinstance(kept, Webhook)
    told = change_event(
        OWNER, [LinkChange("https://id.example.org/x", URL, UP, Condition(DOWN, MOMENT, "it answered 404"))], MOMENT
    )
    body, headers = signed_message(kept, told, LATER)
    assert receive(body, headers, secret, LATER.timestamp()) == told


def test_another_takes_its_place_with_another_secret() -> None:
    desk = Desk()
    first = put(desk).json()
    answer = put(desk, "https://hook.example/new")
    assert (answer.status, answer.json()["url"]) == (200, "https://hook.example/new")
    assert "location" not in answer.headers
    assert answer.json()["secret"] != first["secret"]
    assert desk.request("GET", PATH).json()["url"] == "https://hook.example/new"


def test_one_that_was_deleted_is_gone() -> None:
    desk = Desk()
    assert desk.request("DELETE", PATH).status == 404
    put(desk)
    answer = desk.request("DELETE", PATH)
    assert (answer.status, answer.json()) == (200, TOLD)
    assert [desk.request(method, PATH).status for method in ("GET", "DELETE")] == [404, 404]


@pytest.mark.parametrize("url", ["http://hook.example/", "https://a@hook.example/", "nowhere", "", 5, None])
def test_where_no_notice_can_go_is_refused(url: Any) -> None:
    desk = Desk()
    answer = put(desk, url)
    assert (answer.status, [each["pointer"] for each in answer.json()["errors"]]) == (422, ["/url"])
    assert desk.store.webhooks == {}


@pytest.mark.parametrize("document", [{}, {"url": URL, "secret": "whsec_mine"}, []])
def test_a_document_that_is_none_is_refused(document: Any) -> None:
    assert Desk().request("PUT", PATH, document).status == 422


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_only_administrators_may(method: str) -> None:
    desk = Desk()
    put(desk)
    document = {"url": URL} if method == "PUT" else None
    assert desk.request(method, PATH, document, key=None).status == 401
    assert desk.request(method, PATH, document, key=desk.key_with("update:demo", "mint:demo")).status == 403


@pytest.mark.parametrize("path", ["0000-0000-98", "x", "r4k2-9m3x-62/more", "%20"])
def test_a_repository_that_there_is_not_has_none(path: str) -> None:
    assert Desk().request("GET", f"/api/v1/webhooks/{path}").status == 404


def test_nothing_is_notified_that_was_not_stored() -> None:
    desk = Desk()
    desk.through(FailingStore(desk.store, "before", "put_webhook"))
    answer = put(desk)
    assert (answer.status, "whsec" in answer.body) == (503, False)
    assert desk.store.webhooks == {}


def test_no_export_has_it(fresh: System) -> None:
    repository = fresh.request("GET", "/api/v1/prefixes/demo", key=fresh.admin_key).json()["repository"]
    body = json.dumps({"url": URL}).encode()
    assert fresh.request("PUT", f"/api/v1/webhooks/{repository}", body=body, key=fresh.admin_key).status == 201
    with transfer.open_access(transfer.settings_of(fresh.environment, signs=False)) as access:
        exported = b"".join(transfer.export_lines(access))
    assert repository.encode() in exported
    assert b"whsec_" not in exported
    assert URL.encode() not in exported


def test_over_the_real_store_too(fresh: System) -> None:
    repository = fresh.request("GET", "/api/v1/prefixes/demo", key=fresh.admin_key).json()["repository"]
    path = f"/api/v1/webhooks/{repository}"
    made = fresh.request("PUT", path, body=json.dumps({"url": URL}).encode(), key=fresh.admin_key)
    assert made.status == 201, made.body
    kept = fresh.store().webhooks.webhook(repository)
    assert kept is not None
    assert (kept.url, kept.secret) == (URL, made.json()["secret"])
    assert fresh.request("DELETE", path, key=fresh.admin_key).status == 200
    assert fresh.store().webhooks.webhook(repository) is None
