"""Unusual queries, pictures, bodies and addresses of the dialects pass through a deployed REST API.

Other tests check the dialects themselves. Here a request of each kind reaches its function unchanged, and so does the
response.
"""

import json
from base64 import b64encode
from datetime import datetime, timedelta

import pytest

from tests.e2e import localstack
from tests.e2e.created_records import HERE, THERE, Holding, Minted, doi_prefix, fresh_name, hold, register
from tests.e2e.service import BATCH, RECORDS, Service
from tests.support.builders.images import modules_of_png, modules_of_svg, text_of

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
IMAGES = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"  # of <img> in Chrome
SUPPORT = {"what": "It is there to stay", "who": "A library"}
TEXT = "é𝄞\u2028 \\ \" ' <&> %41 +"


@pytest.fixture(scope="module")
def supported(service: Service) -> Holding:
    """A repository that has committed itself to something."""
    return hold(service, support=SUPPORT)


@pytest.fixture(scope="module")
def stored(supported: Holding) -> Minted:
    return supported.mint(metadata={"who": "Lee, Ann", "what": "A thing", "when": "2025"})


class TestInflections:
    """`?`, `??`, `?info` and `?json`, which have no `=`, and of which some are nothing but a question mark."""

    def test_a_bare_question_mark_at_the_end_is_as_good_as_none(self, service: Service, stored: Minted) -> None:
        bare, plain = service.get(f"{stored.path}?"), service.get(stored.path)
        assert (bare.status, bare.headers["location"]) == (302, HERE)
        assert bare.headers["etag"] == plain.headers["etag"]

    @pytest.mark.parametrize("query", ["info", "info=", "%69nfo", "?", "?=", "%3F", "%3f="])
    def test_the_description_and_the_commitment_are_returned(
        self, service: Service, stored: Minted, query: str
    ) -> None:
        reply = service.get(f"{stored.path}?{query}")
        assert (reply.status, reply.media_type) == (200, "text/plain")
        assert reply.headers["thump-status"].endswith("200 OK")
        assert f"where: {stored.pid}\n" in reply.text
        assert SUPPORT["what"] in reply.text

    def test_both_show_browsers_the_page(self, service: Service, stored: Minted) -> None:
        for query in ("info", "?"):
            reply = service.get(f"{stored.path}?{query}", Accept=BROWSER)
            assert (reply.status, reply.media_type) == (200, "text/html")

    @pytest.mark.parametrize("query", ["json", "json=", "j%73on"])
    def test_json_is_the_record(self, service: Service, stored: Minted, query: str) -> None:
        reply = service.get(f"{stored.path}?{query}", Accept=BROWSER)
        assert (reply.status, reply.json()) == (200, service.get(f"{stored.path}?format=json").json())
        assert reply.json()["pid"] == stored.pid

    def test_they_describe_identifiers_of_other_services_too(self, service: Service, name: str) -> None:
        for query in ("info", "?"):
            reply = service.get(f"/{name}:x?{query}")
            assert (reply.status, reply.media_type) == (200, "text/plain")
        assert service.get(f"/{name}:x?").headers["location"] == "https://go.example/x"


class TestPictures:
    @pytest.mark.parametrize("accept", [None, "*/*", BROWSER, IMAGES, "application/json", "image/png"])
    def test_a_png_arrives_as_the_bytes_it_is(self, service: Service, stored: Minted, accept: str | None) -> None:
        """Whatever is accepted: of a REST API that does not say that everything is binary, some would get base64."""
        headers = {} if accept is None else {"Accept": accept}
        reply = service.get(f"{stored.path}?format=qr&style=png", **headers)
        assert (reply.status, reply.media_type) == (200, "image/png")
        localstack.sends_bytes_in_base64(service, reply)
        assert text_of(modules_of_png(reply.body, 8)) == stored.pid

    @pytest.mark.parametrize("accept", [BROWSER, IMAGES])
    def test_an_svg_arrives_as_text(self, service: Service, stored: Minted, accept: str) -> None:
        reply = service.get(f"{stored.path}?format=qr", Accept=accept)
        assert (reply.status, reply.media_type) == (200, "image/svg+xml")
        assert text_of(modules_of_svg(reply.text)) == stored.pid

    def test_a_conditional_request_gets_304_and_head_has_no_body(self, service: Service, stored: Minted) -> None:
        first = service.get(f"{stored.path}?format=qr&style=png")
        again = service.get(f"{stored.path}?format=qr&style=png", If_None_Match=first.headers["etag"])
        assert (again.status, again.body) == (304, b"")
        head = service.request("HEAD", f"{stored.path}?format=qr&style=png")
        assert (head.status, head.body, head.headers["etag"]) == (200, b"", first.headers["etag"])

    def test_text_is_still_text_for_whom_everything_is_binary(self, service: Service, holding: Holding) -> None:
        minted = holding.mint(metadata={"what": TEXT})
        for accept in ("application/json", "application/octet-stream;q=0.1, application/linkid+json", "*/*"):
            reply = service.get(f"{minted.path}?format=json", Accept=accept)
            assert reply.json()["metadata"]["what"] == TEXT


class TestBodies:
    """Where everything is binary, API Gateway hands every body over in base64."""

    @pytest.mark.parametrize(
        "media_type", ["application/json", "application/json; charset=utf-8", "text/plain", "application/octet-stream"]
    )
    def test_a_document_arrives_byte_for_byte(self, service: Service, holding: Holding, media_type: str) -> None:
        document = {"prefix": holding.prefix, "uri": HERE, "metadata": {"what": TEXT}}
        body = json.dumps(document, ensure_ascii=False).encode()
        reply = service.request("POST", RECORDS, key=service.key, body=body, Content_Type=media_type)
        assert reply.status == 201
        assert reply.json()["metadata"]["what"] == TEXT

    def test_so_do_lines(self, service: Service, holding: Holding) -> None:
        lines = [{"prefix": holding.prefix, "uri": HERE, "metadata": {"what": f"{TEXT}{each}"}} for each in range(3)]
        body = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode()
        reply = service.request("POST", BATCH, key=service.key, body=body, Content_Type="application/x-ndjson")
        assert (reply.status, [json.loads(each)["status"] for each in reply.body.splitlines()]) == (200, [201] * 3)

    def test_what_is_no_text_is_refused_as_such(self, service: Service) -> None:
        for body in (b"\xff\xfe\x00", b"\x89PNG\r\n\x1a\n"):
            assert service.request("POST", RECORDS, key=service.key, body=body).refusal == (400, "malformed-body")


@pytest.fixture(scope="module")
def handles(service: Service) -> Holding:
    """A repository of Handles."""
    rules = {"pattern": "[a-z0-9/-]{1,50}", "folds_case": True, "example": "x"}
    return hold(service, doi_prefix(), scheme="chosen", rules=rules)


class TestHandles:
    """`/api/handles`, which one function reads and another writes."""

    def test_each_method_gets_to_the_function_that_answers_it(self, service: Service, handles: Holding) -> None:
        path = f"/api/handles/{handles.prefix}/a/b"
        values = [{"index": 1, "type": "URL", "data": {"format": "string", "value": HERE}}]
        body = {"values": values}
        assert service.get(path).json()["responseCode"] == 100
        for method in ("PUT", "DELETE"):
            refused = service.request(method, path, document=body if method == "PUT" else None)
            assert (refused.status, refused.json()["responseCode"]) == (401, 402)
        made = service.admin("PUT", f"{path}?overwrite=false", body)
        assert (made.status, made.json()["responseCode"]) == (201, 1)
        read = service.admin("GET", f"{path}?auth&index=1&index=100&type=URL")
        assert [each["data"]["value"] for each in read.json()["values"] if each["type"] == "URL"] == [HERE]
        gone = service.admin("DELETE", path)
        assert (gone.status, gone.json()["responseCode"]) == (200, 1)

    def test_a_key_may_be_given_as_a_handle_client_gives_it(self, service: Service, handles: Holding) -> None:
        user = f"300%3A{handles.prefix}/ADMIN"
        returned = b64encode(f"{user}:{service.key}".encode()).decode()
        values = [{"index": 1, "type": "URL", "data": {"format": "string", "value": THERE}}]
        path = f"/api/handles/{handles.prefix}/basic"
        made = service.request("PUT", path, document={"values": values}, Authorization=f"Basic {returned}")
        assert made.json()["responseCode"] == 1
        assert service.get(f"/hdl/{handles.prefix}/basic").headers["location"] == THERE


@pytest.fixture(scope="module")
def name(service: Service) -> str:
    """A prefix of identifiers that are kept elsewhere."""
    name = fresh_name()
    register(service, name, providers=[{"code": "p0", "url": "https://go.example/{$id}"}])
    return name


class TestRegistries:
    """What others' clients ask gets to the function that resolves, wherever it stands."""

    def test_their_addresses_are_answered(self, service: Service, name: str) -> None:
        reference = service.get(f"/api/reference/{name}:a")
        assert (reference.status, "https://go.example/a" in reference.text) == (200, True)
        assert service.get(f"/api/registry/{name}").json()["prefix"] == name
        compact = service.get(f"/api/identifiers.org/{name}:a")
        assert compact.status == 200
        assert "https://go.example/a" in compact.text
        assert service.get(f"/.info/{name}:a").status == 200
        assert service.get("/.info").status == 200

    def test_so_is_the_list_of_prefixes(self, service: Service) -> None:
        converter = service.get("/api/v1/converter")
        assert converter.status == 200
        assert all({"prefix", "uri_prefix"} <= each.keys() for each in converter.json())

    def test_a_slash_in_an_identifier_and_its_escape_arrive_there(self, service: Service, name: str) -> None:
        for written in ("a/b", "a%2Fb"):
            assert "https://go.example/a/b" in service.get(f"/api/reference/{name}:{written}").text

    def test_they_can_only_be_read(self, service: Service, name: str) -> None:
        reply = service.request("DELETE", f"/api/reference/{name}:a")
        assert reply.status in {404, 405}
        assert reply.media_type == "application/problem+json"


@pytest.fixture(scope="module")
def twice(holding: Holding) -> Minted:
    """A record of two versions."""
    minted = holding.mint(metadata={"what": "First"})
    holding.changed("PATCH", minted, {"metadata": {"what": "Second"}})
    return minted


class TestTime:
    def test_the_time_that_is_requested_arrives(self, service: Service, twice: Minted) -> None:
        first = datetime.fromisoformat(twice.document["created"])
        for days, version in ((-1, 1), (36_500, 2)):
            moment = f"{first + timedelta(days=days):%a, %d %b %Y %H:%M:%S GMT}"
            reply = service.get(f"/timegate{twice.path}", Accept_Datetime=moment)
            assert reply.status == 302
            assert reply.headers["location"] == f"{twice.pid}?memento={version}"
            assert "accept-datetime" in reply.headers["vary"].lower()

    def test_a_version_is_at_the_address_that_is_reported(self, service: Service, twice: Minted) -> None:
        for version in (1, 2):
            reply = service.get(f"{twice.path}?memento={version}", Accept="application/linkid+json")
            assert (reply.status, reply.json()["version"]) == (200, version)
            assert "memento-datetime" in reply.headers

    def test_so_is_the_list_of_versions(self, service: Service, twice: Minted) -> None:
        reply = service.get(f"/timemap{twice.path}")
        assert (reply.status, reply.media_type) == (200, "application/link-format")
        assert reply.text.count("memento=") == 2


def test_the_parameters_of_a_redirect_arrive_decoded_once(service: Service, handles: Holding) -> None:
    handles.mint(id="given", uri=f"{HERE}?a=1")
    path = f"/hdl/{handles.prefix}/given"
    reply = service.get(f"{path}?urlappend=%26b%3D%252F%2B")
    localstack.rewrites_locations(service, f"{HERE}?a=1&b=%2F+", reply.headers.get("location", ""))
    assert (reply.status, reply.headers["location"]) == (302, f"{HERE}?a=1&b=%2F+")
    assert service.get(f"{path}?noredirect").status == 200
