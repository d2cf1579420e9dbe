"""The client: who resolves an identifier, what they answer, and where that leads.

Specification: the LinkID draft, "Resolution Algorithm". It knows the domain's schemes, HTTP and DNS, nothing of the
service's inside; any resolver that follows the draft can be asked.

>>> from coolid.client import resolve
>>> resolve("lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14", chosen=["https://[::1]:1"], default=None).outcome
<Outcome.UNREACHABLE: 'unreachable'>
"""

from coolid.client.resolution import Outcome, Resolution, resolve

__all__ = ["Outcome", "Resolution", "resolve"]
