"""A hit of memory: the whole handler, event dict in, response dict out, its line for the log included.

What was asked for a moment ago is answered again as it was; what is asked for the first time under a prefix that is
remembered needs no read either, but is answered anew.

Beside it stand what others need for the same CURIEs, in process and without any HTTP, what Powertools' resolver needs
to route the same event to a constant answer, and what can hardly be undercut: a constant, and two dictionaries.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import bioregistry
from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response

from coolid.aws.api_gateway import Handler
from scripts.benchmark import canned
from scripts.benchmark.handlers import Event, demand, event, events, own_path, resolving
from scripts.benchmark.harness import Case, Effort, measured
from scripts.benchmark.identifiers import CURIES
from scripts.benchmark.results import Figure, figure, ratio_at_least

FOREIGN = "warm: a CURIE of others"
OWN = 50
UNASKED = 50_000


def figures(scratch: Path, effort: Effort) -> list[Figure]:
    """Measure."""
    with canned.running(scratch, "prefixes", "luis-1000") as store:
        handler = resolving(store.environment(tls=False, prefixes="prefixes", luis="luis-1000"))
        samples = measured(_cases(handler), effort.rounds(51))
    figures = [figure(name, "µs", taken) for name, taken in samples.items()]
    goals = {
        "warm: Powertools, a constant 302": ratio_at_least(1),
        "warm: bioregistry.get_iri": ratio_at_least(4),
    }
    beside = (*goals, "warm: curies, expand", "warm: floor, two dictionaries", "warm: floor, a constant")
    return [each.beside(FOREIGN, goals.get(each.name)) if each.name in beside else each for each in figures]


def _cases(handler: Handler) -> list[Case]:
    paths = [f"/{curie}" for curie in CURIES]
    foreign, own = [event(path) for path in paths], [event(own_path(number)) for number in range(OWN)]
    tags = [demand(handler(each, None), 302)["multiValueHeaders"]["ETag"][0] for each in foreign]
    conditional = [event(path, If_None_Match=tag) for path, tag in zip(paths, tags, strict=True)]
    explained = [event("/api/v1/parse", query=f"id={curie}") for curie in CURIES]
    routed = _powertools()
    converter = bioregistry.manager.get_converter()
    first, default = {name: name for name in _prefixes()}, {name: _pattern(name) for name in _prefixes()}

    def looked_up(curie: str) -> str:
        prefix, _, identifier = curie.partition(":")
        return default[first[prefix.lower()]].replace("$1", identifier)

    return [
        Case(FOREIGN, _each(lambda asked: handler(asked, None), foreign, 302)),
        Case("warm: a CURIE for the first time, its prefix remembered", _unasked(handler)),
        Case("warm: a record of ours", _each(lambda asked: handler(asked, None), own, 302)),
        Case("warm: HEAD", _each(lambda asked: handler(asked, None), [event(path, "HEAD") for path in paths], 302)),
        Case("warm: If-None-Match, a 304", _each(lambda asked: handler(asked, None), conditional, 304)),
        Case("warm: parse, a CURIE explained", _each(lambda asked: handler(asked, None), explained, 200)),
        Case("warm: Powertools, a constant 302", _each(lambda asked: routed(asked, None), foreign, 302)),
        Case("warm: bioregistry.get_iri", _looking(bioregistry.get_iri)),
        Case("warm: curies, expand", _looking(converter.expand)),
        Case("warm: floor, two dictionaries", _looking(looked_up)),
        Case("warm: floor, a constant", _each(_constant, foreign, 302)),
    ]


def _each(handler: Callable[[Event], Mapping[str, Any]], events: Sequence[Event], status: int) -> Callable[[], object]:
    """Give the events in turn."""
    for each in events:
        demand(handler(each), status)
    following = cycle(events).__next__
    return lambda: handler(following())


def _unasked(handler: Handler) -> Callable[[], object]:
    """Request different identifiers, more than the cache holds, under a cached prefix."""
    asked = events(f"/go:{number:07}" for number in range(UNASKED))
    demand(handler(asked[0], None), 302)
    following = cycle(asked).__next__
    return lambda: handler(following(), None)


def _looking(look: Callable[[str], str | None]) -> Callable[[], object]:
    """Look up the CURIEs in turn."""
    assert all(look(curie) for curie in CURIES)
    following = cycle(CURIES).__next__
    return lambda: look(following())


def _constant(_event: Event) -> Mapping[str, Any]:
    return {
        "statusCode": 302,
        "multiValueHeaders": {"Location": ["https://content.example.org/"]},
        "body": "",
        "isBase64Encoded": False,
    }


def _powertools() -> Callable[[Event, Any], Mapping[str, Any]]:
    application = APIGatewayRestResolver()

    @application.get("/<curie>")
    def redirect(curie: str) -> Response[str]:  # noqa: ARG001 - what a path's parameter is handed over as
        return Response(302, headers={"Location": "https://content.example.org/"}, body="")

    return application.resolve


def _prefixes() -> list[str]:
    return [curie.partition(":")[0] for curie in CURIES]


def _pattern(name: str) -> str:
    resource = bioregistry.get_resource(name)
    assert resource is not None
    return resource.get_default_format() or ""
