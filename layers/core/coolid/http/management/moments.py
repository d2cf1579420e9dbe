"""Moments in query parameters: times (RFC 3339), or dates, which are their first second in UTC.

>>> parse_moment("since", "2025-07-10T16:22:30+02:00"), parse_moment("since", "0800-12-25")
(datetime.datetime(2025, 7, 10, 14, 22, 30, tzinfo=datetime.timezone.utc), datetime.datetime(1970, 1, 1, 0, 0, tzinfo=datetime.timezone.utc))
"""  # noqa: E501 - an example cannot be broken

import re
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

from coolid.errors import InvalidInput
from coolid.model.records import RFC_3339

_DATE: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_FIRST: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST: Final = datetime(2100, 1, 1, tzinfo=UTC)


def parse_moment(name: str, text: str | None) -> datetime | None:
    """Return the moment in the parameter `name`, None for no text. Raises `InvalidInput`.

    It is the nearest one at which something can have changed, because indexes have limits of their own.
    """
    if not text:
        return None
    time = f"{text}T00:00:00Z" if re.fullmatch(_DATE, text) else text
    if re.fullmatch(RFC_3339, time):
        with suppress(ValueError, OverflowError):
            return max(_FIRST, min(datetime.fromisoformat(time).astimezone(UTC), _LAST))
    raise InvalidInput.at("", f"{name} is a time, such as 2025-07-10T14:22:30Z, or a date")
