"""`?format=qr`: any address of an identifier or a prefix as a picture, with the usual headers."""

import pytest

from coolid.aws.api_gateway import answer_v1, answer_v2
from coolid.http.formats.qr import SCALE
from coolid.http.message import Response
from coolid.http.response_cache import ResponseCache
from tests.functions.managed_records import BROWSER, HERE, alias, gone, mint
from tests.support.builders.images import modules_of_png, modules_of_svg, text_of
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.events import from_answer
from tests.support.fixtures.system import Answer, System, answer_of

PNG = "format=qr&style=png"


def pictured(answer: Answer) -> str:
    """The text in the picture."""
    if answer.headers["content-type"] == "image/png":
        assert answer.body == ""
        return text_of(modules_of_png(answer.content, SCALE))
    assert (answer.headers["content-type"], answer.content) == ("image/svg+xml", b"")
    return text_of(modules_of_svg(answer.body))


@pytest.fixture(scope="session")
def prefix(light: System) -> str:
    return alias(light, passthrough=True)


@pytest.fixture(scope="session")
def thing(light: System, prefix: str) -> str:
    return mint(light, prefix, metadata={"what": "A thing"})


@pytest.fixture(scope="session")
def tombstone(light: System, prefix: str) -> str:
    return gone(light, prefix)


@pytest.fixture(scope="session")
def others(light: System) -> str:
    """A prefix of identifiers that are kept elsewhere."""
    document = {"kind": "provider", "providers": [{"code": "a", "url": "https://others.example/{$id}"}]}
    assert light.admin("PUT", "/api/v1/prefixes/others", document).status in {200, 201}
    return "others"


@pytest.mark.parametrize("query", ["format=qr", "format=QR&style=svg", PNG, "style=PNG&format=qr&lang=de"])
@pytest.mark.parametrize("accept", [None, "*/*", BROWSER, "application/json", "image/webp;q=0.1"])
def test_it_shows_the_pid_whatever_is_accepted(light: System, thing: str, query: str, accept: str | None) -> None:
    answer = light.get(thing, query=query, accept=accept)
    assert (answer.status, pictured(answer)) == (200, BASE_URL + thing)
    assert answer.canonical == BASE_URL + thing
    assert answer.headers["content-disposition"].startswith("inline; ")


def test_every_spelling_shows_the_same(light: System, thing: str) -> None:
    first = light.get(thing, query=PNG)
    for path in (thing.upper(), thing.replace(":", "/"), thing.replace("-", ""), f"/resolve{thing}"):
        assert light.get(path, query=PNG) == first


def test_what_extends_a_pid_is_shown_with_it(light: System, thing: str) -> None:
    answer = light.get(f"{thing}/part two", query="format=qr")
    assert pictured(answer) == answer.canonical == f"{BASE_URL}{thing}/part%20two"


@pytest.mark.parametrize("query", ["format=qr", PNG])
def test_a_tombstones_picture_is_gone_nevertheless(light: System, tombstone: str, query: str) -> None:
    answer = light.get(tombstone, query=query)
    assert (answer.status, pictured(answer)) == (410, BASE_URL + tombstone)


@pytest.mark.parametrize("query", ["format=qr", PNG])
@pytest.mark.parametrize("identifier", ["x", "a%2Fb%3Fc", "%C3%A9"])
def test_so_are_others_identifiers_shown(light: System, others: str, query: str, identifier: str) -> None:
    answer = light.get(f"/{others.upper()}/{identifier}", query=query)
    assert (answer.status, pictured(answer)) == (200, answer.canonical)
    assert answer.canonical == f"{BASE_URL}/{others}:{identifier.replace('%2F', '/')}"


def test_so_are_prefixes(light: System, prefix: str, others: str) -> None:
    for name in (prefix, others):
        assert pictured(light.get(f"/{name}", query=PNG, accept=BROWSER)) == f"{BASE_URL}/{name}"
        assert pictured(light.get(f"/{name}", query="format=qr")) == f"{BASE_URL}/{name}"


def test_it_has_the_caching_headers_of_the_redirect(light: System, thing: str, others: str) -> None:
    for path in (thing, f"/{others}:x"):
        redirect, picture = light.get(path), light.get(path, query=PNG)
        assert redirect.status == 302
        for name in ("cache-control", "last-modified", "cache-tag", "vary", "access-control-allow-origin"):
            assert picture.headers[name] == redirect.headers[name]
        assert picture.canonical == redirect.canonical


def test_its_tag_covers_the_picture_only(light: System, thing: str, prefix: str) -> None:
    pictures = [light.get(path, query=query) for path in (thing, f"/{prefix}") for query in ("format=qr", PNG)]
    assert len({each.headers["etag"] for each in pictures}) == 4
    assert light.get(thing, query=PNG).headers["etag"] == pictures[1].headers["etag"]


def test_a_conditional_request_gets_304(light: System, thing: str) -> None:
    first = light.get(thing, query=PNG)
    again = light.get(thing, query=PNG, If_None_Match=first.headers["etag"])
    assert (again.status, again.body, again.content) == (304, "", b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert not {"content-type", "content-security-policy"} & again.headers.keys()


def test_its_head_is_that_of_the_picture(light: System, thing: str) -> None:
    picture = light.get(thing, query=PNG)
    head = light.request("HEAD", thing, query=PNG)
    assert (head.status, head.headers, head.body, head.content) == (200, picture.headers, "", b"")


def test_it_is_never_negotiated_by_accept(light: System, prefix: str, thing: str) -> None:
    assert light.get(thing, accept="image/svg+xml, image/png;q=0.9").headers["location"] == HERE
    places = [{"uri": f"{HERE}.{kind}", "mediaType": f"image/{kind}"} for kind in ("png", "gif")]
    path = mint(light, prefix, records=places)
    for query, accept in (("", "image/png"), ("format=png", None), ("format=image/png&style=svg", None)):
        assert light.get(path, query=query, accept=accept).headers["location"] == f"{HERE}.png"


def test_what_there_is_not_has_no_picture(light: System, prefix: str) -> None:
    assert light.get(f"/{prefix}:0000-0000-98", query=PNG).is_problem(404, "unregistered-identifier")
    assert light.get("/nobody-has-this:x", query=PNG).is_problem(404, "unknown-prefix")
    path = mint(light, prefix, status="reserved")
    assert light.get(path, query=PNG).is_problem(404, "unregistered-identifier")


@pytest.mark.parametrize("style", ["", "jpeg", "%3Csvg%3E"])
def test_another_style_is_refused(light: System, thing: str, tombstone: str, others: str, style: str) -> None:
    for path in (thing, tombstone, f"/{others}:x", f"/{others}"):
        answer = light.get(path, query=f"format=qr&style={style}")
        assert answer.is_problem(406, "unknown-style")
        assert answer.json()["detail"].endswith("it has: svg, png.")


def test_so_is_the_picture_of_what_is_too_long(light: System, others: str) -> None:
    path = f"/{others}:{'%C3%A9' * 500}"
    assert light.get(path).status == 302
    answer = light.get(path, query=PNG)
    assert answer.is_problem(406, "too-long-to-picture")
    assert "too many for a QR code" in answer.json()["detail"]


@pytest.mark.parametrize("body", [b"", b"\x89PNG\r\n\x1a\n\x00\xff", b"text", bytes(range(256)) * 40])
def test_bytes_go_out_in_base64_in_every_payload_format(body: bytes) -> None:
    response = Response(200, {"Content-Type": "image/png"}, body)
    for answer in (answer_v1(response), answer_v2(response)):
        assert answer["isBase64Encoded"] is True
        assert isinstance(answer["body"], str)
        assert answer_of(answer).content == body
    assert from_answer(answer_v1(response)) == (200, [("Content-Type", "image/png")], body)


def test_a_function_url_gets_the_same_picture_as_the_api(light: System, thing: str) -> None:
    v1 = light.get(thing, query=PNG)
    event = {
        "version": "2.0",
        "rawPath": thing,
        "rawQueryString": PNG,
        "headers": {},
        "requestContext": {"stage": "$default", "http": {"method": "GET"}, "requestId": "a-request"},
    }
    assert light.event({**event, "httpMethod": "GET", "path": thing}) == v1


def test_a_cached_picture_is_the_picture(light: System, thing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stored: list[Response | None] = []
    find = ResponseCache.get

    def noting(*arguments: object) -> Response | None:
        stored.append(find(*arguments))  # type: ignore[arg-type]
        return stored[-1]

    query = f"{PNG}&ready"
    monkeypatch.setattr(ResponseCache, "get", noting)
    first, second = light.get(thing, query=query), light.get(thing, query=query)
    assert first == second
    assert [each is None for each in stored] == [True, False]
    assert stored[1] is not None
    assert stored[1].body == second.content
