"""Mints: responses, refusals with reasons, and repeated requests."""

import secrets
from typing import Any

import pytest

from tests.e2e import localstack
from tests.e2e.created_records import HERE, Holding, Minted, fresh_name
from tests.e2e.service import RECORDS, Service
from tests.support.servers.responses import Reply

TAKEN = "0000-0001-95"


def mint(service: Service, holding: Holding, document: dict[str, Any], **headers: str) -> Reply:
    return service.admin("POST", RECORDS, {"prefix": holding.prefix, **document}, **headers)


class TestWhatIsMinted:
    def test_it_is_returned_completely_and_resolves_at_once(self, service: Service, holding: Holding) -> None:
        location = {"uri": HERE, "mediaType": "application/pdf", "language": "en", "quality": 0.9, "size": 7}
        metadata = {"who": "Lee, Ann", "what": "é€𝄞", "how": {"a": [1, 2.5, None, True]}}
        alternates = [{"scheme": "doi", "identifier": "10.1000/182"}]
        reply = mint(service, holding, {"records": [location], "metadata": metadata, "alternates": alternates})
        record = reply.json()
        assert reply.status == 201
        assert reply.headers["location"] == record["pid"] == f"{service.issuer}/{holding.prefix}/{record['id']}"
        assert reply.headers["cache-control"] == "no-store"
        assert (record["status"], record["version"], record["repository"]) == ("active", 1, holding.repository)
        assert record["issuer"] == service.issuer
        assert (record["metadata"], record["alternates"]) == (metadata, alternates)
        assert record["records"] == [{**location, "status": "active"}]
        path = service.path_of(record["pid"])
        assert service.get(path).headers["location"] == HERE
        assert service.get(f"{path}?format=linkid").json() == record
        read = service.admin("GET", RECORDS + path)
        assert (read.json(), read.headers["etag"]) == (record, reply.headers["etag"])

    @pytest.mark.parametrize(
        "target",
        [
            "https://content.example.org/a%2Fb/%2e?x=1+2&y=%20#part",
            "http://content.example.org",
            "https://content.example.org:8443//x;y=1/?#",
        ],
    )
    def test_targets_are_stored_byte_for_byte(self, service: Service, holding: Holding, target: str) -> None:
        minted = holding.mint(uri=target)
        assert service.get(f"{minted.path}?format=linkid").json()["records"][0]["uri"] == target
        location = service.get(minted.path).headers["location"]
        localstack.rewrites_locations(service, target, location)
        assert location == target

    def test_a_reserved_one_is_nobodys_business_until_it_is_made_public(
        self, service: Service, holding: Holding
    ) -> None:
        minted, other = (holding.mint(status="reserved") for _ in range(2))
        assert service.get(minted.path).refusal == (404, "unregistered-identifier")
        assert service.get(minted.stored).refusal == (401, "unauthenticated")
        assert service.admin("GET", minted.stored).json()["status"] == "reserved"
        holding.changed("PATCH", other, {"status": "active"})
        assert service.get(other.path).headers["location"] == HERE

    def test_one_may_be_chosen_and_is_minted_once_however_it_is_spelled(
        self, service: Service, holding: Holding
    ) -> None:
        first = mint(service, holding, {"id": TAKEN, "uri": HERE})
        assert first.status in (201, 409)
        for spelling in (TAKEN, "0000000195", "OOOO-OOO1-95", "oooo-oool-95"):
            for status in ("active", "reserved"):
                again = mint(service, holding, {"id": spelling, "uri": HERE, "status": status})
                assert again.refusal == (409, "identifier-taken")


MISTAKES: list[tuple[dict[str, Any], list[str]]] = [
    ({"color": "red"}, ["/color"]),
    ({"uri": "javascript:alert(1)"}, ["/uri"]),
    ({"uri": "https://user:secret@content.example.org/"}, ["/uri"]),
    ({"uri": "https://example.org\\@evil.example/"}, ["/uri"]),
    ({"uri": "http://0x7f000001/"}, ["/uri"]),
    ({"uri": "https://content.example.org/" + "x" * 2_048}, ["/uri"]),
    ({"uri": 7}, ["/uri"]),
    ({"records": [{"uri": HERE}, {"uri": HERE, "quality": 2}]}, ["/records/1/quality"]),
    ({"records": [{"uri": HERE, "a/b~c": 1}]}, ["/records/0/a~1b~0c"]),
    ({"records": [{"uri": HERE, "validFrom": "yesterday"}]}, ["/records/0/validFrom"]),
    ({"metadata": [], "ttl": -1, "status": "withdrawn"}, ["/metadata", "/status", "/ttl"]),
    ({"id": "tw0t-ywdj-95"}, ["/id"]),
    ({"prefix": None}, ["/prefix"]),
]


class TestWhatIsRefused:
    @pytest.mark.parametrize(("mistake", "pointers"), MISTAKES, ids=lambda value: str(value)[:40])
    def test_errors_are_reported_with_their_positions(
        self, service: Service, holding: Holding, mistake: dict[str, Any], pointers: list[str]
    ) -> None:
        reply = mint(service, holding, mistake)
        assert reply.refusal == (422, "invalid-input")
        assert sorted(reply.pointers) == pointers

    def test_a_prefix_that_mints_nothing_is_a_mistake_too(self, service: Service, holding: Holding) -> None:
        reply = mint(service, holding, {"prefix": fresh_name()})
        assert reply.refusal == (422, "invalid-input")
        assert reply.pointers == ["/prefix"]

    @pytest.mark.parametrize(
        "body",
        [b"", b"{", b"{}{}", b"\xff\xfe", b"\xef\xbb\xbf{}", b'{"a": 1, "a": 2}', b'{"a": NaN}', b'{"a": "\\ud800"}',
         b'{"a": 9007199254740993}', b"[" * 10_000 + b"]" * 10_000],
        ids=lambda body: repr(body)[:24],
    )  # fmt: skip
    def test_what_is_not_json_is_400(self, service: Service, holding: Holding, body: bytes) -> None:
        assert service.request("POST", RECORDS, key=service.key, body=body).refusal == (400, "malformed-body")

    @pytest.mark.parametrize("body", [b"null", b"7", b'"x"', b"[]"])
    def test_what_is_json_but_no_object_is_422(self, service: Service, holding: Holding, body: bytes) -> None:
        reply = service.request("POST", RECORDS, key=service.key, body=body)
        assert reply.refusal == (422, "invalid-input")
        assert reply.pointers == [""]

    def test_more_than_a_megabyte_is_413(self, service: Service) -> None:
        for method, target in (("POST", RECORDS), ("POST", f"{RECORDS}/batch"), ("POST", "/api/v1/repositories")):
            reply = service.request(method, target, key=service.key, body=b" " * 1_000_001)
            assert reply.refusal == (413, "body-too-large")


class TestSentAgain:
    @pytest.fixture
    def first(self, service: Service, holding: Holding, again: str) -> Reply:
        reply = mint(service, holding, {"uri": HERE, "metadata": {"n": 1}}, Idempotency_Key=again)
        assert reply.status == 201
        return reply

    @pytest.fixture
    def again(self) -> str:
        """A key that no request had."""
        return f"e2e-{secrets.token_hex(12)}"

    def test_the_same_request_is_answered_the_same_and_mints_nothing_more(
        self, service: Service, holding: Holding, again: str, first: Reply
    ) -> None:
        spelled = f'{{"metadata": {{"n": 1.0}},\n "uri": "{HERE}", "prefix": "{holding.prefix}"}}'.encode()
        for reply in (
            mint(service, holding, {"uri": HERE, "metadata": {"n": 1}}, Idempotency_Key=again),
            service.request("POST", RECORDS, key=service.key, body=spelled, Idempotency_Key=again),
        ):
            assert (reply.status, reply.body) == (201, first.body)
            assert [reply.headers[name] for name in ("location", "etag")] == [
                first.headers[name] for name in ("location", "etag")
            ]

    def test_another_request_under_its_key_is_refused(
        self, service: Service, holding: Holding, again: str, first: Reply
    ) -> None:
        other = mint(service, holding, {"uri": HERE, "metadata": {"n": 2}}, Idempotency_Key=again)
        assert other.refusal == (422, "idempotency-key-reused")

    def test_after_a_change_it_is_still_answered_with_what_was_minted(
        self, service: Service, holding: Holding, again: str, first: Reply
    ) -> None:
        path = service.path_of(first.headers["location"])
        minted = Minted(path, RECORDS + path, first.headers["etag"], first.json())
        holding.changed("DELETE", minted, {"reason": "It was wrong"})
        reply = mint(service, holding, {"uri": HERE, "metadata": {"n": 1}}, Idempotency_Key=again)
        assert (reply.status, reply.body) == (201, first.body)
        assert service.get(path).status == 410

    def test_a_key_that_cannot_be_one_is_400(self, service: Service, holding: Holding) -> None:
        reply = mint(service, holding, {"uri": HERE}, Idempotency_Key="x" * 1_000)
        assert reply.refusal == (400, "bad-idempotency-key")
