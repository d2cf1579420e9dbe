"""Verification of ECDSA signatures on P-256 without a library, for functions whose layers have none.

Specification: FIPS 186-5, section 6.4.2, and SEC 1, section 4.1.4; the curve is that of SEC 2, section 2.4.2. All
inputs are public, so the time of an operation may depend on them. Signing is left to the libraries.

Points are in Jacobian coordinates: (X, Y, Z) is the point (X / Z^2, Y / Z^3), and Z = 0 is the point at infinity. The
formulas are those of the Explicit-Formulas Database for short Weierstrass curves with a = -3.

>>> key = {"kty": "EC", "crv": "P-256", "x": "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY",
...        "y": "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"}
>>> hex(public_point(key)[0])
'0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296'
>>> is_signature(b"message", bytes(64), key)
False
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

from coolid.proofs.statements import COORDINATE_BYTES, CURVE, ORDER, SIGNATURE_BYTES, from_base64url

_Point = tuple[int, int, int]

PRIME: Final = 2**256 - 2**224 + 2**192 + 2**96 - 1
"""P, the order of the field."""
_B: Final = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
_BASE: Final = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
_INFINITY: Final = (0, 1, 0)
_WINDOW: Final = 4
"""How many bits of both factors one step handles."""


def public_point(key: Mapping[str, Any]) -> tuple[int, int]:
    """Return the coordinates of a public key in JWK form. Raises `ValueError` unless it is a point on P-256.

    The curve has a prime order, so each point but infinity is a public key. JWKs cannot express infinity.
    """
    if key.get("kty") != "EC" or key.get("crv") != CURVE:
        raise ValueError(f"it is not on the curve {CURVE}")
    x, y = (_coordinate(key.get(member), member) for member in ("x", "y"))
    if (y * y - (x * x - 3) * x - _B) % PRIME:
        raise ValueError(f"it is no point on {CURVE}")
    return x, y


def is_signature(message: bytes, signature: bytes, public_key: Mapping[str, Any]) -> bool:
    """Return whether `signature` is the ES256 signature (RFC 7518, section 3.4) of a message by the JWK's key.

    False for malformed input. Both forms of S pass, see `coolid.proofs.statements.low_s_form`.
    """
    try:
        x, y = public_point(public_key)
    except ValueError:
        return False
    return len(signature) == SIGNATURE_BYTES and _is_signature(message, signature, x, y)


@lru_cache(maxsize=1024)
def _is_signature(message: bytes, signature: bytes, x: int, y: int) -> bool:
    """See `is_signature`. Cached, because the proof of a version never changes."""
    r, s = (
        int.from_bytes(half, "big") for half in (signature[: SIGNATURE_BYTES // 2], signature[SIGNATURE_BYTES // 2 :])
    )
    if not (0 < r < ORDER and 0 < s < ORDER):
        return False
    digest = int.from_bytes(sha256(message).digest(), "big")
    inverse = pow(s, -1, ORDER)
    found_x, _, z = _sum_of_products(digest * inverse % ORDER, r * inverse % ORDER, (x, y))
    if z == 0:
        return False
    # The affine x, reduced by N, must be r: so x is r or, because N < P, r + N. X = x Z^2 avoids a division.
    square = z * z % PRIME
    return any((candidate * square - found_x) % PRIME == 0 for candidate in (r, r + ORDER) if candidate < PRIME)


def _coordinate(text: Any, member: str) -> int:
    """Return a coordinate of a JWK (RFC 7518, section 6.2.1.2). Raises `ValueError`."""
    octets = from_base64url(text) if isinstance(text, str) else None
    if octets is None or len(octets) != COORDINATE_BYTES:
        raise ValueError(f"its {member} is not the base64url of {COORDINATE_BYTES} bytes, without padding")
    number = int.from_bytes(octets, "big")
    if number >= PRIME:
        raise ValueError(f"its {member} is no coordinate on {CURVE}")
    return number


def _sum_of_products(u: int, v: int, point: tuple[int, int]) -> _Point:
    """Return u G + v Q for the base point G and a public key Q, with shared doublings (Shamir's trick)."""
    base, key = _multiples(*_BASE), _multiples(*point)
    result: _Point = _INFINITY
    for shift in range(256 - _WINDOW, -1, -_WINDOW):
        for _ in range(_WINDOW):
            result = _double(result)
        for factor, multiples in ((u, base), (v, key)):
            digit = factor >> shift & (1 << _WINDOW) - 1
            if digit:
                result = _add(result, multiples[digit])
    return result


@lru_cache(maxsize=32)
def _multiples(x: int, y: int) -> Sequence[_Point]:
    """Return the products of a point and 0 to 15."""
    multiples: list[_Point] = [_INFINITY, (x, y, 1)]
    while len(multiples) < 1 << _WINDOW:
        multiples.append(_add(multiples[-1], multiples[1]))
    return multiples


def _double(point: _Point) -> _Point:
    """Return twice a point (dbl-2001-b); infinity stays infinity."""
    x, y, z = point
    delta = z * z % PRIME
    gamma = y * y % PRIME
    beta = x * gamma % PRIME
    alpha = 3 * (x - delta) * (x + delta) % PRIME
    doubled_x = (alpha * alpha - 8 * beta) % PRIME
    doubled_y = (alpha * (4 * beta - doubled_x) - 8 * gamma * gamma) % PRIME
    return doubled_x, doubled_y, 2 * y * z % PRIME


def _add(first: _Point, second: _Point) -> _Point:
    """Return the sum of two points (add-2007-bl), which may be equal, opposite, or infinity."""
    x1, y1, z1 = first
    x2, y2, z2 = second
    if z1 == 0:
        return second
    if z2 == 0:
        return first
    square1, square2 = z1 * z1 % PRIME, z2 * z2 % PRIME
    u1, s1 = x1 * square2 % PRIME, y1 * square2 * z2 % PRIME
    h, slope = (x2 * square1 - u1) % PRIME, (y2 * square1 * z1 - s1) % PRIME
    if h == 0:
        return _double(first) if slope == 0 else _INFINITY
    h2 = h * h % PRIME
    h3, v = h * h2 % PRIME, u1 * h2 % PRIME
    x = (slope * slope - h3 - 2 * v) % PRIME
    y = (slope * (v - x) - s1 * h3) % PRIME
    return x, y, h * z1 * z2 % PRIME
