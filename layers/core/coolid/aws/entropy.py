"""The operating system's cryptographic dice, as `coolid.ports` asks for them.

Apart from the clock, for whoever only reads draws nothing, and `secrets` takes long to load.
"""

import secrets


class SystemEntropy:
    """The operating system's generator, asked for every draw: nothing is seeded or kept in the process."""

    def below(self, limit: int) -> int:
        """As of `Entropy`; for a power of two, as most draws are, twice as fast and as even."""
        bits = limit.bit_length() - 1
        return secrets.randbits(bits) if limit == 1 << bits else secrets.randbelow(limit)

    def token(self, size: int) -> bytes:
        """As of `Entropy`."""
        return secrets.token_bytes(size)
