"""A request that needs the store once: the handler and our client alone, beside boto3, pynamodb and a bare socket.

Every request asks for another record, of more than memory holds; the prefix is remembered. With a cold memory, whatever
was remembered is forgotten before each request. Processor time of the asking process, over loopback.
"""

from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path

from scripts.benchmark import canned, peers, rows
from scripts.benchmark.canned import Canned
from scripts.benchmark.handlers import Event, cold, demand, events, own_path, reader_of, resolving, told
from scripts.benchmark.harness import Case, Effort, measured
from scripts.benchmark.identifiers import CURIES, suffix
from scripts.benchmark.results import Figure, figure, ratio_at_least

RECORDS = 20_000
TABLE = f"luis-{RECORDS}"
OURS, OURS_TLS = "one read: the handler, plain", "one read: the handler, TLS"
ALONE, ALONE_TLS = "one read: our reader alone, plain", "one read: our reader alone, TLS"
COLD, COLD_CURIE = "one read: cold memory, a record of ours (two reads), TLS", "one read: cold memory, a CURIE, TLS"
GOALS = {"one read: boto3's get_item alone, TLS": ratio_at_least(6)}


def figures(scratch: Path, effort: Effort) -> list[Figure]:
    """Measure."""
    with canned.running(scratch, "prefixes", TABLE) as store:
        owner = rows.read(scratch / canned.ROWS).pattern["repository"]["S"]
        samples = measured(_cases(store, owner), effort.rounds(31))
    figures = [figure(name, "µs", taken) for name, taken in samples.items()]
    ours = {OURS, OURS_TLS, ALONE, ALONE_TLS, COLD, COLD_CURIE}
    return [each if each.name in ours else each.beside(_ours(each.name), GOALS.get(each.name)) for each in figures]


def _ours(name: str) -> str:
    return OURS if name.endswith("plain") else OURS_TLS


def _cases(store: Canned, owner: str) -> list[Case]:
    asked = events(own_path(number) for number in range(1, RECORDS))
    pids = [f"{owner}/{suffix(number)}" for number in range(1, RECORDS)]
    cases = []
    for tls, how in ((False, "plain"), (True, "TLS")):
        cases += [
            Case(f"one read: the handler, {how}", _distinct(store, asked, tls=tls, client="own")),
            Case(f"one read: the handler on boto3, {how}", _distinct(store, asked, tls=tls, client="boto3")),
            Case(f"one read: our reader alone, {how}", _reader_alone(store, owner, tls=tls)),
            Case(f"one read: boto3's get_item alone, {how}", peers.with_boto3(store, TABLE, pids, tls=tls)),
            Case(f"one read: pynamodb's get alone, {how}", peers.with_pynamodb(store, TABLE, pids, tls=tls)),
            Case(f"one read: floor, a socket's round trip, {how}", peers.with_a_socket(store, TABLE, pids[0], tls=tls)),
        ]
    foreign = events(f"/{curie}" for curie in CURIES)
    return [*cases, Case(COLD, _forgetful(store, asked, "own")), Case(COLD_CURIE, _forgetful(store, foreign, "others"))]


def _environment(store: Canned, view: str, *, tls: bool, client: str = "own") -> dict[str, str]:
    return store.environment(tls=tls, prefixes=f"prefixes.{view}", luis=f"{TABLE}.{view}", client=client)


def _distinct(store: Canned, asked: Sequence[Event], *, tls: bool, client: str) -> Callable[[], object]:
    handler = resolving(_environment(store, f"{client}-{tls}", tls=tls, client=client))
    store.counts()
    for each in asked[:100]:
        demand(handler(each, None), 302)
    assert store.counts()["GetItem"] == 100, "what is remembered is no read"
    following = cycle(asked).__next__
    return lambda: handler(following(), None)


def _reader_alone(store: Canned, owner: str, *, tls: bool) -> Callable[[], object]:
    environment = _environment(store, f"own-{tls}", tls=tls)
    with told(environment):
        reader = reader_of(environment).reader
        assert reader.record(owner, suffix(1))
    following = cycle([suffix(number) for number in range(1, RECORDS)]).__next__
    return lambda: reader.record(owner, following())


def _forgetful(store: Canned, asked: Sequence[Event], view: str) -> Callable[[], object]:
    return cold(_environment(store, f"cold-{view}", tls=True), asked)
