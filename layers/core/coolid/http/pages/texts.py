"""The messages that scripts show, from `script_messages.json` beside this module.

>>> MESSAGES["copy"]["copied"], SCHEME_NAMES["orcid"]
('Copied.', 'ORCID iD')
"""

from importlib.resources import files
from typing import Final

from msgspec import json

_FILE: Final = files("coolid.http") / "pages" / "script_messages.json"

MESSAGES: Final = json.decode(_FILE.read_bytes(), type=dict[str, dict[str, str]])
"""Messages by script and key. Scripts replace the names in braces (`static/words.js`)."""

SCHEME_NAMES: Final = {
    key.removeprefix("scheme-"): text for key, text in MESSAGES["home"].items() if key.startswith("scheme-")
}
"""The names of schemes for people."""
