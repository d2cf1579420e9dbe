"""Rules of scheme `contextual`: identifiers of up to five modules that describe what they name.

Minting takes `{"parts": {"objectType", "objectId"?, "issued"?, "registrant"?}}`. A missing object id is drawn, unless
the namespace has its own form of object ids.

>>> rules = ContextualRules(prefix="fabio", object_types=("PositionPaper",))
>>> rules.validate("fabio.PositionPaper.pp1255qv43.2018-11-12.0000-0001-5699-994X")
'fabio.PositionPaper.pp1255qv43.2018-11-12.0000-0001-5699-994X'
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from coolid.errors import InvalidIdentifier, InvalidInput
from coolid.identifiers.patterns import is_supported
from coolid.identifiers.rules.base import Assertion, RulesDescription, SuppliedRules, Syntax
from coolid.identifiers.schemes import contextual
from coolid.ports import Entropy

MAX_SYMBOLS: Final = 512
_MODULE: Final = re.compile("[A-Za-z0-9_-]{1,64}")
_MEMBERS: Final = ("objectType", "objectId", "issued", "registrant")
_DATE: Final = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_REGISTRANT: Final = "([0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9Xx]|0[0-9A-Za-z]{6}[0-9]{2})"


class ContextualRules(SuppliedRules, frozen=True):
    """Identifiers whose first module is `prefix`, with one of the `object_types` (None: any).

    `object_id` and `registrant` are patterns (RE2) for a namespace that includes an older scheme.
    """

    scheme: ClassVar[str] = "contextual"
    syntax: ClassVar[Syntax] = contextual
    prefix: str = ""
    object_types: tuple[str, ...] | None = None
    object_id: str | None = None
    registrant: str | None = None

    def __post_init__(self) -> None:
        if self.object_types == ():
            raise ValueError("object_types names no type: nothing could be named")
        for module in (self.prefix, *(self.object_types or ())):
            if not _MODULE.fullmatch(module):
                raise ValueError("prefix and object_types are modules: letters, digits, '_' and '-'")
        for pattern in (self.object_id, self.registrant):
            if pattern is not None and not is_supported(pattern):
                raise ValueError(f"{pattern} is not a regular expression in RE2's syntax")

    @property
    def hyphens_matter(self) -> bool:
        return True

    @property
    def case_matters(self) -> bool:
        return True

    def validate(self, text: str) -> str:
        if len(text) > MAX_SYMBOLS:
            raise InvalidIdentifier(text, f"it is longer than {MAX_SYMBOLS} symbols")
        return contextual.validate(text, self._declaration())

    def build_key(self, parts: Mapping[str, Any], entropy: Entropy) -> str:
        for name, value in parts.items():
            if name not in _MEMBERS or not isinstance(value, str) or "." in value:
                raise InvalidInput.at(f"/parts/{name}", f"parts are strings without a dot, named {', '.join(_MEMBERS)}")
        if "registrant" in parts and "issued" not in parts:
            raise InvalidInput.at("/parts", "a registrant stands behind a date: give issued too")
        object_id = parts.get("objectId") or self._draw(entropy)
        modules = (self.prefix, parts.get("objectType", contextual.NO_OBJECT_TYPE), object_id)
        text = ".".join((*modules, *(parts[name] for name in _MEMBERS[2:] if name in parts)))
        try:
            return self.validate(text)
        except InvalidIdentifier as error:
            raise InvalidInput.at("/parts", f"{text}: {error}") from error

    def is_whole(self, parts: Mapping[str, Any]) -> bool:
        """Return whether the object id is supplied."""
        return "objectId" in parts

    def describe(self) -> RulesDescription:
        types = "|".join(self.object_types) if self.object_types is not None else "[^.]+"
        object_id = f"({self.object_id})" if self.object_id else f"[a-kmnp-z0-9]{{{contextual.SYMBOLS}}}"
        registrant = self.registrant or ("[^.]+" if self.object_id else _REGISTRANT)
        object_type = self.object_types[0] if self.object_types else contextual.NO_OBJECT_TYPE
        return RulesDescription(
            alphabet="",
            length=(len(self.prefix) + 4, MAX_SYMBOLS),
            pattern=f"^{self.prefix}\\.({types})\\.{object_id}(\\.{_DATE}(\\.({registrant}|{_REGISTRANT}))?)?$",
            check="ISO 7064 MOD 11-2 (ORCID) or MOD 97-10 (ROR)",
            zone="the registrant",
            folds_case=False,
            example="" if self.object_id else f"{self.prefix}.{object_type}.pp1255qv43.2018-11-12",
        )

    def assertions(self) -> tuple[Assertion, ...]:
        """Return the checks that XPath 1.0 can express: first module, object types, and object ids of the model."""
        behind = "substring-after(substring-after($key, '.'), '.')"
        object_id = f"substring-before(concat({behind}, '.'), '.')"
        found = [Assertion(f"substring-before($key, '.') = '{self.prefix}'", f"It begins with {self.prefix}.")]
        if self.object_types is not None:
            object_type = "substring-before(substring-after($key, '.'), '.')"
            test = " or ".join(f"{object_type} = '{each}'" for each in self.object_types)
            found.append(Assertion(test, "Its object type belongs to the namespace."))
        if self.object_id is None:
            test = f"string-length({object_id}) = 10 and translate({object_id}, '{contextual.ALPHABET}', '') = ''"
            found.append(Assertion(test, "Its object id has ten symbols of a-kmnp-z0-9."))
        return tuple(found)

    def _declaration(self) -> contextual.Declaration:
        types = frozenset(self.object_types) if self.object_types is not None else None
        return contextual.Declaration(self.prefix, types, self.object_id, self.registrant)

    def _draw(self, entropy: Entropy) -> str:
        if self.object_id is not None:
            raise InvalidInput.at("/parts/objectId", "this namespace has object ids of its own: give one")
        return contextual.parse(contextual.generate(entropy, self.prefix, contextual.NO_OBJECT_TYPE)).object_id
