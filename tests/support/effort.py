"""How much the tests try: a part in `make test`, everything in `make drill`, which sets `COOLID_DRILL`."""

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

IS_DRILL: Final = bool(os.environ.get("COOLID_DRILL"))
REDUCTION: Final = 5
"""`make test` tries one in so many of a property's examples."""
MANY: Final = 20
"""Combinations of parameters. `make test` runs a test that has more for each value, but not for each combination."""
IMPLEMENTATIONS: Final = {"client", "proxy", "store"}
"""Parameters that name what is tested: each combination of the others is run for each of their values."""


def load_profile() -> None:
    """Set the defaults of Hypothesis. Tests do not depend on the machine's speed, so there is no deadline.

    `make test` tries the same examples in each run, so that no change fails because of a draw. Hypothesis also draws
    constants of the modules that are imported so far, which depend on the order of the tests; only drills do that.
    `make drill` and `make fuzz` draw other examples each time, and print how to draw a failing one again.
    """
    is_random = IS_DRILL or bool(os.environ.get("COOLID_FUZZ"))
    settings.register_profile(
        "coolid",
        max_examples=_reduce(100),
        deadline=None,
        derandomize=not is_random,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("coolid")
    if not is_random:
        providers._get_local_constants = Constants


def examples(count: int, **options: Any) -> settings:
    """Return Hypothesis settings for so many examples, and in `make test` for a part of them."""
    return settings(max_examples=_reduce(count), **options)


def size(drill: int, test: int) -> int:
    """Return the size of what is tried: `drill` in `make drill`, `test` in `make test`."""
    return drill if IS_DRILL else test


def sample(cases: Sequence[Any], count: int) -> Sequence[Any]:
    """Return all cases, and in `make test` only `count` of them, evenly spaced."""
    if IS_DRILL or len(cases) <= count:
        return cases
    return [cases[at * len(cases) // count] for at in range(count)]


def mark_combinations(items: Iterable[pytest.Item]) -> None:
    """Mark the combinations of parameters that only `make drill` runs; each value of each parameter stays."""
    tests: dict[str, list[Any]] = defaultdict(list)
    for item in items:
        if hasattr(item, "callspec"):
            tests[item.nodeid.partition("[")[0]].append(item)
    for combinations in tests.values():
        if len(combinations) > MANY:
            _mark_all_but_a_diagonal(combinations)


def _mark_all_but_a_diagonal(items: list[Any]) -> None:
    axes = [axis for axis in _axes(items[0]) if not IMPLEMENTATIONS & {*axis}]
    found: list[dict[Any, int]] = [{} for _ in axes]
    places = []
    for item in items:
        values = [tuple(id(item.callspec.params[name]) for name in axis) for axis in axes]
        places.append([seen.setdefault(value, len(seen)) for seen, value in zip(found, values, strict=True)])
    sizes = [len(seen) for seen in found]
    longest = sizes.index(max(sizes))
    for item, place in zip(items, places, strict=True):
        if any(at != place[longest] % size for at, size in zip(place, sizes, strict=True)):
            item.add_marker(pytest.mark.drill)


def _axes(item: Any) -> list[tuple[str, ...]]:
    """Return the names of parameters, those together that change together."""
    axes = []
    for mark in item.iter_markers("parametrize"):
        names = mark.args[0]
        axes.append(tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else tuple(names))
    named = {name for axis in axes for name in axis}
    return [*axes, *((name,) for name in item.callspec.params if name not in named)]


def _reduce(count: int) -> int:
    return count if IS_DRILL else max(count // REDUCTION, 4)
