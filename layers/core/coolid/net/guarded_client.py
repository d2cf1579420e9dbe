"""Visiting: one request to one place, guarded, mannerly and in time. Whatever asks strangers does it by a visitor.

Nothing of ours goes along: no credentials, no cookies, no referrer. The name that it goes by says where people can read
what it is.

>>> user_agent("https://id.example.org").rpartition(" ")[2]
'(+https://id.example.org)'
"""

import re
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Final

from coolid.deadlines import Deadline
from coolid.net.address_policy import AddressPolicy
from coolid.net.connector import GuardedConnector
from coolid.net.http_exchange import ResponseHead, exchange, request
from coolid.net.rate_limit import MANNERS, HostRateLimit
from coolid.net.request_target import RequestTarget
from coolid.ports import Seconds
from coolid.version import __version__

SECONDS: Final = 8.0
"""That one request may take: the look-up of the name, TCP, TLS, and the head of the answer together."""
_COMMENT: Final = re.compile(r"[!-'*-\[\]-~]+")


class GuardedClient:
    """Asks within `networks` (CIDRs) and the public Internet, under the name of `base_url`.

    `ValueError` for networks that are none. May be used by several threads.
    """

    def __init__(
        self,
        networks: Sequence[str] = (),
        base_url: str = "",
        *,
        dialler: GuardedConnector | None = None,
        manners: HostRateLimit = MANNERS,
        seconds: float = SECONDS,
        clock: Seconds = monotonic,
    ) -> None:
        self._dialler = dialler or GuardedConnector(AddressPolicy(networks))
        self._agent = user_agent(base_url)
        self._manners = manners
        self._clock = clock
        self._seconds = seconds

    def deadline(self, seconds: float) -> Deadline:
        """So many seconds from now, by this visitor's clock."""
        return Deadline(seconds, self._clock)

    def request(
        self,
        method: str,
        place: RequestTarget,
        headers: Mapping[str, str],
        deadline: Deadline,
        body: bytes | None = None,
    ) -> ResponseHead:
        """What the place answers, but for a body. Raises `RequestFailed`, and `ValueError` for headers that cannot be sent.

        The deadline counts waiting for one's turn; from then on, it is a matter of `seconds`.
        """
        asked = request(method, place, {"User-Agent": self._agent, **headers}, body)
        with self._manners.turn(place.host, deadline):
            visit = deadline.within(self._seconds)
            connection = self._dialler.open(place, visit)
            try:
                return exchange(connection, asked, visit)
            finally:
                connection.close()


def user_agent(base_url: str) -> str:
    """What a service at this URL calls itself when it asks others; without a URL, only what it is.

    >>> user_agent("").partition("/")[0]
    'coolid-probe'
    """
    about = f" (+{base_url})" if _COMMENT.fullmatch(base_url) else ""
    return f"coolid-probe/{__version__}{about}"
