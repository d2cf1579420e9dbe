"""Rules that rewrite targets: one URL prefix to another, or the matches of an RE2 pattern.

A prefix ends where a host or a path does, or inside a path. So `https://old.example` is no prefix of
`https://old.example.net/`. Scheme and host are compared without regard to case.

>>> rule = RetargetRule(from_prefix="https://old.example", to_prefix="https://new.example/archive")
>>> new_target(rule, "https://OLD.example/items/7"), new_target(rule, "https://old.example.net/items/7")
('https://new.example/archive/items/7', None)
"""

import re
from typing import Final

from coolid.identifiers.patterns import replaced
from coolid.model.jobs import RetargetRule
from coolid.model.records import Record

_ORIGIN: Final = re.compile(r"(?i:https?)://[^/?#]*")


def new_target(rule: RetargetRule, uri: str) -> str | None:
    """Return the target that a rule makes of a target, or None if the rule does not change it."""
    if rule.from_prefix is not None and rule.to_prefix is not None:
        rest = _rest_after(rule.from_prefix, uri)
        result = None if rest is None else rule.to_prefix + rest
    else:
        result = replaced(rule.pattern or "", rule.replacement or "", uri)
    return None if result == uri else result


def changed_target(rule: RetargetRule, record: Record) -> tuple[str, str] | None:
    """Return the first target of a record that a rule changes, before and after, or None."""
    for location in record.records:
        target = new_target(rule, location.uri)
        if target is not None:
            return location.uri, target
    return None


def _rest_after(prefix: str, uri: str) -> str | None:
    """Return what follows a prefix in a URL, or None if the URL does not begin with it."""
    origin = _ORIGIN.match(prefix)
    length = origin.end() if origin else 0
    head = uri[: len(prefix)]
    if head[:length].lower() != prefix[:length].lower() or head[length:] != prefix[length:]:
        return None
    rest = uri[len(prefix) :]
    is_within_host = length == len(prefix) and rest[:1] not in ("", "/", "?", "#")
    return None if is_within_host else rest
