"""Public suffixes: the domains under which everybody can get a name (https://publicsuffix.org).

The list is part of the package publicsuffixlist, in the version that the lock pins; nothing is fetched. Both of its
sections count, that of registries (`co.uk`) and that of providers (`github.io`). Reading it takes 30 ms: this module
is for the changing of repositories, nothing else imports it.

>>> is_public("co.uk"), is_public("github.io"), is_public("example.org")
(True, True, False)
>>> public_suffix_below("windows.net") is None, public_suffix_below("example.org") is None
(False, True)
"""

from functools import cache
from importlib.resources import files

from publicsuffixlist import PublicSuffixList


def is_public(domain: str) -> bool:
    """Whether everybody can get a name directly below it; so too under whatever has no dot in it."""
    return _suffixes().is_public(domain)


def public_suffix_below(domain: str) -> str | None:
    """The first public suffix (in the order of the alphabet) that ends in the domain, which is none itself.

    An exception to a wildcard (`!city.kobe.jp`) is no suffix; and a wildcard (`*.compute.example`) implies what it is
    below.
    """
    below = (rule for rule in _rules() if not rule.startswith("!") and rule.endswith("." + domain))
    return min((rule.removeprefix("*.") for rule in below), default=None)


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList(_text())


@cache
def _rules() -> frozenset[str]:
    """As the DNS writes them."""
    words = (line.split()[0] for line in _text().splitlines() if line.strip() and not line.startswith("//"))
    return frozenset(word if word.isascii() else word.encode("idna").decode("ascii") for word in words)


def _text() -> str:
    return files("publicsuffixlist").joinpath("public_suffix_list.dat").read_text(encoding="utf-8")
