"""API keys: what they allow and forbid, until they are revoked."""

import pytest

from tests.e2e.created_records import HERE, Holding, hold
from tests.e2e.service import CLIENTS, PREFIXES, RECORDS, REPOSITORIES, Service


@pytest.fixture(scope="module")
def other(service: Service, holding: Holding) -> Holding:
    """A repository whose prefix begins as one of `holding`'s does, but not at a boundary."""
    return hold(service, f"{holding.prefixes[1]}x")


def issued(service: Service, *scopes: str) -> tuple[str, str]:
    """A new client's id and key."""
    answer = service.admin("POST", CLIENTS, {"scopes": list(scopes), "note": "end-to-end"})
    assert answer.status == 201, answer.body
    return answer.json()["id"], answer.json()["key"]


@pytest.mark.parametrize("authorization", [None, "Bearer nonsense", "Bearer cool_aaaaaaaa_nonsense", "Basic eDp5", ""])
def test_without_a_valid_key_nothing_is_managed(service: Service, holding: Holding, authorization: str | None) -> None:
    headers = {} if authorization is None else {"Authorization": authorization}
    for method, target in (("POST", RECORDS), ("GET", PREFIXES), ("POST", CLIENTS), ("POST", REPOSITORIES)):
        reply = service.request(method, target, body=b"{}" if method == "POST" else None, **headers)
        assert reply.refusal == (401, "unauthenticated")
        # API Gateway gives this header of a function's another name.
        challenge = reply.headers.get("www-authenticate") or reply.headers["x-amzn-remapped-www-authenticate"]
        assert challenge.startswith("Bearer")


def test_a_key_opens_what_its_scope_says_and_nothing_else(service: Service, holding: Holding, other: Holding) -> None:
    _, key = issued(service, f"mint:{holding.prefixes[1]}")
    minted = service.request("POST", RECORDS, key=key, document={"prefix": holding.prefixes[1], "uri": HERE})
    assert minted.status == 201
    stored = f"{RECORDS}/{holding.prefixes[1]}:{minted.json()['id']}"
    tag = minted.headers["etag"]
    assert service.request("GET", stored, key=key).status == 200
    for method, target, document in (
        ("POST", RECORDS, {"prefix": other.prefix, "uri": HERE}),
        ("POST", RECORDS, {"prefix": holding.prefix, "uri": HERE}),  # the same repository by another name
        ("PATCH", stored, {"metadata": {"what": "Mine"}}),
        ("PUT", stored, {"uri": HERE}),
        ("DELETE", stored, {"reason": "It was wrong"}),
        ("GET", f"{RECORDS}?prefix={other.prefix}", None),
        ("PUT", f"{PREFIXES}/{other.prefix}", {"kind": "namespace", "repository": other.repository}),
        ("POST", REPOSITORIES, {"title": "Mine"}),
        ("POST", CLIENTS, {"scopes": ["admin"]}),
    ):
        reply = service.request(method, target, key=key, document=document, If_Match=tag)
        assert reply.refusal == (403, "forbidden"), (method, target)
    assert service.admin("GET", stored).headers["etag"] == tag


def test_each_line_of_a_batch_is_held_against_the_scope(service: Service, holding: Holding, other: Holding) -> None:
    _, key = issued(service, f"mint:{holding.prefixes[1]}")
    lines = [{"prefix": prefix, "uri": HERE} for prefix in (holding.prefixes[1], other.prefix)]
    results = service.request("POST", f"{RECORDS}/batch", key=key, document=lines).json()
    assert [result["status"] for result in results] == [201, 403]


def test_a_key_that_is_revoked_is_shut_at_once_and_for_ever(service: Service, holding: Holding) -> None:
    client, key = issued(service, f"mint:{holding.prefix}")
    mint = {"prefix": holding.prefix, "uri": HERE}
    minted = service.request("POST", RECORDS, key=key, document=mint)
    assert minted.status == 201
    revoked = service.admin("DELETE", f"{CLIENTS}/{client}")
    assert revoked.status == 200
    assert revoked.json()["revoked"]
    assert "key" not in revoked.json()
    assert service.request("POST", RECORDS, key=key, document=mint).refusal == (401, "unauthenticated")
    assert service.get(service.path_of(minted.headers["location"])).status == 302
    assert service.admin("GET", f"{CLIENTS}/{client}").json() == revoked.json()


def test_a_key_is_returned_once(service: Service, holding: Holding) -> None:
    client, key = issued(service, f"mint:{holding.prefix}")
    secret = key.split("_", 2)[2]
    assert secret not in service.admin("GET", f"{CLIENTS}/{client}").text


def test_a_quota_is_enforced_and_reported(service: Service, holding: Holding) -> None:
    quota = {"day": 1}  # a minute may end between two requests
    key = service.admin("POST", CLIENTS, {"scopes": [f"mint:{holding.prefix}"], "quota": quota}).json()["key"]
    replies = [
        service.request("POST", RECORDS, key=key, document={"prefix": holding.prefix, "uri": HERE}) for _ in range(3)
    ]
    # A day may end, too, but not twice.
    assert replies[0].status == 201
    refused = replies[2]
    assert refused.refusal == (429, "quota-exceeded")
    assert int(refused.headers["retry-after"]) > 0
    assert refused.headers["cache-control"] == "no-store"
    assert "ratelimit" in refused.headers
