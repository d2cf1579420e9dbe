"""The operating system's random generator, which implements `coolid.ports.Entropy`.

It has a module of its own, because functions that only read do not need it and `secrets` is slow to load.
"""

import secrets


class SystemEntropy:
    """Reads each value from the operating system, without state in the process."""

    def below(self, limit: int) -> int:
        """See `Entropy`. Powers of two take a branch that is twice as fast and as uniform."""
        bits = limit.bit_length() - 1
        return secrets.randbits(bits) if limit == 1 << bits else secrets.randbelow(limit)

    def token(self, size: int) -> bytes:
        return secrets.token_bytes(size)
