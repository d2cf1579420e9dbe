"""The JSON Canonicalization Scheme (RFC 8785): one sequence of bytes for each JSON value.

Members are sorted by the UTF-16 code units of their names, there is no white space, and numbers are written as in
ECMAScript (ECMA-262, Number::toString). orjson writes texts and whole numbers as the scheme does.

>>> canonical({"b": 1.0, "a": [1e21, 0.000001, "é"]})
b'{"a":[1e+21,0.000001,"\\xc3\\xa9"],"b":1}'
"""

from math import isfinite
from typing import Any, Final

from coolid.strict_json import MAX_EXACT_INTEGER

_MOST_DIGITS: Final = 21
"""Numbers below 10^21 are written without an exponent."""
_MOST_ZEROS: Final = 5
"""Numbers from 10^-6 on are written without an exponent: with this many zeros after the point."""


def canonical(value: Any) -> bytes:
    """Return a JSON value in the form of RFC 8785. Raises `ValueError` for a value that has none."""
    import orjson

    try:
        if _is_simple(value):
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        return orjson.dumps(_prepared(value))
    except TypeError as error:  # a lone surrogate, or too many levels
        raise ValueError(f"the value has no form in RFC 8785: {error}") from error


def _is_simple(value: Any) -> bool:
    """Return whether orjson alone writes the canonical form: no float, and names whose order in UTF-8 is the same.

    No integer may be beyond those of JSON (RFC 7493).
    """
    kind = type(value)
    if kind is dict:
        return all(type(name) is str and name.isascii() for name in value) and all(map(_is_simple, value.values()))
    if kind is list:
        return all(map(_is_simple, value))
    return value is None or kind is str or kind is bool or (kind is int and abs(value) <= MAX_EXACT_INTEGER)


def _prepared(value: Any) -> Any:
    """Return a value that orjson writes in the canonical form: with sorted members, and floats as text."""
    import orjson

    match value:
        case None | bool() | str():
            return value
        case int():
            if abs(value) > MAX_EXACT_INTEGER:
                raise ValueError("a whole number beyond 2^53 - 1 has no form in RFC 8785")
            return int(value)
        case float():
            return orjson.Fragment(_float_text(value))
        case list() | tuple():
            return [_prepared(inner) for inner in value]
        case dict() if all(isinstance(name, str) for name in value):
            return {name: _prepared(value[name]) for name in sorted(value, key=_utf_16)}
    raise ValueError(f"a {type(value).__name__} has no form in RFC 8785")


def _utf_16(name: str) -> bytes:
    """Return a text as UTF-16, whose bytes sort as its code units do. A lone surrogate fails later, as text."""
    return name.encode("utf-16-be", "surrogatepass")


def _float_text(value: float) -> str:
    """Return a number as ECMAScript writes it: the shortest digits that lead back to it, as `repr` also finds them."""
    if not isfinite(value):
        raise ValueError(f"{value} has no form in RFC 8785")
    if value == 0:
        return "0"  # also the negative zero
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))  # its place in the digits
    digits = digits.rstrip("0")
    if len(digits) <= point <= _MOST_DIGITS:
        text = digits.ljust(point, "0")
    elif 0 < point <= _MOST_DIGITS:
        text = f"{digits[:point]}.{digits[point:]}"
    elif -_MOST_ZEROS <= point <= 0:
        text = f"0.{'0' * -point}{digits}"
    else:
        text = f"{digits[0]}{'.' + digits[1:] if digits[1:] else ''}e{point - 1:+d}"
    return f"-{text}" if value < 0 else text
