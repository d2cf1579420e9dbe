"""Structured Fields (RFC 9651): a Dictionary of Strings, Display Strings, Tokens and Inner Lists, read strictly.

>>> choice_of('provider="a\\\\"b", reason=all-down, down=("x" %"gr%c3%b6%c3%9fe")')
{'provider': 'a"b', 'reason': 'all-down', 'down': ['x', 'größe']}
"""

import re
from urllib.parse import unquote

_STRING = r'"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"'
_DISPLAY = r'%"(?:[\x20-\x21\x23\x24\x26-\x7e]|%[0-9a-f]{2})*"'
_TOKEN = r"[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*"
_ITEM = f"(?:{_STRING}|{_DISPLAY}|{_TOKEN})"
_LIST = rf"\( *(?:{_ITEM}(?: +{_ITEM})* *)?\)"
_MEMBER = rf"([a-z*][a-z0-9_.*-]*)=({_ITEM}|{_LIST})"


def choice_of(header: str) -> dict[str, str | list[str]]:
    """Parse the header. It fails if this is no such Dictionary, or has a member twice."""
    assert re.fullmatch(rf"{_MEMBER}(?:[ \t]*,[ \t]*{_MEMBER})*", header), header
    members: dict[str, str | list[str]] = {}
    for key, value in re.findall(_MEMBER, header):
        assert key not in members, header
        members[key] = [_bare(each) for each in re.findall(_ITEM, value)] if value[0] == "(" else _bare(value)
    return members


def _bare(item: str) -> str:
    if item[0] == '"':
        return re.sub(r"\\(.)", r"\1", item[1:-1])
    return unquote(item[2:-1], errors="strict") if item[:2] == '%"' else item
