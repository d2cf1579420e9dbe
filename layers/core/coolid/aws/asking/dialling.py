"""Dialling: getting a line to a server, in the time that there is."""

import socket
from time import monotonic

from msgspec import Struct

from coolid.aws.asking.lines import Line, PlainLine
from coolid.aws.asking.places import Endpoint
from coolid.aws.asking.trust import Trust


class Dialler(Struct, frozen=True):
    """Gets lines; `connect` is how many seconds TCP may take, and TLS as many."""

    connect: float
    trust: Trust

    def dial(self, endpoint: Endpoint, deadline: float) -> Line:
        """A line that is ready, before the monotonic clock says so. Raises `OSError`."""
        if not endpoint.secure:
            return PlainLine(self._reach(endpoint, deadline))
        from coolid.aws.asking.securing import secured  # which takes a while to import

        return secured(lambda: self._reach(endpoint, deadline), endpoint.host, self.trust, self.connect, deadline)

    def _reach(self, endpoint: Endpoint, deadline: float) -> socket.socket:
        """A TCP connection to the first address that answers; each gets its share of the time that is left."""
        deadline = min(deadline, monotonic() + self.connect)
        # As bytes, for names are ASCII, and the codec of other names takes longer to import than this to connect.
        addresses = socket.getaddrinfo(endpoint.host.encode(), endpoint.port, type=socket.SOCK_STREAM)
        refused: OSError = TimeoutError("no time is left to connect")
        for tried, (family, kind, protocol, _, address) in enumerate(addresses):
            share = (deadline - monotonic()) / (len(addresses) - tried)
            if share <= 0:
                break
            connecting = socket.socket(family, kind, protocol)
            try:
                connecting.settimeout(share)
                connecting.connect(address)
                connecting.setblocking(True)
                connecting.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return connecting
            except OSError as error:
                connecting.close()
                refused = error
        raise refused
