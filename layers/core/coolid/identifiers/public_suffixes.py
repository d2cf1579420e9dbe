"""Lookup of public suffixes, the domains under which anybody can register a name (https://publicsuffix.org).

The list is part of the package publicsuffixlist, in the version of the lock file; nothing is fetched. Both of its
sections count: registries (`co.uk`) and providers (`github.io`). Reading it takes 30 ms, so only changes of
repositories import this module.

>>> is_public("co.uk"), is_public("github.io"), is_public("example.org")
(True, True, False)
>>> public_suffix_below("windows.net") is None, public_suffix_below("example.org") is None
(False, True)
"""

from functools import cache
from importlib.resources import files

from publicsuffixlist import PublicSuffixList


def is_public(domain: str) -> bool:
    """Return whether anybody can register a name directly below the domain, as below any name without a dot."""
    return _suffixes().is_public(domain)


def public_suffix_below(domain: str) -> str | None:
    """Return the alphabetically first public suffix below a domain that is none itself; None if there is none.

    An exception to a wildcard (`!city.kobe.jp`) is no suffix. A wildcard (`*.compute.example`) includes its parent.
    """
    below = (rule for rule in _rules() if not rule.startswith("!") and rule.endswith("." + domain))
    return min((rule.removeprefix("*.") for rule in below), default=None)


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList(_text())


@cache
def _rules() -> frozenset[str]:
    """Return the rules in DNS form (A-labels)."""
    words = (line.split()[0] for line in _text().splitlines() if line.strip() and not line.startswith("//"))
    return frozenset(word if word.isascii() else word.encode("idna").decode("ascii") for word in words)


def _text() -> str:
    return files("publicsuffixlist").joinpath("public_suffix_list.dat").read_text(encoding="utf-8")
