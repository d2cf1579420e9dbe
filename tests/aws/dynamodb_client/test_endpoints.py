"""Places: our own client finds DynamoDB where boto3 finds it, or leaves it to boto3."""

import os
from unittest.mock import patch

import boto3
import pytest

from coolid.aws.dynamodb_client.endpoints import Endpoint, UnsupportedConfiguration, parse_endpoint, service_location

OURS = ["us-east-1", "eu-central-2", "ap-southeast-7", "us-gov-west-1", "cn-northwest-1"]
OTHERS = [
    "us-iso-east-1",
    "us-isob-east-1",
    "eu-isoe-west-1",
    "eusc-de-east-1",
    "mars-north-1",
    "us-east-1a",
    "us-east-123",
    "us-12-3",
    "us",
    "local",
    "eu west",
    "",
]
HERE = {"AWS_DEFAULT_REGION": "eu-west-1"}


def by_boto3(environment: dict[str, str]) -> tuple[str, str]:
    """The URL and the region that boto3 goes to."""
    returned = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_CONFIG_FILE": os.devnull}
    with patch.dict(os.environ, returned | environment, clear=True):
        client = boto3.Session().client("dynamodb")
        return client.meta.endpoint_url, client.meta.region_name


def url(endpoint: Endpoint) -> str:
    return f"http{'s' if endpoint.secure else ''}://{endpoint.authority}"


@pytest.mark.parametrize("region", OURS)
def test_a_region_has_the_endpoint_that_boto3_knows(region: str) -> None:
    place = service_location({"AWS_DEFAULT_REGION": region})
    assert (url(place.endpoint), place.region) == by_boto3({"AWS_DEFAULT_REGION": region})


@pytest.mark.parametrize("region", OTHERS)
def test_other_regions_are_left_to_boto3(region: str) -> None:
    with pytest.raises(UnsupportedConfiguration):
        service_location({"AWS_DEFAULT_REGION": region})


def test_where_an_endpoint_is_named_a_region_may_have_any_name() -> None:
    place = service_location({"AWS_DEFAULT_REGION": "local", "AWS_ENDPOINT_URL": "http://127.0.0.1:8000"})
    assert (place.region, place.endpoint.port) == ("local", 8000)


@pytest.mark.parametrize(
    "returned",
    [
        {"AWS_ENDPOINT_URL": "http://127.0.0.1:8000"},
        {"AWS_ENDPOINT_URL": "http://127.0.0.1:8000", "AWS_ENDPOINT_URL_DYNAMODB": "https://tables.example:8443"},
        {"AWS_ENDPOINT_URL_DYNAMODB": "https://tables.example"},
        {"AWS_ENDPOINT_URL": "http://[::1]:8000"},
        {"AWS_ENDPOINT_URL": "http://127.0.0.1:8000", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"},
        {"AWS_ENDPOINT_URL": "", "AWS_ENDPOINT_URL_DYNAMODB": ""},
        {"AWS_REGION": "us-east-1"},
    ],
    ids=str,
)
def test_an_endpoint_that_is_named_is_the_one_that_boto3_takes(returned: dict[str, str]) -> None:
    place = service_location(HERE | returned)
    assert (url(place.endpoint), place.region) == by_boto3(HERE | returned)


def test_of_both_names_of_a_region_lambdas_own_will_do() -> None:
    assert service_location({"AWS_REGION": "eu-west-3"}).region == "eu-west-3"


@pytest.mark.parametrize(
    "returned",
    [
        {"AWS_USE_FIPS_ENDPOINT": "true"},
        {"AWS_USE_DUALSTACK_ENDPOINT": "True"},
        {"AWS_ACCOUNT_ID_ENDPOINT_MODE": "required"},
        {"HTTPS_PROXY": "http://proxy.example:3128"},
        {"https_proxy": "http://proxy.example:3128"},
        {"https_proxy": "http://proxy.example:3128", "NO_PROXY": "example.org"},
        {"AWS_ENDPOINT_URL": "http://127.0.0.1:8000", "HTTP_PROXY": "http://proxy.example:3128"},
        {"AWS_ENDPOINT_URL": "http://127.0.0.1:8000/tables"},
        {"AWS_ENDPOINT_URL": "http://127.0.0.1:8000/?a=b"},
        {"AWS_ENDPOINT_URL": "http://user@127.0.0.1:8000"},
        {"AWS_ENDPOINT_URL": "127.0.0.1:8000"},
        {"AWS_ENDPOINT_URL": "http://127.0.0.1:port"},
        {"AWS_ENDPOINT_URL_DYNAMODB": "unix:///tables"},
    ],
    ids=str,
)
def test_what_our_own_client_does_not_do_is_left_to_boto3(returned: dict[str, str]) -> None:
    with pytest.raises(UnsupportedConfiguration):
        service_location(HERE | returned)


@pytest.mark.parametrize(
    "returned",
    [
        {"HTTP_PROXY": "http://proxy.example:3128"},
        {"HTTPS_PROXY": "http://proxy.example:3128", "NO_PROXY": ".amazonaws.com"},
        {"HTTPS_PROXY": "http://proxy.example:3128", "no_proxy": "*"},
        {"AWS_USE_FIPS_ENDPOINT": "false"},
    ],
    ids=str,
)
def test_what_does_not_concern_it_keeps_it_from_nothing(returned: dict[str, str]) -> None:
    assert service_location(HERE | returned) == service_location(HERE)


@pytest.mark.parametrize(
    "text",
    ["http://a/\r\nX: y", "http://a b/", "http://a/ä", "http://a/#b", "http://:80/", "http://[::1/", "http://u:p@a/"],
)
def test_a_url_that_would_say_more_than_a_place_is_none(text: str) -> None:
    assert parse_endpoint(text) is None
