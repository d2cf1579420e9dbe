"""Suggestions for unknown identifiers with a typing error, with more and more records at the store."""

import random
from collections.abc import Callable
from itertools import cycle
from typing import Final

from coolid.identifiers.schemes import lui
from scripts.benchmark.cliffs import Cliff, Workspace
from scripts.benchmark.handlers import demand, events, resolving
from scripts.benchmark.identifiers import NAMESPACE, suffix

SIZES: Final = (1_000, 10_000, 100_000)
REQUESTS: Final = 2_000


def _prepare(workspace: Workspace, size: int) -> Callable[[], object]:
    """Request existing identifiers with two neighbours transposed, which no record has."""
    store, dice = workspace.store(f"luis-{size}"), random.Random(size)  # noqa: S311 - each run has the same typos
    handler = resolving(store.environment(tls=False, prefixes=f"prefixes.{size}", luis=f"luis-{size}.typos"))
    meant = [suffix(dice.randrange(size)) for _ in range(REQUESTS)]
    typos = {each[0] + each[2] + each[1] + each[3:]: each for each in meant}
    typos = {text: each for text, each in typos.items() if not lui.is_valid(text)}
    requests = events(f"/{NAMESPACE}/{text}" for text in typos)
    response = demand(handler(requests[0], None), 400)
    assert lui.format(next(iter(typos.values()))) in response["body"], "the identifier that was meant is not suggested"
    following = cycle(requests).__next__
    return lambda: handler(following(), None)


CLIFFS: Final = (Cliff("suggestions for a typing error", SIZES, "records", _prepare),)
