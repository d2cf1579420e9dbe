"""The operator's notices, from environment variables.

>>> read_notices({"POLICIES_URL": "https://example.org/{policy}"}).of("terms")
'https://example.org/terms'
>>> read_notices({"SECURITY_CONTACT": "security@example.org"})
Traceback (most recent call last):
...
coolid.aws.settings.InvalidSettings: SECURITY_CONTACT must be a URI such as mailto:security@example.org
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from coolid.aws.settings import InvalidSettings
from coolid.http.operator.policies import POLICIES, Notices, is_url

MAX_LENGTH: Final = 5_000
"""Characters of a text."""
POLICIES_URL: Final = "POLICIES_URL"
_POLICY: Final = "{policy}"
_SETTINGS: Final = {
    "persistence": "PERSISTENCE_POLICY",
    "logging": "LOGGING_POLICY",
    "terms": "TERMS_OF_USE",
    "security_contact": "SECURITY_CONTACT",
    "security_expires": "SECURITY_EXPIRES",
}
NOTICE_SETTINGS: Final = (*_SETTINGS.values(), POLICIES_URL)
_CONTACT: Final = re.compile(r"(https://|mailto:|tel:)[!-~]+")
_EXPIRES: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def read_notices(environment: Mapping[str, str]) -> Notices:
    """Return the notices. Raises `InvalidSettings`."""
    texts = {member: environment.get(name, "").strip() for member, name in _SETTINGS.items()}
    if url := environment.get(POLICIES_URL):
        if not is_url(url):
            raise InvalidSettings(f"{POLICIES_URL} must be a URL such as https://example.org/{_POLICY}")
        texts |= {policy: texts[policy] or _page_at(url, policy) for policy in POLICIES}
    notices = Notices(**texts)
    for member, name in _SETTINGS.items():
        text = getattr(notices, member)
        if len(text) > MAX_LENGTH or _CONTROL.search(text.replace("\r\n", "\n")):
            raise InvalidSettings(f"{name} must have at most {MAX_LENGTH} characters, and no control characters")
    if notices.security_contact and not _CONTACT.fullmatch(notices.security_contact):
        raise InvalidSettings("SECURITY_CONTACT must be a URI such as mailto:security@example.org")
    if notices.security_expires and not _is_time(notices.security_expires):
        raise InvalidSettings("SECURITY_EXPIRES must be a time such as 2027-01-01T00:00:00Z")
    return notices


def _page_at(url: str, policy: str) -> str:
    """Return the URL of a policy: with its name in the place of `{policy}`, or as the fragment."""
    return url.replace(_POLICY, policy) if _POLICY in url else f"{url}#{policy}"


def _is_time(text: str) -> bool:
    if not _EXPIRES.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
