"""Round trips: the requests of a resolution to the store, observed where they leave the function."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import pytest

from tests.support.fixtures.system import TablesSystem
from tests.support.stores.in_process_stream import InProcessStream


@dataclass
class Overheard:
    """A system whose functions remember nothing yet, two of its identifiers, and what its store was asked so far."""

    system: TablesSystem
    minted: list[str]
    questions: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def resolving(self, path: str) -> list[str]:
        """The operations that it takes to resolve a path."""
        self.questions.clear()
        assert self.system.get(path).status == 302
        return [operation for operation, _ in self.questions]


@pytest.fixture(scope="session")
def light(light_tables: TablesSystem) -> TablesSystem:
    """A system over DynamoDB, which these tests are about."""
    return light_tables


@pytest.fixture
def overheard(light: TablesSystem) -> Iterator[Overheard]:
    """Nothing but our own client may ask anything of AWS: no write, no key is reached by way of it."""
    provider = {"kind": "provider", "providers": [{"code": "ebi", "url": "https://ebi.example/{$id}"}]}
    assert light.admin("PUT", "/api/v1/prefixes/counted", provider | {"synonyms": ["reckoned"]}).status in (200, 201)
    minted = [light.mint({"prefix": "demo", "uri": "https://a.example/"}).json()["id"] for _ in range(2)]
    heard = Overheard(light.copied(), minted)
    send = InProcessStream.send

    def overhear(line: InProcessStream, data: bytes) -> None:
        head, _, body = data.decode().partition("\r\n\r\n")
        operation = re.search(r"(?im)^x-amz-target: DynamoDB_20120810\.(\w+)", head)
        assert operation is not None
        heard.questions.append((operation[1], json.loads(body)))
        send(line, data)

    nobody = patch("botocore.client.BaseClient._make_api_call", side_effect=AssertionError("boto3 was used"))
    with nobody, patch.object(InProcessStream, "send", overhear):
        yield heard


def test_an_own_identifier_takes_two_with_a_cold_prefix_one_with_a_warm_one_and_none_again(
    overheard: Overheard,
) -> None:
    one, other = overheard.minted
    assert overheard.resolving(f"/2021/06/demo/{one}") == ["BatchGetItem", "GetItem"]
    assert overheard.resolving(f"/2021/06/demo/{one}") == []
    assert overheard.resolving(f"/2021/06/demo/{other}") == ["GetItem"]
    assert overheard.resolving(f"/2021/06/demo/{other.upper()}") == []


def test_an_identifier_of_others_takes_one_and_none_again(overheard: Overheard) -> None:
    assert overheard.resolving("/counted:1") == ["BatchGetItem"]
    assert overheard.resolving("/counted:2") == []


def test_a_synonym_takes_one_more_for_the_prefix_that_it_stands_for(overheard: Overheard) -> None:
    assert overheard.resolving("/reckoned:1") == ["BatchGetItem", "BatchGetItem"]
    assert overheard.resolving("/reckoned:2") == []


def test_reads_are_eventually_consistent_which_halves_what_they_cost(overheard: Overheard) -> None:
    overheard.resolving(f"/2021/06/demo/{overheard.minted[0]}")
    (_, batch), (_, single) = overheard.questions
    assert [each["ConsistentRead"] for each in batch["RequestItems"].values()] == [False]
    assert single["ConsistentRead"] is False
