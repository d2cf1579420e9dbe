"""The generated pages of the reference are those of the code, and name everything that is public."""

import doctest
import re

import coolid
from scripts.site import api_reference, python_markdown
from scripts.site.generated_pages import REFERENCE, problems_page, settings_page

STALE = "it is stale: run scripts/commands"


def test_the_page_of_problems_is_current() -> None:
    assert (REFERENCE / "problems.md").read_text(encoding="utf-8") == problems_page(), STALE


def test_the_parameters_of_the_stack_are_current() -> None:
    written = (REFERENCE / "settings.md").read_text(encoding="utf-8")
    assert written == settings_page(written), STALE


def test_the_page_of_the_python_api_has_every_public_name() -> None:
    page = (REFERENCE / "python-api.md").read_text(encoding="utf-8")
    named = re.findall(r"^::: coolid\.(\w+)$", page, re.MULTILINE)
    assert sorted(named) == sorted(set(coolid.__all__) - {"__version__"})


def test_the_examples_of_the_api_reference_hold() -> None:
    assert doctest.testmod(api_reference).failed == 0


def test_the_examples_of_the_conversion_for_python_markdown_hold() -> None:
    assert doctest.testmod(python_markdown).failed == 0
