"""The list of trusted resolvers: what is accepted, and the reason for everything that is not."""

import json
from typing import Any

import pytest

from coolid.errors import UsageError
from coolid.linkid.pinned_keys import parse_pinned_key
from coolid.linkid.trusted_resolvers import MAX_LIVE, TrustedResolvers, parse_resolvers

LINKID = "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
KEY = {  # RFC 7515, appendix A.3
    "kty": "EC",
    "crv": "P-256",
    "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
}


def _parse(*resolvers: Any) -> TrustedResolvers:
    return parse_resolvers(json.dumps({"resolvers": resolvers}))


def test_resolvers_are_in_order_and_those_retired_are_not_queried() -> None:
    trusted = _parse(
        {"issuer": "https://B.example/"},
        {"issuer": "https://old.example", "keys": [KEY], "retired": True},
        {"issuer": "http://127.0.0.1:8080", "endpoint": "http://127.0.0.1:8080/r?id={identifier}&x=1"},
    )
    assert trusted.issuers == ("https://b.example", "https://old.example", "http://127.0.0.1:8080")
    assert [each.url(LINKID) for each in trusted.live] == [
        "https://b.example/resolve/linkid%3A00c538ea-846b-47a6-a3d4-70a9ebd29d7c",
        "http://127.0.0.1:8080/r?id=linkid%3A00c538ea-846b-47a6-a3d4-70a9ebd29d7c&x=1",
    ]
    retired = trusted.of("https://old.example")
    assert retired
    assert retired.key_set == {"keys": [parse_pinned_key(KEY)]}
    assert trusted.resolvers[0].key_set is None
    assert trusted.of("https://c.example") is None


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("https://a.example", "it is not an object"),
        ({}, "issuer: it is missing"),
        ({"issuer": "http://a.example"}, "issuer: http is allowed only on this machine"),
        ({"issuer": "ftp://a.example"}, "issuer: it does not begin with http"),
        ({"issuer": "https://u:p@a.example"}, "issuer: it carries credentials"),
        ({"issuer": "https://a.example/?x"}, "issuer: the URL of an issuer has no query"),
        ({"issuer": "https://a.example", "retierd": True}, "unknown member: retierd"),
        ({"issuer": "https://a.example", "retired": "yes"}, "retired: it is neither true nor false"),
        ({"issuer": "https://a.example", "retired": True}, "a retired resolver needs keys"),
        ({"issuer": "https://a.example", "endpoint": 1}, "endpoint: it is missing, or not a text"),
        ({"issuer": "https://a.example", "endpoint": "https://a.example/{id}"}, "must contain {identifier} once"),
        ({"issuer": "https://a.example", "endpoint": "https://a.example/{identifier}{x}"}, "no other braces"),
        ({"issuer": "https://a.example", "endpoint": "https://{identifier}/"}, "must be in the path"),
        ({"issuer": "https://a.example", "endpoint": "https://a.example/#{identifier}"}, "must be in the path"),
        ({"issuer": "https://a.example", "endpoint": "http://a.example/{identifier}"}, "only on this machine"),
        ({"issuer": "https://a.example", "keys": {}}, "keys: it is not a list"),
        ({"issuer": "https://a.example", "keys": []}, "keys: it is empty"),
        ({"issuer": "https://a.example", "keys": [KEY, KEY]}, "keys: one key occurs twice"),
        ({"issuer": "https://a.example", "keys": [KEY] * 17}, "keys: there are 17 keys"),
        ({"issuer": "https://a.example", "keys": ["x"]}, "keys[0]: it is not a JSON Web Key"),
        ({"issuer": "https://a.example", "keys": [KEY | {"d": "x"}]}, "keys[0]: it is a PRIVATE key"),
        ({"issuer": "https://a.example", "keys": [KEY | {"crv": "P-384"}]}, "keys[0].crv: it must be P-256"),
        ({"issuer": "https://a.example", "keys": [KEY | {"alg": "none"}]}, "keys[0].alg: it must be ES256"),
        ({"issuer": "https://a.example", "keys": [KEY | {"x": "AA"}]}, "keys[0]: its x is not the base64url"),
        ({"issuer": "https://a.example", "keys": [KEY | {"y": KEY["x"]}]}, "keys[0]: it is no point on P-256"),
        (
            {"issuer": "https://a.example", "keys": [KEY | {"x": "_" * 42 + "8"}]},
            "its x is no coordinate on P-256",
        ),
        ({"issuer": "https://a.example", "keys": [KEY | {"kid": "x"}]}, "keys[0].kid: the thumbprint"),
    ],
)
def test_each_error_is_explained(entry: Any, reason: str) -> None:
    with pytest.raises(UsageError) as refused:
        _parse(entry)
    assert str(refused.value).startswith("resolvers[0]")
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is not JSON"),
        ('{"resolvers": [], "resolvers": []}', "occurs twice"),
        ("[]", "must have the form"),
        ('{"resolvers": [], "peers": []}', "unknown member: peers"),
        (" " * 70_000, "larger than"),
        (json.dumps({"resolvers": [{"issuer": "https://a.example"}, {"issuer": "https://A.example:443/"}]}), "twice"),
        (
            json.dumps({"resolvers": [{"issuer": f"https://{i}.example"} for i in range(MAX_LIVE + 1)]}),
            "at most 8 are allowed",
        ),
        (json.dumps({"resolvers": [{}] * 65}), "at most 64"),
    ],
)
def test_the_text_as_a_whole_is_checked(text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        parse_resolvers(text)


def test_a_key_in_a_message_is_never_shown() -> None:
    with pytest.raises(UsageError) as refused:
        _parse({"issuer": "https://a.example", "keys": [KEY | {"d": "cXV4"}]})
    assert "cXV4" not in str(refused.value)
