"""A system in which there is every kind of page, made once."""

import pytest

from tests.support.builders.page_catalog import Catalogue, in_process
from tests.support.fixtures.system import System


@pytest.fixture(scope="session")
def furnished(untouched: System) -> System:
    """A system to be read."""
    return untouched.copied()


@pytest.fixture(scope="session")
def catalogue(furnished: System) -> Catalogue:
    """The pages of `furnished`."""
    return in_process(furnished)
