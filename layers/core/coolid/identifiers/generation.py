"""Random identifiers of a scheme, which are registered nowhere.

>>> SCHEMES
('lui', 'cooldoi', 'pilin', 'noid', 'uuid', 'linkid', 'ror', 'contextual')
"""

from collections.abc import Callable, Iterator
from typing import Final, Literal, get_args

from msgspec import Struct

from coolid.identifiers.schemes import contextual, cooldoi, crockford, linkid, lui, noid, pilin, ror, uuid
from coolid.ports import Clock, Entropy

Scheme = Literal["lui", "cooldoi", "pilin", "noid", "uuid", "linkid", "ror", "contextual"]
SCHEMES: Final[tuple[str, ...]] = get_args(Scheme)
TEMPLATE: Final = ".reedeedk"


class GenerationOptions(Struct, frozen=True):
    """What some schemes need: `symbols` of a LUI; template, NAAN and shoulder of a NOID; parts of a contextual one."""

    symbols: int = lui.DEFAULT_SYMBOLS
    template: str = TEMPLATE
    naan: str = ""
    shoulder: str = ""
    prefix: str = ""
    object_type: str = "NOT"


DEFAULT_OPTIONS: Final = GenerationOptions()


def generate(
    scheme: Scheme, number: int, entropy: Entropy, clock: Clock, options: GenerationOptions = DEFAULT_OPTIONS
) -> Iterator[str]:
    """Return an iterator of `number` identifiers. Raises `InvalidIdentifier` or `ValueError` for an invalid option."""
    if scheme == "pilin":
        end = pilin.milliseconds_at(clock.now())  # one a millisecond up to now, so that none is in the future
        return map(pilin.generate, range(end - number, end))
    if scheme == "noid":
        return _noids(options, number, entropy.token(16))
    if scheme == "contextual":
        from coolid.identifiers.rules.contextual import ContextualRules  # with re2, which the other schemes need not

        ContextualRules(options.prefix, (options.object_type,))  # validates both arguments
    generators: dict[str, Callable[[], str]] = {
        "lui": lambda: crockford.group(lui.generate(entropy, options.symbols)),
        "cooldoi": lambda: crockford.group(cooldoi.generate(entropy)),
        "uuid": lambda: uuid.generate(entropy, clock.milliseconds()),
        "linkid": lambda: linkid.format(linkid.generate(entropy)),
        "ror": lambda: ror.generate(entropy),
        "contextual": lambda: contextual.generate(entropy, options.prefix, options.object_type),
    }
    if scheme not in generators:
        raise ValueError(f"there is no generator of {scheme!r}; the schemes are {', '.join(SCHEMES)}")
    generator = generators[scheme]
    return (generator() for _ in range(number))


def _noids(options: GenerationOptions, number: int, key: bytes) -> Iterator[str]:
    template = noid.parse_template(options.template, options.naan, options.shoulder)
    if template.capacity is not None and number > template.capacity:
        raise ValueError(f"the template {template} has {template.capacity} identifiers, not {number}")
    return (noid.nth(index, template, key) for index in range(number))
