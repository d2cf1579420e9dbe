"""Rules of scheme `noid`: names by a template, in random or sequential order, each only once.

A counter row has the number of minted names. A random template maps the counter through a keyed permutation. The order
is then unpredictable, no name repeats, and all names are used before the template is exhausted.

Rules can also continue a minter of Noid, Nog or EZID, in its order (`coolid.identifiers.rules.perl_order`) and from the
number that it has reached. When all names are used, longer templates follow, as in that minter.

>>> rules = NoidRules(template="f5.sdek", naan="13030")
>>> rules.key(30), rules.validate("f5-11t") == rules.key(30)
('f511t', True)
>>> continued = NoidRules(template=".reedk", naan="77913", shoulder="r7", sequence="perl", first=2191, grows=3)
>>> continued.floor(0), continued.key(2191), continued.key(8410)
(2191, '2t0f', '4x54g1d')
"""

from functools import lru_cache
from typing import Any, ClassVar, Final

from msgspec.structs import replace

from coolid.errors import Exhausted, InvalidIdentifier
from coolid.identifiers.rules.base import Assertion, RulesDescription, SequentialRules, Syntax
from coolid.identifiers.schemes import ncda, noid
from coolid.ports import Entropy

PERL: Final = "perl"
"""The value of `sequence` for the random order of Noid, Nog and EZID's minters."""

_STATE_MEMBERS: Final = ("sequence", "first", "counters")
_OPTIONAL_MEMBERS: Final = ("shoulder", *_STATE_MEMBERS, "grows", "also", "label")
_UNBOUNDED_LENGTH: Final = 255  # the published maximum length for a template without end
_MAX_SAFETY_GAP: Final = 1_000
_ALPHABET: Final = "Its symbols belong to the alphabet."


@lru_cache(maxsize=1000)
def _templates(template: str, naan: str, shoulder: str, label: str, grows: int) -> tuple[noid.Template, ...]:
    return noid.extensions(noid.parse_template(template, naan, shoulder, label), grows)


class NoidRules(SequentialRules, frozen=True):
    """NOIDs of a `template` in Noid's syntax (`.reedeedk`); with a `naan`, check characters cover `NAAN/name`.

    `shoulder` stands between both if names have a shoulder that is not part of the template: `ark:99999/fk4`. `order`
    is the permutation's key in hexadecimal: drawn when the repository is created, and secret.

    The other members continue a minter. `sequence` is `perl` for its random order, and `first` is the number of the
    first name, counted from its beginning. `counters` is the state before it, if the state does not follow from the
    number (`coolid.identifiers.rules.perl_state`). `grows` is how many characters of the mask are put before it again
    when all names are used. `also` is a pattern (RE2) of names that callers may supply beside those of the template.
    With the `label` `ark:/`, check characters also cover it, as in minters that EZID created since 2023.
    """

    scheme: ClassVar[str] = "noid"
    syntax: ClassVar[Syntax] = noid
    template: str = ".reedeedk"
    naan: str = ""
    order: str = ""
    shoulder: str = ""
    sequence: str = ""
    first: int = 0
    counters: str = ""
    grows: int = 0
    also: str = ""
    label: str = ""

    def __post_init__(self) -> None:
        template = noid.parse_template(self.template, self.naan, self.shoulder, self.label)
        if template.check and template.zone_length > ncda.MAX_SYMBOLS:
            length = template.zone_length
            raise ValueError(f"a check character is sure of {ncda.MAX_SYMBOLS} symbols, NAAN included, not of {length}")
        if self.sequence or self.first or self.counters or self.grows or self.also:
            self._require_valid_continuation(template)

    def _require_valid_continuation(self, template: noid.Template) -> None:
        """Raise `ValueError` if the members that continue a minter do not fit the template."""
        if self.sequence not in ("", PERL) or (self.sequence and template.generator != "r"):
            raise ValueError(f"a sequence is {PERL!r}, for a random template, or is left out")
        if self.first < 0 or self.first > noid.MAX_NAMES:
            raise ValueError("the first number is not from 0 to 10^18")
        if not 0 <= self.grows <= len(template.mask) or (self.grows and template.capacity is None):
            raise ValueError("it can grow by up to all characters of the mask, unless the template has no end")
        if self.counters:
            if not self.sequence:
                raise ValueError(f"counters belong to the sequence {PERL!r}")
            from coolid.identifiers.rules.perl_state import parse_state  # not needed without counters

            parse_state(self.counters, 0)
        if self.also:
            from coolid.identifiers.patterns import is_supported  # not needed without a pattern

            if not is_supported(self.also):
                raise ValueError("the pattern of other names is not a regular expression in RE2's syntax")

    @classmethod
    def members(cls) -> frozenset[str]:
        """Return all members except the order."""
        return super().members() - {"order"}

    def seeded(self, entropy: Entropy) -> "NoidRules":
        """Return the rules with a random order."""
        return replace(self, order=entropy.token(16).hex())

    def document(self) -> dict[str, Any]:
        """See `Rules`. Empty optional members are left out, as in releases without them."""
        document = super().document()
        return {name: value for name, value in document.items() if value or name not in _OPTIONAL_MEMBERS}

    def public_document(self) -> dict[str, Any]:
        """See `Rules`. The order is left out, and the state of a continued minter, which makes it predictable."""
        return {name: value for name, value in self.request_document().items() if name not in _STATE_MEMBERS}

    @property
    def _templates(self) -> tuple[noid.Template, ...]:
        return _templates(self.template, self.naan, self.shoulder, self.label, self.grows)

    def validate(self, text: str) -> str:
        try:
            return str(noid.parse_extended(text, self._templates))
        except InvalidIdentifier:
            if self.also and (key := self._supplied_key(text)):
                return key
            raise

    def _supplied_key(self, text: str) -> str | None:
        """Return the key of a text that matches `also`, or None."""
        from coolid.identifiers.patterns import matches  # not needed without a pattern

        key = noid.compact(text)
        is_path_step = not {".", ".."}.isdisjoint(key.split("/"))
        fits = 0 < len(key) <= noid.MAX_SYMBOLS and key.isascii() and key.isprintable() and not is_path_step
        return key if fits and matches(f"({self.also})", key) else None

    def floor(self, milliseconds: int) -> int:
        """Return the first number of a continued minter, else 0."""
        return self.first

    def key(self, number: int) -> str:
        template, before = self._extension_of(number)
        if not self.sequence:
            return noid.nth(number - before, template, bytes.fromhex(self.order))
        from coolid.identifiers.rules.perl_order import order_after, order_of  # only to mint

        order = order_of(template.capacity or 0)
        if self.counters:
            imported, start = self._extension_of(self.first)
            found = order_after(self.counters, self.first - start)
            if before > start and found.stop != imported.capacity:
                raise Exhausted(start + found.stop)
            order = found if before == start else order
        if number - before >= order.stop:
            raise Exhausted(before + order.stop)
        return noid.encode(order.value(number - before) % (template.capacity or 1), template)

    def _extension_of(self, number: int) -> tuple[noid.Template, int]:
        """Return the template of a number, and how many names the shorter ones have. Raises `Exhausted`."""
        before = 0
        for template in self._templates:
            if template.capacity is None or number < before + template.capacity:
                return template, before
            before += template.capacity
        raise Exhausted(before)

    def safety_gap(self) -> int:
        """Return 1,000, but at most a hundredth of the names that fit the template without growing."""
        capacity = self._templates[0].capacity
        return _MAX_SAFETY_GAP if capacity is None else max(1, min(_MAX_SAFETY_GAP, capacity // 100))

    def describe(self) -> RulesDescription:
        """See `Rules`. With other names, nothing is promised about alphabet, length and check."""
        templates = self._templates
        template = templates[0]
        example = noid.encode(min(1234567, (template.capacity or 1234568) - 1), template)
        pattern = self._pattern()
        if self.also:
            length = (1, noid.MAX_SYMBOLS)
            return RulesDescription("", length, pattern, example, folds_case=False, reads=("-", ""))
        between = "a slash, the shoulder" if self.shoulder else "a slash"
        before = f"{self.label}, " if self.label else ""
        zones = {"naan": f"{before}the NAAN, {between} and the name", "name": "the name", None: None}
        longest = templates[-1].length if template.generator != "z" else _UNBOUNDED_LENGTH
        return RulesDescription(
            alphabet=noid.ALPHABET,
            length=(template.length, longest),
            lengths=tuple(each.length for each in templates) if len(templates) > 1 else (),
            pattern=pattern,
            check="Noid Check Digit Algorithm" if template.check else None,
            zone=zones[template.zone],
            folds_case=False,
            example=example,
            reads=("-", ""),
        )

    def _pattern(self) -> str:
        """Return the published pattern: that of each template, and of other names."""
        kinds = {"d": "[0-9]", "e": f"[{noid.ALPHABET}]"}
        patterns = []
        for template in self._templates:
            grown = f"({kinds[template.mask[0]]}-*)*" if template.generator == "z" else ""
            body = "".join(f"{kinds[kind]}-*" for kind in template.mask + ("e" if template.check else ""))
            prefix = "".join(f"{symbol if symbol.isalnum() else f'[{symbol}]'}-*" for symbol in template.prefix)
            patterns.append(f"-*{prefix}{grown}{body}")
        if self.also:
            patterns.append(self.also)
        return f"^{patterns[0]}$" if len(patterns) == 1 else f"^({'|'.join(patterns)})$"

    def assertions(self) -> tuple[Assertion, ...]:
        """See `Rules`. Adds the check character if the lengths are fixed. Other names have only a maximum length."""
        templates = self._templates
        template = templates[0]
        if self.also:
            return (Assertion(f"string-length($key) <= {noid.MAX_SYMBOLS} and $key != ''", "It has the right length."),)
        found = [
            Assertion(f"starts-with($key, '{template.prefix}')", f"It begins with {template.prefix or 'anything'}."),
            Assertion(f"translate(substring($key, {len(template.prefix) + 1}), '{noid.ALPHABET}', '') = ''", _ALPHABET),
            SequentialRules.assertions(self)[1],
        ]
        if len(templates) > 1:
            tests = " or ".join(f"string-length($key) = {each.length}" for each in templates)
            found[2] = Assertion(tests, found[2].message)
        if template.check and template.generator != "z":
            found += (_check_assertion(each, is_only=len(templates) == 1) for each in templates)
        return tuple(found)


def _check_assertion(template: noid.Template, *, is_only: bool) -> Assertion:
    """Return the assertion of the check character; of names of this length if there are others."""
    body_end = template.length - 1
    total = " + ".join(
        f"{len(template.stem) + position} * string-length(substring-before("
        f"concat('{noid.ALPHABET}', substring($key, {position}, 1)), substring($key, {position}, 1))) mod 29"
        for position in range(1, body_end + 1)
    )
    fixed = sum(position * max(noid.ALPHABET.find(symbol), 0) for position, symbol in enumerate(template.stem, 1))
    digit = f"substring('{noid.ALPHABET}', 1 + ({total} + {fixed}) mod 29, 1)"
    test = f"substring($key, {body_end + 1}) = {digit}"
    unless = "" if is_only else f"string-length($key) != {template.length} or "
    return Assertion(unless + test, "Its check character fits the rest.")
