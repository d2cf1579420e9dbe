"""The state of the store at the edge, an entry that the function reads before it answers.

The function passes every request on if the state is missing, if its format is unknown, if its `base_url` is another one
than the function's, or after `valid_until`. So a store that is no longer updated stops answering, a new public base URL
takes effect at once, and an expired state switches redirects at the edge off.

>>> EdgeState(FORMAT, 1_795_000_000, "d2a84f4b", "https://id.example.org").text()
'1 1795000000 d2a84f4b https://id.example.org'
>>> EdgeState.parse("1 1795000000 d2a84f4b https://id.example.org")
EdgeState(format=1, valid_until=1795000000, digest='d2a84f4b', base_url='https://id.example.org')
>>> EdgeState.parse("1 soon") is None
True
"""

import re
from typing import Final

from msgspec import Struct

STATE_KEY: Final = "/state"
"""No prefix has this name, because names do not begin with a slash."""
FORMAT: Final = 1
"""The format of all entries (`coolid.edge.entries`), which the function in `infra/edge.yaml` names, too."""

_TEXT: Final = re.compile("([0-9]{1,9}) ([0-9]{1,12}) ([0-9A-Za-z_-]{1,128}) ([!-~]{1,200})")


class EdgeState(Struct, frozen=True):
    """The `format` of all entries, the end of their validity in seconds since 1970, the `digest` of all others.

    `base_url` is the service's, which the entries contain.
    """

    format: int
    valid_until: int
    digest: str
    base_url: str

    def text(self) -> str:
        """Return the value of the entry."""
        return f"{self.format} {self.valid_until} {self.digest} {self.base_url}"

    @classmethod
    def parse(cls, text: str) -> "EdgeState | None":
        """Return the state of the entry's value, or None if it is malformed."""
        match = _TEXT.fullmatch(text)
        return cls(int(match[1]), int(match[2]), match[3], match[4]) if match else None
