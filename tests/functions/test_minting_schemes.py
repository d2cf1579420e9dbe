"""Every scheme through the functions: minted, resolved in several spellings, and refused with one wrong character."""

from typing import Any
from urllib.parse import quote

import pytest

from coolid.identifiers.schemes import noid, uuid
from tests.support.builders.rule_examples import ORCID
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import Answer, System

TARGET = "https://content.example.org/a"
SHA = "a665a45920422f9d417e4867efdc4fb8a04a1f3fff1fa07e998e86f7f7a27ae3"


def founded(system: System, name: str, scheme: str, **rules: Any) -> str:
    """A repository of this scheme under the name; the name."""
    made = system.admin("POST", "/api/v1/repositories", {"title": name, "scheme": scheme, "rules": rules})
    assert made.status == 201, made.body
    alias = {"kind": "namespace", "repository": made.json()["id"]}
    put = system.admin("PUT", f"/api/v1/prefixes/{name}", alias)
    assert put.status in (200, 201), put.body
    return name


def minted(system: System, prefix: str, **members: Any) -> dict[str, Any]:
    answer = system.mint({"prefix": prefix, "uri": TARGET, **members})
    assert answer.status == 201, answer.body
    record: dict[str, Any] = answer.json()
    assert record["pid"].startswith(f"{BASE_URL}/{prefix}")
    return record


def resolved(system: System, prefix: str, identifier: str) -> Answer:
    return system.get(f"/{prefix}:{quote(identifier, safe='')}")


SCHEMES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("lui", {"symbols": 6}, {}),
    ("cooldoi", {}, {}),
    ("pilin", {}, {}),
    ("noid", {"template": "f5.reedeedk", "naan": "13030"}, {}),
    ("noid", {"template": ".zdk"}, {}),
    ("uuid", {}, {}),
    ("uuid", {"version": 4}, {}),
    ("sha256", {}, {"parts": {"sha256": SHA.upper()}}),
    ("contextual", {"prefix": "fabio", "object_types": ["Image"]},
     {"parts": {"objectType": "Image", "issued": "2018-11-12", "registrant": ORCID}}),
    ("chosen", {"pattern": "[a-z]+-[0-9]{4}", "folds_case": True}, {"id": "Abc-2021"}),
]  # fmt: skip


class TestEveryScheme:
    @pytest.mark.parametrize(
        ("scheme", "rules", "members"), SCHEMES, ids=[f"{at}-{row[0]}" for at, row in enumerate(SCHEMES)]
    )
    def test_what_is_minted_resolves_by_its_canonical_link_and_in_every_case_that_folds(
        self, light: System, scheme: str, rules: dict[str, Any], members: dict[str, Any], request: pytest.FixtureRequest
    ) -> None:
        name = founded(light, f"every-{request.node.callspec.id}", scheme, **rules)
        record = minted(light, name, **members)
        link = light.get(record["pid"].removeprefix(BASE_URL))
        assert (link.status, link.headers["location"], link.canonical) == (302, TARGET, record["pid"])
        described = light.get(f"/{name}", accept="application/json").json()["identifiers"]
        spellings = {record["id"]}
        if described["foldsCase"]:
            spellings |= {record["id"].upper(), record["id"].lower(), record["id"].swapcase()}
        for spelling in spellings:
            answer = resolved(light, name, spelling)
            assert (answer.status, answer.headers["location"], answer.canonical) == (302, TARGET, record["pid"])
        parsed = light.get("/api/v1/parse", query=f"id={name}:{quote(record['id'])}").json()
        assert (parsed["location"], parsed["candidates"][0]["scheme"]) == (TARGET, scheme)

    def test_hyphens_and_confusable_letters_do_not_matter_in_base32(self, light: System) -> None:
        name = founded(light, "spelt", "lui")
        minted(light, name, id="tw0t-ywdj-94")
        name = founded(light, "spelt-without-check", "cooldoi")
        minted(light, name, id="10o1-i1L0")
        for path in ("spelt:TWOTYWDJ94", "spelt:t-w-0t--ywdj94", "spelt-without-check:loo1-1110",
                     "spelt-without-check:--IOOL111O"):  # fmt: skip
            assert light.get(f"/{path}").status == 302, path

    def test_hyphens_do_not_matter_in_a_noid_but_case_does(self, light: System) -> None:
        name = founded(light, "noids", "noid", template="f5.reedeedk", naan="13030")
        identifier = minted(light, name)["id"]
        assert resolved(light, name, "-".join(identifier)).status == 302
        assert resolved(light, name, identifier.upper()).is_problem(400)

    def test_a_uuid_is_the_same_with_hyphens_and_labels(self, light: System) -> None:
        name = founded(light, "uuids", "uuid")
        identifier = minted(light, name)["id"]
        for spelling in (
            uuid.format(identifier),
            f"urn:uuid:{uuid.format(identifier)}",
            uuid.format(identifier).upper(),
        ):
            assert resolved(light, name, spelling).status == 302

    @pytest.mark.parametrize(
        ("scheme", "rules", "members"),
        [row for row in SCHEMES if row[0] in ("lui", "noid", "contextual")],
        ids=[f"{at}-{row[0]}" for at, row in enumerate(SCHEMES) if row[0] in ("lui", "noid", "contextual")],
    )
    def test_one_wrong_character_is_a_check_error(
        self, light: System, scheme: str, rules: dict[str, Any], members: dict[str, Any], request: pytest.FixtureRequest
    ) -> None:
        name = founded(light, f"wrong-{request.node.callspec.id}", scheme, **rules)
        identifier = minted(light, name, **members)["id"]
        last = "0123456789"[(int(identifier[-1]) + 1) % 10] if identifier[-1].isdigit() else "0"
        answer = resolved(light, name, identifier[:-1] + last)
        assert answer.is_problem(400)
        assert "check digits" in answer.json()["detail"]

    @pytest.mark.parametrize(
        ("scheme", "wrong"),
        [
            ("cooldoi", "tw0u-ywdj"),
            ("pilin", "Y35XYS0QE"),
            ("uuid", "919108f752d143209bacf847db4148a8"),
            ("sha256", "g" * 64),
        ],
    )
    def test_where_there_is_no_check_alphabet_length_and_form_still_are(
        self, light: System, scheme: str, wrong: str
    ) -> None:
        name = founded(light, f"unchecked-{scheme}", scheme)
        assert resolved(light, name, wrong).is_problem(400)
        assert resolved(light, name, wrong[:-1]).is_problem(400)


class TestNoids:
    def test_a_small_template_is_given_to_its_last_name_and_then_says_so(self, light: System) -> None:
        name = founded(light, "small", "noid", template=".rd")
        identifiers = [minted(light, name)["id"] for _ in range(10)]
        assert sorted(identifiers) == list("0123456789")
        answer = light.mint({"prefix": name, "uri": TARGET})
        assert answer.is_problem(409, "exhausted")

    def test_a_sequence_is_passed_over_what_was_chosen(self, light: System) -> None:
        name = founded(light, "sequence", "noid", template=".sdk")
        template = noid.parse_template(".sdk")
        minted(light, name, id=noid.encode(1, template))
        assert [minted(light, name)["id"] for _ in range(3)] == [noid.encode(at, template) for at in (0, 2, 3)]

    def test_the_secret_order_is_never_returned(self, light: System) -> None:
        made = light.admin("POST", "/api/v1/repositories", {"title": "secret", "scheme": "noid", "rules": {}})
        shown = light.admin("GET", f"/api/v1/repositories/{made.json()['id']}")
        light.admin("PUT", "/api/v1/prefixes/secret", {"kind": "namespace", "repository": made.json()["id"]})
        for answer in (made, shown, light.get("/secret"), light.admin("GET", "/api/v1/prefixes/secret"),
                       light.get("/api/v1/schemas/secret")):  # fmt: skip
            assert answer.status in (200, 201)
            assert "order" not in answer.json().get("rules", {})

    def test_an_order_cannot_be_given(self, light: System) -> None:
        document = {"title": "x", "scheme": "noid", "rules": {"order": "00" * 16}}
        assert light.admin("POST", "/api/v1/repositories", document).is_problem(422, "invalid-input")


class TestLinks:
    @pytest.mark.parametrize(
        "identifier", ["a#b", "a?b", "a%41b", "a%zzb", "a&b=c", "a+b", "a<b>\"c'", "a\\b", "a/b", "a/", "ab:c"]
    )
    def test_the_link_of_a_chosen_identifier_leads_to_it(self, light: System, identifier: str) -> None:
        """`Location` of the mint is a URL: followed as it is, without fragment and query, it must find the record."""
        name = "links"
        if light.get("/links").status == 404:
            founded(light, name, "chosen")
        answer = light.mint({"prefix": name, "uri": TARGET, "id": identifier})
        if answer.status == 422:
            return
        assert answer.status == 201
        link = answer.headers["location"]
        assert "#" not in link
        path, _, query = link.removeprefix(BASE_URL).partition("?")
        found = light.get(path, query=query)
        assert (found.status, found.headers.get("location")) == (302, TARGET)
        assert found.canonical == link

    @pytest.mark.parametrize("identifier", [".", "..", "a/../b", "./a"])
    def test_one_that_clients_would_rewrite_is_refused_or_escaped(self, light: System, identifier: str) -> None:
        """RFC 3986, section 5.2.4: dot segments are gone before a request is sent."""
        name = "dots"
        if light.get("/dots").status == 404:
            founded(light, name, "chosen")
        answer = light.mint({"prefix": name, "uri": TARGET, "id": identifier})
        segments = answer.headers["location"].split("/") if answer.status == 201 else []
        assert answer.status == 422 or not {".", ".."} & {segment.rpartition(":")[2] for segment in segments}

    def test_under_a_doi_prefix_case_does_not_matter(self, light: System) -> None:
        """DOI Handbook, section 2: ASCII letters are compared without regard to case."""
        name = founded(light, "10.5666", "chosen", pattern="[A-Za-z]+-[0-9]{4}", folds_case=True)
        minted(light, name, id="abc-2021")
        for path in ("10.5666/abc-2021", "10.5666/ABC-2021", "doi:10.5666/Abc-2021"):
            assert light.get(f"/{path}").status == 302, path

    @pytest.mark.parametrize(
        ("name", "scheme", "rules", "identifier"),
        [
            ("ark:99990", "noid", {"template": "fk4.zeedeedk", "naan": "99990"}, None),
            ("ark:99991", "lui", {}, "tw0t-ywdj-94"),
        ],
    )
    def test_what_is_minted_under_a_naan_resolves_as_an_ark(
        self, light: System, name: str, scheme: str, rules: dict[str, Any], identifier: str | None
    ) -> None:
        founded(light, name, scheme, **rules)
        record = minted(light, name, **({"id": identifier} if identifier else {}))
        for path in (record["pid"].removeprefix(BASE_URL), f"/ark:/{name[4:]}/{record['id']}"):
            assert light.get(path).status == 302, path

    @pytest.mark.parametrize(
        ("name", "scheme", "rules"),
        [
            ("ark:99992", "chosen", {"pattern": "[a-z]+-[0-9]{4}"}),
            ("ark:99993", "contextual", {"prefix": "fabio"}),
            ("10.99994", "chosen", {"pattern": "[A-Za-z]+"}),
        ],
    )
    def test_rules_that_distinguish_equal_arks_or_dois_are_refused(
        self, light: System, name: str, scheme: str, rules: dict[str, Any]
    ) -> None:
        body = {"title": name, "scheme": scheme, "rules": rules}
        repository = light.admin("POST", "/api/v1/repositories", body).json()["id"]
        answer = light.admin("PUT", f"/api/v1/prefixes/{name}", {"kind": "namespace", "repository": repository})
        assert answer.is_problem(422, "invalid-input")
        assert light.get(f"/{name}").status == 404


class TestTooLarge:
    @pytest.mark.parametrize(
        ("scheme", "rules"),
        [
            ("chosen", {"pattern": "a" * 390_000}),
            ("chosen", {"pattern": "a?" * 100_000}),
            ("chosen", {"pattern": "[a-z]+", "example": "a" * 400_000}),
            ("contextual", {"prefix": "fabio", "object_types": [f"Type{at}" for at in range(50_000)]}),
            ("contextual", {"prefix": "fabio", "object_id": "[a-z]" * 80_000}),
            ("noid", {"template": "." + "z" + "e" * 100_000}),
        ],
        ids=lambda value: value if isinstance(value, str) else next(reversed(value)),
    )
    def test_rules_that_no_row_could_hold_are_refused(self, light: System, scheme: str, rules: dict[str, Any]) -> None:
        answer = light.admin("POST", "/api/v1/repositories", {"title": "x", "scheme": scheme, "rules": rules})
        assert answer.is_problem(422, "invalid-input")

    @pytest.mark.parametrize("size", [600, 3_000, 200_000])
    def test_parts_that_no_key_could_hold_are_refused(self, light: System, size: int) -> None:
        name = "long-parts"
        if light.get(f"/{name}").status == 404:
            founded(light, name, "contextual", prefix="fabio", object_id=".+")
        answer = light.mint({"prefix": name, "uri": TARGET, "parts": {"objectId": "a" * size}})
        assert answer.is_problem(422, "invalid-input")

    @pytest.mark.parametrize("parts", [5, [], "x", {"objectType": {"a": 1}}, {"objectType": ["x"]}, {"": "x"}])
    def test_parts_of_another_type_are_refused(self, light: System, parts: Any) -> None:
        name = "typed-parts"
        if light.get(f"/{name}").status == 404:
            founded(light, name, "contextual", prefix="fabio")
        assert light.mint({"prefix": name, "uri": TARGET, "parts": parts}).is_problem(422, "invalid-input")
