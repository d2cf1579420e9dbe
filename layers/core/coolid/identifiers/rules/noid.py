"""Rules of scheme `noid`: names after a template, in random or sequential order, none twice.

A counter row says how many names were given. For a random template the counter goes through a keyed permutation, so
that the order is nobody's to guess, nothing repeats, and the end is known: the last name is given as surely as the
first, and after it the template is exhausted.

>>> rules = NoidRules(template="f5.sdek", naan="13030")
>>> rules.key(30), rules.validate("f5-11t") == rules.key(30)
('f511t', True)
"""

from functools import lru_cache
from typing import Any, ClassVar, Final

from msgspec.structs import replace

from coolid.errors import Exhausted
from coolid.identifiers.rules.base import Assertion, RulesDescription, SequentialRules
from coolid.identifiers.schemes import ncda, noid
from coolid.ports import Entropy

_PRIVATE: Final = "order"
_SHOWN: Final = 255  # of a template without end
_LEAP: Final = 1_000


class NoidRules(SequentialRules, frozen=True):
    """`template` as Noid writes it (`.reedeedk`); with a `naan`, check characters cover `NAAN/name`.

    `shoulder` stands between them, where names are minted behind one that is not the template's own: `ark:99999/fk4`.
    `order` is the key of the permutation, in hexadecimal: drawn when the repository is created, never shown.
    """

    scheme: ClassVar[str] = "noid"
    template: str = ".reedeedk"
    naan: str = ""
    order: str = ""
    shoulder: str = ""

    def __post_init__(self) -> None:
        template = noid.parse_template(self.template, self.naan, self.shoulder)
        zone = len(template.stem + template.prefix + template.mask) + 1
        if template.check and zone > ncda.SURE_SYMBOLS:
            raise ValueError(f"a check character is sure of {ncda.SURE_SYMBOLS} symbols, NAAN included, not of {zone}")

    @classmethod
    def members(cls) -> frozenset[str]:
        """All but the order."""
        return frozenset(cls.__struct_fields__) - {_PRIVATE}

    def seeded(self, entropy: Entropy) -> "NoidRules":
        """The same rules with an order of their own."""
        return replace(self, order=entropy.token(16).hex())

    def document(self) -> dict[str, Any]:
        """As of `Rules`; without a shoulder as it was before there were any."""
        document = super().document()
        return document if self.shoulder else {name: each for name, each in document.items() if name != "shoulder"}

    def public_document(self) -> dict[str, Any]:
        """As of `Rules`, without the order."""
        document = self.document()
        del document[_PRIVATE]
        return document

    @property
    def _parsed(self) -> noid.Template:
        return _parse(self.template, self.naan, self.shoulder)

    def compact(self, text: str) -> str:
        """As of `Rules`."""
        return noid.compact(text)

    def validate(self, text: str) -> str:
        """As of `Rules`."""
        return noid.validate(text, self._parsed)

    def display(self, key: str) -> str:
        """As of `Rules`."""
        return noid.format(key)

    def floor(self, milliseconds: int) -> int:
        """Zero: numbers have nothing to do with time."""
        return 0

    def key(self, number: int) -> str:
        """As of `SequentialRules`."""
        template = self._parsed
        if template.capacity is not None and number >= template.capacity:
            raise Exhausted(template.capacity)
        return noid.nth(number, template, bytes.fromhex(self.order))

    def run(self) -> int:
        """One: a name that was reserved and not given would be lost to its template."""
        return 1

    def ahead(self) -> None:
        """No matter."""
        return

    def leap(self) -> int:
        """A thousand, but no more than a hundredth of all names."""
        capacity = self._parsed.capacity
        return _LEAP if capacity is None else max(1, min(_LEAP, capacity // 100))

    def describe(self) -> RulesDescription:
        """As of `Rules`."""
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
            length=(length, length if template.generator != "z" else _SHOWN),
            pattern=f"^-*{prefix}{grown}{body}$",
            check="Noid Check Digit Algorithm" if template.check else None,
            zone=zones[template.zone],
            folds_case=False,
            example=noid.encode(min(1234567, (template.capacity or 1234568) - 1), template),
            reads=("-", ""),
        )

    def assertions(self) -> tuple[Assertion, ...]:
        """As of `Rules`, and the check character where the length is fixed."""
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
            places = len(template.prefix) + len(template.mask)
            total = " + ".join(
                f"{len(head) + place} * string-length(substring-before("
                f"concat('{noid.ALPHABET}', substring($key, {place}, 1)), substring($key, {place}, 1))) mod 29"
                for place in range(1, places + 1)
            )
            fixed = sum(position * max(noid.ALPHABET.find(symbol), 0) for position, symbol in enumerate(head, 1))
            digit = f"substring('{noid.ALPHABET}', 1 + ({total} + {fixed}) mod 29, 1)"
            found.append(Assertion(f"substring($key, {places + 1}) = {digit}", "Its check character fits the rest."))
        return tuple(found)


@lru_cache(maxsize=1000)
def _parse(template: str, naan: str, shoulder: str) -> noid.Template:
    return noid.parse_template(template, naan, shoulder)
