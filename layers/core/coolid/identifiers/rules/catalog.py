"""The catalog of schemes, which creates rules from a name and JSON. A scheme's module is imported on first use.

>>> rules_of("lui", {"symbols": 6}).validate("079J-XH42")
'079jxh42'
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from coolid.identifiers.rules.base import Rules

DEFAULT: Final = "lui"

_CLASSES: Final = {
    "lui": ("lui", "LuiRules"),
    "cooldoi": ("cooldoi", "CoolDoiRules"),
    "pilin": ("pilin", "PilinRules"),
    "noid": ("noid", "NoidRules"),
    "uuid": ("uuid", "UuidRules"),
    "sha256": ("digest", "DigestRules"),
    "contextual": ("contextual", "ContextualRules"),
    "chosen": ("chosen", "ChosenRules"),
}
SCHEMES: Final = tuple(_CLASSES)


def rules_class(scheme: str) -> type[Rules]:
    """Return the class of a scheme's rules; raise `KeyError` for a name that is not in `SCHEMES`."""
    module, name = _CLASSES[scheme]
    found: type[Rules] = getattr(import_module(f"coolid.identifiers.rules.{module}"), name)
    return found


def rules_of(scheme: str, document: Mapping[str, Any]) -> Rules:
    """Return the rules of a stored JSON object, which was validated when it was written."""
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in document.items()}
    return rules_class(scheme)(**values)
