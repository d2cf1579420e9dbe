"""A system in which there is every kind of page, made once."""

import pytest

from tests.catalogue import Catalogue, in_process
from tests.systems import System


@pytest.fixture(scope="session")
def furnished(untouched: System) -> System:
    """A system to be read."""
    return untouched.copied()


@pytest.fixture(scope="session")
def catalogue(furnished: System) -> Catalogue:
    """The pages of `furnished`."""
    return in_process(furnished)
