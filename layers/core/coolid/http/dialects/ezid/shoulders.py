"""Names under shoulders that a repository's own rules do not generate.

A namespace is a shoulder if its rules generate names. So is a NAAN or DOI prefix with the fixed beginning of its
template. If the rules accept any supplied names, every beginning is a shoulder. Its names are random, with Noid's check
character over the whole identifier.
"""

from typing import Final

from coolid.errors import InvalidInput
from coolid.http.dialects.ezid.responses import NO_SHOULDER
from coolid.identifiers.rules.base import SuppliedRules, is_valid
from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.schemes import ark, ncda
from coolid.model.prefixes import Namespace, fold, join
from coolid.ports import Entropy

_MASK: Final = "eedeedeed"
_BASES: Final = {"d": 10, "e": len(ncda.ALPHABET)}


def name_under(namespace: Namespace, beginning: str, entropy: Entropy) -> str | None:
    """Return a random name that begins so, or None if the namespace's rules generate such names.

    Raises `InvalidInput` if they do neither.
    """
    rules = namespace.repository.rules
    if not isinstance(rules, SuppliedRules):
        generated = rules.template.partition(".")[0] if isinstance(rules, NoidRules) else ""
        if fold(beginning.rstrip("/")) not in ("", fold(generated)):
            raise InvalidInput.at("", NO_SHOULDER)
        return None
    body = "".join(ncda.ALPHABET[entropy.below(_BASES[kind])] for kind in _MASK)
    zone = join(namespace.name, beginning + body).removeprefix(ark.LABEL)
    name = beginning + body + ncda.calc_check_digit(zone)
    if not is_valid(rules, name):
        raise InvalidInput.at("", "shoulder does not support minting")
    return name
