"""The arguments of OAI-PMH requests (sections 3.1.1 and 4), and the errors in them (section 3.6).

>>> parse([("verb", "GetRecord"), ("identifier", "oai:id.example.org:x"), ("metadataPrefix", "oai_dc")]).identifier
'oai:id.example.org:x'
>>> parse([("verb", "Identify"), ("from", "2026-01-01")])
Traceback (most recent call last):
    ...
coolid.http.dialects.oai.arguments.ProtocolError: Identify takes no argument from
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from msgspec import Struct

from coolid.http.formats.xml_elements import xml_text

BAD_ARGUMENT: Final = "badArgument"
BAD_TOKEN: Final = "badResumptionToken"  # noqa: S105 - it is the name of an error
BAD_VERB: Final = "badVerb"
NO_SUCH_FORMAT: Final = "cannotDisseminateFormat"
NO_SUCH_ITEM: Final = "idDoesNotExist"
NO_MATCH: Final = "noRecordsMatch"
NO_SETS: Final = "noSetHierarchy"

LIST_RECORDS: Final = "ListRecords"
LIST_IDENTIFIERS: Final = "ListIdentifiers"
LISTS: Final = (LIST_RECORDS, LIST_IDENTIFIERS)
TOKEN: Final = "resumptionToken"  # noqa: S105 - it is the name of an argument
_PERIOD: Final = ("from", "until", "set")
_VERBS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "Identify": ((), ()),
    "ListMetadataFormats": ((), ("identifier",)),
    "ListSets": ((), ()),
    LIST_IDENTIFIERS: (("metadataPrefix",), _PERIOD),
    LIST_RECORDS: (("metadataPrefix",), _PERIOD),
    "GetRecord": (("identifier", "metadataPrefix"), ()),
}
"""The required and the optional arguments of each verb."""
_RESUMABLE: Final = ("ListSets", *LISTS)
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?")
_MAX_BYTES: Final = 4_000


class ProtocolError(Exception):
    """An error of the protocol, with its code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Arguments(Struct, frozen=True):
    """The `verb` of a request, and all its arguments, `verb` included, as they were `sent`."""

    verb: str
    sent: Mapping[str, str]

    @property
    def identifier(self) -> str | None:
        """The identifier of an item, if the request has one."""
        return self.sent.get("identifier")

    @property
    def token(self) -> str | None:
        """The resumption token, if the request has one."""
        return self.sent.get(TOKEN)


def parse(pairs: Sequence[tuple[str, str]]) -> Arguments:
    """Return the arguments of a request. Raises `ProtocolError`."""
    counts = Counter(name for name, _ in pairs)
    sent = dict(pairs)
    verb = sent.pop("verb", "")
    if counts["verb"] != 1 or verb not in _VERBS:
        raise ProtocolError(BAD_VERB, f"the request must have one verb: {', '.join(_VERBS)}")
    required, optional = _VERBS[verb]
    if TOKEN in sent and verb in _RESUMABLE:
        required, optional = (TOKEN,), ()
    for name, count in counts.items():
        if name not in ("verb", *required, *optional):
            others = f" besides {TOKEN}" if required == (TOKEN,) else ""
            raise ProtocolError(BAD_ARGUMENT, f"{verb} takes no argument {_shown(name)}{others}")
        if count > 1:
            raise ProtocolError(BAD_ARGUMENT, f"the argument {name} is repeated")
    for name, value in sent.items():
        if not value or xml_text(value) != value or len(value.encode()) > _MAX_BYTES:
            raise ProtocolError(BAD_ARGUMENT, f"the argument {name} is empty or too long, or has illegal characters")
    missing = [name for name in required if name not in sent]
    if missing:
        raise ProtocolError(BAD_ARGUMENT, f"{verb} needs the argument {' and '.join(missing)}")
    return Arguments(verb, {"verb": verb, **sent})


def period(since: str | None, until: str | None) -> tuple[datetime | None, datetime | None]:
    """Return the first and the last moment of a period, both included. Raises `ProtocolError`.

    >>> first, last = period("2026-05-04", "2026-05-04")
    >>> str(first), str(last)
    ('2026-05-04 00:00:00+00:00', '2026-05-04 23:59:59+00:00')
    """
    if since and until and len(since) != len(until):
        raise ProtocolError(BAD_ARGUMENT, "from and until must have the same granularity")
    first = _moment("from", since) if since else None
    last = _moment("until", until) if until else None
    if last and until and "T" not in until:
        last += timedelta(hours=23, minutes=59, seconds=59)
    if first and last and first > last:
        raise ProtocolError(BAD_ARGUMENT, "from must not be later than until")
    return first, last


def _moment(name: str, text: str) -> datetime:
    try:
        if _DATE.fullmatch(text):
            return datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=UTC)
    except ValueError:
        pass
    raise ProtocolError(BAD_ARGUMENT, f"{name} must have the form YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ")


def _shown(name: str) -> str:
    """Return a name from a request for a message."""
    return name if re.fullmatch("[A-Za-z]{1,40}", name) else f"{name[:40]!a}"
