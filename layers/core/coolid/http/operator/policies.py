"""The policies of the service, and their stable addresses.

Records, repositories and programs link to these addresses, so they never change. Each is a page of this service
(`coolid.http.public.policy_pages`). It says what the software does, and what the operator adds.

>>> policy_url("https://id.example.org", PERSISTENCE)
'https://id.example.org/pages/persistence'
"""

import re
from typing import Final

from msgspec import Struct

PERSISTENCE: Final = "persistence"
"""What the service promises about identifiers and records."""
LOGGING: Final = "logging"
"""What the service logs about requests."""
TERMS: Final = "terms"
"""The terms of use."""
POLICIES: Final = (PERSISTENCE, LOGGING, TERMS)

_URL: Final = re.compile(r"https?://[!-~]+")


class Notices(Struct, frozen=True):
    """What the operator adds: for each policy a text or a URL, and the contact for security problems (RFC 9116).

    `security_contact` is a URI, `security_expires` a time of RFC 3339. Everything is empty by default.
    """

    persistence: str = ""
    logging: str = ""
    terms: str = ""
    security_contact: str = ""
    security_expires: str = ""

    def of(self, policy: str) -> str:
        """Return the operator's text or URL for a policy."""
        return {PERSISTENCE: self.persistence, LOGGING: self.logging, TERMS: self.terms}[policy]


def policy_path(policy: str) -> str:
    """Return the path of a policy's page."""
    return f"/pages/{policy}"


def policy_url(base_url: str, policy: str) -> str:
    """Return the address of a policy's page, which leads to the operator's own page if there is one."""
    return base_url + policy_path(policy)


def is_url(text: str) -> bool:
    """Return whether an operator's text is only the URL of a page.

    >>> is_url("https://example.org/terms"), is_url("See https://example.org/terms")
    (True, False)
    """
    return _URL.fullmatch(text) is not None
