"""Contextual identifier: `namespacePrefix.objectType.objectId.issuedDate.registrant`, the last two optional.

Specification: J. Philipson, "Identifying PIDs playing FAIR", section 7. No module has a dot in it. The object id has
ten symbols of `[a-kmnp-z0-9]`, the date is a real one, the registrant an ORCID iD or a ROR id; all case is kept.
A namespace may declare more (`Declaration`): its object types, and its own form of object ids if it includes an older
scheme, such as IGSN, whose registrants are then words of that scheme.

>>> parts = parse("fabio.PositionPaper.pp1255qv43.2018-11-12.0000-0001-5699-994X")
>>> parts.namespace, parts.object_id, parts.issued
('fabio', 'pp1255qv43', datetime.date(2018, 11, 12))
>>> validate("IGSN.NOT.IECUR0002.2005-03-31.gswa-library", Declaration(object_id="[A-Z0-9]{9}"))
'IGSN.NOT.IECUR0002.2005-03-31.gswa-library'
"""

import re
from datetime import date
from typing import Final

from msgspec import Struct

from coolid.errors import InvalidCharacter, InvalidIdentifier
from coolid.identifiers.schemes import crockford, spelling, validity
from coolid.ports import Entropy

ALPHABET: Final = "0123456789abcdefghijkmnpqrstuvwxyz"
SYMBOLS: Final = 10
NO_OBJECT_TYPE: Final = "NOT"
MODULES: Final = ("namespace prefix", "object type", "object id", "date of issue", "registrant")

_FOREIGN: Final = re.compile("[^0-9a-km-np-z]")
_DATE: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ORCID: Final = re.compile("[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9Xx]")
_ROR: Final = re.compile("0[0-9A-Za-z]{6}[0-9]{2}")


class Declaration(Struct, frozen=True):
    """A namespace's declaration of its identifiers; None keeps the model.

    `prefix` is the first module; `object_types` are the allowed ones; `object_id` and `registrant` are patterns
    (RE2, the whole module). With an `object_id` of its own and no `registrant`, any word may be the registrant.
    """

    prefix: str | None = None
    object_types: frozenset[str] | None = None
    object_id: str | None = None
    registrant: str | None = None


class Contextual(Struct, frozen=True):
    """The modules of a contextual identifier; the last two are None if absent."""

    namespace: str
    object_type: str
    object_id: str
    issued: date | None = None
    registrant: str | None = None

    def __str__(self) -> str:
        last = [part for part in (self.issued and self.issued.isoformat(), self.registrant) if part]
        return ".".join((self.namespace, self.object_type, self.object_id, *last))


def compact(text: str) -> str:
    """Return the key of a spelling: the text with the case of an ORCID iD or ROR id normalised; unchecked."""
    front, dot, registrant = text.rpartition(".")
    return front + dot + _canonical(registrant) if front.count(".") == len(MODULES) - 2 else text


_PLAIN: Final = Declaration()


def validate(text: str, declaration: Declaration = _PLAIN) -> str:
    """Return the key of an identifier that the declaration allows; raise `InvalidCharacter` or `InvalidIdentifier`."""
    return str(parse(text, declaration))


is_valid = validity(validate)
format = compact
"""Return the display form, which is the key."""


def parse(text: str, declaration: Declaration = _PLAIN) -> Contextual:
    """Return the modules of a valid identifier; raises the errors of `validate`."""
    spelling.check_visible(text)
    modules = text.split(".", len(MODULES))
    if not 3 <= len(modules) <= len(MODULES):
        raise InvalidIdentifier(text, "it does not have three to five modules between dots")
    for name, module in zip(MODULES, modules, strict=False):
        if not module:
            raise InvalidIdentifier(text, f"its {name} is empty")
    namespace, object_type, object_id, *last = modules
    if declaration.prefix is not None and namespace != declaration.prefix:
        raise InvalidIdentifier(text, f"its namespace prefix is not {declaration.prefix}")
    if declaration.object_types is not None and object_type not in declaration.object_types:
        raise InvalidIdentifier(text, "its object type is not one of those that its namespace declares")
    _check_object_id(text, len(namespace) + len(object_type) + 2, object_id, declaration)
    issued = _date(text, last[0]) if last else None
    registrant = _registrant(text, last[1], declaration) if len(last) > 1 else None
    return Contextual(namespace, object_type, object_id, issued, registrant)


def generate(
    entropy: Entropy, namespace: str, object_type: str, issued: date | None = None, registrant: str | None = None
) -> str:
    """Return an identifier with a random object id; raises the errors of `validate` for the arguments."""
    number = entropy.below(len(ALPHABET) ** SYMBOLS)
    object_id = ""
    for _ in range(SYMBOLS):
        number, digit = divmod(number, len(ALPHABET))
        object_id += ALPHABET[digit]
    return validate(str(Contextual(namespace, object_type, object_id, issued, registrant)))


def _check_object_id(text: str, start: int, object_id: str, declaration: Declaration) -> None:
    if declaration.object_id is not None:
        from coolid.identifiers.patterns import matches

        if not matches(declaration.object_id, object_id):
            raise InvalidIdentifier(text, f"its object id does not match the namespace's {declaration.object_id}")
        return
    foreign = _FOREIGN.search(object_id)
    if foreign:
        raise InvalidCharacter(text, start + foreign.start(), "0-9 and a-z without l and o (object id)")
    if len(object_id) != SYMBOLS:
        raise InvalidIdentifier(text, f"its object id has {len(object_id)} symbols, not {SYMBOLS}")


def _date(text: str, module: str) -> date:
    try:
        if _DATE.fullmatch(module):
            return date.fromisoformat(module)
    except ValueError:
        pass
    raise InvalidIdentifier(text, f"its date of issue, {module[:20]}, is not a day of the calendar (YYYY-MM-DD)")


def _registrant(text: str, module: str, declaration: Declaration) -> str:
    from coolid.identifiers.schemes import orcid, ror  # python-stdnum loads slowly, and few identifiers need it

    scheme = orcid if _ORCID.fullmatch(module) else ror if _ROR.fullmatch(module) else None
    if scheme is not None:
        try:
            scheme.validate(module)
        except InvalidIdentifier as error:
            raise InvalidIdentifier(text, f"its registrant, {module}, is mistyped: {error}") from error
        return _canonical(module)
    if declaration.registrant is not None:
        from coolid.identifiers.patterns import matches

        if matches(declaration.registrant, module):
            return module
        raise InvalidIdentifier(text, f"its registrant does not match the namespace's {declaration.registrant}")
    if declaration.object_id is None:
        raise InvalidIdentifier(text, "its registrant is neither an ORCID iD nor a ROR id")
    return module


def _canonical(registrant: str) -> str:
    """Return an ORCID iD or ROR id in canonical case, any other text unchanged; unchecked."""
    if _ORCID.fullmatch(registrant):
        return registrant.upper()
    return crockford.compact(registrant) if _ROR.fullmatch(registrant) else registrant
