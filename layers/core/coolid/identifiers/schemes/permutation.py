"""Permutation: the numbers below a capacity in an order that looks random, repeats nothing and needs no memory.

A balanced Feistel network over pairs of numbers below the square root of the capacity (J. Black and P. Rogaway,
"Ciphers with Arbitrary Finite Domains", 2002, "generalized Feistel" with addition in place of exclusive or), four
rounds of keyed BLAKE2b; a result outside the capacity goes round again (cycle walking). Whoever lacks the key cannot
tell from one result what the next will be; whoever has it needs only a counter.

>>> sorted(permute(index, 10, b"key") for index in range(10))
[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
"""

from functools import lru_cache
from hashlib import blake2b
from math import isqrt
from typing import Any, Final

ROUNDS: Final = 4
MOST_KEY_BYTES: Final = 64


def permute(index: int, capacity: int, key: bytes) -> int:
    """The place of 0 <= index < capacity under this key (1 to 64 bytes): a bijection; `ValueError` outside."""
    side = _side(index, capacity)
    rounds = _rounds(key)
    result = index
    while True:
        left, right = divmod(result, side)
        for keyed in rounds:
            digest = keyed.copy()
            digest.update(b"%x" % right)
            left, right = right, (left + int.from_bytes(digest.digest(), "big")) % side
        result = left * side + right
        if result < capacity:
            return result


def _side(number: int, capacity: int) -> int:
    """The least side whose square holds the capacity."""
    if not 0 <= number < capacity:
        raise ValueError(f"{number} is not from 0 to {capacity - 1}")
    return isqrt(capacity - 1) + 1


@lru_cache(maxsize=64)
def _rounds(key: bytes) -> tuple[Any, ...]:
    """The hash of each round, keyed and waiting for its number."""
    if not 1 <= len(key) <= MOST_KEY_BYTES:
        raise ValueError(f"the key has {len(key)} bytes, not 1 to {MOST_KEY_BYTES}")
    # Sixteen bytes, so that the remainder is even for any capacity that a template may have.
    return tuple(blake2b(key=key, digest_size=16, person=b"coolid %d" % number) for number in range(ROUNDS))
