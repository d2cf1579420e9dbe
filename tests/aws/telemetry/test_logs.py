"""Log lines: each request is one line of JSON, and nothing in it identifies the client."""

import json
import re
import string
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.aws.api_gateway import ApiGatewayHandler
from coolid.aws.settings import TelemetrySettings
from coolid.aws.telemetry.logs import line, reporter, request_logger
from coolid.aws.telemetry.metrics import discard_count
from coolid.aws.telemetry.redaction import MAX_LENGTH, redacted_path
from coolid.http.application import Reporter
from coolid.http.message import Request, Response
from coolid.model.clients import issue_client
from coolid.ports import Count
from coolid.wiring import powertools
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.application import InMemoryApplication
from tests.support.fixtures.events import to_event
from tests.support.fixtures.ports import FixedClock, SeededEntropy

NOW = 1752157350482  # 2025-07-10T14:22:30.482Z
MEMBERS = ["timestamp", "level", "service", "request", "method", "asked", "status", "milliseconds"]
KEY = issue_client(("admin",), FixedClock(), SeededEntropy())[1]
SECRET = KEY.split("_", 2)[2]

REPORTERS = pytest.mark.parametrize("make", [reporter, powertools.reporter], ids=["by hand", "by Powertools"])
RFC_3339 = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d)"

anything = st.text(st.characters(exclude_categories=()), max_size=700)  # surrogates and controls included
responses = st.builds(
    Response,
    st.integers(100, 599),
    st.dictionaries(st.sampled_from(["Link", "Location", "Cache-Status"]), anything),
)
requests = st.builds(Request, anything, anything, request_id=anything)


def told_of(request: Request | None, response: Response, seconds: float = 0.00316) -> str:
    return line(request, response, seconds=seconds, service="resolve", base_url=BASE_URL, now=NOW)


def requested(path: str, status: int = 302, **headers: str) -> Any:
    return json.loads(told_of(Request("GET", path), Response(status, headers)))["asked"]


def linked(path: str) -> str:
    return f'<{BASE_URL}{path}>; rel="canonical", <{BASE_URL}/x>; rel="cite-as"'


class TestALine:
    def test_it_contains_the_request_and_the_status(self) -> None:
        response = Response(302, {"Link": linked("/2021/06/mp/tw0t-ywdj-94"), "Location": "https://elsewhere.example"})
        request = Request("GET", "/2021/06/mp/TWOT-YWDJ-94", (("lang", "de"),), {"accept": "*/*"}, b"", "5f1a4b3c")
        assert json.loads(told_of(request, response)) == {
            "timestamp": "2025-07-10T14:22:30.482Z",
            "level": "INFO",
            "service": "resolve",
            "request": "5f1a4b3c",
            "method": "GET",
            "asked": "/2021/06/mp/tw0t-ywdj-94",
            "status": 302,
            "milliseconds": 3.16,
        }

    @pytest.mark.parametrize(
        ("status", "headers", "level"),
        [
            (200, {}, "INFO"),
            (404, {}, "INFO"),
            (302, {"Cache-Status": "coolid; fwd=stale; ttl=-41"}, "WARN"),
            (503, {}, "ERROR"),
            (500, {}, "ERROR"),
        ],
    )
    def test_its_level_is_how_much_it_concerns_the_operator(
        self, status: int, headers: dict[str, str], level: str
    ) -> None:
        line = json.loads(told_of(Request("GET", "/mp"), Response(status, headers)))
        assert line["level"] == level
        assert line.get("cache") == ("stale" if headers else None)

    @given(requests | st.none(), responses, st.floats(0, 1000))
    def test_it_is_one_line_of_printable_ascii_and_of_bounded_length_whatever_is_in_it(
        self, request: Request | None, response: Response, seconds: float
    ) -> None:
        text = told_of(request, response, seconds)
        assert set(text) <= set(string.printable) - set("\t\n\r\x0b\x0c")
        assert len(text) < 6 * (MAX_LENGTH + 100) + 300
        read = json.loads(text)
        assert read == orjson.loads(text)
        assert [*read][: len(MEMBERS)] == MEMBERS
        assert {*read} <= {*MEMBERS, "cache"}
        assert read["status"] == response.status

    def test_an_event_that_is_no_request_has_a_line_too(self) -> None:
        read = json.loads(told_of(None, Response(400)))
        assert (read["method"], read["asked"], read["status"]) == ("", "", 400)


class TestWhatWasAskedFor:
    def test_it_is_the_canonical_path_where_the_response_names_it(self) -> None:
        assert requested("/GO:GO:0006915", Link=linked("/go:0006915")) == "/go:0006915"

    def test_it_is_the_record_that_was_minted(self) -> None:
        assert (
            requested("/api/v1/records", 201, Location=f"{BASE_URL}/2021/06/mp/tw0t-ywdj-94")
            == "/2021/06/mp/tw0t-ywdj-94"
        )

    def test_the_target_of_a_redirect_is_not_logged(self) -> None:
        assert requested("/mp:x", 302, Location="https://elsewhere.example/x") == "/mp:x"

    @pytest.mark.parametrize("path", ["/", "/nothing:here", "/caf%C3%A9:1", "/a%2Fb", "/%zz", "/%00", "/ark:/12345/x5"])
    def test_else_it_is_the_path_as_it_came(self, path: str) -> None:
        assert requested(path, 404) == path

    def test_a_long_path_is_cut(self) -> None:
        assert requested("/" + "x" * 9_000, 414) == "/" + "x" * (MAX_LENGTH - 1)


def spelled(draw: st.DrawFn, text: str) -> str:
    """A text with some of its characters percent-encoded, in up to eight layers."""
    for _ in range(draw(st.integers(0, 8))):
        encoded = draw(st.sets(st.integers(0, len(text) - 1), max_size=5))
        text = "".join(f"%{ord(each):02X}" if at in encoded else each for at, each in enumerate(text))
        text = text.replace("%", "%25") if draw(st.booleans()) else text
    return text


@st.composite
def paths_with_a_key(draw: st.DrawFn) -> str:
    before = draw(st.sampled_from(["/", "/mp/", "/go:", "/api/v1/clients/", "/https://id.example.org/", "/x" * 220]))
    after = draw(st.sampled_from(["", "/", "?", "/more", "%20", "\n", "_", "#x"]))
    return before + draw(st.sampled_from(["", "Bearer%20", "Bearer "])) + spelled(draw, KEY) + after


def bare(text: str) -> str:
    """A text without percent-encoding, in however many layers."""
    while (plain := unquote(text)) != text:
        text = plain
    return text


class TestSecrets:
    @given(paths_with_a_key())
    def test_a_key_in_a_path_is_masked_however_it_is_encoded(self, path: str) -> None:
        for length in range(8, len(SECRET) - 8):
            assert SECRET[:length] not in bare(redacted_path(path))

    @given(st.text(st.characters(codec="utf-8", exclude_characters="%?#@_"), max_size=40))
    def test_a_path_without_anything_to_mask_is_reported_unchanged(self, text: str) -> None:
        path = "/" + quote(text, safe="/:")
        assert redacted_path(path) == path[:MAX_LENGTH]

    @pytest.mark.parametrize(
        ("path", "safe"),
        [
            (f"/{KEY}", "/cool_***"),
            (f"/mp/{KEY}/more", "/mp/cool_***/more"),
            (f"/{KEY.upper()}", "/cool_***"),
            (f"/{KEY[:30]}", "/cool_***"),
            ("/https://me:word@example.org/ark:/12345/x5", "/https://***@example.org/ark:/12345/x5"),
            ("/https:%2F%2Fme%40example.org", "/https://***@example.org"),
            ("/https://me:p%2Fw@o@rd@example.org/x", "/https://***@example.org/x"),
            (f"/https://oauth2:{'t' * 5_000}@host/", "/https://***@host/"),
            ("/https:////me:secret@host/", "/https:////***@host/"),
            ("/https:%5C%5Cme:secret@host/x", "/https:\\\\***@host/x"),
            ("/https:me:secret@host/x", "/https:***@host/x"),
            ("/resolve///me:secret@host", "/resolve///***@host"),
            ("/mp:a@b", "/mp:a@b"),
            ("/https://example.org/x%3Ftoken%3Dabc%26x", "/https://example.org/x***"),
            ("/https://example.org/x%23access_token=abc", "/https://example.org/x***"),
            ("/mailto:me@example.org", "/mailto:me@example.org"),
            ("/a%" + "25" * 200 + "63ool_", "/a***"),
        ],
    )
    def test_what_is_masked_and_what_is_not(self, path: str, safe: str) -> None:
        assert redacted_path(path) == safe

    def test_masking_takes_no_longer_for_layer_upon_layer(self) -> None:
        assert redacted_path("/%" + "25" * 5_000) == "/***"

    @pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    @pytest.mark.parametrize(
        "path", ["/mp/", "/demo:", "/api/v1/records", "/api/v1/clients/", "/api/v1/nothing/", "/go:"]
    )
    def test_no_line_identifies_the_client(self, method: str, path: str) -> None:
        app, lines = InMemoryApplication(), list[str]()
        tell = request_logger(TelemetrySettings("resolve", "r"), BASE_URL, discard_count, lines.append)
        gateway: ApiGatewayHandler = replace(app.gateways[method], on_response=tell)
        secret = "a-secret-of-the-client"
        headers = [
            ("Authorization", f"Bearer {KEY}"),
            ("Authorization", f"Basic {secret}"),
            ("Cookie", secret),
            ("User-Agent", secret),
            ("X-Forwarded-For", "192.0.2.44"),
            ("Referer", f"https://{secret}.example"),
            ("Idempotency-Key", secret),
        ]
        body = json.dumps({"prefix": "demo", "uri": f"https://{secret}.example/?{KEY}", "note": KEY}).encode()
        for place in (KEY, quote(KEY, safe="").replace("_", "%5F"), "x"):
            event = to_event(method, path + place, f"id={KEY}&x={secret}", headers=headers, body=body, request_id="r")
            event["requestContext"]["identity"] = {"sourceIp": "192.0.2.44", "userAgent": secret}
            gateway(event, None)
        assert len(lines) == 3
        for each in lines:
            assert SECRET not in bare(each)
            assert secret not in each
            assert "192.0.2.44" not in each

    @REPORTERS
    def test_the_message_of_an_unexpected_error_is_not_logged(
        self, make: Callable[[TelemetrySettings, Count], Reporter], capsys: pytest.CaptureFixture[str]
    ) -> None:
        counted: list[str] = []
        with pytest.raises(ValueError, match=SECRET) as raised:
            int(KEY)
        report = make(TelemetrySettings("words", "w"), lambda name, value=1, **_: counted.append(name))
        report(raised.value, Request("GET", f"/{KEY}", request_id="5f1a4b3c"))
        out = capsys.readouterr().out
        assert SECRET not in out
        read = json.loads(out)
        assert (read["error"], read["request"], read["method"]) == ("ValueError", "5f1a4b3c", "GET")
        assert "test_the_message" in read["trace"][-1]
        assert counted == ["UnforeseenError"]

    @REPORTERS
    def test_level_and_time_of_a_report_are_as_lambda_reads_them(
        self, make: Callable[[TelemetrySettings, Count], Reporter], capsys: pytest.CaptureFixture[str]
    ) -> None:
        """AWS Lambda Developer Guide, "Log-level filtering": a time that is not RFC 3339 leaves a line at INFO."""
        make(TelemetrySettings("times", "t"), discard_count)(ValueError(), Request("GET", "/"))
        read = json.loads(capsys.readouterr().out)
        assert (read["level"], read["service"]) == ("ERROR", "times")
        assert re.fullmatch(RFC_3339, read["timestamp"])


def test_whatever_powertools_writes_has_its_time_as_lambda_reads_it(capsys: pytest.CaptureFixture[str]) -> None:
    powertools.logger(TelemetrySettings("tools", "t")).warning("not purged yet", extra={"items": 1})
    read = json.loads(capsys.readouterr().out)
    assert (read["level"], read["items"]) == ("WARNING", 1)
    assert re.fullmatch(RFC_3339, read["timestamp"])


class TestTellers:
    def test_without_log_requests_there_are_no_lines(self) -> None:
        lines: list[str] = []
        request_logger(TelemetrySettings("resolve", "r", logs=False), BASE_URL, discard_count, lines.append)(
            None, Response(200), 0.1
        )
        assert lines == []

    @pytest.mark.parametrize("logs", [True, False])
    def test_a_stale_answer_is_counted_and_no_other(self, logs: bool) -> None:
        counted: list[str] = []
        tell = request_logger(
            TelemetrySettings("resolve", "r", logs),
            BASE_URL,
            lambda name, value=1, **_: counted.append(name),
            lambda _: None,
        )
        tell(None, Response(200), 0.1)
        assert counted == []
        tell(None, Response(302, {"Cache-Status": "coolid; fwd=stale"}), 0.1)
        assert counted == ["StaleAnswer"]
