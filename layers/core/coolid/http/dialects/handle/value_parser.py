"""A parser of the JSON handle values that clients send; an error has the JSON pointer of the wrong member.

Specification: Handle.Net Technical Manual, section 14 ("HTTP JSON REST API"). Values are stored as sent, except what a
Handle server normalises too: data may be a plain text, and numbers in it may be texts.

>>> read_value({"index": 300, "type": "HS_SECKEY", "data": "secret"}, "/values/0")
Traceback (most recent call last):
...
coolid.errors.InvalidInput: /values/0/type: HS_SECKEY is a secret, and all values here are public
"""

import re
from base64 import b64decode
from binascii import unhexlify
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, Final

from coolid.errors import InvalidInput
from coolid.http.dialects.handle.values import Value, is_type, parse_number, string_data
from coolid.model.records import RFC_3339
from coolid.strict_json import dump

SECRET: Final = "HS_SECKEY"  # noqa: S105 - the name of a type

MAX_VALUES: Final = 500
MAX_INDEX: Final = 2**31 - 1
MAX_TYPE_LENGTH: Final = 500

_PUBLIC: Final = re.compile(r"\*|[01]{2}1[01]")  # admin read, admin write, public read, public write
_PERMISSIONS: Final = re.compile(r"[01]{1,12}")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_PRIVATE: Final = ("d", "k", "dp", "dq", "qi")  # RFC 7518, section 6: members that only private keys have


def read_values(document: Any) -> tuple[Value, ...]:
    """Return the values of an array, an object with `values`, or one value. Raises `InvalidInput`."""
    at = ""
    if isinstance(document, dict) and "values" in document:
        document, at = document["values"], "/values"
    elif isinstance(document, dict) and {"index", "type", "data"} <= document.keys():
        document = [document]
    if not isinstance(document, list):
        raise InvalidInput.at(at, "it must be an array of handle values, or an object with them as values")
    if len(document) > MAX_VALUES:
        raise InvalidInput.at(at, f"there are {len(document)} values, more than {MAX_VALUES}")
    values: dict[int, Value] = {}
    for position, each in enumerate(document):
        value = read_value(each, f"{at}/{position}")
        if value.index in values:
            raise InvalidInput.at(f"{at}/{position}/index", f"the index {value.index} is not unique")
        values[value.index] = value
    return tuple(values.values())


def read_value(document: Any, at: str) -> Value:
    """Return one value, whose JSON pointer is `at`; raise `InvalidInput` with the pointer of a wrong member."""
    if not isinstance(document, dict):
        raise InvalidInput.at(at, "a handle value is an object")
    kind = document.get("type")
    if not isinstance(kind, str) or not 0 < len(kind) <= MAX_TYPE_LENGTH or _CONTROL.search(kind):
        raise InvalidInput.at(f"{at}/type", f"a type is a text of 1 to {MAX_TYPE_LENGTH} characters on one line")
    if is_type(kind.strip(), f"{SECRET}."):
        raise InvalidInput.at(f"{at}/type", f"{SECRET} is a secret, and all values here are public")
    permissions = document.get("permissions")
    if permissions is not None and not (isinstance(permissions, str) and _PUBLIC.fullmatch(permissions)):
        reason = "they must be four of 0 and 1, the third of them 1, because records are public"
        raise InvalidInput.at(f"{at}/permissions", reason)
    references = document.get("references")
    return Value(
        index=_index(document.get("index"), f"{at}/index"),
        type=kind,
        data=_data(document.get("data"), f"{at}/data"),
        ttl=_ttl(document.get("ttl"), f"{at}/ttl"),
        permissions=permissions,
        references=(None if references is None else _references(references, f"{at}/references")) or None,
    )


def _index(value: Any, at: str, *, minimum: int = 1) -> int:
    number = parse_number(value) if isinstance(value, str) else value  # a text, as pyhandle sends it
    if type(number) is not int or not minimum <= number <= MAX_INDEX:
        raise InvalidInput.at(at, f"an index is a whole number from {minimum} to {MAX_INDEX}")
    return number


def _ttl(ttl: Any, at: str) -> int | str | None:
    if ttl is None or (type(ttl) is int and 0 <= ttl <= MAX_INDEX):
        return ttl
    with suppress(ValueError):
        if isinstance(ttl, str) and re.fullmatch(RFC_3339, ttl):
            datetime.fromisoformat(ttl)
            return ttl
    raise InvalidInput.at(at, f"it must be seconds from 0 to {MAX_INDEX}, or a time in ISO 8601")


def _data(data: Any, at: str) -> dict[str, Any]:
    if isinstance(data, str | int | float):
        return string_data(_string(data, at))
    if not isinstance(data, dict) or not isinstance(data.get("format"), str) or "value" not in data:
        raise InvalidInput.at(at, "data is a text, or an object with format and value")
    form, value = data["format"].lower(), data["value"]
    read = _FORMATS.get(form)
    if read is None:
        raise InvalidInput.at(f"{at}/format", f"the format is one of {', '.join(_FORMATS)}")
    return {"format": form, "value": read(value, f"{at}/value")}


def _string(value: Any, at: str) -> str:
    if not isinstance(value, str | int | float):  # including booleans, which a Handle server reads as text
        raise InvalidInput.at(at, "it is not a text")
    return value if isinstance(value, str) else dump(value)


def _decodable(decode: Callable[[Any], Any], reason: str, value: Any, at: str) -> str:
    try:
        decode(value)
    except (ValueError, TypeError):
        raise InvalidInput.at(at, reason) from None
    assert isinstance(value, str)
    return value


def _admin(value: Any, at: str) -> dict[str, Any]:
    named = _reference(value, at)
    permissions = value.get("permissions", "0" * 12)
    if not isinstance(permissions, str) or not _PERMISSIONS.fullmatch(permissions):
        raise InvalidInput.at(f"{at}/permissions", "they must be up to twelve of 0 and 1")
    return {**named, "permissions": permissions}


def _reference(value: Any, at: str) -> dict[str, Any]:
    if not isinstance(value, dict) or not isinstance(value.get("handle"), str):
        raise InvalidInput.at(at, "a reference is an object with a handle and an index")
    return {"handle": value["handle"], "index": _index(value.get("index", 0), f"{at}/index", minimum=0)}


def _references(value: Any, at: str) -> list[dict[str, Any]]:
    if not isinstance(value, list) or len(value) > MAX_VALUES:
        raise InvalidInput.at(at, "it is an array of references")
    return [_reference(each, f"{at}/{position}") for position, each in enumerate(value)]


def _object(value: Any, at: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInput.at(at, "it is not an object")
    return value


def _key(value: Any, at: str) -> dict[str, Any]:
    key = _object(value, at)
    if any(name in key for name in _PRIVATE):
        raise InvalidInput.at(at, "it is a private key, but records are public")
    return key


_FORMATS: Final[dict[str, Callable[[Any, str], Any]]] = {
    "string": _string,
    "base64": partial(_decodable, partial(b64decode, validate=True), "it is not base64"),
    "hex": partial(_decodable, unhexlify, "it is not pairs of hexadecimal digits"),
    "admin": _admin,
    "vlist": _references,
    "site": _object,
    "key": _key,
}
