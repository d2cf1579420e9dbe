"""NOID: Nice Opaque Identifier, minted by a template such as `fk4.reedeedk`.

Specification: J. Kunze and M. Russell, "Noid", sections "Templates" and "Noid Check Digit Algorithm" (NCDA). A
template is a prefix, a dot, an order, a mask, and `k` for a check character. The order is `r` (random), `s`
(sequential) or `z` (sequential without end). The mask has `d` for a digit and `e` for an extended digit, any of 29.
Names of a `z` template grow to the left, by the mask's first character. The check covers NAAN, slash and name, or
only the name without a NAAN. A shoulder that is not part of the template stands between slash and name.

Minters of Nog and EZID put the first characters of the mask before it again when all names are used. The names of
`extensions` are then valid together, and differ in length.

>>> template = parse_template("f5.reedeedk", naan="13030")
>>> encode(1234567, template)
'f50g6s37h'
>>> decode("f50g6-s37h", template), template.capacity
(1234567, 70728100)
>>> validate("13030/xf93gt2q")
'13030/xf93gt2q'
"""

import re
from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import InvalidCharacter, InvalidIdentifier, InvalidLength
from coolid.identifiers.schemes import ncda, spelling, validity
from coolid.identifiers.schemes.permutation import permute
from coolid.ports import Entropy

ALPHABET: Final = ncda.ALPHABET
MAX_SYMBOLS: Final = 255
"""Maximum length of a name, which every ARK implementation must support."""

MAX_NAMES: Final = 10**18
"""The most names of a template that is extended; counters in the store are 64-bit numbers."""

LABEL: Final = "ark:/"
"""The label with which some check zones begin."""

_BASES: Final = {"d": 10, "e": len(ALPHABET)}
_TEMPLATE: Final = re.compile(r"([0-9A-Za-z=~*+@_$]{0,64})\.([rsz])([de]{1,64})(k?)")
_NAAN: Final = re.compile("[0-9b-df-hj-km-np-tv-xz]{0,64}")
_SHOULDER: Final = re.compile("[a-z]{1,64}[0-9]")
_FOREIGN: Final = re.compile("[^0-9b-df-hj-km-np-tv-xz-]")

calc_check_digit = ncda.calc_check_digit


class Template(Struct, frozen=True, dict=True):
    """A parsed template.

    `generator` is `r`, `s` or `z`, `mask` the `d`s and `e`s, `check` whether `k` follows. The check zone begins with
    `label`, `naan` and `shoulder`, unless they are empty.
    """

    prefix: str
    generator: str
    mask: str
    check: bool
    naan: str = ""
    shoulder: str = ""
    label: str = ""

    def __str__(self) -> str:
        return f"{self.prefix}.{self.generator}{self.mask}{'k' if self.check else ''}"

    @property
    def zone(self) -> str | None:
        """The check zone: `naan` (with the name), `name`, or None without a check character."""
        if not self.check:
            return None
        return "naan" if self.naan else "name"

    @cached_property
    def capacity(self) -> int | None:
        """The number of identifiers; None if it is unlimited."""
        return None if self.generator == "z" else self._width

    @cached_property
    def _width(self) -> int:
        """The number of names that fit the mask without growing."""
        return prod(_BASES[kind] for kind in self.mask)

    @property
    def length(self) -> int:
        """The number of symbols of a name, unless it grows to the left."""
        return len(self.prefix) + len(self.mask) + self.check

    @property
    def zone_length(self) -> int:
        """The number of symbols that the check covers, and its own."""
        return len(self.stem) + self.length

    @property
    def stem(self) -> str:
        """The part of the check zone before the name: label, NAAN, slash and shoulder; empty without a NAAN."""
        return f"{self.label}{self.naan}/{self.shoulder}" if self.naan else ""

    @cached_property
    def _head(self) -> str:
        return self.stem + self.prefix

    @cached_property
    def _head_sum(self) -> int:
        return ncda.weighted_sum(self._head)

    @cached_property
    def _tables(self) -> tuple[tuple[int, tuple[tuple[str, int], ...]], ...]:
        """For each one or two positions of the mask, last first: how many values they have, and symbols and weights."""
        tables = []
        for stop in range(len(self.mask), 0, -2):
            start = max(stop - 2, 0)
            texts = [""]
            for kind in self.mask[start:stop]:
                texts = [text + symbol for text in texts for symbol in ALPHABET[: _BASES[kind]]]
            rows = tuple((text, ncda.weighted_sum(text, len(self._head) + start + 1)) for text in texts)
            tables.append((len(rows), rows))
        return tuple(tables)

    def extended(self, grows: int) -> "Template":
        """Return the template with the first characters of its mask before it."""
        return replace(self, mask=self.mask[:grows] + self.mask)


class Noid(Struct, frozen=True):
    """The parts of an identifier; `check` is empty if its template has none."""

    prefix: str
    body: str
    check: str = ""

    def __str__(self) -> str:
        return self.prefix + self.body + self.check


def parse_template(text: str, naan: str = "", shoulder: str = "", label: str = "") -> Template:
    """Parse a template, checked as `NAAN/name` or `NAAN/shoulder` and name; raise `ValueError` with the reason.

    The label `ark:/` begins the check zone of minters that EZID has created since it keeps them in MySQL.
    """
    found = _TEMPLATE.fullmatch(text)
    if not found:
        raise ValueError("a template is a prefix, a dot, one of r, s and z, a mask of d and e, and perhaps a final k")
    if not _NAAN.fullmatch(naan):
        raise ValueError("a NAAN is digits and consonants without l, in lower case")
    if shoulder and not (naan and _SHOULDER.fullmatch(shoulder)):
        raise ValueError("a shoulder is lower-case letters and one digit, and stands behind a NAAN")
    if label and not (naan and label == LABEL):
        raise ValueError(f"the label of a check zone is {LABEL}, and stands before a NAAN")
    return Template(found[1], found[2], found[3], bool(found[4]), naan, shoulder, label)


def compact(text: str) -> str:
    """Return the key of a spelling: without hyphens, which have no meaning in an ARK; case matters; unchecked."""
    return text.replace("-", "")


def validate(text: str, template: Template | None = None) -> str:
    """Return the key of a name by a template, or without one of a check zone; raise `InvalidIdentifier`."""
    return ncda.validate(text) if template is None else str(parse(text, template))


is_valid = validity(validate)
format = compact
"""Return the display form, which is the key."""


def extensions(template: Template, grows: int) -> tuple[Template, ...]:
    """Return a template and those that follow it, each of them longer by `grows` characters; at most 10^18 names.

    A check character is sure of at most 28 symbols, so longer templates with one do not follow.

    >>> [each.mask for each in extensions(parse_template("r7.reedk", "77913"), 3)]
    ['eed', 'eedeed', 'eedeedeed', 'eedeedeedeed']
    """
    found = [template]
    total = template.capacity or 0
    while grows:
        longer = found[-1].extended(grows)
        total += longer.capacity or 0
        fits = longer.zone_length <= ncda.MAX_SYMBOLS or not longer.check
        if total > MAX_NAMES or not fits:
            break
        found.append(longer)
    return tuple(found)


def parse_extended(text: str, templates: Sequence[Template]) -> Noid:
    """Return the parts of a name by one of the templates, which have different lengths. Raises as `validate` does."""
    if len(templates) == 1:
        return parse(text, templates[0])
    length = len(compact(text))
    lengths = [each.length for each in templates]
    if length in lengths or not compact(text).startswith(templates[0].prefix):
        return parse(text, templates[lengths.index(length) if length in lengths else 0])
    expected = f"{', '.join(map(str, lengths[:-1]))} or {lengths[-1]}"
    raise InvalidIdentifier(text, f"it has {length} symbols, not {expected}")


def parse(text: str, template: Template) -> Noid:
    """Return the parts of a valid identifier; raises the errors of `validate`."""
    key = compact(text)
    if not key.startswith(template.prefix):
        raise InvalidIdentifier(text, f"it does not begin with {template.prefix}")
    start = len(template.prefix)
    if _FOREIGN.search(key, start):
        raise InvalidCharacter(text, _position(text, _first(_FOREIGN, key, start)), ncda.SYMBOLS)
    stop = len(key) - 1 if template.check else len(key)
    body, check = key[start:stop], key[stop:]
    grown = len(body) - len(template.mask)
    if grown < 0 or (grown and template.generator != "z"):
        raise InvalidLength(text, start + len(template.mask) + template.check, len(key))
    if len(key) > MAX_SYMBOLS:
        raise InvalidIdentifier(text, f"it has {len(key)} symbols, more than the {MAX_SYMBOLS} that are allowed")
    for at, kind in enumerate(template.mask[0] * grown + template.mask):
        if kind == "d" and body[at] not in "0123456789":
            raise InvalidCharacter(text, _position(text, start + at), "0-9 (mask d)")
    if grown and body[0] == "0":
        raise InvalidIdentifier(text, f"it is longer than {template} calls for, but begins with 0")
    if check:
        spelling.check_last(text, template.stem + key, calc_check_digit)
    return Noid(template.prefix, body, check)


def encode(number: int, template: Template) -> str:
    """Return the identifier of a number, 0 <= number < capacity; raise `ValueError` outside."""
    if number < 0 or (template.capacity is not None and number >= template.capacity):
        raise ValueError(f"{number} is outside the template {template}")
    rest, body, total = number, "", template._head_sum
    for size, rows in template._tables:
        rest, row = divmod(rest, size)
        symbols, weight = rows[row]
        body = symbols + body
        total += weight
    if rest:
        base = _BASES[template.mask[0]]
        while rest:
            rest, digit = divmod(rest, base)
            body = ALPHABET[digit] + body
        total = ncda.weighted_sum(template._head + body)
    return template.prefix + body + ALPHABET[total % 29] if template.check else template.prefix + body


def decode(text: str, template: Template) -> int:
    """Return the number of a valid identifier; raises the errors of `validate`."""
    body = parse(text, template).body
    number = 0
    for kind, symbol in zip(template.mask[0] * (len(body) - len(template.mask)) + template.mask, body, strict=True):
        number = number * _BASES[kind] + ncda.ordinal(symbol)
    return number


def nth(index: int, template: Template, key: bytes) -> str:
    """Return the identifier at an index, from 0, permuted by a key if random; `ValueError` beyond the last."""
    if template.generator == "r" and template.capacity is not None and 0 <= index < template.capacity:
        return encode(permute(index, template.capacity, key), template)
    return encode(index, template)


def generate(entropy: Entropy, template: Template) -> str:
    """Return a random identifier, which may be taken; raise `ValueError` for a template without end."""
    if template.capacity is None:
        raise ValueError(f"the identifiers of {template} have no end; they are counted, not drawn")
    return encode(entropy.below(template.capacity), template)


def _first(foreign: re.Pattern[str], key: str, start: int) -> int:
    found = foreign.search(key, start)
    assert found is not None
    return found.start()


def _position(text: str, at: int) -> int:
    """Return the position in a text with hyphens of the symbol at `at` without them."""
    return next(position for position, symbol in enumerate(text) if symbol != "-" and (at := at - 1) < 0)
