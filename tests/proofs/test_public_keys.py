"""Public keys and signatures in JOSE's format, equal to those of two other libraries; only P-256."""

import json
from base64 import urlsafe_b64decode
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import example, given
from hypothesis import strategies as st
from jwcrypto import jwk

from coolid.proofs.statements import ORDER, low_s_form, public_jwk, raw_signature
from tests.support.builders.signed_documents import Key

KEY = Key(7)
PUBLIC = KEY.private.public_key()
DER = PUBLIC.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
PEM = PUBLIC.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
PRIVATE_PEM = KEY.private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

# RFC 7517, appendix A.1: the key named "1".
RFC_KEY = {
    "kty": "EC",
    "crv": "P-256",
    "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
    "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
}


def private_jwk() -> dict[str, Any]:
    exported: dict[str, Any] = json.loads(jwk.JWK.from_pem(PRIVATE_PEM).export_private())
    return exported


class TestPublicKeys:
    @pytest.mark.parametrize("encoded", [DER, PEM, PRIVATE_PEM, KEY.jwk], ids=["DER", "PEM", "private", "JWK"])
    def test_they_are_the_same_in_whatever_form_they_come(self, encoded: Any) -> None:
        assert public_jwk(encoded) == KEY.jwk

    @given(st.integers(1, 10**6))
    def test_another_library_reads_the_same_key_and_gives_it_the_same_name(self, secret: int) -> None:
        key = Key(secret)
        returned = public_jwk(key.private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
        read = jwk.JWK(**returned)
        assert read.thumbprint() == returned["kid"]
        assert read.export_to_pem() == key.private.public_key().public_bytes(
            Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
        )

    def test_coordinates_keep_their_leading_zeros(self) -> None:
        """RFC 7518, section 6.2.1.2: 32 octets, whatever the number."""
        short = next(key for key in map(Key, range(1, 2_000)) if key.private.public_key().public_numbers().x < 2**248)
        returned = public_jwk(short.private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
        assert returned == short.jwk
        assert len(urlsafe_b64decode(returned["x"] + "=")) == 32

    def test_the_name_is_the_thumbprint_of_rfc_7638(self) -> None:
        assert public_jwk(RFC_KEY)["kid"] == jwk.JWK(**RFC_KEY).thumbprint()
        assert public_jwk(RFC_KEY | {"kid": "1", "use": "enc", "alg": "ECDH-ES"}) == public_jwk(RFC_KEY)

    def test_private_members_of_keys_are_never_shown(self) -> None:
        returned = public_jwk(private_jwk() | {"x5u": "https://evil.example/", "key_ops": ["sign"]})
        assert returned == KEY.jwk
        assert returned.keys() == {"kty", "crv", "x", "y", "kid", "alg", "use"}

    def test_its_members_are_texts(self) -> None:
        assert all(type(value) is str for value in public_jwk(DER).values())


def spki(key: Any) -> bytes:
    encoded: bytes = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return encoded


RSA = rsa.generate_private_key(65_537, 2_048)
NO_KEYS: dict[str, Any] = {
    "P-384": spki(ec.generate_private_key(ec.SECP384R1())),
    "P-521": spki(ec.generate_private_key(ec.SECP521R1())),
    "secp256k1": spki(ec.generate_private_key(ec.SECP256K1())),
    "a curve that JOSE does not know": spki(ec.generate_private_key(ec.SECP224R1())),
    "RSA": spki(RSA),
    "RSA in PEM": RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
    "Ed25519": spki(ed25519.Ed25519PrivateKey.generate()),
    "a point that is not on the curve": RFC_KEY | {"y": RFC_KEY["x"]},
    "the point in compressed form": PUBLIC.public_bytes(Encoding.X962, PublicFormat.CompressedPoint),
    "half of the DER": DER[:40],
    "a signature": KEY.der(b"a"),
    "nothing": b"",
    "garbage": b"\xa5" * 91,
    "HTML": b"<html>",
    "an empty JWK": {},
    "a JWK without y": {name: value for name, value in RFC_KEY.items() if name != "y"},
    "a JWK with a number for x": RFC_KEY | {"x": 7},
    "a JWK with short coordinates": RFC_KEY | {"x": "AQ", "y": "AQ"},
    "a symmetric JWK": {"kty": "oct", "k": "AQ"},
    "an RSA JWK": {"kty": "RSA", "n": "AQ", "e": "AQAB"},
    "an OKP JWK": {"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},
}


@pytest.mark.parametrize("what", NO_KEYS)
def test_what_is_no_public_key_on_p256_is_a_value_error(what: str) -> None:
    with pytest.raises(ValueError, match=r"P-256|elliptic curve"):
        public_jwk(NO_KEYS[what])


NO_SIGNATURES: dict[str, bytes] = {
    "nothing": b"",
    "the raw form": b"\xa5" * 64,
    "garbage": b"\xa5" * 70,
    "one byte less": KEY.der(b"a")[:-1],
    "one byte more": KEY.der(b"a") + b"\0",
    "a first number that is too large": encode_dss_signature(2**256, 1),
    "a second number that is too large": encode_dss_signature(1, 2**256),
    "a negative number": b"\x30\x06\x02\x01\xff\x02\x01\x01",
    "a signature on P-384": Key(1, ec.SECP384R1()).der(b"a"),
}


class TestSignatures:
    numbers = st.integers(1, 2**256 - 1) | st.integers(1, 2**248)

    @given(numbers, numbers)
    def test_they_are_both_numbers_in_thirty_two_bytes_each(self, r: int, s: int) -> None:
        raw = raw_signature(encode_dss_signature(r, s))
        assert len(raw) == 64
        assert (int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")) == (r, s)

    @given(st.binary(min_size=32, max_size=32), st.integers(1, ORDER - 1))
    @example(bytes(32), ORDER // 2)
    @example(bytes(32), ORDER // 2 + 1)
    def test_of_two_forms_the_low_one_is_chosen(self, r: bytes, s: int) -> None:
        both = {r + s.to_bytes(32), r + (ORDER - s).to_bytes(32)}
        low = {low_s_form(each) for each in both}
        assert low == {min(both)}
        assert {low_s_form(each) for each in low} == low

    @pytest.mark.parametrize(
        "octets", [b"", bytes(63), bytes(64), b"\xff" * 64, bytes(32) + ORDER.to_bytes(32), b"\xff" * 65]
    )
    def test_what_has_no_other_form_stays_as_it_is(self, octets: bytes) -> None:
        assert low_s_form(octets) == octets

    @pytest.mark.parametrize("what", NO_SIGNATURES)
    def test_what_is_none_is_a_value_error(self, what: str) -> None:
        with pytest.raises(ValueError, match=r".*"):
            raw_signature(NO_SIGNATURES[what])
