"""The kinds of stores that the fixture `store` makes."""

from typing import Final

import pytest

from tests.support.effort import IS_DRILL

STORES: Final = ("memory", "sqlite", "dynamo", "dynamo_by_http_transport")

MANY_WRITES: Final = pytest.mark.parametrize("store", STORES if IS_DRILL else STORES[:-1], indirect=True)
"""For tests that write much: the last store differs from the one before only in how it reads."""
