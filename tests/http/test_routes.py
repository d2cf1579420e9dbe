"""Routes that are created on first use are found like all others."""

import os
from unittest.mock import patch

from coolid.http.message import Response
from coolid.http.routes import DeferredRoutes, Route, find
from coolid.wiring import resolve
from tests.support.fixtures.system import System


def route(path: str, *, below: bool = False) -> Route:
    return Route(path, {"GET": lambda _request, _path: Response(200)}, below)


def test_routes_that_are_made_late_are_made_when_their_beginning_is_requested() -> None:
    made = []

    def make() -> tuple[Route, ...]:
        made.append(True)
        return (route("/api/v1/parse"),)

    everything = route("/", below=True)
    routes = (DeferredRoutes(("/api/",), make), everything)
    assert find(routes, "/go:0006915") is everything
    assert not made
    assert find(routes, "/api/v1/parse") is not everything
    assert find(routes, "/api/v1/other") is everything
    assert find(routes, "") is None
    assert made


def test_routes_may_be_made_late_for_one_address_and_for_none_below_it() -> None:
    everything = route("/", below=True)
    routes = (DeferredRoutes((), lambda: (route("/"),), paths=("/",)), everything)
    assert find(routes, "/") is not everything
    assert find(routes, "/go:0006915") is everything


def test_every_route_that_the_resolve_function_makes_late_begins_as_it_says(light: System) -> None:
    with patch.dict(os.environ, light.environment):
        routes = resolve.handler().application.routes
    (late,) = [each for each in routes if isinstance(each, DeferredRoutes)]
    assert all(each.path.startswith(late.path_prefixes) or each.path in late.paths for each in late.make())
