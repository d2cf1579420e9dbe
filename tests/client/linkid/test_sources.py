"""The order of resolvers by the sources that name them, and which of them become authorities."""

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from coolid.client import resolve
from coolid.client.errors import RefusedByClient
from coolid.client.linkid.linkid_resolution import LinkIdResolution
from coolid.client.linkid.target_rules import checked_schemes
from coolid.errors import UsageError
from coolid.linkid import states
from tests.support.builders.linkid_operators import LINKID, TARGET
from tests.support.servers.http_server import Reply, json
from tests.support.servers.linkid_resolver import KEYS, NOT_FOUND, PATH, Resolver
from tests.support.servers.loopback import nobody

WELL_KNOWN = "/.well-known/linkid-resolver"
DOWN: Reply = (503, {}, b"")


def _resolved(user: Resolver, **sources: Any) -> LinkIdResolution:
    settings: dict[str, Any] = {"default": None, "state": user.state, **sources}
    found = resolve(LINKID, follow_redirects=False, **settings).linkid
    assert found is not None
    return found


def _list_of(*resolvers: Resolver) -> bytes:
    return orjson.dumps({"resolvers": [{"issuer": each.operator.issuer} for each in resolvers]})


def test_sources_have_an_order(start_resolver: Callable[[int], Resolver]) -> None:
    listed, chosen, of_domain, default = resolvers = [start_resolver(secret) for secret in range(1, 5)]
    for each in resolvers:
        each.serves(DOWN)
    of_domain.host.answers[WELL_KNOWN] = json({"resolution_endpoint": f"{of_domain.host.url}/resolve/{{id}}"})
    sources: dict[str, Any] = {
        "resolvers": _list_of(listed),
        "chosen": [chosen.host.url, listed.host.url],
        "domain": of_domain.host.url.removeprefix("http://"),
        "default": default.host.url,
    }
    found = _resolved(listed, **sources)
    assert found.status == states.TEMPORARILY_UNAVAILABLE
    assert [each.resolver.removesuffix("/resolve/{identifier}") for each in found.attempts] == [
        each.host.url for each in resolvers
    ]
    assert [each.host.targets.count(PATH) for each in resolvers] == [1, 1, 1, 1]


def test_others_are_not_queried_after_a_configured_one_answered(
    start_resolver: Callable[[int], Resolver],
) -> None:
    listed, default = start_resolver(1), start_resolver(2)
    listed.serves(NOT_FOUND)
    found = _resolved(listed, resolvers=_list_of(listed), default=default.host.url)
    assert found.status == states.UNKNOWN
    assert default.host.requests == []


def test_without_configuration_the_default_resolver_is_an_authority(honest: Resolver) -> None:
    found = _resolved(honest, default=honest.host.url)
    assert (found.target, found.source) == (TARGET, "default")
    with nobody() as gone:
        refused = _resolved(honest, default=honest.host.url, chosen=[gone])
    assert (refused.status, refused.target) == (states.INTEGRITY_FAILURE, None)


def test_a_domain_can_name_a_resolver(honest: Resolver) -> None:
    honest.host.answers[WELL_KNOWN] = json({"resolution_endpoint": f"{honest.host.url}/resolve/{{id}}"})
    found = _resolved(honest, domain=honest.host.url.removeprefix("http://"))
    assert (found.target, found.source) == (TARGET, "domain")
    assert honest.host.targets == [WELL_KNOWN, PATH, KEYS]


def test_nothing_is_requested_with_invalid_options(honest: Resolver) -> None:
    options: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"resolvers": "{"}, UsageError),
        ({"allowed_schemes": ["javascript"]}, RefusedByClient),
        ({"allowed_schemes": ["a b"]}, RefusedByClient),
        ({"chosen": ["http://example.org/"]}, RefusedByClient),
        ({"version": "1"}, RefusedByClient),
    ]
    for wrong, error in options:
        with pytest.raises(error):
            _resolved(honest, default=honest.host.url, **wrong)
    assert honest.host.requests == []
    assert checked_schemes(["FTP://", "urn:"]) == {"ftp", "https", "urn"}
