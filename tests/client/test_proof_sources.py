"""Fetching records, histories and keys: from real hosts of the loopback, strictly, and nothing taken from elsewhere."""

from collections.abc import Iterator
from typing import Any

import pytest

from coolid.client.errors import BadAnswer, NotServed, RefusedByClient, Unreachable
from coolid.client.proof_sources import (
    check_requested,
    fetch_issuer_keys,
    fetch_keys,
    fetch_older,
    fetch_record,
    is_from_issuer,
)
from tests.support.builders.signed_documents import Key, document, history, key_set
from tests.support.servers.http_server import Host, host, json, page, to

KEY = Key()
RECORD = document()
PID = RECORD["pid"]


@pytest.fixture
def issuer() -> Iterator[Host]:
    with host() as running:
        yield running


class TestRecords:
    @pytest.mark.parametrize(
        ("requested", "sent"),
        [
            ("/demo:a", "/demo:a?format=linkid"),
            ("/demo:a?", "/demo:a?format=linkid"),
            ("/demo:a#part", "/demo:a?format=linkid"),
            ("/demo:a?version=2", "/demo:a?version=2&format=linkid"),
            ("/demo:a?lang=en&format=ttl&version=2", "/demo:a?lang=en&version=2&format=linkid"),
            ("/a%2Fb", "/a%2Fb?format=linkid"),
        ],
    )
    def test_it_is_requested_as_linkid_whatever_the_url_contains(self, issuer: Host, requested: str, sent: str) -> None:
        issuer.answers[sent] = json(RECORD)
        assert fetch_record(issuer.url + requested) == RECORD
        (request,) = issuer.requests
        target, headers = request.target, request.headers
        assert (target, headers["accept"]) == (sent, "application/linkid+json")

    def test_a_tombstone_is_a_record_too(self, issuer: Host) -> None:
        issuer.answers["/a?format=linkid"] = json(RECORD, 410)
        assert fetch_record(issuer.url + "/a") == RECORD

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_a_redirect_is_an_error_and_not_followed(self, issuer: Host, status: int) -> None:
        issuer.answers |= {"/a?format=linkid": to("/b\u00ff", status), "/b": json(RECORD)}
        with pytest.raises(NotServed, match="redirects"):
            fetch_record(issuer.url + "/a")
        assert len(issuer.requests) == 1

    @pytest.mark.parametrize(
        ("status", "expected"),
        [
            (404, NotServed),
            (400, NotServed),
            (406, NotServed),
            (204, NotServed),
            (429, Unreachable),
            (503, Unreachable),
        ],
    )
    def test_another_status_is_an_error(self, issuer: Host, status: int, expected: type[Exception]) -> None:
        issuer.answers["/a?format=linkid"] = json(RECORD, status)
        with pytest.raises(expected, match=f"/a.*answers {status}"):
            fetch_record(issuer.url + "/a")

    @pytest.mark.parametrize("body", [b"", b"<p>", b'{"a":1,"a":2}', b'{"a":NaN}', b'{"a":9007199254740993}', b"\xff"])
    def test_json_that_readers_may_take_differently_is_refused(self, issuer: Host, body: bytes) -> None:
        issuer.answers["/a?format=linkid"] = page(body, "application/linkid+json")
        with pytest.raises(BadAnswer, match="JSON"):
            fetch_record(issuer.url + "/a")

    def test_a_host_that_is_not_there_is_reported(self, issuer: Host) -> None:
        with pytest.raises(Unreachable):
            fetch_record("http://127.0.0.1:1/a")

    @pytest.mark.parametrize(
        "url", ["http://id.example.org/a", "https://user@id.example.org/a", "http://", "https://["]
    )
    def test_a_url_that_the_client_may_not_request_is_refused(self, url: str) -> None:
        with pytest.raises(RefusedByClient):
            fetch_record(url)


class TestOlderVersions:
    @staticmethod
    def serve(issuer: Host, count: int) -> list[dict[str, Any]]:
        own = {"pid": f"{issuer.url}/a", "issuer": issuer.url}
        versions = history(KEY, count, [own] * count)
        for each in versions:
            issuer.answers[f"/a?version={each['version']}&format=linkid"] = json(each)
        return versions

    def test_they_come_newest_first_down_to_the_first(self, issuer: Host) -> None:
        versions = self.serve(issuer, 4)
        assert list(fetch_older(versions[-1])) == versions[-2::-1]
        assert list(fetch_older(versions[0])) == []

    def test_they_end_where_one_is_not_public(self, issuer: Host) -> None:
        versions = self.serve(issuer, 4)
        del issuer.answers["/a?version=2&format=linkid"]
        assert [each["version"] for each in fetch_older(versions[-1])] == [3]

    def test_a_failing_service_is_not_taken_for_the_end(self, issuer: Host) -> None:
        versions = self.serve(issuer, 4)
        issuer.answers["/a?version=2&format=linkid"] = json({}, 503)
        with pytest.raises(Unreachable):
            list(fetch_older(versions[-1]))

    def test_a_record_that_claims_endless_versions_costs_no_endless_requests(
        self, issuer: Host, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("coolid.client.proof_sources.MOST_VERSIONS", 3)
        versions = self.serve(issuer, 6)
        assert [each["version"] for each in fetch_older(versions[-1])] == [5, 4, 3]

    def test_a_pid_that_the_client_may_not_request_has_no_older_versions_here(self) -> None:
        assert list(fetch_older({"pid": "http://id.example.org/a", "version": 3})) == []


class TestKeys:
    def test_an_issuers_keys_are_at_the_well_known_place(self, issuer: Host) -> None:
        issuer.answers |= {"/.well-known/jwks.json": json(key_set(KEY)), "/b/.well-known/jwks.json": json(key_set())}
        assert fetch_issuer_keys(issuer.url) == fetch_issuer_keys(issuer.url + "/") == key_set(KEY)
        assert fetch_issuer_keys(issuer.url + "/b") == key_set()

    def test_they_come_from_in_no_other_place(self, issuer: Host) -> None:
        with host({"/keys": json(key_set(KEY))}) as other:
            issuer.answers["/.well-known/jwks.json"] = to(other.url + "/keys")
            with pytest.raises(NotServed, match="redirects"):
                fetch_issuer_keys(issuer.url)
            assert other.requests == []

    def test_a_set_that_is_gone_is_none(self, issuer: Host) -> None:
        issuer.answers["/keys"] = json(key_set(KEY), 410)
        with pytest.raises(NotServed):
            fetch_keys(issuer.url + "/keys")


class TestWhoVouches:
    @pytest.mark.parametrize(
        ("url", "of", "expected"),
        [
            ("https://id.example.org/a", "https://id.example.org", True),
            ("https://ID.example.org:443/a?x=y", "https://id.example.org", True),
            ("https://id.example.org/b/a", "https://id.example.org/b", True),
            ("https://id.example.org/c/a", "https://id.example.org/b", False),
            ("https://id.example.org/b/../c/a", "https://id.example.org/b", False),
            ("https://id.example.org:8443/a", "https://id.example.org", False),
            ("http://id.example.org/a", "https://id.example.org", False),
            ("https://id.example.org.evil.example/a", "https://id.example.org", False),
            ("https://evil.example/a", "https://id.example.org", False),
            ("https://evil.example/https://id.example.org/a", "https://id.example.org", False),
            ("https://id.example.org@evil.example/a", "https://id.example.org", False),
            ("http://127.0.0.1:8080/a", "http://127.0.0.1:8080", True),
            ("http://localhost:8080/a", "http://127.0.0.1:8080", False),
            ("https://id.example.org/a", "https:", False),
            ("https://id.example.org/a", "", False),
            ("https://id.example.org/a", None, False),
            ("https://id.example.org/a", 5, False),
            ("https://id.example.org/a", "https://id.example.org?", False),
            ("https://id.example.org/a", "https://id.example.org#", False),
        ],
    )
    def test_only_what_came_from_below_the_issuers_url_came_from_the_issuer(
        self, url: str, of: Any, expected: bool
    ) -> None:
        assert is_from_issuer(url, of) is expected


class TestWhatWasAskedFor:
    @pytest.mark.parametrize(
        "url",
        [
            PID,
            PID + "?lang=en",
            PID + "?version=1",
            PID + "#part",
            PID.replace("id.example.org", "ID.example.org:443"),
            "https://id.example.org/mp:tw0t-ywdj-94",
            "https://id.example.org/2021/06/mp/TWOTYWDJ94",
            "https://mirror.example.net/2021/06/mp/tw0t-ywdj-94",
            "https://id.example.org/resolve/mp:tw0t-ywdj-94",
            "https://id.example.org/mp:tw0t%2Dywdj-94",
            "https://id.example.org/tw0t-ywdj-94",
        ],
    )
    def test_the_pid_or_its_own_local_part_was_requested(self, url: str) -> None:
        assert check_requested(url, RECORD).passed

    @pytest.mark.parametrize(
        "url",
        [
            "https://mirror.example.net/mp/TW0T-YWDJ-94",
            "https://mirror.example.net/other/tw0t-ywdj-94",
            "https://id.example.org/2021/06/mp/0000-0001-95",
            "https://id.example.org/2021/06/mp/",
            "https://id.example.org/2021/06/mp/xtw0t-ywdj-94",
            "https://id.example.org/2021/06/mp/tw0t-ywdj-94/part",
            "https://id.example.org/2021/06/mp/tw0t-ywdj-95",
            "https://id.example.org/?tw0t-ywdj-94",
            "https://id.example.org",
            "https://id.example.org/%ff\x1b",
            PID + "?version=2",
            PID + "?lang=en&version=10",
        ],
    )
    def test_another_record_was_requested(self, url: str) -> None:
        check = check_requested(url, RECORD)
        assert not check.passed
        assert check.detail.isprintable()

    def test_a_linkid_is_that_of_its_name_without_hyphens_and_of_no_other(self) -> None:
        record = RECORD | {
            "id": "00c538ea846b47a6a3d470a9ebd29d7c",
            "pid": f"{RECORD['issuer']}/lid:00c538ea846b47a6a3d470a9ebd29d7c",
        }
        url = f"{RECORD['issuer']}/linkid:00C538EA-846b-47a6-a3d4-70a9ebd29d7"
        assert [check_requested(url + digit, record).passed for digit in "cCd"] == [True, True, False]

    @pytest.mark.parametrize("own", ["x", "", "94", "-", "xx"])
    def test_an_id_too_short_for_a_lui_is_itself_only(self, own: str) -> None:
        short = document(id=own, pid=f"https://id.example.org/mp/{own}")
        for requested in ("a", "tw0t-ywdj-94", "lid:--"):
            assert not check_requested(f"https://id.example.org/{requested}", short).passed

    def test_local_parts_that_are_no_luis_are_themselves_only(self) -> None:
        chosen = document(id="a/Report.1", pid="https://id.example.org/x/a/Report.1")
        assert check_requested("https://id.example.org/y/a/Report.1", chosen).passed
        assert check_requested("https://id.example.org/y/a%2FReport.1", chosen).passed
        for other in ("a/report.1", "Report.1", "a/Report.1\n", "a/ReportX1", "b/a/Report.10"):
            assert not check_requested(f"https://id.example.org/y/{other}", chosen).passed

    @pytest.mark.parametrize("odd", [{"id": None}, {"id": ""}, {"id": 5}, {"pid": 5}, {"pid": None}, {"pid": "x"}])
    def test_a_document_without_a_pid_is_not_the_requested_record(self, odd: dict[str, Any]) -> None:
        assert not check_requested("https://id.example.org/", RECORD | odd).passed
