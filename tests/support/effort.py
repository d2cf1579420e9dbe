"""How much the tests try: a part in `make test`, everything in `make drill`, which sets `COOLID_DRILL`."""

import os
from collections.abc import Sequence
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings

IS_DRILL: Final = bool(os.environ.get("COOLID_DRILL"))
REDUCTION: Final = 5
"""`make test` tries one in so many of a property's examples."""


def load_profile() -> None:
    """Set the defaults of Hypothesis. Tests do not depend on the machine's speed, so there is no deadline."""
    settings.register_profile(
        "coolid",
        max_examples=_reduce(100),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("coolid")


def examples(count: int, **options: Any) -> settings:
    """Return Hypothesis settings for so many examples, and in `make test` for a part of them."""
    return settings(max_examples=_reduce(count), **options)


def sample(cases: Sequence[Any], count: int) -> Sequence[Any]:
    """Return all cases for `parametrize`, and in `make test` only `count` of them, evenly spaced."""
    chosen = {at * len(cases) // count for at in range(count)}
    if IS_DRILL:
        return [case if at in chosen else pytest.param(case, marks=pytest.mark.drill) for at, case in enumerate(cases)]
    return [cases[at] for at in sorted(chosen)]


def _reduce(count: int) -> int:
    return count if IS_DRILL else max(count // REDUCTION, 4)
