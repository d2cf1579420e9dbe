"""`coolid generate`: random identifiers, generated offline, one a line."""

import sys
from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import islice
from typing import Annotated

import typer

from coolid.aws.clock import SystemClock
from coolid.aws.entropy import SystemEntropy
from coolid.cli.output import USAGE, let_go, print_line
from coolid.cli.progress import with_progress
from coolid.errors import InvalidIdentifier
from coolid.identifiers.rules.contextual import ContextualRules
from coolid.identifiers.schemes import contextual, cooldoi, crockford, lui, noid, pilin, ror, uuid
from coolid.model.prefixes import is_shoulder, join
from coolid.strict_json import dump

_PROXIES = {"cooldoi": "https://doi.org/", "pilin": "https://hdl.handle.net/"}
_DEFAULT_PROXY = "https://n2t.net/"
_LINES = 1000
_MANY = 10 * _LINES


class Scheme(StrEnum):
    """The schemes of identifiers that can be generated."""

    LUI = "lui"
    COOLDOI = "cooldoi"
    PILIN = "pilin"
    NOID = "noid"
    UUID = "uuid"
    ROR = "ror"
    CONTEXTUAL = "contextual"


def generate(
    scheme: Annotated[Scheme, typer.Argument(help="How identifiers are drawn.")],
    number: Annotated[int, typer.Option("-n", min=0, help="How many.")] = 1,
    prefix: Annotated[str | None, typer.Option(help="What they stand under, such as 10.5072 or ark:99999.")] = None,
    proxy: Annotated[bool, typer.Option("--proxy", help="Print URLs at the scheme's resolver.")] = False,
    symbols: Annotated[int, typer.Option(min=1, max=12, help="Symbols of a LUI.")] = lui.DEFAULT_SYMBOLS,
    template: Annotated[str, typer.Option(help="Template of NOIDs.")] = ".reedeedk",
    naan: Annotated[str, typer.Option(help="NAAN that NOIDs' check characters cover.")] = "",
    object_type: Annotated[str, typer.Option(help="Object type of contextual identifiers.")] = "NOT",
    json: Annotated[bool, typer.Option("--json", help="Print each as a JSON string.")] = False,
) -> None:
    """Draw identifiers, one a line. Nothing is registered: two runs can, rarely, draw the same identifier.

    $ coolid generate lui -n 3
    $ coolid generate cooldoi -n 5 --prefix 10.5072 --proxy
    $ coolid generate noid --template .reedeedk --prefix ark:99999
    """
    if proxy and not prefix:
        print_line("coolid: --proxy needs --prefix: a resolver knows nothing of an identifier without one")
        raise typer.Exit(USAGE)
    entropy, clock = SystemEntropy(), SystemClock()
    try:
        drawn = _draw(scheme, number, _Options(symbols, template, naan, prefix or "", object_type), entropy, clock)
        written: Iterator[str] = map(_formatter(scheme, prefix, proxy=proxy), drawn)
        if json:
            written = map(dump, written)
        if number >= _MANY:
            written = with_progress(written, "Drawing", number, "identifiers", on_stdout=True)
        while lines := list(islice(written, _LINES)):
            sys.stdout.write("\n".join(lines) + "\n")
    except BrokenPipeError:  # for example `| head`
        let_go()
    except (InvalidIdentifier, ValueError) as error:
        print_line(f"coolid: {error}")
        raise typer.Exit(USAGE) from error


class _Options:
    """The options that some schemes use."""

    def __init__(self, symbols: int, template: str, naan: str, prefix: str, object_type: str) -> None:
        self.symbols = symbols
        self.template = template
        self.naan = naan
        self.prefix = prefix
        self.object_type = object_type


def _draw(scheme: Scheme, number: int, options: _Options, entropy: SystemEntropy, clock: SystemClock) -> Iterator[str]:
    match scheme:
        case Scheme.LUI:
            return (crockford.group(lui.generate(entropy, options.symbols)) for _ in range(number))
        case Scheme.COOLDOI:
            return (crockford.group(cooldoi.generate(entropy)) for _ in range(number))
        case Scheme.PILIN:
            end = pilin.milliseconds_at(clock.now())  # one a millisecond up to now, so that none is in the future
            return map(pilin.generate, range(end - number, end))
        case Scheme.NOID:
            stem = options.prefix.rstrip("/").lower()
            shoulder = stem.rpartition("/")[2] if options.naan and is_shoulder(stem) else ""
            return _noids(noid.parse_template(options.template, options.naan, shoulder), number, entropy.token(16))
        case Scheme.UUID:
            return (uuid.generate(entropy, clock.milliseconds()) for _ in range(number))
        case Scheme.ROR:
            return (ror.generate(entropy) for _ in range(number))
        case Scheme.CONTEXTUAL:
            ContextualRules(options.prefix, (options.object_type,))  # validates both arguments
            return (contextual.generate(entropy, options.prefix, options.object_type) for _ in range(number))


def _noids(template: noid.Template, number: int, key: bytes) -> Iterator[str]:
    if template.capacity is not None and number > template.capacity:
        raise ValueError(f"the template {template} has {template.capacity} identifiers, not {number}")
    return (noid.nth(index, template, key) for index in range(number))


def _formatter(scheme: Scheme, prefix: str | None, *, proxy: bool) -> Callable[[str], str]:
    """Return a function that puts an identifier under the prefix."""
    if not prefix or scheme is Scheme.CONTEXTUAL:
        return str
    name = prefix.rstrip("/")
    with_slash = scheme in (Scheme.COOLDOI, Scheme.PILIN) or name.isdecimal()
    start = (_PROXIES.get(scheme, _DEFAULT_PROXY) if proxy else "") + (name + "/" if with_slash else join(name, ""))
    return start.__add__
