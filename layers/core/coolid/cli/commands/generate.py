"""`coolid generate`: random identifiers, generated offline, one a line."""

import sys
from collections.abc import Callable, Iterator
from typing import Annotated, Final, Literal, NamedTuple

import typer

from coolid.aws.clock import SystemClock
from coolid.aws.entropy import SystemEntropy
from coolid.cli.output import discard_stdout
from coolid.cli.progress import with_progress
from coolid.errors import InvalidIdentifier, UsageError
from coolid.identifiers.rules.contextual import ContextualRules
from coolid.identifiers.schemes import contextual, cooldoi, crockford, lui, noid, pilin, ror, uuid
from coolid.model.prefixes import is_shoulder, join
from coolid.strict_json import dump

_PROXIES: Final = {"cooldoi": "https://doi.org/", "pilin": "https://hdl.handle.net/"}
_DEFAULT_PROXY: Final = "https://n2t.net/"
_MANY: Final = 10_000


Scheme = Literal["lui", "cooldoi", "pilin", "noid", "uuid", "ror", "contextual"]


class _Options(NamedTuple):
    """The options that some schemes use."""

    symbols: int
    template: str
    naan: str
    prefix: str
    object_type: str


def generate(
    scheme: Annotated[Scheme, typer.Argument(help="The scheme of the identifiers.")],
    number: Annotated[int, typer.Option("-n", min=0, help="How many.")] = 1,
    prefix: Annotated[str | None, typer.Option(help="Their prefix, such as 10.5072 or ark:99999.")] = None,
    proxy: Annotated[bool, typer.Option("--proxy", help="Print URLs at the scheme's resolver.")] = False,
    symbols: Annotated[int, typer.Option(min=1, max=12, help="Symbols of a LUI.")] = lui.DEFAULT_SYMBOLS,
    template: Annotated[str, typer.Option(help="Template of NOIDs.")] = ".reedeedk",
    naan: Annotated[str, typer.Option(help="NAAN that NOIDs' check characters cover.")] = "",
    object_type: Annotated[str, typer.Option(help="Object type of contextual identifiers.")] = "NOT",
    json: Annotated[bool, typer.Option("--json", help="Print each as a JSON string.")] = False,
) -> None:
    """Generate random identifiers, one a line. They are not registered: two runs can, rarely, give the same one.

    $ coolid generate lui -n 3
    $ coolid generate cooldoi -n 5 --prefix 10.5072 --proxy
    $ coolid generate noid --template .reedeedk --prefix ark:99999
    """
    if proxy and not prefix:
        raise UsageError("--proxy needs --prefix, because a resolver finds identifiers by their prefix")
    try:
        identifiers = _generate(scheme, number, _Options(symbols, template, naan, prefix or "", object_type))
        written: Iterator[str] = map(_formatter(scheme, prefix, proxy=proxy), identifiers)
        if json:
            written = map(dump, written)
        if number >= _MANY:
            written = with_progress(written, "Generating", number, "identifiers", on_stdout=True)
        sys.stdout.writelines(f"{line}\n" for line in written)
    except BrokenPipeError:  # for example `| head`, which has all that it needs
        discard_stdout()
    except (InvalidIdentifier, ValueError) as error:
        raise UsageError(str(error)) from error


def _generate(scheme: Scheme, number: int, options: _Options) -> Iterator[str]:
    """Return an iterator of identifiers. Raises `InvalidIdentifier` or `ValueError` for an invalid option."""
    entropy, clock = SystemEntropy(), SystemClock()
    if scheme == "pilin":
        end = pilin.milliseconds_at(clock.now())  # one a millisecond up to now, so that none is in the future
        return map(pilin.generate, range(end - number, end))
    if scheme == "noid":
        return _noids(options, number, entropy.token(16))
    if scheme == "contextual":
        ContextualRules(options.prefix, (options.object_type,))  # validates both arguments
    generators: dict[Scheme, Callable[[], str]] = {
        "lui": lambda: crockford.group(lui.generate(entropy, options.symbols)),
        "cooldoi": lambda: crockford.group(cooldoi.generate(entropy)),
        "uuid": lambda: uuid.generate(entropy, clock.milliseconds()),
        "ror": lambda: ror.generate(entropy),
        "contextual": lambda: contextual.generate(entropy, options.prefix, options.object_type),
    }
    generator = generators[scheme]
    return (generator() for _ in range(number))


def _noids(options: _Options, number: int, key: bytes) -> Iterator[str]:
    stem = options.prefix.rstrip("/").lower()
    shoulder = stem.rpartition("/")[2] if options.naan and is_shoulder(stem) else ""
    template = noid.parse_template(options.template, options.naan, shoulder)
    if template.capacity is not None and number > template.capacity:
        raise ValueError(f"the template {template} has {template.capacity} identifiers, not {number}")
    return (noid.nth(index, template, key) for index in range(number))


def _formatter(scheme: Scheme, prefix: str | None, *, proxy: bool) -> Callable[[str], str]:
    """Return a function that puts an identifier under the prefix."""
    if not prefix or scheme == "contextual":
        return str
    name = prefix.rstrip("/")
    with_slash = scheme in ("cooldoi", "pilin") or name.isdecimal()
    start = (_PROXIES.get(scheme, _DEFAULT_PROXY) if proxy else "") + (name + "/" if with_slash else join(name, ""))
    return start.__add__
