"""A keyed, stateless permutation of the numbers below a capacity.

A balanced Feistel network over pairs of numbers below the square root of the capacity (J. Black and P. Rogaway,
"Ciphers with Arbitrary Finite Domains", 2002, "generalized Feistel" with addition in place of exclusive or), four
rounds of keyed BLAKE2b; a result outside the capacity is permuted again (cycle walking). The next result cannot be
predicted without the key.

>>> sorted(permute(index, 10, b"key") for index in range(10))
[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
"""

from functools import lru_cache
from hashlib import blake2b
from math import isqrt
from typing import Any, Final

ROUNDS: Final = 4
MAX_KEY_BYTES: Final = 64


def permute(index: int, capacity: int, key: bytes) -> int:
    """Return the image of 0 <= index < capacity under this key (1 to 64 bytes); raise `ValueError` outside."""
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
    """Return the smallest side whose square is at least the capacity."""
    if not 0 <= number < capacity:
        raise ValueError(f"{number} is not from 0 to {capacity - 1}")
    return isqrt(capacity - 1) + 1


@lru_cache(maxsize=64)
def _rounds(key: bytes) -> tuple[Any, ...]:
    """Return the keyed hash of each round."""
    if not 1 <= len(key) <= MAX_KEY_BYTES:
        raise ValueError(f"the key has {len(key)} bytes, not 1 to {MAX_KEY_BYTES}")
    # Sixteen bytes make the remainder nearly uniform for every capacity of a template.
    return tuple(blake2b(key=key, digest_size=16, person=b"coolid %d" % number) for number in range(ROUNDS))
