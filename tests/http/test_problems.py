"""Errors: each class has one row of one table, and a sentence."""

import inspect
from collections.abc import Iterator

import pytest

from coolid import errors
from coolid.errors import CoolidError
from coolid.http import errors as web_errors
from coolid.http.problem_types import PROBLEM_TYPES, UNKNOWN, problem_type_of


def descendants(kind: type[Exception]) -> Iterator[type[Exception]]:
    for child in kind.__subclasses__():
        yield child
        yield from descendants(child)


CONCRETE = [
    kind
    for module in (errors, web_errors)
    for _, kind in inspect.getmembers(module, inspect.isclass)
    if issubclass(kind, CoolidError) and kind.__module__ == module.__name__ and not kind.__subclasses__()
]


@pytest.mark.parametrize("kind", CONCRETE, ids=lambda kind: kind.__name__)
def test_every_concrete_kind_has_a_row_of_its_own(kind: type[Exception]) -> None:
    assert kind in PROBLEM_TYPES


def test_no_kind_is_defined_anywhere_else() -> None:
    """The client has a tree of its own below the root; whether that is loaded depends on the other tests."""
    modules = {kind.__module__ for kind in descendants(CoolidError)}
    assert {name for name in modules if not name.startswith("coolid.client.")} == {
        errors.__name__,
        web_errors.__name__,
    }


def test_slugs_are_unique_and_made_for_urls() -> None:
    slugs = [kind.slug for kind in (*PROBLEM_TYPES.values(), UNKNOWN)]
    assert len(slugs) == len(set(slugs))
    assert all(slug.replace("-", "").isalpha() and slug.islower() for slug in slugs)


def test_titles_are_unique_and_have_no_full_stop() -> None:
    titles = [kind.title for kind in (*PROBLEM_TYPES.values(), UNKNOWN)]
    assert len(titles) == len(set(titles))
    assert all(title[0].isupper() and not title.endswith(".") for title in titles)


def test_every_status_is_a_refusal() -> None:
    assert all(400 <= kind.status < 600 for kind in PROBLEM_TYPES.values())


def test_the_nearest_row_counts() -> None:
    class Nearer(errors.InvalidCheck):
        pass

    assert problem_type_of(Nearer("x", "1", "2")) is PROBLEM_TYPES[errors.InvalidCheck]
    assert problem_type_of(ZeroDivisionError()) is None
