"""Which identifiers are requested: a Zipf distribution, a crawl through all identifiers, and one hot identifier.

The sampler is rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate variates from monotone
discrete distributions", 1996): constant memory and time for 10^9 identifiers.
"""

import math
from dataclasses import dataclass
from random import Random
from typing import Final

_HASH: Final = 0xD1B54A32D192ED03
_MASK: Final = 2**64 - 1
HOT: Final = 0
"""The number of the hot identifier; the others have their rank in the Zipf distribution, from 1."""


class Zipf:
    """Ranks 1 to `size`, rank k with a probability proportional to k ** -exponent."""

    def __init__(self, size: int, exponent: float) -> None:
        self.size, self.exponent = size, exponent
        self._first = self._integral(1.5) - 1.0
        self._last = self._integral(size + 0.5)
        self._accepted = 2.0 - self._inverse(self._integral(2.5) - 2.0**-exponent)
        head = min(size, 1_000)
        self.total: float = sum(k**-exponent for k in range(1, head + 1))
        self.total += self._integral(size + 0.5) - self._integral(head + 0.5)

    def _integral(self, x: float) -> float:
        power = 1.0 - self.exponent
        return math.log(x) if abs(power) < 1e-9 else float((x**power - 1.0) / power)

    def _inverse(self, y: float) -> float:
        power = 1.0 - self.exponent
        return math.exp(y) if abs(power) < 1e-9 else float((1.0 + y * power) ** (1.0 / power))

    def probability(self, rank: float) -> float:
        """Return the share of the requests that are for this rank."""
        return float(rank**-self.exponent) / self.total

    def sample(self, random: Random) -> int:
        """Return a rank."""
        while True:
            u = self._last + random.random() * (self._first - self._last)
            x = self._inverse(u)
            rank = min(self.size, max(1, int(x + 0.5)))
            if rank - x <= self._accepted or u >= self._integral(rank + 0.5) - rank**-self.exponent:
                return rank


@dataclass(frozen=True)
class Traffic:
    """Requests a second (`rate`), the share of crawlers, and those for one hot identifier beside them (`hot`).

    `others` is the share of identifiers with the prefix of a provider, which the service redirects without a record.
    """

    rate: float = 10_000.0
    hot: float = 0.0
    crawl: float = 0.2
    identifiers: int = 10**9
    exponent: float = 0.9
    others: float = 0.0
    hot_is_other: bool = False

    @property
    def total(self) -> float:
        return self.rate + self.hot


class Popularity:
    """A sequence of identifiers, and the rate of each."""

    def __init__(self, traffic: Traffic) -> None:
        self.traffic, self.zipf = traffic, Zipf(traffic.identifiers, traffic.exponent)
        self._next = traffic.identifiers // 2  # of the crawl; ranks there are requested by nobody else

    def rate_of(self, identifier: int) -> float:
        """Return the requests a second for an identifier, without those of the crawl."""
        if identifier == HOT:
            return self.traffic.hot
        return self.traffic.rate * (1.0 - self.traffic.crawl) * self.zipf.probability(identifier)

    def is_other(self, identifier: int) -> bool:
        """Return whether an identifier has the prefix of a provider, which its number decides."""
        if identifier == HOT:
            return self.traffic.hot_is_other
        return (identifier * _HASH & _MASK) < self.traffic.others * 2**64

    def sample(self, random: Random) -> int:
        """Return the identifier of the next request."""
        kind = random.random() * self.traffic.total
        if kind < self.traffic.hot:
            return HOT
        if kind < self.traffic.hot + self.traffic.rate * self.traffic.crawl:
            self._next = self._next % self.traffic.identifiers + 1
            return self._next
        return self.zipf.sample(random)
