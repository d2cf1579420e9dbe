"""Warnings about suspicious targets of a record, for the clients that write it.

They are never part of the record, which is signed. Responses with one record have the header `Target-Warning`, a list
of strings (RFC 9651), each with the JSON pointer to its target in the record:

    Target-Warning: "its host xn--pple-43d.com: xn--pple-43d mixes scripts: Cyrillic, Latin";at="/records/0/uri"

Responses with many records have `target_warnings(record)` as a member, in the form of a problem's `errors`.
"""

from typing import Final

from coolid.identifiers.target_policy import objection, warning
from coolid.model.records import Record

HEADER: Final = "Target-Warning"
MAX_WARNINGS: Final = 5
MAX_WARNING_LENGTH: Final = 500
"""At most so many reasons of so many characters, because API Gateway limits headers."""


def target_warnings(record: Record) -> list[dict[str, str]]:
    """Return the warnings, each with the `pointer` to its target and its `detail`.

    They include targets stored before the rule that they break was introduced.
    """
    reasons = ((at, objection(each.uri) or warning(each.uri)) for at, each in enumerate(record.records))
    return [
        {"pointer": f"/records/{at}/uri", "detail": reason[:MAX_WARNING_LENGTH]} for at, reason in reasons if reason
    ]


def target_warning(record: Record) -> str | None:
    """Return the value of the header with the first warnings, None without any."""
    warnings = target_warnings(record)[:MAX_WARNINGS]
    return ", ".join(f"{_string(each['detail'])};at={_string(each['pointer'])}" for each in warnings) or None


def _string(text: str) -> str:
    r"""Return a string of RFC 9651, with `?` for characters outside printable ASCII.

    >>> print(_string('say "é"'))
    "say \"?\""
    """
    printable = "".join(symbol if " " <= symbol <= "~" else "?" for symbol in text)
    return '"' + printable.replace("\\", "\\\\").replace('"', '\\"') + '"'
