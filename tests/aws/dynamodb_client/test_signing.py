"""Signatures equal botocore's, for any request, host and time."""

from datetime import UTC, datetime
from unittest.mock import patch

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as BotoCredentials
from hypothesis import given
from hypothesis import strategies as st

from coolid.aws.dynamodb_client.credentials import Credentials
from coolid.aws.dynamodb_client.signing import RequestSigner

printable = st.characters(min_codepoint=33, max_codepoint=126)
keys = st.text(printable, min_size=1, max_size=80)
hosts = st.from_regex(r"[a-z0-9]([a-z0-9.-]{0,20}[a-z0-9])?", fullmatch=True)
authorities = hosts | st.tuples(hosts, st.integers(1, 65535)).map(lambda each: f"{each[0]}:{each[1]}")
regions = st.from_regex(r"[a-z]{2}-[a-z]{4,9}-[1-9]", fullmatch=True)
operations = st.sampled_from(["GetItem", "BatchGetItem", "Query"])
moments = st.integers(0, 4_102_444_800)
places = st.tuples(regions, authorities)
credentials = st.builds(Credentials, keys, keys, st.none() | st.text(printable, min_size=1, max_size=1000))


def parts(request: bytes) -> tuple[str, dict[str, str], bytes]:
    """The first line of a request, its headers and its body."""
    head, _, body = request.partition(b"\r\n\r\n")
    first, *lines = head.decode("ascii").split("\r\n")
    return first, dict(line.split(": ", 1) for line in lines), body


def by_botocore(headers: dict[str, str], body: bytes, who: Credentials, region: str, moment: int) -> str:
    """What botocore puts into `Authorization` of such a request."""
    returned = {name: headers[name] for name in ("Content-Type", "X-Amz-Target")}
    # The scheme that does not have the port for its own, so that botocore lets it stand.
    scheme = "http" if headers["Host"].endswith(":443") else "https"
    request = AWSRequest("POST", f"{scheme}://{headers['Host']}/", returned, body)
    now = datetime.fromtimestamp(moment, UTC).replace(tzinfo=None)
    signing = SigV4Auth(BotoCredentials(who.key_id, who.secret, who.token), "dynamodb", region)
    with patch("botocore.auth.get_current_datetime", return_value=now):
        signing.add_auth(request)
    assert request.headers["X-Amz-Date"] == headers["X-Amz-Date"]
    assert request.headers.get("X-Amz-Security-Token") == headers.get("X-Amz-Security-Token")
    return str(request.headers["Authorization"])


@given(credentials, places, operations, st.binary(max_size=2000), moments)
def test_a_request_is_signed_as_botocore_signs_it(
    who: Credentials, place: tuple[str, str], operation: str, body: bytes, moment: int
) -> None:
    region, authority = place
    first, headers, sent = parts(RequestSigner(who, region, authority).request(operation, body, moment + 0.9))
    assert (first, sent, headers["Host"]) == ("POST / HTTP/1.1", body, authority)
    assert headers["Content-Length"] == str(len(body))
    assert headers["X-Amz-Target"] == f"DynamoDB_20120810.{operation}"
    assert headers["Authorization"] == by_botocore(headers, body, who, region, moment)


@given(credentials, st.lists(st.tuples(moments, st.binary(max_size=50)), min_size=2, max_size=6))
def test_cached_dates_and_keys_belong_to_one_second_and_day(
    who: Credentials, requested: list[tuple[int, bytes]]
) -> None:
    signer = RequestSigner(who, "eu-west-1", "dynamodb.example")
    for moment, body in requested:
        for second in (moment, moment, moment + 1, moment + 86_400):
            _, headers, _ = parts(signer.request("GetItem", body, second))
            assert headers["Authorization"] == by_botocore(headers, body, who, "eu-west-1", second)
