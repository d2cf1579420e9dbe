"""Any response to a request for a LinkID is a result or no result; nothing else can happen to the client."""

import orjson
from hypothesis import given
from hypothesis import strategies as st

from coolid.client.http_request import HttpAnswer
from coolid.client.linkid.answers import NoResult, read_answer
from coolid.client.linkid.target_rules import target_objection
from coolid.errors import UsageError
from coolid.linkid.freshness import stale_seconds
from coolid.linkid.results import ResolutionResult
from coolid.linkid.trusted_resolvers import MAX_LIVE, TrustedResolvers, parse_resolvers
from tests.support.builders.linkid_operators import LINKID, OTHER

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
STATES = ("active", "inactive", "deprecated", "revoked", "tombstoned", "unknown", "policy-denied", "integrity-failure")
ERRORS = ("not_found", "gone", "invalid_identifier", "policy_denied", "integrity_failure", "temporarily_unavailable")
RESULTS = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from([LINKID, LINKID.upper(), OTHER, "linkid:4711"]) | JSON,
        "status": st.sampled_from(STATES) | JSON,
        "target_url": st.sampled_from([None, "https://example.org/", "javascript:alert(1)"]) | JSON,
        "error": st.sampled_from(ERRORS) | JSON,
        "record": JSON,
        "custody": JSON,
        "x-authority": JSON,
    },
)
HEADERS = st.fixed_dictionaries(
    {"content-type": st.sampled_from(["application/json", "application/json; charset=utf-8", "text/html", ""])},
    optional={
        "age": st.text(max_size=12),
        "date": st.sampled_from(["Mon, 01 Jan 2024 00:00:00 GMT", "yesterday", "Mon, 99 Jan 99999999 00:00:00 GMT"]),
        "expires": st.sampled_from(["0", "Mon, 01 Jan 2024 00:00:00 GMT"]),
        "cache-control": st.sampled_from(["max-age=60", "max-age=x", "no-store", ',,"', "max-age=99999999999"]),
    },
)


@given(
    status=st.sampled_from([200, 201, 204, 301, 400, 403, 404, 410, 429, 500, 503]),
    headers=HEADERS,
    body=st.binary(max_size=50) | RESULTS.map(lambda document: orjson.dumps(document, default=repr)),
)
def test_every_response_is_a_result_about_the_linkid_or_none(status: int, headers: dict[str, str], body: bytes) -> None:
    try:
        result = read_answer(HttpAnswer("https://a.example/", status, headers, body), LINKID, 1.8e9)
    except NoResult:
        return
    assert isinstance(result, ResolutionResult)
    assert result.id in (None, LINKID)
    assert (result.target_url is not None) == (result.status == "active")
    assert result.status != "active" or status == 200


@given(age=st.integers(0, 10**6), lifetime=st.integers(0, 10**6))
def test_a_response_is_stale_after_its_lifetime(age: int, lifetime: int) -> None:
    stale = stale_seconds({"cache-control": f"public, max-age={lifetime}", "age": str(age)}, 0)
    assert stale == max(0, age - lifetime - 60)


@given(
    st.text(max_size=40) | st.sampled_from(["https:", "https://[", "http://127.0.0.1/", "//example.org", "HTTPS://x"])
)
def test_only_https_is_allowed_by_default(target: str) -> None:
    if target_objection(target, "https://a.example/resolve/x") is None:
        assert target.lower().startswith("https://")


@given(JSON | st.fixed_dictionaries({"resolvers": st.lists(JSON | st.just({"issuer": "https://a.example"}))}))
def test_every_list_of_resolvers_is_valid_or_refused(document: object) -> None:
    try:
        trusted = parse_resolvers(orjson.dumps(document, default=repr))
    except (UsageError, TypeError):  # orjson writes no integers above 64 bits
        return
    assert isinstance(trusted, TrustedResolvers)
    assert len(trusted.live) <= MAX_LIVE
