"""Webhooks: administrators register the address of a repository's notices; the secret is returned once."""

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
from tests.support.fixtures.application import InMemoryApplication
from tests.support.fixtures.system import System, TablesSystem
from tests.support.stores.store_wrappers import FailingStore

OWNER = "r4k2-9m3x-62"
PATH = f"/api/v1/webhooks/{OWNER}"
URL = "https://hook.example/links"
TOLD = {"repository": OWNER, "url": URL, "since": "2025-07-10T14:22:30Z"}
SECRET = re.compile(r"whsec_[A-Za-z0-9+/]{43}=")


def put(app: Any, url: Any = URL) -> Any:
    return app.request("PUT", PATH, {"url": url})


def test_a_webhook_is_made_and_its_secret_returned_once() -> None:
    app = InMemoryApplication()
    answer = put(app)
    assert (answer.status, answer.headers["location"]) == (201, BASE_URL + PATH)
    assert answer.headers["cache-control"] == "no-store"
    made = answer.json()
    secret = made.pop("secret")
    assert SECRET.fullmatch(secret)
    assert made == TOLD
    answer = app.request("GET", PATH)
    assert (answer.status, answer.json()) == (200, TOLD)
    assert "whsec" not in str(answer)


def test_with_its_secret_a_receiver_verifies_what_is_sent() -> None:
    app = InMemoryApplication()
    secret = put(app).json()["secret"]
    stored = app.store.webhook(OWNER)
    assert isinstance(stored, Webhook)
    returned = change_event(
        OWNER, [LinkChange("https://id.example.org/x", URL, UP, Condition(DOWN, MOMENT, "it answered 404"))], MOMENT
    )
    body, headers = signed_message(stored, returned, LATER)
    assert receive(body, headers, secret, LATER.timestamp()) == returned


def test_another_takes_its_place_with_another_secret() -> None:
    app = InMemoryApplication()
    first = put(app).json()
    answer = put(app, "https://hook.example/new")
    assert (answer.status, answer.json()["url"]) == (200, "https://hook.example/new")
    assert "location" not in answer.headers
    assert answer.json()["secret"] != first["secret"]
    assert app.request("GET", PATH).json()["url"] == "https://hook.example/new"


def test_one_that_was_deleted_is_gone() -> None:
    app = InMemoryApplication()
    assert app.request("DELETE", PATH).status == 404
    put(app)
    answer = app.request("DELETE", PATH)
    assert (answer.status, answer.json()) == (200, TOLD)
    assert [app.request(method, PATH).status for method in ("GET", "DELETE")] == [404, 404]


@pytest.mark.parametrize("url", ["http://hook.example/", "https://a@hook.example/", "nowhere", "", 5, None])
def test_where_no_notice_can_go_is_refused(url: Any) -> None:
    app = InMemoryApplication()
    answer = put(app, url)
    assert (answer.status, [each["pointer"] for each in answer.json()["errors"]]) == (422, ["/url"])
    assert app.store.webhooks == {}


@pytest.mark.parametrize("document", [{}, {"url": URL, "secret": "whsec_mine"}, []])
def test_a_document_that_is_none_is_refused(document: Any) -> None:
    assert InMemoryApplication().request("PUT", PATH, document).status == 422


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_only_administrators_may(method: str) -> None:
    app = InMemoryApplication()
    put(app)
    document = {"url": URL} if method == "PUT" else None
    assert app.request(method, PATH, document, key=None).status == 401
    assert app.request(method, PATH, document, key=app.key_with("update:demo", "mint:demo")).status == 403


@pytest.mark.parametrize("path", ["0000-0000-98", "x", "r4k2-9m3x-62/more", "%20"])
def test_a_repository_that_there_is_not_has_none(path: str) -> None:
    assert InMemoryApplication().request("GET", f"/api/v1/webhooks/{path}").status == 404


def test_nothing_is_notified_that_was_not_stored() -> None:
    app = InMemoryApplication()
    app.use_store(FailingStore(app.store, "before", "put_webhook"))
    answer = put(app)
    assert (answer.status, "whsec" in answer.body) == (503, False)
    assert app.store.webhooks == {}


def test_no_export_has_it(fresh_tables: TablesSystem) -> None:
    repository = fresh_tables.request("GET", "/api/v1/prefixes/demo", key=fresh_tables.admin_key).json()["repository"]
    body = json.dumps({"url": URL}).encode()
    assert (
        fresh_tables.request("PUT", f"/api/v1/webhooks/{repository}", body=body, key=fresh_tables.admin_key).status
        == 201
    )
    with transfer.open_access(transfer.settings_of(fresh_tables.environment, signs=False)) as access:
        exported = b"".join(transfer.export_lines(access))
    assert repository.encode() in exported
    assert b"whsec_" not in exported
    assert URL.encode() not in exported


def test_over_the_real_store_too(fresh: System) -> None:
    repository = fresh.request("GET", "/api/v1/prefixes/demo", key=fresh.admin_key).json()["repository"]
    path = f"/api/v1/webhooks/{repository}"
    made = fresh.request("PUT", path, body=json.dumps({"url": URL}).encode(), key=fresh.admin_key)
    assert made.status == 201, made.body
    stored = fresh.store().webhooks.webhook(repository)
    assert stored is not None
    assert (stored.url, stored.secret) == (URL, made.json()["secret"])
    assert fresh.request("DELETE", path, key=fresh.admin_key).status == 200
    assert fresh.store().webhooks.webhook(repository) is None
