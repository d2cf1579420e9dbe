"""The operator's settings, from environment variables and from a file, and the identity that they describe.

`OPERATOR_SETTINGS` is the path of a TOML file with these settings by their names. A variable that is not empty
overrides the file. The path of a logo in the file is relative to the file.

>>> read_identity({"SERVICE_NAME": "City Archive", "SERVICE_COLOR": "#7A1F5C"}).color
'#7a1f5c'
>>> read_identity({"SERVICE_CONTACT": "pids@example.org"}).contact
'mailto:pids@example.org'
>>> read_identity({"SERVICE_COLOR": "purple"})
Traceback (most recent call last):
...
coolid.aws.settings.InvalidSettings: SERVICE_COLOR must be a colour such as #0b5c6b
"""

import re
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

from coolid.aws.settings import ADMIN_EMAIL, EMAIL, OPERATOR_SETTINGS, PEERS, InvalidSettings
from coolid.http.operator.identity import Identity, Logo
from coolid.http.operator.policies import is_url
from coolid.identifiers.typography import is_visible
from coolid.wiring.notices import NOTICE_SETTINGS

SERVICE_NAME: Final = "SERVICE_NAME"
SERVICE_COLOR: Final = "SERVICE_COLOR"
SERVICE_CONTACT: Final = "SERVICE_CONTACT"
SERVICE_LOGO: Final = "SERVICE_LOGO"
LOG_POLICY: Final = "LOG_POLICY"
"""The text of the tlog-policy with the witnesses of the transparency log."""
SETTINGS: Final = (
    SERVICE_NAME, SERVICE_COLOR, SERVICE_CONTACT, SERVICE_LOGO, ADMIN_EMAIL, LOG_POLICY, PEERS, *NOTICE_SETTINGS,
)  # fmt: skip
"""The names that the file may contain."""

MAX_FILE_BYTES: Final = 100_000
MAX_LOGO_BYTES: Final = 30_000
"""Every page loads the logo."""
MAX_NAME: Final = 60
_COLOR: Final = re.compile("#[0-9a-f]{6}")
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_SVG: Final = "{http://www.w3.org/2000/svg}"
_ACTIVE: Final = frozenset(_SVG + name for name in ("script", "foreignObject", "handler", "iframe", "a"))


def operator_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment with the settings of the file, if it names one. Raises `InvalidSettings`."""
    path = environment.get(OPERATOR_SETTINGS)
    return {**(_read_file(Path(path)) if path else {}), **{name: value for name, value in environment.items() if value}}


def read_identity(environment: Mapping[str, str]) -> Identity:
    """Return the identity. Raises `InvalidSettings`."""
    name, color = environment.get(SERVICE_NAME, "").strip(), environment.get(SERVICE_COLOR, "").strip().lower()
    if name and (len(name) > MAX_NAME or not name.isprintable() or not is_visible(name)):
        raise InvalidSettings(f"{SERVICE_NAME} must have at most {MAX_NAME} characters, and no control characters")
    if color and not _COLOR.fullmatch(color):
        raise InvalidSettings(f"{SERVICE_COLOR} must be a colour such as #0b5c6b")
    logo = environment.get(SERVICE_LOGO)
    return Identity(
        name, color, _contact(environment.get(SERVICE_CONTACT, "")), read_logo(Path(logo)) if logo else None
    )


def admin_email(environment: Mapping[str, str]) -> str:
    """Return the administrator's e-mail address for harvesters, which is the contact if nothing else is set, or "".

    >>> admin_email({"SERVICE_CONTACT": "pids@example.org"}), admin_email({"SERVICE_CONTACT": "https://example.org/"})
    ('pids@example.org', '')
    """
    contact = environment.get(SERVICE_CONTACT, "")
    return environment.get(ADMIN_EMAIL) or (contact if re.fullmatch(EMAIL, contact) else "")


def read_logo(path: Path) -> Logo:
    """Return the logo in a file: PNG, or SVG without scripts. Raises `InvalidSettings`."""
    content = _read(SERVICE_LOGO, path, MAX_LOGO_BYTES)
    name = f"logo-{sha256(content).hexdigest()[:16]}"
    if content.startswith(_PNG):
        return Logo(f"{name}.png", "image/png", content)
    reason = _svg_objection(content)
    if reason:
        raise InvalidSettings(f"{SERVICE_LOGO}: {path} is not a logo that pages can show, because {reason}")
    return Logo(f"{name}.svg", "image/svg+xml", content)


def _contact(text: str) -> str:
    if not text or is_url(text) or (text.startswith("mailto:") and re.fullmatch(EMAIL, text[7:])):
        return text
    if re.fullmatch(EMAIL, text):
        return f"mailto:{text}"
    raise InvalidSettings(f"{SERVICE_CONTACT} must be an e-mail address or a URL")


def _svg_objection(content: bytes) -> str | None:
    """Return why an SVG image is refused, or None. Entities are refused first, because they can expand without end."""
    if re.search(rb"<!(DOCTYPE|ENTITY)", content, re.IGNORECASE):
        return "it has a document type declaration"
    try:
        root = ET.fromstring(content.decode())  # noqa: S314 - it has no entities
    except (UnicodeDecodeError, ET.ParseError):
        return "it is neither PNG nor SVG"
    if root.tag != f"{_SVG}svg":
        return "it is neither PNG nor SVG"
    return next(filter(None, map(_element_objection, root.iter())), None)


def _element_objection(element: ET.Element) -> str | None:
    """Return why an element is refused, or None."""
    if element.tag in _ACTIVE:
        return f"it has the element {element.tag.removeprefix(_SVG)}"
    for name, value in element.attrib.items():
        if name.lower().startswith("on"):
            return f"it has the attribute {name}"
        if name.rpartition("}")[2] == "href" and not value.startswith(("#", "data:image/")):
            return "it refers to another file"
    return None


def _read_file(path: Path) -> dict[str, str]:
    """Return the settings of the file. Raises `InvalidSettings`."""
    try:
        document = tomllib.loads(_read(OPERATOR_SETTINGS, path, MAX_FILE_BYTES).decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidSettings(f"{OPERATOR_SETTINGS}: {path} is not TOML: {error}") from error
    wrong = sorted(name for name, value in document.items() if name not in SETTINGS or not isinstance(value, str))
    if wrong:
        raise InvalidSettings(
            f"{OPERATOR_SETTINGS}: {path} may only have texts named {', '.join(SETTINGS)}: not {wrong[0]}"
        )
    if document.get(SERVICE_LOGO):
        document[SERVICE_LOGO] = str(path.parent / document[SERVICE_LOGO])
    return document


def _read(setting: str, path: Path, most: int) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise InvalidSettings(f"{setting}: {path} cannot be read: {error.strerror}") from error
    if len(content) > most:
        raise InvalidSettings(f"{setting}: {path} has more than {most:,} bytes")
    return content
