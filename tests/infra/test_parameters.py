"""The parameters of the stack."""

import re

import pytest

from tests.infra.cloudformation import load
from tests.infra.stack import ROOT, template

TEMPLATES = {"template.yaml", *(f"infra/{name}.yaml" for name in ("edge", "watch", "global"))}


class TestParameters:
    @pytest.mark.parametrize(
        "url",
        ["https://id.example.org", "http://127.0.0.1:8080", "https://abc123.execute-api.eu-west-1.amazonaws.com/v1"],
    )
    def test_a_public_base_url_is_accepted(self, url: str) -> None:
        assert re.search(template["Parameters"]["PublicBaseUrl"]["AllowedPattern"], url)

    @pytest.mark.parametrize(
        "url",
        [
            "https://id.example.org/",
            "id.example.org",
            "ftp://id.example.org",
            "https://id.example.org?x",
            "https://user@id.example.org",
            "https://-.example.org",
            "https://ID.example.org",
        ],
    )
    def test_one_that_would_spoil_every_address_made_from_it_is_refused(self, url: str) -> None:
        assert not re.search(template["Parameters"]["PublicBaseUrl"]["AllowedPattern"], url)

    @pytest.mark.parametrize("path", sorted(TEMPLATES))
    def test_every_parameter_says_what_it_is_and_what_form_it_has(self, path: str) -> None:
        for name, parameter in load(ROOT / path)["Parameters"].items():
            assert parameter["Description"], name
            assert ("AllowedPattern" in parameter) is ("ConstraintDescription" in parameter), name

    @pytest.mark.parametrize("path", sorted(TEMPLATES - {"infra/watch.yaml"}))
    def test_what_an_operator_can_give_has_limits(self, path: str) -> None:
        """What goes to the alarms' stack are names that the stack above made, and thresholds."""
        for name, parameter in load(ROOT / path)["Parameters"].items():
            assert parameter.keys() & {"AllowedPattern", "AllowedValues", "MinValue"}, name
