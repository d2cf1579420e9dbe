"""What is found among all registered prefixes, by the indexes that are derived from their list and cached.

The work is one lookup. The search in the prefix browser passes through a text of all prefixes, so it grows and has no
goal; its row shows by how much.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import cycle
from typing import Final

from coolid.http.public.prefix_browser import PrefixCatalog
from coolid.model.prefixes import Provider, ProviderPrefix
from coolid.model.records import parse_time
from coolid.recognition.guesses import NameIndex, PatternIndex
from coolid.resolution.url_patterns import UrlPatternIndex
from scripts.benchmark.cliffs import Cliff, Work

SIZES: Final = (3_000, 100_000)
QUICK: Final = (3_000, 30_000)
PATTERNS: Final = 1_000
"""Different patterns of identifiers; registries have fewer than prefixes."""
LOOKUPS: Final = 500
_TIMED: Final = "2026-01-01T00:00:00Z"


@lru_cache(maxsize=1)
def _prefixes(count: int) -> tuple[ProviderPrefix, ...]:
    moment = parse_time(_TIMED)
    return tuple(
        ProviderPrefix(
            name=f"p{number:06}",
            title=f"Prefix number {number}",
            pattern=rf"^Q{number % PATTERNS:03}\d{{7}}$",
            example=f"Q{number % PATTERNS:03}0000001",
            providers=(Provider("default", f"https://p{number}.example.org/{{$id}}"),),
            synonyms=(f"synonym.{number}",),
            created=moment,
            updated=moment,
        )
        for number in range(count)
    )


def _work(lookup: Callable[[str], object], texts: list[str]) -> Work:
    assert all(lookup(text) for text in texts[:3]), "nothing is found"
    following = cycle(texts).__next__
    return lambda: lookup(following())


def _numbers(count: int) -> list[int]:
    return [number * (count // LOOKUPS) for number in range(LOOKUPS)]


def _near(count: int) -> Work:
    index = NameIndex(_prefixes(count))
    return _work(index.similar, [f"p{number:06}x:Q0000000001" for number in _numbers(count)])


def _guess(count: int) -> Work:
    index = PatternIndex(_prefixes(count))
    return _work(index.guesses, [f"Q{number % PATTERNS:03}1234567" for number in _numbers(count)])


def _reverse(count: int) -> Work:
    index = UrlPatternIndex(_prefixes(count))
    texts = [f"https://p{number}.example.org/Q{number % PATTERNS:03}1234567" for number in _numbers(count)]
    return _work(index.curies, texts)


def _search(count: int) -> Work:
    catalog = PrefixCatalog(_prefixes(count))
    return _work(catalog.search, [f"p{number:06}" for number in _numbers(count)])


CLIFFS: Final = (
    Cliff("similar names", SIZES, "prefixes", lambda _, size: _near(size), quick=QUICK),
    Cliff("guesses of a prefix", SIZES, "prefixes", lambda _, size: _guess(size), quick=QUICK),
    Cliff("reverse lookup of a URL", SIZES, "prefixes", lambda _, size: _reverse(size), quick=QUICK),
    Cliff("search in the prefix browser", SIZES, "prefixes", lambda _, size: _search(size), goal=None, quick=QUICK),
)
