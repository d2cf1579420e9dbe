"""Results of address checks, with hosts on this machine that act as public ones."""

from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid import __version__
from coolid.health.address_check import AddressChecker
from coolid.health.response_verdict import check_result
from coolid.model.check_state import BAD, BUSY, GOOD, MAX_PAUSE_SECONDS, CheckState
from coolid.model.conditions import UP
from coolid.net.guarded_client import GuardedClient
from coolid.net.http_exchange import ResponseHead
from tests.support.servers.checked_hosts import (
    BASE_URL,
    NOON,
    PUBLIC,
    Host,
    ObservedChecks,
    by_method,
    by_path,
    hosting,
    saying,
)

OK = saying(200)


def pulse(host: Host, **known: Any) -> CheckState:
    return CheckState(url=host.url(), state=UP, since=NOON, checked=NOON, **known)


@pytest.mark.parametrize("status", [200, 204, 206, 226, 300, 304])
def test_a_host_that_answers_gets_one_head_request(status: int) -> None:
    checks = ObservedChecks()
    with hosting(lambda _: saying(status)) as host:
        sight = checks.look(host.url(), None)
    assert (sight.verdict, sight.status, sight.reason, sight.moved) == (GOOD, status, "", None)
    assert host.methods == ["HEAD"]
    assert checks.connected == [PUBLIC]


def test_a_request_identifies_the_service_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    with hosting(by_method(HEAD=saying(405, set_cookie="a=b"), GET=OK)) as host:
        assert ObservedChecks().look(host.url("/x?y"), None).verdict == GOOD
    head, get = host.requested
    common = {
        "host": f"a.example:{host.port}",
        "user-agent": f"coolid-probe/{__version__} (+{BASE_URL})",
        "accept": "*/*",
        "connection": "close",
    }
    assert head.headers == common
    assert get.headers == common | {"range": "bytes=0-0"}
    assert (get.path, get.body) == ("/x?y", b"")


@pytest.mark.parametrize("refusal", [400, 401, 403, 404, 405, 410, 500, 501, 502])
def test_a_host_that_refuses_head_gets_a_range_request(refusal: int) -> None:
    checks = ObservedChecks()
    with hosting(by_method(HEAD=saying(refusal), GET=saying(206, content_range="bytes 0-0/9") + b"a")) as host:
        assert checks.look(host.url(), None).verdict == GOOD
    assert host.methods == ["HEAD", "GET"]
    assert checks.slept == [1.0]


@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200", b"\0\0\0\0\r\n\r\n", b"SSH-2.0-OpenSSH_9.6\r\n"])
def test_a_host_that_cannot_answer_head_gets_a_range_request(head: bytes) -> None:
    with hosting(by_method(HEAD=head, GET=saying(416))) as host:
        assert ObservedChecks().look(host.url(), None).verdict == GOOD


@pytest.mark.parametrize("status", [401, 402, 403, 405, 406, 426, 428, 451])
def test_a_host_that_blocks_programs_is_not_dead(status: int) -> None:
    with hosting(lambda _: saying(status)) as host:
        sight = ObservedChecks().look(host.url(), None)
    assert (sight.verdict, sight.status) == (GOOD, status)
    assert host.methods == ["HEAD", "GET"]


@pytest.mark.parametrize("status", [400, 404, 407, 408, 410, 418, 421, 500, 502, 504, 520, 599, 305, 306, 999])
def test_a_host_that_says_that_it_is_not_there_or_fails_is_bad_after_two_requests(status: int) -> None:
    checks = ObservedChecks()
    with hosting(lambda _: saying(status)) as host:
        sight = checks.look(host.url(), None)
    assert (sight.verdict, sight.reason, sight.status) == (BAD, f"it answered {status}", status)
    assert host.methods.count("GET") >= 1
    assert len(host.methods) >= 2
    assert checks.slept == [1.0] * (len(host.methods) - 1)


@pytest.mark.parametrize(("head", "gets"), [(405, 2), (400, 2), (418, 2), (404, 1), (410, 1), (500, 1)])
def test_a_refusal_of_head_alone_is_no_failure_so_that_it_takes_two_more(head: int, gets: int) -> None:
    with hosting(by_method(HEAD=saying(head), GET=saying(500))) as host:
        assert ObservedChecks().look(host.url(), None).verdict == BAD
    assert host.methods == ["HEAD", *["GET"] * gets]


def test_one_failure_is_none() -> None:
    times = count()
    with hosting(lambda _: b"" if next(times) == 0 else OK) as host:
        assert ObservedChecks().look(host.url(), None).verdict == GOOD


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("said", "pause"),
    [
        ({}, None),
        ({"retry_after": "120"}, 120),
        ({"retry_after": "0"}, 0),
        ({"retry_after": "86401"}, 86_400),
        ({"retry_after": "9" * 400}, None),
        ({"retry_after": "Mon, 04 May 2026 12:01:40 GMT"}, 100),
        ({"retry_after": "Mon, 04 May 2026 11:00:00 GMT"}, 0),
        ({"retry_after": "Fri, 31 Dec 9999 23:59:59 GMT"}, 86_400),
        ({"retry_after": "Mon, 04 May 2026 12:01:40 -0000"}, 100),
        ({"retry_after": "Mon, 04 May 2026 12:01:40 +99999999999999999999"}, None),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "-1"}, None),
    ],
)
def test_a_host_that_is_busy_is_left_alone_for_as_long_as_it_says(
    status: int, said: dict[str, str], pause: int | None
) -> None:
    with hosting(lambda _: saying(status, **said)) as host:
        sight = ObservedChecks().look(host.url(), None)
    assert (sight.verdict, sight.status, sight.pause) == (BUSY, status, pause)
    assert host.methods == ["HEAD"]


DATES = st.from_regex(
    r"[A-Z][a-z]{2}, \d{1,4} (Jan|Feb|May) \d{1,5} \d\d:\d\d(:\d\d)? ?(GMT|[+-]\d{1,12}|-0000)?", fullmatch=True
)


@given(st.text(max_size=80) | DATES)
def test_retry_after_counts_for_at_most_a_day(said: str) -> None:
    pause = check_result(ResponseHead(503, {"retry-after": said}), now=NOON).pause
    assert pause is None or 0 <= pause <= MAX_PAUSE_SECONDS


@given(st.integers(200, 999), st.text(max_size=30), st.text(max_size=30))
def test_whatever_is_answered_there_is_a_verdict(status: int, etag: str, modified: str) -> None:
    sight = check_result(ResponseHead(status, {"etag": etag, "last-modified": modified}), now=NOON)
    assert sight.verdict in (GOOD, BAD, BUSY)
    assert (sight.status, sight.moved) == (status, None)
    assert sight.reason in ("", f"it answered {status}", f"it answered {status}: it is there, but not for programs")


def test_a_repeated_check_is_conditional_and_304_keeps_the_state() -> None:
    with hosting(lambda _: saying(304)) as host:
        sight = ObservedChecks().look(host.url(), pulse(host, etag='W/"a"', modified="Mon, 04 May 2026 12:00:00 GMT"))
    assert (sight.verdict, sight.etag, sight.modified) == (GOOD, 'W/"a"', "Mon, 04 May 2026 12:00:00 GMT")
    assert host.requested[0].headers["if-none-match"] == 'W/"a"'
    assert "if-modified-since" not in host.requested[0].headers
    with hosting(lambda _: saying(200, etag='"b"', last_modified="Tue, 05 May 2026 12:00:00 GMT")) as host:
        sight = ObservedChecks().look(host.url(), pulse(host, modified="Mon, 04 May 2026 12:00:00 GMT"))
    assert (sight.etag, sight.modified) == ('"b"', "Tue, 05 May 2026 12:00:00 GMT")
    assert host.requested[0].headers["if-modified-since"] == "Mon, 04 May 2026 12:00:00 GMT"


@pytest.mark.parametrize("etag", ["a", '"a', f'"{"a" * 201}"', '"é"', '"a"b'])
def test_only_valid_validators_are_stored(etag: str) -> None:
    with hosting(lambda _: saying(200, etag=etag, last_modified="yesterday")) as host:
        sight = ObservedChecks().look(host.url(), pulse(host, etag='"\r\nX: y"', modified="now\r\nX: y"))
    assert (sight.etag, sight.modified) == (None, None)
    assert not {"x", "if-none-match", "if-modified-since"} & {*host.requested[0].headers}


def test_white_space_around_a_tag_is_no_part_of_it() -> None:
    with hosting(lambda _: saying(200, etag=' "a" ')) as host:
        assert ObservedChecks().look(host.url(), None).etag == '"a"'


def test_validators_of_another_url_are_not_used() -> None:
    with hosting(lambda _: OK) as host:
        ObservedChecks().look(host.url("/else"), pulse(host, etag='"a"'))
    assert "if-none-match" not in host.requested[0].headers


# Redirects.


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed_and_it_has_moved_where_they_say_so_for_ever(status: int) -> None:
    answers = {"/": saying(status, location="new?q#f"), "/new?q": OK}
    with hosting(by_path(answers)) as host:
        sight = ObservedChecks().look(host.url(), None)
    assert sight.verdict == GOOD
    assert sight.moved == (host.url("/new?q#f") if status in (301, 308) else None)
    assert host.methods == ["HEAD", "HEAD"]


@pytest.mark.parametrize(("statuses", "moved"), [((301, 308, 301), True), ((301, 302, 301), False)])
def test_it_has_moved_only_if_every_redirect_says_so(statuses: tuple[int, ...], moved: bool) -> None:
    answers = {f"/{at}": saying(status, location=f"/{at + 1}") for at, status in enumerate(statuses)}
    with hosting(by_path(answers | {"/3": OK})) as host:
        sight = ObservedChecks().look(host.url("/0#part"), None)
    assert (sight.verdict, sight.moved) == (GOOD, host.url("/3#part") if moved else None)


@pytest.mark.parametrize("status", [403, 404, 429])
def test_nothing_has_moved_to_where_it_is_not(status: int) -> None:
    with hosting(by_path({"/": saying(301, location="/new"), "/new": saying(status)})) as host:
        assert ObservedChecks().look(host.url(), None).moved is None


def test_what_no_target_could_be_is_not_where_it_has_moved_to() -> None:
    long = "/" + "x" * 3_000
    with hosting(by_path({"/": saying(301, location=long), long: OK})) as host:
        sight = ObservedChecks().look(host.url(), None)
    assert (sight.verdict, sight.moved) == (GOOD, None)


def test_five_redirects_are_followed_and_no_sixth() -> None:
    def onwards(requested: Any) -> bytes:
        at = int(requested.path[1:])
        return saying(302, location=f"/{at - 1}") if at else OK

    with hosting(onwards) as host:
        assert ObservedChecks().look(host.url("/5"), None).verdict == GOOD
    with hosting(onwards) as host:
        sight = ObservedChecks().look(host.url("/6"), None)
    assert (sight.verdict, sight.reason) == (BAD, "it redirects more than 5 times")
    assert len(host.requested) == 12


@pytest.mark.parametrize("location", ["/", "", "#else", "//a.example:{port}", "/b"])
def test_a_host_that_goes_round_in_a_circle_is_not_followed_again(location: str) -> None:
    with hosting(
        lambda requested: saying(302, location=location.format(port=host.port) if requested.path == "/" else "/")
    ) as host:
        sight = ObservedChecks().look(host.url(), None)
    assert (sight.verdict, sight.reason) == (BAD, "it redirects in a circle")
    assert len(host.requested) <= 4


def test_a_redirect_that_does_not_say_where_to_is_bad() -> None:
    with hosting(lambda _: saying(301)) as host:
        sight = ObservedChecks().look(host.url(), None)
    assert (sight.verdict, sight.reason) == (BAD, "it answered 301 without saying where it is")


@pytest.mark.parametrize("raw", ["/é".encode(), "/é".encode("latin-1")])
def test_a_redirect_in_raw_characters_is_read_as_browsers_do(raw: bytes) -> None:
    with hosting(by_path({"/": b"HTTP/1.1 302 F\r\nLocation: " + raw + b"\r\n\r\n", "/%C3%A9": OK})) as host:
        assert ObservedChecks().look(host.url(), None).verdict == GOOD


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("file:///etc/passwd", "it leads to something that is not on the Web"),
        ("ftp://a.example/", "it leads to something that is not on the Web"),
        ("//user:word@a.example/", "it leads to a URL that carries credentials"),
        ("http://a.example:22/", "it leads to a port that browsers block"),
        ("http://a.example:6379x/", "it leads to something that is not a URL"),
        ("/" + "x" * 9_000, "it leads to a URL that is too long"),
    ],
)
def test_redirects_to_where_no_browser_goes_are_refused_at_once(location: str, reason: str) -> None:
    checks = ObservedChecks()
    with hosting(lambda _: saying(302, location=location)) as host:
        sight = checks.look(host.url(), None)
    assert (sight.verdict, sight.reason) == (BAD, reason)
    assert checks.connected == [PUBLIC]


def test_a_redirect_to_another_host_is_looked_up_and_named_to_it() -> None:
    checks = ObservedChecks(names={"b.example": [["8.8.8.8"]]})
    with hosting(
        lambda requested: saying(301, location=host.url("/b", "b.example")) if requested.path == "/" else OK
    ) as host:
        sight = checks.look(host.url(), None)
    assert sight.moved == host.url("/b", "b.example")
    assert checks.connected == [PUBLIC, "8.8.8.8"]
    assert host.requested[1].headers["host"] == f"b.example:{host.port}"
    assert checks.slept == []


def test_a_check_never_raises_and_its_reason_is_short() -> None:
    for url in ("", "x", "http://", "http://\ud800/", "http://a.example:0/", "\0", "http://[::1", "x" * 100_000):
        sight = AddressChecker(GuardedClient()).check(url, None)
        assert sight.verdict == BAD
        assert 0 < len(sight.reason) < 100
