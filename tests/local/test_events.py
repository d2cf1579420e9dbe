"""HTTP to events and back: nothing is lost or changed on the way."""

import json
from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from coolid.aws.api_gateway import answer_v1, request_of_v1
from coolid.http.message import Response
from coolid.local.events import from_answer, to_event

visible = st.characters(min_codepoint=33, max_codepoint=126)
paths = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="?#"), max_size=20).map(
    lambda path: "/" + path
)
names = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-", min_size=1, max_size=8)
values = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=10)
anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)


@given(
    st.sampled_from(["GET", "POST", "QUERY"]),
    paths,
    st.lists(st.tuples(anything, anything), max_size=5),
    st.lists(st.tuples(names, values), max_size=5),
    st.binary(max_size=30),
)
def test_a_request_comes_through_an_event_as_it_was(
    method: str,
    path: str,
    parameters: list[tuple[str, str]],
    headers: list[tuple[str, str]],
    body: bytes,
) -> None:
    query = "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in parameters if name or value)
    event = to_event(method, path, query, headers=headers, body=body, request_id="an-id")
    assert json.loads(json.dumps(event)) == event
    request = request_of_v1(event)
    assert (request.method, request.path, request.body, request.request_id) == (method, path, body, "an-id")
    sent = [(name, value) for name, value in parameters if name or value]
    assert sorted(request.query) == sorted(sent)
    for name in {name for name, _ in sent}:
        assert [value for key, value in request.query if key == name] == [value for key, value in sent if key == name]
        assert request.parameter(name) == next(value for key, value in sent if key == name)
    for name in {name for name, _ in headers}:
        if sum(name.lower() == other.lower() for other in {other for other, _ in headers}) == 1:
            assert request.headers.get(name.lower()) == ", ".join(value for key, value in headers if key == name)


@given(
    st.sampled_from([200, 201, 204, 302, 304, 404]),
    st.dictionaries(names, values, max_size=4),
    anything | st.binary(max_size=30),
)
def test_a_response_comes_through_a_response_as_it_was(status: int, headers: dict[str, str], body: str | bytes) -> None:
    response = Response(status, headers, body)
    sent = body.encode() if isinstance(body, str) else body
    assert from_answer(json.loads(json.dumps(answer_v1(response)))) == (status, [*headers.items()], sent)


def test_repeated_parameters_and_headers_keep_their_order() -> None:
    event = to_event(
        "GET", "/", "x=1&y=2&x=3&x=", headers=[("Accept", "a"), ("X", "1"), ("Accept", "b")], body=b"", request_id=""
    )
    assert event["multiValueQueryStringParameters"] == {"x": ["1", "3", ""], "y": ["2"]}
    assert event["queryStringParameters"] == {"x": "", "y": "2"}
    assert event["multiValueHeaders"] == {"Accept": ["a", "b"], "X": ["1"]}


def test_headers_that_differ_in_case_only_are_one_header() -> None:
    event = to_event("GET", "/", "", headers=[("Accept", "a"), ("accept", "b")], body=b"", request_id="")
    assert request_of_v1(event).headers.get("accept") == "a, b"
