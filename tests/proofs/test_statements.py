"""Proofs: a signature is of one message and one key; anything else is refused, however odd it is."""

from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from coolid.proofs.canonical_json import canonical
from coolid.proofs.statements import base64url, is_signature
from tests.support.effort import examples
from tests.support.fixtures.ports import KeySigner

SIGNERS = KeySigner(), KeySigner()
JWK = dict(SIGNERS[0].public_key())
MESSAGE = b"a message"
SIGNATURE = SIGNERS[0].sign(MESSAGE)

anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary().map(base64url),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=4,
)


ascii_text = st.text(st.characters(max_codepoint=0x7F))
mixed_text = st.text(st.sampled_from('aé\ud7ff\ue000\uffff\U00010000\U0010ffff"\\\n\x7f'), max_size=3)
"""Texts whose order by UTF-16 code units differs from that of their characters (RFC 8785, section 3.2.3)."""
ascii_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | ascii_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ascii_text, inner, max_size=4),
)


exact_floats = st.floats(allow_nan=False, allow_infinity=False) | st.builds(
    lambda digits, exponent: float(f"{digits}e{exponent}"), st.integers(1, 10**17), st.integers(-40, 25)
)
floats_and_names = st.recursive(
    exact_floats | mixed_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(mixed_text, inner, max_size=4),
)


@examples(1000)
@given(ascii_values | anything | floats_and_names)
def test_the_canonical_form_is_that_of_rfc_8785(value: Any) -> None:
    try:
        expected = rfc8785.dumps(value)
    except rfc8785.CanonicalizationError:
        with pytest.raises(ValueError, match="RFC 8785"):
            canonical(value)
    else:
        assert canonical(value) == expected


def test_an_unusual_value_has_the_form_of_rfc_8785_or_none() -> None:
    for value in (
        -0.0,
        5e-324,
        1.7976931348623157e308,
        1e21,
        1e20,
        123456789012345680000.0,
        1e-6,
        1e-7,
        (1, (2.5,)),
        True,
    ):
        assert canonical([value]) == rfc8785.dumps([value])
    for none in (
        float("nan"),
        float("inf"),
        2**53,
        -(2**53),
        2**53 + 0.5 + 1j,
        b"x",
        {1: 2},
        {1: 2.5},
        "\ud800",
        {"\udfff": 1.5},
    ):
        with pytest.raises(ValueError, match="RFC 8785"):
            canonical([none])


def test_every_ascii_character_is_written_as_in_rfc_8785() -> None:
    texts = [chr(code) for code in range(0x80)]
    assert canonical(dict.fromkeys(texts, texts)) == rfc8785.dumps(dict.fromkeys(texts, texts))


@given(st.binary())
def test_a_signature_is_of_its_message_and_key_and_of_no_other(message: bytes) -> None:
    signer, other = SIGNERS
    signature = signer.sign(message)
    assert is_signature(message, signature, signer.public_key())
    assert not is_signature(message + b"x", signature, signer.public_key())
    assert not is_signature(message, signature, other.public_key())


@given(st.binary(max_size=80))
def test_bytes_that_are_no_signature_are_none(signature: bytes) -> None:
    assert not is_signature(MESSAGE, signature, JWK)


@pytest.mark.parametrize("at", range(64))
def test_a_signature_with_one_bit_changed_is_none(at: int) -> None:
    changed = bytearray(SIGNATURE)
    changed[at] ^= 1
    assert not is_signature(MESSAGE, bytes(changed), JWK)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(("kty", "crv", "x", "y"), anything)))
def test_what_is_no_key_on_p_256_made_no_signature(key: dict[str, Any]) -> None:
    assert not is_signature(MESSAGE, SIGNATURE, key)


@given(st.sampled_from(["crv", "x", "y"]), anything)
def test_a_key_of_which_one_member_is_another_made_no_signature(name: str, value: Any) -> None:
    assert is_signature(MESSAGE, SIGNATURE, JWK)
    assert not is_signature(MESSAGE, SIGNATURE, JWK | {name: value})


@pytest.mark.parametrize("curve", ["P-384", "P-521", "secp256k1"])
def test_a_key_on_another_curve_made_no_signature(curve: str) -> None:
    from joserfc.jwk import ECKey

    other = ECKey.generate_key(curve)
    assert not is_signature(MESSAGE, SIGNATURE, other.as_dict(private=False))
