"""Management documents: strict, and every violation is reported with its position."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import InvalidInput
from coolid.http.api_documents import MintBody, NamespaceBody, ProviderPrefixBody, RepositoryBody, parse
from coolid.model.records import Location
from tests.support.builders.samples import json_values

MINT = {"prefix": "demo"}
REPOSITORY = {"title": "A repository"}
NAMESPACE = {"kind": "namespace", "repository": "r4k2-9m3x-62"}
PROVIDER = {"kind": "provider", "providers": [{"code": "ols", "url": "https://ols.example/{$id}"}]}
MODELS: list[tuple[Any, dict[str, Any]]] = [
    (MintBody, MINT),
    (RepositoryBody, REPOSITORY),
    (NamespaceBody, NAMESPACE),
    (ProviderPrefixBody, PROVIDER),
]


def pointers(model: Any, document: Any) -> set[str]:
    with pytest.raises(InvalidInput) as raised:
        parse(model, document)
    assert all(violation.reason for violation in raised.value.violations)
    return {violation.pointer for violation in raised.value.violations}


def at(document: Any, pointer: str) -> Any:
    """The value at a JSON pointer (RFC 6901)."""
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        document = document[int(name)] if isinstance(document, list) else document[name]
    return document


@pytest.mark.parametrize(("model", "document"), MODELS)
def test_the_least_document_is_taken(model: Any, document: dict[str, Any]) -> None:
    parse(model, document)


@pytest.mark.parametrize(("model", "document"), MODELS)
@pytest.mark.parametrize("name", ["color", "", "a/b", "~", "~1", "é", "Prefix", "__class__"])
def test_an_unknown_member_is_reported_by_its_pointer(model: Any, document: dict[str, Any], name: str) -> None:
    with_more = document | {name: 1}
    (pointer,) = pointers(model, with_more)
    assert at(with_more, pointer) == 1


@pytest.mark.parametrize(("model", "document"), MODELS)
@given(value=json_values)
def test_a_document_of_any_shape_is_taken_or_refused(model: Any, document: dict[str, Any], value: Any) -> None:
    for attempt in (value, document | {"title": value}, document | {"prefix": value}, document | {"records": value}):
        try:
            parse(model, attempt)
        except InvalidInput as refused:
            returned = refused.violations
            assert returned


@pytest.mark.parametrize(("model", "document"), MODELS)
def test_a_missing_member_is_reported_at_its_position(model: Any, document: dict[str, Any]) -> None:
    for name in document:
        if name != "providers":
            assert pointers(model, {key: value for key, value in document.items() if key != name}) == {f"/{name}"}


@pytest.mark.parametrize("value", [1, 1.5, True, None, [], {}])
def test_nothing_is_converted_to_text(value: Any) -> None:
    assert pointers(MintBody, {"prefix": value}) == {"/prefix"}
    assert "/title" in pointers(RepositoryBody, {"title": value})


@pytest.mark.parametrize("value", ["1", 1.0, True, None, [1]])
def test_nothing_is_converted_to_a_whole_number(value: Any) -> None:
    assert pointers(RepositoryBody, REPOSITORY | {"ttl": value}) == {"/ttl"}
    assert pointers(RepositoryBody, REPOSITORY | {"redirect": value}) == {"/redirect"}


@pytest.mark.parametrize("value", ["true", 1, 0, "yes", None])
def test_nothing_is_converted_to_a_truth_value(value: Any) -> None:
    assert pointers(ProviderPrefixBody, PROVIDER | {"strict": value}) == {"/strict"}


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        (REPOSITORY | {"ttl": -1}, "/ttl"),
        (REPOSITORY | {"ttl": 31_536_001}, "/ttl"),
        (REPOSITORY | {"redirect": 300}, "/redirect"),
        (REPOSITORY | {"redirect": 304}, "/redirect"),
        (REPOSITORY | {"title": ""}, "/title"),
        (REPOSITORY | {"title": "x" * 501}, "/title"),
        (REPOSITORY | {"domains": ["example.org", "https://example.org"]}, "/domains/1"),
        (REPOSITORY | {"domains": ["EXAMPLE.org"]}, "/domains/0"),
        (REPOSITORY | {"domains": ["org"]}, "/domains/0"),
        (REPOSITORY | {"domains": ["example.org\n"]}, "/domains/0"),
    ],
)
def test_the_members_of_a_repository_have_their_bounds(document: Any, pointer: str) -> None:
    assert pointers(RepositoryBody, document) == {pointer}


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        (MINT | {"prefix": ""}, "/prefix"),
        (MINT | {"id": ""}, "/id"),
        (MINT | {"status": "active "}, "/status"),
        (MINT | {"records": [{}]}, "/records/0/uri"),
        (MINT | {"records": [{"uri": "x", "status": "withdrawn"}]}, "/records/0/status"),
        (MINT | {"records": [{"uri": "x", "quality": -0.1}]}, "/records/0/quality"),
        (MINT | {"records": [{"uri": "x", "quality": 1.01}]}, "/records/0/quality"),
        (MINT | {"records": [{"uri": "x", "size": -1}]}, "/records/0/size"),
        (MINT | {"records": [{"uri": "x", "media_type": "text/html"}]}, "/records/0/media_type"),
        (MINT | {"records": [{"uri": "x", "checksum": {"algorithm": "md5"}}]}, "/records/0/checksum/value"),
        (MINT | {"records": [{"uri": "x", "validFrom": "2025-01-01"}]}, "/records/0/validFrom"),
        (MINT | {"records": [{"uri": "x", "validUntil": "2025-01-01T00:00:00"}]}, "/records/0/validUntil"),
        (MINT | {"records": [{"uri": "x", "lastModified": "2025-13-01T00:00:00Z"}]}, "/records/0/lastModified"),
        (MINT | {"records": [{"uri": "x", "validFrom": "2025-01-01T25:00:00Z"}]}, "/records/0/validFrom"),
        (MINT | {"records": [{"uri": "x", "validFrom": "٢٠٢٥-01-01T00:00:00Z"}]}, "/records/0/validFrom"),
        (MINT | {"records": [{"uri": "x"}] * 101}, "/records"),
        (MINT | {"alternates": [{"scheme": "", "identifier": "x"}]}, "/alternates/0/scheme"),
        (MINT | {"metadata": {"": 1}}, "/metadata"),
        (MINT | {"metadata": {"x" * 201: 1}}, "/metadata"),
        (MINT | {"metadata": {str(number): 1 for number in range(101)}}, "/metadata"),
        (MINT | {"uri": "https://a.example/", "records": []}, ""),
    ],
)
def test_the_members_of_a_mint_have_their_bounds(document: Any, pointer: str) -> None:
    assert pointers(MintBody, document) == {pointer}


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        (PROVIDER | {"encoding": "raw"}, "/encoding"),
        (PROVIDER | {"homepage": "javascript:alert(1)"}, "/homepage"),
        (PROVIDER | {"synonyms": ["ok", ""]}, "/synonyms/1"),
        (PROVIDER | {"synonyms": ["x"] * 81}, "/synonyms"),
        (PROVIDER | {"pattern": "x" * 1_001}, "/pattern"),
        (PROVIDER | {"providers": [{"code": "a b", "url": "https://a.example/{$id}"}]}, "/providers/0/code"),
        (PROVIDER | {"providers": [{"code": "a", "url": "ftp://a.example/{$id}"}]}, "/providers/0/url"),
        (PROVIDER | {"providers": [{"code": "a", "url": "https://a.example/{$id}\n"}]}, "/providers/0/url"),
        (PROVIDER | {"providers": [{"code": "a"}]}, "/providers/0/url"),
        (PROVIDER | {"kind": "namespace"}, "/kind"),
    ],
)
def test_the_members_of_a_provider_prefix_have_their_bounds(document: Any, pointer: str) -> None:
    assert pointers(ProviderPrefixBody, document) == {pointer}


def test_all_violations_are_reported_at_once() -> None:
    document = {"uri": 1, "records": [{"uri": "x", "size": "1"}, {"quality": 2}], "color": "red"}
    assert pointers(MintBody, document) == {
        "/prefix", "/uri", "/records/0/size", "/records/1/uri", "/records/1/quality", "/color",
    }  # fmt: skip


def test_a_uri_is_short_for_one_location() -> None:
    body = parse(MintBody, MINT | {"uri": "https://a.example/"})
    assert body.content().records == (Location("https://a.example/"),)
    assert parse(MintBody, MINT | {"records": [{"uri": "https://a.example/"}]}).content() == body.content()


@given(st.integers(0, 99))
def test_a_targets_place_is_where_it_was_given(position: int) -> None:
    places = [{"uri": f"https://a.example/{number}"} for number in range(100)]
    document = MINT | {"records": places}
    body = parse(MintBody, document)
    assert at(document, body.pointer_to(position)) == body.content().records[position].uri
