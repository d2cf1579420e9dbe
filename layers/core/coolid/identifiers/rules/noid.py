"""Rules of scheme `noid`: names by a template, in random or sequential order, each only once.

A counter row has the number of minted names. A random template maps the counter through a keyed permutation. The order
is then unpredictable, no name repeats, and all names are used before the template is exhausted.

>>> rules = NoidRules(template="f5.sdek", naan="13030")
>>> rules.key(30), rules.validate("f5-11t") == rules.key(30)
('f511t', True)
"""

from functools import lru_cache
from typing import Any, ClassVar, Final

from msgspec.structs import replace

from coolid.errors import Exhausted
from coolid.identifiers.rules.base import Assertion, RulesDescription, SequentialRules, Syntax
from coolid.identifiers.schemes import ncda, noid
from coolid.ports import Entropy

_parsed_template: Final = lru_cache(maxsize=1000)(noid.parse_template)
_HIDDEN_MEMBER: Final = "order"
_UNBOUNDED_LENGTH: Final = 255  # the published maximum length for a template without end
_MAX_SAFETY_GAP: Final = 1_000


class NoidRules(SequentialRules, frozen=True):
    """NOIDs of a `template` in Noid's syntax (`.reedeedk`); with a `naan`, check characters cover `NAAN/name`.

    `shoulder` stands between both if names have a shoulder that is not part of the template: `ark:99999/fk4`. `order`
    is the permutation's key in hexadecimal: drawn when the repository is created, and secret.
    """

    scheme: ClassVar[str] = "noid"
    syntax: ClassVar[Syntax] = noid
    template: str = ".reedeedk"
    naan: str = ""
    order: str = ""
    shoulder: str = ""

    def __post_init__(self) -> None:
        template = noid.parse_template(self.template, self.naan, self.shoulder)
        zone = len(template.stem + template.prefix + template.mask) + 1
        if template.check and zone > ncda.MAX_SYMBOLS:
            raise ValueError(f"a check character is sure of {ncda.MAX_SYMBOLS} symbols, NAAN included, not of {zone}")

    @classmethod
    def members(cls) -> frozenset[str]:
        """Return all members except the order."""
        return frozenset(cls.__struct_fields__) - {_HIDDEN_MEMBER}

    def seeded(self, entropy: Entropy) -> "NoidRules":
        """Return the rules with a random order."""
        return replace(self, order=entropy.token(16).hex())

    def document(self) -> dict[str, Any]:
        """See `Rules`. An empty shoulder is left out, as in releases without shoulders."""
        document = super().document()
        return document if self.shoulder else {name: each for name, each in document.items() if name != "shoulder"}

    def public_document(self) -> dict[str, Any]:
        """See `Rules`. The order is left out."""
        document = self.document()
        del document[_HIDDEN_MEMBER]
        return document

    @property
    def _parsed(self) -> noid.Template:
        return _parsed_template(self.template, self.naan, self.shoulder)

    def validate(self, text: str) -> str:
        return noid.validate(text, self._parsed)

    def key(self, number: int) -> str:
        template = self._parsed
        if template.capacity is not None and number >= template.capacity:
            raise Exhausted(template.capacity)
        return noid.nth(number, template, bytes.fromhex(self.order))

    def safety_gap(self) -> int:
        """Return 1,000, but at most a hundredth of all names."""
        capacity = self._parsed.capacity
        return _MAX_SAFETY_GAP if capacity is None else max(1, min(_MAX_SAFETY_GAP, capacity // 100))

    def describe(self) -> RulesDescription:
        template = self._parsed
        length = len(template.prefix) + len(template.mask) + template.check
        kinds = {"d": "[0-9]", "e": f"[{noid.ALPHABET}]"}
        grown = f"({kinds[template.mask[0]]}-*)*" if template.generator == "z" else ""
        body = "".join(f"{kinds[kind]}-*" for kind in template.mask + ("e" if template.check else ""))
        prefix = "".join(f"{symbol if symbol.isalnum() else f'[{symbol}]'}-*" for symbol in template.prefix)
        between = "a slash, the shoulder" if self.shoulder else "a slash"
        zones = {"naan": f"the NAAN, {between} and the name", "name": "the name", None: None}
        return RulesDescription(
            alphabet=noid.ALPHABET,
            length=(length, length if template.generator != "z" else _UNBOUNDED_LENGTH),
            pattern=f"^-*{prefix}{grown}{body}$",
            check="Noid Check Digit Algorithm" if template.check else None,
            zone=zones[template.zone],
            folds_case=False,
            example=noid.encode(min(1234567, (template.capacity or 1234568) - 1), template),
            reads=("-", ""),
        )

    def assertions(self) -> tuple[Assertion, ...]:
        """See `Rules`. Adds the check character if the length is fixed."""
        template = self._parsed
        start = len(template.prefix) + 1
        found = [
            Assertion(f"starts-with($key, '{template.prefix}')", f"It begins with {template.prefix or 'anything'}."),
            Assertion(
                f"translate(substring($key, {start}), '{noid.ALPHABET}', '') = ''",
                "Its symbols belong to the alphabet.",
            ),
            SequentialRules.assertions(self)[1],
        ]
        if template.check and template.generator != "z":
            head = template.stem
            body_end = len(template.prefix) + len(template.mask)
            total = " + ".join(
                f"{len(head) + position} * string-length(substring-before("
                f"concat('{noid.ALPHABET}', substring($key, {position}, 1)), substring($key, {position}, 1))) mod 29"
                for position in range(1, body_end + 1)
            )
            fixed = sum(position * max(noid.ALPHABET.find(symbol), 0) for position, symbol in enumerate(head, 1))
            digit = f"substring('{noid.ALPHABET}', 1 + ({total} + {fixed}) mod 29, 1)"
            found.append(Assertion(f"substring($key, {body_end + 1}) = {digit}", "Its check character fits the rest."))
        return tuple(found)
