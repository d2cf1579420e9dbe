"""boto3's client of KeyValueStore: what it signs and sends, and what answers and errors become."""

from collections.abc import Callable
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ConnectTimeoutError

from coolid.aws.edge_redirects.key_value_store import CloudFrontKeyValueStore
from coolid.edge.redirect_store import RedirectStore, VersionConflict
from coolid.errors import StoreUnavailable
from tests.support.servers.key_value_api import ARN, EVENT, KeyValueStoreApi, text_of

CONFIG = Config(retries={"total_max_attempts": 1})


@pytest.fixture
def endpoint() -> KeyValueStoreApi:
    return KeyValueStoreApi()


@pytest.fixture
def store(endpoint: KeyValueStoreApi, monkeypatch: pytest.MonkeyPatch) -> RedirectStore:
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    session = boto3.Session("AKIDEXAMPLE", "wJalrXUtnFEMI", "a-session-token", "eu-west-1")
    client: Any = session.client("cloudfront-keyvaluestore", config=CONFIG)
    client.meta.events.register_first(EVENT, endpoint)
    return CloudFrontKeyValueStore(client, ARN)


def test_requests_go_to_the_accounts_endpoint_and_are_signed_for_all_regions(
    endpoint: KeyValueStoreApi, store: RedirectStore
) -> None:
    store.version()
    (request,) = endpoint.requests
    assert request.url.startswith("https://123456789012.cloudfront-kvs.global.api.aws/key-value-stores/arn")
    assert text_of(request.headers["Authorization"]).startswith("AWS4-ECDSA-P256-SHA256 Credential=AKIDEXAMPLE/")
    assert text_of(request.headers["X-Amz-Region-Set"]) == "*"
    assert text_of(request.headers["X-Amz-Security-Token"]) == "a-session-token"


def test_an_update_is_applied_at_its_version_and_listed_by_pages(store: RedirectStore) -> None:
    first = store.version()
    puts = {f"p{each:03}": f"a\tb\n{each}" for each in range(49)}
    second = store.update(first, {**puts, "/state": "1 2 3"}, [])
    third = store.update(second, {"q": "1"}, ["p000", "absent"])
    assert store.version() == third
    assert store.size() == 50
    del puts["p000"]
    assert store.entries() == {**puts, "/state": "1 2 3", "q": "1"}
    assert (store.value("/state"), store.value("p001"), store.value("p000")) == ("1 2 3", "a\tb\n1", None)


@pytest.mark.parametrize(
    ("refusal", "expected"),
    [
        ((409, "ConflictException", "Resource is not in expected state."), VersionConflict),
        ((400, "ValidationException", "Pre-Condition failed"), VersionConflict),
        ((400, "ValidationException", "Value is too long"), StoreUnavailable),
        ((402, "ServiceQuotaExceededException", "Limit exceeded"), StoreUnavailable),
        ((403, "AccessDeniedException", "no"), StoreUnavailable),
        ((404, "ResourceNotFoundException", "no such store"), StoreUnavailable),
        ((429, "ThrottlingException", "Rate exceeded"), StoreUnavailable),
        ((500, "InternalServerException", "sorry"), StoreUnavailable),
        (ConnectTimeoutError(endpoint_url="https://kvs.example/"), StoreUnavailable),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "call",
    [lambda store: store.update("KV1", {"a": "b"}, []), lambda store: store.version()],
    ids=["update", "version"],
)
def test_errors_of_the_api_are_those_of_the_port(
    endpoint: KeyValueStoreApi,
    store: RedirectStore,
    refusal: Any,
    expected: type[Exception],
    call: Callable[[Any], Any],
) -> None:
    endpoint.refusal = refusal
    with pytest.raises(expected):
        call(store)
