"""Invalidations: few items that match everything, sent once, with distinct kinds of failure."""

from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError, ConnectTimeoutError, EndpointConnectionError, ReadTimeoutError
from hypothesis import given
from hypothesis import strategies as st
from moto import mock_aws

from coolid.aws.edge_purge.invalidations import (
    EVERYTHING,
    MAX_ITEMS,
    MAX_RECORDS,
    Distribution,
    RetryLater,
    collapse,
    invalidation_items,
)
from coolid.http.caching import prefix_tag, record_tag, repository_of, repository_tag
from tests.support.stores.table_streams import FakeCloudFront, distribution, refusal

HERE = "https://cloudfront.amazonaws.com/"
OWNERS = ("r4k2-9m3x-62", "k0pe-gezc-69")

tags = st.one_of(
    st.builds(record_tag, st.sampled_from(OWNERS), st.integers(0, 60).map(str)),
    st.sampled_from(OWNERS).map(repository_tag),
    st.integers(0, 200).map(str).map(prefix_tag),
    st.just("keys"),
)


class TestItems:
    @given(st.sets(tags, max_size=250) | st.just({EVERYTHING, "keys"}))
    def test_reach_whatever_the_tags_reach(self, wrong: set[str]) -> None:
        items = invalidation_items(wrong)
        for tag in wrong:
            owner = repository_of(tag)
            reaching = {EVERYTHING, f"#{tag}"} | ({f"#{repository_tag(owner)}"} if owner else set())
            assert not reaching.isdisjoint(items)

    @given(st.sets(tags, max_size=250))
    def test_are_no_more_than_a_change_may_cost(self, wrong: set[str]) -> None:
        assert len(invalidation_items(wrong)) <= min(MAX_ITEMS, max(len(wrong), 1))

    @given(st.sets(tags, max_size=250))
    def test_are_the_same_however_often_they_are_collapsed(self, wrong: set[str]) -> None:
        assert collapse(collapse(wrong)) == collapse(wrong)

    def test_many_records_of_a_repository_are_all_of_it(self) -> None:
        some = [record_tag(OWNERS[0], str(number)) for number in range(MAX_RECORDS)]
        assert len(invalidation_items(some)) == MAX_RECORDS
        assert invalidation_items([*some, record_tag(OWNERS[0], "another")]) == (f"#{repository_tag(OWNERS[0])}",)

    def test_too_many_things_are_everything(self) -> None:
        assert invalidation_items([prefix_tag(str(number)) for number in range(MAX_ITEMS + 1)]) == ("/*",)


class TestADistribution:
    def test_gets_the_items_to_purge(self) -> None:
        client = FakeCloudFront()
        Distribution(client, "E2EXAMPLE").invalidate(["#keys", "#prefix:mp"], "an occasion")
        assert client.items == [["#keys", "#prefix:mp"]]

    @pytest.mark.parametrize("when", ["before", "after"])
    def test_purges_once_for_the_same_messages(self, when: str) -> None:
        client = FakeCloudFront([(when, ReadTimeoutError(endpoint_url=HERE))])
        distribution = Distribution(client, "E2EXAMPLE")
        with pytest.raises(RetryLater):
            distribution.invalidate(["#keys"], "an occasion")
        distribution.invalidate(["#keys"], "an occasion")
        assert client.items == [["#keys"]]

    def test_purges_again_for_other_messages(self) -> None:
        client = FakeCloudFront()
        for occasion in ("one", "another"):
            Distribution(client, "E2EXAMPLE").invalidate(["#keys"], occasion)
        assert client.items == [["#keys"], ["#keys"]]

    @pytest.mark.parametrize(
        "failure",
        [
            refusal("TooManyInvalidationsInProgress"),
            refusal("Throttling"),
            refusal("ServiceUnavailable", 503),
            refusal("InternalError", 500),
            ConnectTimeoutError(endpoint_url=HERE),
            EndpointConnectionError(endpoint_url=HERE),
        ],
    )
    def test_without_capacity_is_retried_later(self, failure: Exception) -> None:
        with pytest.raises(RetryLater):
            Distribution(FakeCloudFront([("before", failure)]), "E2EXAMPLE").invalidate(["#keys"], "an occasion")

    @pytest.mark.parametrize("code", ["AccessDenied", "NoSuchDistribution", "InvalidArgument"])
    def test_that_refuses_permanently_is_a_defect_of_the_service(self, code: str) -> None:
        with pytest.raises(ClientError):
            Distribution(FakeCloudFront([("before", refusal(code))]), "E2EXAMPLE").invalidate(["#keys"], "an occasion")

    def test_of_cloudfront_takes_the_request_as_it_is_made(self) -> None:
        with mock_aws():
            client: Any = boto3.client("cloudfront", region_name="eu-west-1")
            made = client.create_distribution(DistributionConfig=distribution("one"))
            name = made["Distribution"]["Id"]
            Distribution(client, name).invalidate(["#keys", "#prefix:mp"], "an occasion")
            (known,) = client.list_invalidations(DistributionId=name)["InvalidationList"]["Items"]
            batch = client.get_invalidation(DistributionId=name, Id=known["Id"])
            assert batch["Invalidation"]["InvalidationBatch"]["Paths"]["Items"] == ["#keys", "#prefix:mp"]
