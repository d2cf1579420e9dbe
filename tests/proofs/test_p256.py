"""Signatures on P-256 without a library: exactly those of `cryptography` are valid.

The cases are those that Wycheproof lists for ECDSA on P-256 with SHA-256 in the form of IEEE P1363: special values of
R, S and of the two factors, intermediate points that are equal or opposite, an abscissa above N, and special keys.
"""

from hashlib import sha256
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    SECP256R1,
    EllipticCurvePublicNumbers,
    derive_private_key,
)
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from hypothesis import given
from hypothesis import strategies as st

from coolid.proofs import p256
from coolid.proofs.p256 import PRIME, is_signature, public_point
from coolid.proofs.statements import ORDER, low_s_form
from tests.support.builders.signed_documents import Key, b64, other_form, raw
from tests.support.effort import examples

KEY = Key(7)
MESSAGE = b"a message"
SIGNATURE = raw(KEY.der(MESSAGE))
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
SPECIAL = [
    *(1, 2, 3, 4, 5, 15, 16, 17, 31),
    *(2**32, 2**63, 2**64 - 1, 2**96, 2**127, 2**128, 2**192, 2**224 - 1, 2**255),
    *(ORDER // 3, ORDER // 2, ORDER // 2 + 1, ORDER - 2**32, ORDER - 16, ORDER - 3, ORDER - 2, ORDER - 1),
]
"""Factors and halves of signatures for which simple implementations are wrong."""


def numbers(r: int, s: int) -> bytes:
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def jwk(x: int, y: int) -> dict[str, Any]:
    return {"kty": "EC", "crv": "P-256", "x": b64(x.to_bytes(32, "big")), "y": b64(y.to_bytes(32, "big"))}


def product(factor: int) -> tuple[int, int]:
    """Return the product of the base point and a factor, by `cryptography`."""
    point = derive_private_key(factor % ORDER, SECP256R1()).public_key().public_numbers()
    return point.x, point.y


def is_valid(message: bytes, signature: bytes, key: dict[str, Any]) -> bool:
    """Return the verdict, in which `cryptography` agrees."""
    x, y = public_point(key)
    public_key = EllipticCurvePublicNumbers(x, y, SECP256R1()).public_key()
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    try:
        public_key.verify(encode_dss_signature(r, s), message, ECDSA(SHA256()))
        expected = True
    except InvalidSignature:
        expected = False
    assert is_signature(message, signature, key) == expected
    return expected


def square_root(value: int) -> int | None:
    root = pow(value, (PRIME + 1) // 4, PRIME)
    return root if root * root % PRIME == value % PRIME else None


def digest(message: bytes = MESSAGE) -> int:
    return int.from_bytes(sha256(message).digest(), "big")


class TestSignatures:
    @examples(200)
    @given(st.binary(max_size=100), st.integers(0, 2**60))
    def test_each_signature_is_valid_in_both_forms(self, message: bytes, secret: int) -> None:
        key = Key(secret)
        signature = raw(key.der(message))
        assert is_valid(message, signature, key.jwk)
        assert is_valid(message, other_form(signature), key.jwk)
        assert is_valid(message, low_s_form(signature), key.jwk)
        assert not is_valid(message + b"x", signature, key.jwk)
        assert not is_valid(message, signature, Key(secret + 1).jwk)

    @examples(300)
    @given(st.integers(0, 511))
    def test_one_changed_bit_makes_it_invalid(self, bit: int) -> None:
        changed = (int.from_bytes(SIGNATURE, "big") ^ 1 << bit).to_bytes(64, "big")
        assert not is_valid(MESSAGE, changed, KEY.jwk)

    @examples(100)
    @given(st.binary(min_size=64, max_size=64))
    def test_random_bytes_are_invalid(self, signature: bytes) -> None:
        assert not is_valid(MESSAGE, signature, KEY.jwk)

    @pytest.mark.parametrize("size", [0, 1, 32, 63, 65, 70, 72, 96, 128])
    def test_another_length_is_invalid(self, size: int) -> None:
        assert not is_signature(MESSAGE, (SIGNATURE * 2)[:size], KEY.jwk)
        assert not is_signature(MESSAGE, SIGNATURE.rjust(size, b"\0") if size > 64 else SIGNATURE[64 - size :], KEY.jwk)

    def test_halves_in_the_other_order_or_as_der_are_invalid(self) -> None:
        assert not is_valid(MESSAGE, SIGNATURE[32:] + SIGNATURE[:32], KEY.jwk)
        assert not is_signature(MESSAGE, KEY.der(MESSAGE), KEY.jwk)

    @pytest.mark.parametrize("half", [0, 1])
    def test_numbers_out_of_range_are_invalid(self, half: int) -> None:
        valid = [int.from_bytes(SIGNATURE[:32], "big"), int.from_bytes(SIGNATURE[32:], "big")]
        for number in (0, ORDER, ORDER + 1, PRIME, PRIME + 1, 2**256 - 1, *SPECIAL):
            changed = list(valid)
            changed[half] = number
            assert not is_valid(MESSAGE, numbers(*changed), KEY.jwk)

    def test_pairs_of_special_numbers_are_invalid(self) -> None:
        special = (0, 1, 2, ORDER - 1, ORDER, ORDER + 1, PRIME - 1, PRIME, PRIME + 1, 2**256 - 1)
        for r in special:
            for s in special:
                assert not is_valid(MESSAGE, numbers(r, s), KEY.jwk)

    def test_a_number_plus_the_order_is_no_other_form(self) -> None:
        """R and S below 2^256 - N have a second representation in 32 bytes, which is out of range."""
        factor = 0xDEADBEEF
        x, _ = product(factor)
        for s in (1, 2, 3):
            secret = (factor * s - digest()) * pow(x, -1, ORDER) % ORDER
            key = jwk(*product(secret))
            assert is_valid(MESSAGE, numbers(x, s), key)
            assert not is_valid(MESSAGE, numbers(x, s + ORDER), key)


class TestSpecialFactors:
    """The signature is R = u1 G + u2 Q. Keys are computed so that the factors are these."""

    R = 0x1234567890ABCDEF
    X = product(R)[0] % ORDER

    @pytest.mark.parametrize("u1", SPECIAL)
    def test_first_factor(self, u1: int) -> None:
        s = digest() * pow(u1, -1, ORDER) % ORDER
        secret = (self.R - u1) * s * pow(self.X, -1, ORDER)
        assert is_valid(MESSAGE, numbers(self.X, s), jwk(*product(secret)))
        assert not is_valid(MESSAGE, numbers(self.X, s), jwk(*product(secret + 1)))

    @pytest.mark.parametrize("u2", SPECIAL)
    def test_second_factor(self, u2: int) -> None:
        s = self.X * pow(u2, -1, ORDER) % ORDER
        secret = (self.R - digest() * pow(s, -1, ORDER)) * pow(u2, -1, ORDER)
        assert is_valid(MESSAGE, numbers(self.X, s), jwk(*product(secret)))
        assert not is_valid(MESSAGE, numbers(self.X, s), jwk(*product(secret + 1)))

    @pytest.mark.parametrize("secret", SPECIAL)
    def test_a_special_private_key(self, secret: int) -> None:
        for factor in (1, 2, ORDER - 1, 12345):  # the random number of the signature
            r = product(factor)[0] % ORDER
            s = (digest() + r * secret) * pow(factor, -1, ORDER) % ORDER
            assert is_valid(MESSAGE, numbers(r, s), jwk(*product(secret)))
            assert not is_valid(MESSAGE + b"x", numbers(r, s), jwk(*product(secret)))

    def test_both_products_are_the_same_point(self) -> None:
        s = 2 * digest() * pow(self.R, -1, ORDER) % ORDER
        assert is_valid(MESSAGE, numbers(self.X, s), jwk(*product(digest() * pow(self.X, -1, ORDER))))

    @pytest.mark.parametrize("s", [1, 2, 12345, ORDER - 1])
    def test_the_sum_is_infinity(self, s: int) -> None:
        assert not is_valid(MESSAGE, numbers(self.X, s), jwk(*product(-digest() * pow(self.X, -1, ORDER))))

    def test_a_digest_of_zero(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Then the first factor is 0. No such message is known."""

        class Zero:
            def __init__(self, message: bytes) -> None:
                del message

            def digest(self) -> bytes:
                return bytes(32)

        monkeypatch.setattr(p256, "sha256", Zero)
        secret = 4711
        s = self.X * secret * pow(self.R, -1, ORDER) % ORDER
        assert is_signature(b"zero", numbers(self.X, s), jwk(*product(secret)))
        assert not is_signature(b"zero", numbers(self.X, s), jwk(*product(secret + 1)))

    def test_the_abscissa_is_not_below_the_order(self) -> None:
        """Then R is the abscissa minus N, for which the affine comparison of x and R alone is not enough."""
        x = next(x for x in range(ORDER + 1, PRIME) if square_root(x**3 - 3 * x + B) is not None)
        y = square_root(x**3 - 3 * x + B)
        r, s = x - ORDER, 4711
        u1, u2 = digest() * pow(s, -1, ORDER) % ORDER, r * pow(s, -1, ORDER) % ORDER
        minus = product(-u1)
        difference = p256._add((x, y or 0, 1), (*minus, 1))
        key_x, key_y = affine(multiplied(pow(u2, -1, ORDER), difference))
        assert is_valid(MESSAGE, numbers(r, s), jwk(key_x, key_y))
        assert not is_valid(MESSAGE, numbers(r + 1, s), jwk(key_x, key_y))
        assert not is_signature(MESSAGE, numbers(x, s), jwk(key_x, key_y))


def multiplied(factor: int, point: tuple[int, int, int]) -> tuple[int, int, int]:
    result = (0, 1, 0)
    for bit in f"{factor:b}":
        result = p256._double(result)
        if bit == "1":
            result = p256._add(result, point)
    return result


def affine(point: tuple[int, int, int]) -> tuple[int, int]:
    x, y, z = point
    inverse = pow(z, -1, PRIME)
    return x * inverse**2 % PRIME, y * inverse**3 % PRIME


class TestPoints:
    @examples(100)
    @given(st.integers(0, ORDER), st.integers(0, ORDER))
    def test_sums_are_those_of_the_library(self, first: int, second: int) -> None:
        found = p256._add(multiplied(first, (*product(1), 1)), multiplied(second, (*product(1), 1)))
        assert (found[2] == 0) == ((first + second) % ORDER == 0)
        assert found[2] == 0 or affine(found) == product(first + second)

    def test_infinity_is_neutral(self) -> None:
        infinity, point = (0, 1, 0), (*product(5), 1)
        assert p256._add(infinity, point) == point == p256._add(point, infinity)
        assert p256._double(infinity)[2] == 0
        assert p256._add(infinity, infinity)[2] == 0
        assert p256._add(point, (point[0], PRIME - point[1], 1))[2] == 0
        assert affine(p256._add(point, point)) == product(10)


class TestKeys:
    @examples(100)
    @given(st.integers(0, 2**256 - 1), st.integers(0, 2**256 - 1))
    def test_random_coordinates_are_no_key(self, x: int, y: int) -> None:
        assert not is_signature(MESSAGE, SIGNATURE, jwk(x, y))

    @pytest.mark.parametrize("x", [0, *(number for number in SPECIAL if number < 2**256), PRIME - 1, PRIME - 2])
    def test_each_point_with_a_special_abscissa_is_a_key(self, x: int) -> None:
        root = square_root(x**3 - 3 * x + B)
        if root is None:
            with pytest.raises(ValueError, match="no point"):
                public_point(jwk(x, 1))
            return
        for y in (root, PRIME - root):
            assert not is_valid(MESSAGE, SIGNATURE, jwk(x, y))

    def test_a_coordinate_that_is_not_reduced_is_refused(self) -> None:
        x = 5
        y = square_root(x**3 - 3 * x + B) or 0
        assert public_point(jwk(x, y)) == (x, y)
        with pytest.raises(ValueError, match="coordinate"):
            public_point(jwk(x + PRIME, y))

    @pytest.mark.parametrize("point", [(0, 0), (0, 1), (PRIME, 0), (PRIME, 1), (1, 0), (2**256 - 1, 2**256 - 1)])
    def test_infinity_and_other_points_are_refused(self, point: tuple[int, int]) -> None:
        with pytest.raises(ValueError, match=r"point|coordinate"):
            public_point(jwk(*point))

    def test_the_negated_key_is_another(self) -> None:
        x, y = public_point(KEY.jwk)
        assert not is_valid(MESSAGE, SIGNATURE, jwk(x, PRIME - y))

    @pytest.mark.parametrize(
        "change",
        [
            {"kty": "RSA"},
            {"kty": None},
            {"crv": "P-384"},
            {"crv": "secp256k1"},
            {"crv": "p-256"},
            {"x": None},
            {"x": 5},
            {"x": ""},
            {"x": KEY.jwk["x"] + "="},
            {"x": KEY.jwk["x"][:-1]},
            {"x": "AA" + KEY.jwk["x"]},
            {"y": b64(bytes(33))},
            {"y": KEY.jwk["y"].encode()},
            {"y": KEY.jwk["x"]},
        ],
        ids=str,
    )
    def test_another_form_is_refused(self, change: dict[str, Any]) -> None:
        assert not is_signature(MESSAGE, SIGNATURE, KEY.jwk | change)
        with pytest.raises(ValueError, match=r"curve|point|coordinate|base64url"):
            public_point(KEY.jwk | change)
