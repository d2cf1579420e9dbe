"""A client of resolvers: it discovers them, resolves identifiers, mints and manages records.

Specification: the LinkID draft, revision 00, "Resolution Algorithm". The client works with every resolver that
follows the draft. It depends on the identifier schemes, HTTP and DNS, but not on the service's internals.

>>> from coolid.client import resolve
>>> resolve("lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14", chosen=["https://[::1]:1"], default=None).outcome
<Outcome.UNREACHABLE: 'unreachable'>
"""

from coolid.client.resolution import Outcome, Resolution, resolve

__all__ = ["Outcome", "Resolution", "resolve"]
