"""Caching: entity tags change exactly when responses do, and conditional requests get 304."""

import re
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.http.caching import cache_control, conditional, etag_of, last_modified, matches_etag, strong_etag
from coolid.http.message import Request, Response

values = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=12)
responses = st.builds(
    Response,
    st.sampled_from([200, 302, 307, 410]),
    st.fixed_dictionaries(
        {}, optional={"Location": values, "Link": values, "Content-Type": values, "Cache-Control": values}
    ),
    st.text(max_size=12),
)


def get(**headers: str) -> Request:
    return Request("GET", "/", headers={name.replace("_", "-"): value for name, value in headers.items()})


class TestTags:
    @given(responses, responses)
    def test_they_are_equal_exactly_when_the_responses_are(self, one: Response, other: Response) -> None:
        def returned(response: Response) -> object:
            given = {name: value for name, value in response.headers.items() if value and name != "Cache-Control"}
            return response.status, given, response.body

        same = returned(one) == returned(other)
        assert (etag_of(one) == etag_of(other)) is same

    @given(responses, values)
    def test_how_long_a_response_may_be_cached_is_no_part_of_it(self, response: Response, control: str) -> None:
        other = response.with_headers(Cache_Control=control)
        assert etag_of(other) == etag_of(response)

    @given(responses)
    def test_they_are_strong_and_well_formed(self, response: Response) -> None:
        assert re.fullmatch(r'"[\x21\x23-\x7e]+"', etag_of(response))

    @given(st.lists(values, min_size=1, max_size=4), st.lists(values, min_size=1, max_size=4))
    def test_parts_do_not_run_into_each_other(self, one: list[str], other: list[str]) -> None:
        assert (strong_etag(*one) == strong_etag(*other)) is (one == other)


class TestDates:
    @given(st.datetimes(timezones=st.timezones() | st.just(UTC)))
    def test_they_are_as_the_standard_library_writes_them(self, moment: datetime) -> None:
        try:
            expected = format_datetime(moment.astimezone(UTC), usegmt=True)
        except OverflowError:  # before the year 1 or after 9999 in UTC
            with pytest.raises(OverflowError):
                last_modified(moment)
        else:
            assert last_modified(moment) == expected


class TestConditions:
    @pytest.mark.parametrize(
        ("if_none_match", "known"),
        [
            ('"a"', True),
            ('W/"a"', True),
            ('"b", "a"', True),
            ('"b","a"', True),
            ('"b" , W/"a" , "c"', True),
            ("*", True),
            (" * ", True),
            ('"b"', False),
            ("a", False),
            ('"A"', False),
            ("", False),
            ('""', False),
            ('w/"a"', False),
        ],
    )
    def test_tags_are_compared_weakly(self, if_none_match: str, known: bool) -> None:
        assert matches_etag(if_none_match, '"a"') is known

    def test_a_part_of_a_tag_is_not_a_tag(self) -> None:
        assert not matches_etag('"a,b"', '"b"')
        assert not matches_etag('"ab"', '"a"')

    @given(responses)
    def test_a_conditional_request_gets_304_with_headers_and_no_body(self, response: Response) -> None:
        tagged = response.with_headers(ETag=etag_of(response))
        answer = conditional(get(if_none_match=tagged.headers["ETag"]), tagged)
        if response.status >= 400:
            assert answer == tagged
        else:
            assert (answer.status, answer.body) == (304, "")
            stored = {name: value for name, value in tagged.headers.items() if name != "Content-Type"}
            assert answer.headers == stored

    @given(responses)
    def test_other_requests_get_the_whole_response(self, response: Response) -> None:
        tagged = response.with_headers(ETag=etag_of(response))
        assert conditional(get(), tagged) == tagged
        assert conditional(get(if_none_match='"other"'), tagged) == tagged


@given(st.integers(0, 31_536_000))
def test_a_response_lives_as_long_as_its_record_says(ttl: int) -> None:
    control = dict(part.partition("=")[::2] for part in cache_control(ttl).split(", "))
    assert control.keys() == {"public", "max-age", "s-maxage", "stale-while-revalidate", "stale-if-error"}
    assert control["max-age"] == control["s-maxage"] == str(ttl)
