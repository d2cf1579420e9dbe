"""Percent-encoded identifiers arrive through a deployed REST API as they do locally.

The expected results are written out, equal for a server on this machine and for API Gateway. The path is split before
it is decoded, and each part is decoded exactly once.
"""

from urllib.parse import quote, unquote, urlsplit

import pytest

from tests.e2e import localstack
from tests.e2e.created_records import HERE, Holding, Minted, doi_prefix, fresh_name, hold, register
from tests.e2e.service import HISTORY, RECORDS, Service
from tests.support.builders.samples import VECTORS
from tests.support.servers.responses import Reply

# Real DOIs, and where they are at a provider whose identifiers are opaque text (encoding "data").
DOIS = {
    "10.1007/978-3-319-07443-6_39": "https://doi.example/10.1007/978-3-319-07443-6_39",
    "10.1002/asi.23256": "https://doi.example/10.1002/asi.23256",
    "10.1177/030631277700700112": "https://doi.example/10.1177/030631277700700112",
    "10.1002/(SICI)1097-4571(199510)46:9<646::AID-ASI2>3.0.CO;2-1": (
        "https://doi.example/10.1002/(SICI)1097-4571(199510)46:9%3C646::AID-ASI2%3E3.0.CO;2-1"
    ),
    "10.1023/B:SCIE.0000018543.82441.f1": "https://doi.example/10.1023/B:SCIE.0000018543.82441.f1",
    "10.1002/(SICI)1520-6297(199601/02)12:1<67::AID-AGR6>3.3.CO;2-#": (
        "https://doi.example/10.1002/(SICI)1520-6297(199601/02)12:1%3C67::AID-AGR6%3E3.3.CO;2-%23"
    ),
}

OLD = "(SICI)1520-6297(199601/02)12:1<67::AID-AGR6>3.3.CO;2-#"

# How much of a DOI clients escape: everything; everything but slashes; only what cannot stand in a path.
SAFE = {"everything escaped": "", "slashes as they are": "/", "little escaped": "/:;()"}


def requested(service: Service, target: str) -> Reply:
    """The answer to a GET."""
    reply = service.get(target)
    localstack.cuts_paths_at_semicolons(service, target, reply)
    return reply


@pytest.fixture(scope="module")
def dois(service: Service) -> str:
    """A prefix of DOIs of others."""
    name = fresh_name()
    register(service, name, encoding="data", providers=[{"code": "doi", "url": "https://doi.example/{$id}"}])
    return name


class TestDois:
    def test_none_of_the_known_ones_is_left_out(self) -> None:
        assert set(DOIS) == set(VECTORS["doi"]["valid"])

    @pytest.mark.parametrize("doi", DOIS)
    @pytest.mark.parametrize("safe", SAFE.values(), ids=SAFE)
    @pytest.mark.parametrize("form", ["{}:{}", "{}/{}", "resolve/{}:{}"])
    def test_every_known_one_arrives_whole_at_its_provider(
        self, service: Service, dois: str, form: str, safe: str, doi: str
    ) -> None:
        reply = requested(service, "/" + form.format(dois, quote(doi, safe=safe)))
        assert (reply.status, reply.headers["location"]) == (302, DOIS[doi])
        location = urlsplit(reply.headers["location"])
        assert (unquote(location.path[1:]), location.query, location.fragment) == (doi, "", "")
        assert reply.canonical == f"{service.issuer}/{dois}:{quote(doi, safe='/:;()')}"

    def test_their_canonical_links_lead_where_they_do(self, service: Service, dois: str) -> None:
        for doi, location in DOIS.items():
            canonical = service.get(f"/{dois}:{quote(doi, safe='')}").canonical
            escaped = service.path_of(canonical).replace(";", "%3B")  # for the sake of LocalStack
            assert service.get(escaped).headers["location"] == location


@pytest.fixture(scope="module")
def urls(service: Service) -> str:
    """A prefix whose identifiers are pieces of URLs (encoding "uri")."""
    name = fresh_name()
    providers = [
        {"code": "p0", "url": "https://go.example/{$id}"},
        {"code": "p1", "url": "https://ols.example/{$id}"},
    ]
    register(service, name, providers=providers)
    return name


class TestOthersIdentifiers:
    @pytest.mark.parametrize(
        ("identifier", "location"),
        [
            ("a%2Fb", "https://go.example/a/b"),
            ("a%2fb", "https://go.example/a/b"),
            ("a%252Fb", "https://go.example/a%2Fb"),
            ("a%25252Fb", "https://go.example/a%252Fb"),
            ("a//b", "https://go.example/a//b"),
            ("a///b", "https://go.example/a///b"),
            ("a/../b", "https://go.example/a/../b"),
            ("a/./b/", "https://go.example/a/./b/"),
            ("a%2F..%2Fb", "https://go.example/a/../b"),
            ("%C3%A9%E2%82%AC", "https://go.example/%C3%A9%E2%82%AC"),
            ("%F0%9D%84%9E", "https://go.example/%F0%9D%84%9E"),
            ("a%3Fb%23c", "https://go.example/a?b#c"),
            ("a%26b%3Dc%2Bd", "https://go.example/a&b=c+d"),
            ("a+b;c=d&e", "https://go.example/a+b;c=d&e"),
            ("a+b%3Bc=d&e", "https://go.example/a+b;c=d&e"),
            ("!$'()*,~_.-@", "https://go.example/!$'()*,~_.-@"),
            ("%7Ca%5Cb%5E%60%7Bc%7D", "https://go.example/%7Ca%5Cb%5E%60%7Bc%7D"),
            ("%41%2D%5F%7E", "https://go.example/A-_~"),
            ("a?provider=p1", "https://ols.example/a"),
            ("a?provider=p%31&provider=p0", "https://ols.example/a"),
            ("a%3Fprovider=p1", "https://go.example/a?provider=p1"),
        ],
    )
    def test_they_arrive_as_they_were_sent(self, service: Service, urls: str, identifier: str, location: str) -> None:
        reply = requested(service, f"/{urls}:{identifier}")
        assert (reply.status, reply.headers.get("location")) == (302, location)

    @pytest.mark.parametrize(
        "bad", ["%", "%z", "%zz", "%2", "%00", "%1F", "%7F", "%C0%AF", "%FF", "%ED%A0%80", "%C2%85"]
    )
    def test_bad_escapes_control_characters_and_what_is_not_utf_8_are_400(
        self, service: Service, urls: str, bad: str
    ) -> None:
        """API Gateway might refuse an escape that is none by itself; then the problem has no kind of ours."""
        reply = service.get(f"/{urls}:a{bad}")
        assert (reply.status, reply.media_type) == (400, "application/problem+json")

    @pytest.mark.parametrize("length", [2_049, 5_000])
    def test_more_than_two_kilobytes_are_414(self, service: Service, urls: str, length: int) -> None:
        """Above 10,240 bytes of request line and headers, API Gateway refuses by itself."""
        start = f"{urls}:"
        assert service.get(f"/{start}{'a' * (length - len(start))}").refusal == (414, "identifier-too-long")
        assert service.get(f"/{start}{'a' * (2_048 - len(start))}").status == 302


@pytest.fixture(scope="module")
def old(service: Service) -> Holding:
    """A repository of identifiers from before there were rules."""
    rules = {"pattern": ".{1,200}", "folds_case": True, "example": "x"}
    holding = hold(service, doi_prefix(), scheme="chosen", rules=rules)
    for identifier in (OLD, "a/b", "50%25", "é"):
        holding.mint(id=identifier, metadata={"what": identifier})
    return holding


class TestIdentifiersOfOurs:
    """DOIs of a repository here that holds old ones: they are minted, changed and resolved under any escaping."""

    @pytest.mark.parametrize("safe", ["", "/", "/:()"])
    @pytest.mark.parametrize("form", ["{}/{}", "doi:{}/{}", "DOI:{}%2F{}", "hdl/{}/{}"])
    def test_they_resolve(self, service: Service, old: Holding, form: str, safe: str) -> None:
        for written in (OLD, OLD.lower()):
            reply = requested(service, "/" + form.format(old.prefix, quote(written, safe=safe)))
            assert (reply.status, reply.headers.get("location")) == (302, HERE)
            assert reply.canonical == f"{service.issuer}/{old.prefix}/{quote(OLD.lower(), safe='/:;()')}"

    @pytest.mark.parametrize("identifier", [OLD, "a/b", "50%25", "é"])
    def test_minted_records_have_a_history_under_the_same_paths(
        self, service: Service, old: Holding, identifier: str
    ) -> None:
        path = f"/{old.prefix}/{quote(identifier, safe='/')}"
        record = service.get(f"{path}?format=linkid").json()
        assert record["metadata"] == {"what": identifier}
        stored = service.admin("GET", RECORDS + path)
        assert stored.json() == record
        (version,) = service.admin("GET", HISTORY + path).json()["versions"]
        assert version["version"] == 1
        for text in (f"{old.prefix}/{identifier}", record["pid"]):  # as generated clients encode it
            assert service.admin("GET", f"{RECORDS}/{quote(text, safe='')}").json() == record
        again = service.admin("PATCH", RECORDS + path, {}, If_Match=stored.headers["etag"])
        assert (again.status, again.json()) == (200, record)

    def test_they_are_decoded_once(self, service: Service, old: Holding) -> None:
        for written in ("a%2Fb", "a/b", "A%2FB"):
            assert service.get(f"/{old.prefix}/{written}").headers["location"] == HERE
        assert service.get(f"/{old.prefix}/a%252Fb").refusal == (404, "unregistered-identifier")
        assert service.get(f"/{old.prefix}/50%25").refusal == (404, "unregistered-identifier")

    def test_an_escaped_slash_ends_no_prefix(self, service: Service, holding: Holding, thing: Minted) -> None:
        assert service.get(f"/{holding.prefixes[1]}/{thing.id}").status == 302
        assert service.get(f"/{holding.prefixes[1]}%2F{thing.id}").refusal == (404, "unknown-prefix")
