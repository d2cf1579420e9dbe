"""Proofs verify with the published key set alone, without coolid's software. See `docs/explanation/proofs.md`."""

from typing import Any

import pytest
from jwcrypto.jws import InvalidJWSSignature

from tests.e2e.created_records import THERE, Holding, Minted
from tests.e2e.proofs import check, check_chain, published_keys
from tests.e2e.service import Service


def versions_of(service: Service, minted: Minted, count: int) -> list[dict[str, Any]]:
    """All versions as the public gets them, oldest first."""
    return [service.get(f"{minted.path}?format=linkid&version={number}").json() for number in range(1, count + 1)]


def test_a_record_is_proven_as_it_is_minted_and_as_it_is_read(service: Service, thing: Minted) -> None:
    keys = published_keys(service)
    check(thing.document, keys)
    check(service.get(f"{thing.path}?format=linkid").json(), keys)


def test_whatever_can_be_said_in_a_record_can_be_proven(service: Service, holding: Holding) -> None:
    metadata: dict[str, Any] = {
        "what": "é€𝄞\u2028",
        "numbers": [0.1, 1e21, -0.0, 1e-7, 2**53 - 1],
        "\U0001f4c4": None,
        "ﬁ": [[], {}],
    }
    minted = holding.mint(metadata=metadata, records=[{"uri": THERE, "quality": 0.95, "size": 7}])
    check(minted.document, published_keys(service))


def test_every_version_is_proven_and_names_the_one_before(service: Service, holding: Holding) -> None:
    minted = holding.mint()
    for number in (2, 3):
        holding.changed("PATCH", minted, {"metadata": {"n": number}})
    holding.changed("DELETE", minted, {"reason": "It was wrong"})
    check_chain(versions_of(service, minted, 4), published_keys(service))


@pytest.mark.parametrize(
    "lie",
    [{"version": 2}, {"status": "withdrawn"}, {"records": [{"uri": THERE, "status": "active"}]}, {"metadata": {}}],
    ids=lambda lie: next(iter(lie)),
)
def test_a_record_that_was_tampered_with_is_not(service: Service, thing: Minted, lie: dict[str, Any]) -> None:
    with pytest.raises(AssertionError):
        check(thing.document | lie, published_keys(service))


def test_neither_is_one_with_the_signature_of_another(service: Service, holding: Holding, thing: Minted) -> None:
    other = holding.mint()
    keys = published_keys(service)
    with pytest.raises(AssertionError):
        check(thing.document | {"proof": other.document["proof"]}, keys)
    parts = thing.document["proof"].split(".")
    mixed = ".".join([*parts[:2], other.document["proof"].split(".")[2]])
    with pytest.raises(InvalidJWSSignature):
        check(thing.document | {"proof": mixed}, keys)
