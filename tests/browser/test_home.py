"""The front door."""

from tests.browser.conftest import Visit


def test_it_is_sound(visit: Visit) -> None:
    assert visit.go("/") == 200
    assert visit.violations() == []
