"""Public suffixes: the domains under which anybody can register a name."""

import subprocess
import sys

import pytest

from coolid.identifiers.public_suffixes import is_public, public_suffix_below


@pytest.mark.parametrize(
    ("domain", "public"),
    [
        ("com", True),
        ("co.uk", True),
        ("github.io", True),
        ("s3.amazonaws.com", True),
        ("xn--p1ai", True),
        ("xn--55qx5d.cn", True),
        ("anything.ck", True),
        ("www.ck", False),
        ("kobe.jp", True),
        ("a.kobe.jp", True),
        ("city.kobe.jp", False),
        ("example.org", False),
        ("example.co.uk", False),
        ("someone.github.io", False),
        ("unheard-of", True),
        ("a.unheard-of", False),
    ],
)
def test_registries_and_providers_suffixes_are_public_what_is_below_is_not(domain: str, public: bool) -> None:
    assert is_public(domain) is public


@pytest.mark.parametrize("domain", ["example.org", "someone.github.io", "city.kobe.jp", "ple.org", "zonaws.com"])
def test_most_domains_have_no_public_suffix_below(domain: str) -> None:
    assert public_suffix_below(domain) is None


@pytest.mark.parametrize("domain", ["amazonaws.com", "windows.net", "xn--mre-og-romsdal-qqb.no"])
def test_a_public_suffix_below_is_reported(domain: str) -> None:
    below = public_suffix_below(domain)
    assert below
    assert below.endswith("." + domain)
    assert not is_public(domain)
    assert is_public(below)


def test_judging_a_target_does_not_read_the_list() -> None:
    """Nor RE2's tables, unless there is an A-label; both take longer than a redirect may."""
    program = """
import sys
from coolid.identifiers.target_policy import objection, warning
assert objection("https://www.example.org/", ["example.org"]) is None
assert warning("https://www.example.org/") is None
assert not {"publicsuffixlist", "re2"} & sys.modules.keys()
"""
    subprocess.run([sys.executable, "-c", program], check=True)
