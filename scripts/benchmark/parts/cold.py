"""Cold starts: a process under AWS's own runtime client, from its spawning to its first answer, on Lambda's Python.

The functions are what is deployed, and read over TLS from the canned store. Beside the resolve function stand a
constant, the same function on boto3, and functions as they are usually written. "Extra" is what a function takes beyond
a constant in the same round. Each client reads the certificates that it reads on Lambda, botocore's bundle or Amazon's
roots, and with them that of the store's authority. Of the invocations that follow, each one of another record, the
processor time is told.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from coolid.aws.dynamodb_client.connector import AMAZON_ROOTS
from scripts.benchmark import canned
from scripts.benchmark.artifacts import interpreter, path_of
from scripts.benchmark.canned import Canned
from scripts.benchmark.handlers import Event, demand, event, events, own_path
from scripts.benchmark.harness import MICROSECONDS, Effort
from scripts.benchmark.identifiers import CURIES
from scripts.benchmark.results import Figure, at_most, figure, ratio_at_least
from scripts.benchmark.runtime import Ran, run
from tests.packaging.layer_builds import runtime

RECORDS = 2000
FURTHER = 300
SETTLED = 100
"""Invocations after which the processor time is counted."""

ONE, TWO = f"/{CURIES[0]}", own_path(0)


OWN: Final = "own"
BOTO: Final = "boto3"


class Start(Struct, frozen=True):
    """A function, its first request, and its DynamoDB client: a value of STORE_CLIENT."""

    function: str
    path: str = ONE
    client: str = OWN


CONSTANT: Final = "a constant"
STARTS: Final[Mapping[str, Start]] = {
    CONSTANT: Start("constant"),
    "resolve, one read": Start("Resolve"),
    "resolve, two reads": Start("Resolve", TWO),
    "resolve on boto3, one read": Start("Resolve", ONE, BOTO),
    "resolve on boto3, two reads": Start("Resolve", TWO, BOTO),
    "boto3 alone, one read": Start("boto", client=BOTO),
    "Powertools and boto3, one read": Start("powertools", client=BOTO),
}
PEERS: Final = {
    "resolve on boto3, one read": "resolve, one read",
    "resolve on boto3, two reads": "resolve, two reads",
    "boto3 alone, one read": "resolve, one read",
    "Powertools and boto3, one read": "resolve, one read",
}


def figures(scratch: Path, effort: Effort) -> list[Figure]:
    """Measure."""
    python = interpreter()
    paths = {start.function: path_of(scratch, start.function) for start in STARTS.values()}
    asked = events(own_path(number) for number in range(1, effort.number(FURTHER) + SETTLED + 1))
    ran: dict[str, list[Ran]] = {name: [] for name in STARTS}
    with canned.running(scratch, "prefixes", f"luis-{RECORDS}") as store:
        bundles = _bundles(scratch, store)
        environments = {
            name: store.environment(tls=True, prefixes="prefixes", luis=f"luis-{RECORDS}", client=start.client)
            | {"AWS_CA_BUNDLE": str(bundles[start.client])}
            for name, start in STARTS.items()
        }
        for turn in range(effort.rounds(25)):
            for name, start in STARTS.items():
                further = asked if turn == 0 or turn % 5 == 0 else asked[:0]
                ran[name].append(_run(python, paths[start.function], environments[name], [event(start.path), *further]))
    return [*_starts(ran), *_invocations(ran), *_memory(ran)]


def _bundles(scratch: Path, store: Canned) -> Mapping[str, Path]:
    """For each client a file of the certificates that it would read on Lambda, and of the store's authority."""
    read = {OWN: Path(AMAZON_ROOTS), BOTO: runtime() / "botocore" / "cacert.pem"}
    written = {}
    for client, known in read.items():
        written[client] = scratch / f"{client}-bundle.pem"
        written[client].write_bytes(known.read_bytes() + b"\n" + store.authority.read_bytes())
    return written


def _run(python: str, path: Sequence[Path], environment: Mapping[str, str], asked: Sequence[Event]) -> Ran:
    done = run(python, path, environment, asked)
    for answer in done.answers:
        demand(answer, 302)
    return done


def _starts(ran: Mapping[str, Sequence[Ran]]) -> list[Figure]:
    """The whole, and the extra."""
    seconds = {name: [each.first for each in runs] for name, runs in ran.items()}
    whole = [figure(f"cold start: {name}", "ms", (1000 * each for each in all_)) for name, all_ in seconds.items()]
    extra = {
        name: figure(
            f"cold start: extra of {name}",
            "ms",
            (1000 * (each - least) for each, least in zip(all_, seconds[CONSTANT], strict=True)),
        )
        for name, all_ in seconds.items()
        if name != CONSTANT
    }
    goal = ratio_at_least(7)
    for name, ours in PEERS.items():
        extra[name] = extra[name].beside(extra[ours].name, goal if name.startswith("resolve") else None)
    extra["resolve, one read"] = extra["resolve, one read"].aiming(at_most(25, "ms"))
    return [*whole, *extra.values()]


def _invocations(ran: Mapping[str, Sequence[Ran]]) -> list[Figure]:
    """Processor time of one further invocation, of the whole process."""
    names = {name: name.replace("one read", "a further invocation") for name in ran if "two reads" not in name}
    told = {
        name: figure(
            f"cold start: processor time, {shown}",
            "µs",
            (
                (each.processor[-1] - each.processor[SETTLED]) / (len(each.processor) - 1 - SETTLED) * MICROSECONDS
                for each in ran[name]
                if len(each.processor) > SETTLED + 1
            ),
        )
        for name, shown in names.items()
    }
    for name, ours in PEERS.items():
        if name in told:
            told[name] = told[name].beside(told[ours].name)
    return list(told.values())


def _memory(ran: Mapping[str, Sequence[Ran]]) -> list[Figure]:
    """The most memory, after the first answer where no others followed."""
    told = {
        name: figure(f"cold start: memory, {name}", "MB", (each.memory for each in runs if len(each.answers) == 1))
        for name, runs in ran.items()
    }
    return [told[name].beside(told[PEERS[name]].name) if name in PEERS else told[name] for name in told]
