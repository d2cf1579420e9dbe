"""The LinkID draft (draft-linkgenetic-lid-uri-00), statement by statement, through the functions' own handlers.

A class is a section of the draft, a test one of its statements; `docs/reference/linkid.md` lists them beside the code.
"""

import json
from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from typing import Any
from urllib.parse import urlsplit

import pytest

from coolid.identifiers.schemes import lid
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import Answer, System, finish_log, system
from tests.support.stores.outages import outage

EXAMPLE = "b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14"
PDF = "https://content.example.org/v3/document.pdf"
LINKID = "application/linkid+json"
PROGRAM = "application/linkid+json, text/html, */*"
RECORDS = [
    {
        "uri": PDF,
        "status": "active",
        "mediaType": "application/pdf",
        "language": "en",
        "quality": 0.95,
        "validFrom": "2025-07-10T00:00:00Z",
        "validUntil": None,
        "checksum": {
            "algorithm": "sha256",
            "value": "a665a45920422f9d417e4867efdc4fb8a04a1f3fff1fa07e998e86f7f7a27ae3",
        },
        "size": 2047583,
        "lastModified": "2025-07-09T16:45:00Z",
    }
]
ALTERNATES = [
    {"scheme": "doi", "identifier": "10.1000/182"},
    {"scheme": "ark", "identifier": "ark:/12345/fk2test"},
]

_numbers = count(1)


@pytest.fixture(scope="session")
def resolver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A resolver of LinkIDs of every form, where the draft's own example is minted."""
    with system(tmp_path_factory.mktemp("linkid")) as running:
        alias(running, "lid", scheme="chosen", rules={"pattern": "[A-Za-z0-9._~-]{32,64}", "example": EXAMPLE})
        mint(running, EXAMPLE, records=RECORDS, alternates=ALTERNATES)
        yield running


def alias(resolver: System, prefix: str, **members: Any) -> None:
    """A prefix of a new repository's."""
    made = resolver.admin("POST", "/api/v1/repositories", {"title": prefix, **members})
    assert made.status == 201, made.body
    named = {"kind": "namespace", "repository": made.json()["id"]}
    assert resolver.admin("PUT", f"/api/v1/prefixes/{prefix}", named).status == 201


def mint(resolver: System, identifier: str | None = None, **members: Any) -> str:
    """A LinkID that was not there before."""
    identifier = identifier or sha256(str(next(_numbers)).encode()).hexdigest()
    answer = resolver.mint({"prefix": "lid", "id": identifier, **members})
    assert answer.status == 201, answer.body
    return identifier


def amend(resolver: System, method: str, identifier: str, document: Any) -> Answer:
    """A change of the version that is there now."""
    path = f"/api/v1/records/lid:{identifier}"
    tag = resolver.request("GET", path, key=resolver.admin_key).headers["etag"]
    headers = [("If-Match", tag)]
    answer = resolver.request(method, path, document=document, key=resolver.admin_key, headers=headers)
    assert answer.status == 200, answer.body
    return answer


class TestSyntax:
    """Section "URI Scheme Definition"."""

    @pytest.mark.parametrize(
        "identifier",
        [
            "b2f6f0d7c7d34e3e8a4f0a6b2a9c9f15",
            "a665a45920422f9d417e4867efdc4fb8a04a1f3fff1fa07e998e86f7f7a27ae4",
            "registry.issued_AZ-az~0123456789",
            "." * 31 + "x",
            "~" * 64,
        ],
    )
    def test_an_identifier_is_32_to_64_characters_of_the_url_safe_alphabet(
        self, resolver: System, identifier: str
    ) -> None:
        mint(resolver, identifier, uri=PDF)
        for path in (f"/lid:{identifier}", f"/resolve/{identifier}"):
            assert resolver.get(path).headers["location"] == PDF

    @pytest.mark.parametrize("identifier", [EXAMPLE[:31], "a" * 65, EXAMPLE[:31] + "!", EXAMPLE[:31] + "%C3%A9"])
    def test_other_texts_are_not_identifiers(self, resolver: System, identifier: str) -> None:
        assert resolver.get(f"/lid:{identifier}").is_problem(400)

    def test_the_parameters_choose_a_form_and_are_not_part_of_the_identifier(self, resolver: System) -> None:
        identifier = mint(resolver, records=forms())
        english = resolver.get(f"/lid:{identifier}", query="format=pdf&lang=en&version=3")
        german = resolver.get(f"/lid:{identifier}", query="format=pdf&lang=de")
        assert english.headers["location"] == "https://content.example.org/v3/en.pdf"
        assert german.headers["location"] == "https://content.example.org/v3/de.pdf"
        assert english.canonical == german.canonical == f"{BASE_URL}/lid:{identifier}"


def forms() -> list[dict[str, Any]]:
    """A document in two languages, two formats and two versions."""
    return [
        {
            "uri": f"https://content.example.org/v{version}/{language}.{extension}",
            "mediaType": media_type,
            "language": language,
            "version": version,
        }
        for version in ("3", "2")
        for language in ("en", "de")
        for extension, media_type in (("html", "text/html"), ("pdf", "application/pdf"))
    ]


class TestResolverDiscovery:
    """Section "Resolution Algorithm", 1."""

    def test_the_well_known_document_contains_the_resolution_endpoint(self, resolver: System) -> None:
        returned = resolver.get("/.well-known/linkid-resolver")
        assert (returned.status, returned.headers["content-type"]) == (200, "application/json")
        endpoint = returned.json()["resolution_endpoint"].replace("{id}", EXAMPLE)
        assert resolver.get(urlsplit(endpoint).path).headers["location"] == PDF

    def test_every_listed_format_is_available(self, resolver: System) -> None:
        identifier = mint(resolver, records=RECORDS, metadata={"what": "A paper"})
        for name, media_type in resolver.get("/.well-known/linkid-resolver").json()["formats"].items():
            answer = resolver.get(f"/lid:{identifier}", query=f"format={name}")
            assert answer.status == 200
            assert answer.headers["content-type"].removesuffix("; charset=utf-8") == media_type


class TestResolutionRequest:
    """Section "Resolution Algorithm", 2."""

    def test_the_drafts_own_request_gets_the_record(self, resolver: System) -> None:
        answer = resolver.get(f"/resolve/{EXAMPLE}", accept=PROGRAM, Host="resolver.linkid.org")
        assert (answer.status, answer.headers["content-type"]) == (200, LINKID)

    def test_a_request_with_parameters_gets_the_matching_location(self, resolver: System) -> None:
        identifier = mint(resolver, records=forms())
        answer = resolver.get(f"/resolve/{identifier}", query="format=pdf&lang=de&version=2", accept=PROGRAM)
        assert answer.headers["location"] == "https://content.example.org/v2/de.pdf"

    def test_accept_decides_between_the_thing_and_its_record(self, resolver: System) -> None:
        path = f"/resolve/{EXAMPLE}"
        assert resolver.get(path, accept="text/html, */*").status == 302
        assert resolver.get(path, accept=LINKID).status == 200
        assert resolver.get(path, accept=f"{LINKID};q=0, */*").status == 302

    @pytest.mark.parametrize("form", ["lid:{}", "{}", "lid%3A{}"])
    def test_the_label_before_an_identifier_is_optional(self, resolver: System, form: str) -> None:
        assert resolver.get(f"/resolve/{form.format(EXAMPLE)}").headers["location"] == PDF


class TestResolutionResponse:
    """Section "Resolution Algorithm", 3."""

    def test_a_redirect_leads_to_the_current_location(self, resolver: System) -> None:
        identifier = mint(resolver, uri="https://content.example.org/v1")
        assert resolver.get(f"/lid:{identifier}").status == 302
        amend(resolver, "PATCH", identifier, {"records": [{"uri": "https://content.example.org/v2"}]})
        assert resolver.get(f"/lid:{identifier}").headers["location"] == "https://content.example.org/v2"

    @pytest.mark.parametrize("status", [301, 302])
    def test_a_redirect_is_301_or_302_as_the_repository_defines(self, resolver: System, status: int) -> None:
        alias(resolver, f"redirect{status}", scheme="uuid", redirect=status)
        minted = resolver.mint({"prefix": f"redirect{status}", "uri": PDF}).json()
        answer = resolver.get(f"/redirect{status}:{minted['id']}")
        assert (answer.status, answer.headers["location"]) == (status, PDF)

    def test_a_request_for_the_record_gets_it_with_200(self, resolver: System) -> None:
        answer = resolver.get(f"/lid:{EXAMPLE}", accept=LINKID)
        assert (answer.status, answer.headers["content-type"]) == (200, LINKID)
        assert answer.json()["id"] == EXAMPLE

    def test_an_unregistered_identifier_is_404(self, resolver: System) -> None:
        assert resolver.get(f"/resolve/{'0' * 32}").is_problem(404, "unregistered-identifier")

    def test_a_permanently_gone_identifier_is_410(self, resolver: System) -> None:
        identifier = mint(resolver, uri=PDF)
        amend(resolver, "DELETE", identifier, {"reason": "It was a mistake"})
        answer = resolver.get(f"/resolve/{identifier}")
        assert (answer.status, "location" in answer.headers) == (410, False)


class TestMetadataFormat:
    """Section "Metadata Format"."""

    def test_the_drafts_own_example_round_trips(self, resolver: System) -> None:
        document = resolver.get(f"/lid:{EXAMPLE}", accept=LINKID).json()
        assert document.keys() >= {"id", "created", "updated", "issuer", "status", "records", "alternates"}
        assert (document["id"], document["status"], document["issuer"]) == (EXAMPLE, "active", BASE_URL)
        assert document["records"] == RECORDS
        assert document["alternates"] == ALTERNATES

    def test_times_are_utc_to_the_second_as_the_draft_writes_them(self, resolver: System) -> None:
        document = resolver.get(f"/lid:{EXAMPLE}", accept=LINKID).json()
        for member in ("created", "updated"):
            date, _, time = document[member].partition("T")
            assert (len(date), len(time), time[-1]) == (10, 9, "Z")
        assert document["created"] <= document["updated"]

    def test_only_active_locations_within_their_period_are_used(self, resolver: System) -> None:
        unfit = [
            {"uri": "https://content.example.org/tomorrow", "validFrom": "9999-01-01T00:00:00Z"},
            {"uri": "https://content.example.org/yesterday", "validUntil": "2025-01-01T00:00:00Z"},
            {"uri": "https://content.example.org/inactive", "status": "inactive"},
        ]
        identifier = mint(resolver, records=[*unfit, {"uri": PDF}])
        assert resolver.get(f"/lid:{identifier}").headers["location"] == PDF
        identifier = mint(resolver, records=unfit)
        assert resolver.get(f"/lid:{identifier}").is_problem(404, "no-location")
        document = resolver.get(f"/lid:{identifier}", accept=LINKID).json()
        assert [location["uri"] for location in document["records"]] == [location["uri"] for location in unfit]

    def test_quality_ranks_locations_that_match_equally(self, resolver: System) -> None:
        ranked = [
            {"uri": f"https://content.example.org/{quality}", "mediaType": "image/png", "quality": quality}
            for quality in (0.2, 0.9, 0.5)
        ]
        identifier = mint(resolver, records=ranked)
        answer = resolver.get(f"/lid:{identifier}", accept="image/png, */*;q=0.1")
        assert answer.headers["location"] == "https://content.example.org/0.9"


class TestErrorHandling:
    """Section "Error Handling": "Resolvers MUST handle the following error conditions"."""

    @pytest.mark.parametrize("path", [f"/lid:{EXAMPLE[:31]}", f"/resolve/lid:{EXAMPLE[:31]}", f"/resolve/{'a' * 65}"])
    def test_an_invalid_identifier_format_is_400(self, resolver: System, path: str) -> None:
        answer = resolver.get(path)
        assert answer.is_problem(400)
        assert answer.json()["detail"]

    def test_an_unknown_identifier_is_404_and_cached_briefly(self, resolver: System) -> None:
        answer = resolver.get(f"/lid:{'0' * 32}")
        assert answer.is_problem(404)
        assert answer.headers["cache-control"] == "public, max-age=10, stale-if-error=0"

    def test_a_withdrawn_identifier_is_410_with_its_tombstone(self, resolver: System) -> None:
        identifier = mint(resolver, uri=PDF, metadata={"what": "A document"}, alternates=ALTERNATES)
        reason = {"reason": "Replaced by a corrected edition", "successor": f"{BASE_URL}/lid:{EXAMPLE}"}
        amend(resolver, "DELETE", identifier, reason)
        answer = resolver.get(f"/lid:{identifier}", accept=LINKID)
        assert (answer.status, answer.headers["content-type"]) == (410, LINKID)
        tombstone = answer.json()
        assert tombstone["status"] == "withdrawn"
        assert tombstone["withdrawn"].items() >= reason.items()
        assert (tombstone["metadata"], tombstone["alternates"]) == ({"what": "A document"}, ALTERNATES)
        assert tombstone["proof"]

    def test_a_withdrawn_identifier_is_never_minted_again(self, resolver: System) -> None:
        identifier = mint(resolver, uri=PDF)
        amend(resolver, "DELETE", identifier, {"reason": "It was a mistake"})
        assert resolver.mint({"prefix": "lid", "id": identifier, "uri": PDF}).is_problem(409, "identifier-taken")

    def test_a_resolver_without_its_store_is_503_and_never_404(self, resolver: System) -> None:
        identifier = mint(resolver, uri=PDF)  # which no function has in its memory yet
        with outage():
            answer = resolver.get(f"/lid:{identifier}")
        assert answer.is_problem(503, "store-unavailable")
        assert int(answer.headers["retry-after"]) > 0
        assert answer.headers["cache-control"] == "no-store"
        assert resolver.get(f"/lid:{identifier}").status == 302


class TestCaching:
    """Section "Caching and Performance"."""

    @pytest.mark.parametrize("accept", [None, LINKID])
    def test_browsers_and_shared_caches_may_store_responses_for_the_repositorys_lifetime(
        self, resolver: System, accept: str | None
    ) -> None:
        prefix = f"lasting{next(_numbers)}"
        alias(resolver, prefix, scheme="uuid", ttl=77)
        minted = resolver.mint({"prefix": prefix, "uri": PDF}).json()
        stored = resolver.get(f"/{prefix}:{minted['id']}", accept=accept).headers["cache-control"]
        assert {"public", "max-age=77", "s-maxage=77"} <= set(stored.split(", "))

    @pytest.mark.parametrize("accept", [None, LINKID])
    def test_a_conditional_request_is_304_until_the_record_changes(self, resolver: System, accept: str | None) -> None:
        identifier = mint(resolver, uri=PDF)
        tag = resolver.get(f"/lid:{identifier}", accept=accept).headers["etag"]
        assert resolver.get(f"/lid:{identifier}", accept=accept, If_None_Match=tag).status == 304
        amend(resolver, "PATCH", identifier, {"records": [{"uri": "https://content.example.org/v2"}]})
        changed = resolver.get(f"/lid:{identifier}", accept=accept, If_None_Match=tag)
        assert changed.status in (200, 302)
        assert changed.headers["etag"] != tag

    def test_vary_names_every_header_that_a_response_depends_on(self, resolver: System) -> None:
        assert resolver.get(f"/lid:{EXAMPLE}").headers["vary"] == "Accept, Accept-Language, Accept-Datetime"


class TestInteroperability:
    """Section "Interoperability"."""

    def test_a_record_names_the_doi_and_the_ark_of_the_same_thing(self, resolver: System) -> None:
        document = resolver.get(f"/lid:{EXAMPLE}", query="format=linkid").json()
        assert document["alternates"] == ALTERNATES
        linkset, *_ = resolver.get(f"/lid:{EXAMPLE}", query="format=linkset").json()["linkset"]
        assert [link["href"] for link in linkset["alternate"]] == [
            "https://doi.org/10.1000/182",
            "https://n2t.net/ark:12345/fk2test",
        ]

    @pytest.mark.parametrize(
        ("written", "location"),
        [
            ("doi:10.1000/182", "https://doi.example/10.1000/182"),
            ("10.1000/182", "https://doi.example/10.1000/182"),
            ("hdl:4263537/4000", "https://hdl.example/4263537/4000"),
            ("ark:/12345/fk2test", "https://ark.example/ark:/12345/fk2test"),
        ],
    )
    def test_dois_handles_and_arks_resolve_beside_linkids_at_the_same_endpoint(
        self, resolver: System, written: str, location: str
    ) -> None:
        for prefix, path in (("doi", ""), ("hdl", ""), ("ark", "ark:")):
            provider = {"code": "main", "url": f"https://{prefix}.example/{path}{{$id}}"}
            resolver.admin("PUT", f"/api/v1/prefixes/{prefix}", {"kind": "provider", "providers": [provider]})
        for path in (f"/{written}", f"/resolve/{written}"):
            assert resolver.get(path).headers["location"] == location

    def test_an_archived_copy_is_a_location_like_any_other(self, resolver: System) -> None:
        copy = "https://web.archive.org/web/20250710000000/https://content.example.org/v3/document.pdf"
        identifier = mint(resolver, records=[{"uri": PDF, "status": "inactive"}, {"uri": copy}])
        assert resolver.get(f"/lid:{identifier}").headers["location"] == copy


class TestSecurity:
    """Section "Security Considerations"."""

    def test_a_record_is_signed_and_another_library_verifies_it_with_the_published_keys_alone(
        self, resolver: System
    ) -> None:
        import rfc8785
        from jwcrypto.jwk import JWKSet
        from jwcrypto.jws import JWS

        record = resolver.get(f"/lid:{EXAMPLE}", accept=LINKID).json()
        keys = JWKSet.from_json(resolver.get("/.well-known/jwks.json").body)
        token = JWS()
        token.deserialize(record.pop("proof"))
        key = keys.get_key(token.jose_header["kid"])
        token.verify(key, alg="ES256")
        statement = json.loads(token.payload)
        assert (statement["pid"], statement["iss"]) == (record["pid"], BASE_URL)
        assert statement["digest"] == digest(rfc8785.dumps(record))
        record["records"][0]["uri"] += "x"
        assert statement["digest"] != digest(rfc8785.dumps(record))

    @pytest.mark.parametrize(
        "uri",
        [
            "javascript:alert(1)",
            "data:text/html,x",
            "https://content.example.org@evil.example/",
            "https://content.example.org\\@evil.example/",
            "https://0x7f000001/",
            "//evil.example/",
        ],
    )
    def test_a_malicious_target_is_never_registered(self, resolver: System, uri: str) -> None:
        assert resolver.mint({"prefix": "lid", "id": "f" * 33, "uri": uri}).is_problem(422, "invalid-input")
        assert resolver.get(f"/lid:{'f' * 33}").is_problem(404)

    def test_a_repository_may_limit_its_targets_to_its_own_hosts(self, resolver: System) -> None:
        alias(resolver, "guarded", scheme="uuid", domains=["example.org"])
        assert resolver.mint({"prefix": "guarded", "uri": "https://a.example.org/"}).status == 201
        assert resolver.mint({"prefix": "guarded", "uri": "https://example.net/"}).is_problem(422)

    @pytest.mark.parametrize("query", ["url=https://evil.example/", "redirect=//evil.example", "lang=../evil.example"])
    def test_no_request_can_change_the_target_of_a_redirect(self, resolver: System, query: str) -> None:
        answer = resolver.get(f"/lid:{EXAMPLE}", query=query, Host="evil.example", X_Forwarded_Host="evil.example")
        assert "evil" not in json.dumps([answer.headers.get("location", ""), answer.headers.get("link", "")])

    def test_a_random_identifier_contains_nothing_of_the_identified_thing(self, resolver: System) -> None:
        alias(resolver, "drawn", scheme="uuid", rules={"version": 4})
        person = {"prefix": "drawn", "uri": PDF, "metadata": {"who": "Ada Lovelace"}}
        first, second = resolver.mint(person).json()["id"], resolver.mint(person).json()["id"]
        assert first != second
        assert lid.parse(first).form == lid.UUID

    def test_a_record_requires_no_personal_data(self, resolver: System) -> None:
        identifier = mint(resolver)
        document = resolver.get(f"/lid:{identifier}", accept=LINKID).json()
        assert (document["metadata"], document["alternates"]) == ({}, [])


class TestPrivacy:
    """Section "Privacy Considerations"."""

    def test_resolving_stores_and_logs_nothing_about_the_client(
        self, resolver: System, capfd: pytest.CaptureFixture[str]
    ) -> None:
        before = resolver.contents()
        answer = resolver.get(f"/lid:{EXAMPLE}", User_Agent="a-browser", Referer="https://example.net/a-page")
        assert answer.status == 302
        assert "set-cookie" not in answer.headers
        finish_log()
        assert capfd.readouterr() == ("", "")
        assert resolver.contents() == before


class TestEncoding:
    """Section "URI Scheme Registration Template", "Encoding considerations"."""

    def test_percent_encoded_characters_are_the_same_identifier(self, resolver: System) -> None:
        encoded = "".join(f"%{ord(symbol):02X}" for symbol in EXAMPLE)
        for path in (f"/lid:{encoded}", f"/resolve/{encoded}"):
            answer = resolver.get(path)
            assert (answer.headers["location"], answer.canonical) == (PDF, f"{BASE_URL}/lid:{EXAMPLE}")

    @pytest.mark.parametrize("ending", ["%3Fformat=pdf", "%23x", "%2Fx", "%", "%G0", "%00", "%FF"])
    def test_an_encoded_delimiter_does_not_delimit_and_a_bad_escape_is_refused(
        self, resolver: System, ending: str
    ) -> None:
        assert resolver.get(f"/lid:{EXAMPLE}{ending}").is_problem(400)

    def test_both_of_the_drafts_examples_resolve(self, resolver: System) -> None:
        assert resolver.get(f"/lid:{EXAMPLE}").headers["location"] == PDF
        assert resolver.get(f"/lid:{EXAMPLE}", query="format=pdf&lang=en").headers["location"] == PDF


def digest(canonical: bytes) -> str:
    """As RFC 9530 writes it, by another way than the product's."""
    from base64 import standard_b64encode

    return "sha-256=:" + standard_b64encode(sha256(canonical).digest()).decode() + ":"
