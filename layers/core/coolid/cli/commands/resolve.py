"""`coolid resolve`: the resolution of an identifier, hop by hop, by `coolid.client`."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from coolid.cli.error_report import AFTER_NO_RESOLVER, UNRESOLVED
from coolid.cli.exit_codes import NO, UNREACHABLE
from coolid.cli.output import (
    BAD,
    GOOD,
    cell,
    for_people,
    out,
    print_json,
    print_line,
    print_list,
    printable,
    safe_json,
)
from coolid.cli.profiles import chosen_profile
from coolid.cli.service_connection import Json, Profile, without_environment
from coolid.client import Outcome, Resolution
from coolid.client import resolve as resolve_text
from coolid.client.discovery import DEFAULT_RESOLVER

if TYPE_CHECKING:
    from coolid.cli.output import Cell

_Text = Annotated[str, typer.Argument(help="lid:ID?format=pdf&lang=en, or an identifier in any other form.")]
_Domain = Annotated[str | None, typer.Option(help="A domain that names its resolver, at its well-known URL or in DNS.")]
_Resolver = Annotated[
    list[str] | None,
    typer.Option(
        envvar="COOLID_URL",
        callback=without_environment,
        help="A resolver to query first, such as http://127.0.0.1:8080; repeatable.",
    ),
]
_Accept = Annotated[str | None, typer.Option(help="Media types, as in Accept: application/linkid+json.")]
_Format = Annotated[str | None, typer.Option(help="Format: linkid for the record itself, or pdf, ttl, text/html ...")]
_Lang = Annotated[str | None, typer.Option(help="Language of the content.")]
_Version = Annotated[str | None, typer.Option(help="Version of the content.")]
_Follow = Annotated[bool, typer.Option("--follow/--no-follow", help="Follow redirects, or only print the first one.")]
_DefaultResolver = Annotated[
    str, typer.Option(envvar="COOLID_DEFAULT_RESOLVER", help="The resolver to query last; empty for none.")
]
_Nameserver = Annotated[str | None, typer.Option(envvar="COOLID_NAMESERVER", hidden=True)]


def resolve(
    text: _Text,
    domain: _Domain = None,
    resolver: _Resolver = None,
    accept: _Accept = None,
    format: _Format = None,  # noqa: A002 -- the parameter's name in the draft
    lang: _Lang = None,
    version: _Version = None,
    follow: _Follow = True,
    default_resolver: _DefaultResolver = DEFAULT_RESOLVER,
    nameserver: _Nameserver = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Resolve an identifier and print every hop.

    The service of the profile comes first, then the resolver of --domain, then the default one. Redirects are followed
    over HTTPS only. Exits with 1 if the identifier does not resolve or a redirect is not allowed, and with 3 if no
    resolver could be reached.

        $ coolid resolve doi:10.5281/zenodo.31780
        $ coolid resolve 'lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14?format=pdf'
    """
    resolution = resolve_text(
        text,
        chosen=resolver or _of_profile(profile, domain),
        domain=domain,
        accept=accept,
        format=format,
        lang=lang,
        version=version,
        follow_redirects=follow,
        default=default_resolver or None,
        nameserver=nameserver,
    )
    _print(resolution, as_json=json)
    if resolution.outcome is not Outcome.FOUND:
        raise typer.Exit(NO if resolution.outcome is Outcome.NO else UNREACHABLE)


def _of_profile(profile: str | None, domain: str | None) -> tuple[str, ...]:
    """Return the service of the profile; a domain has precedence over the default one."""
    if profile is None and domain is not None:
        return ()
    chosen = chosen_profile(profile)
    return (chosen.url,) if chosen else ()


def _print(resolution: Resolution, *, as_json: bool) -> None:
    if as_json:
        print_json(resolution.to_document())
        return
    for attempt in resolution.attempts:
        print_line(f"{attempt.resolver}: {attempt.problem}")
    if resolution.resolver is None:
        print_line(f"coolid: no resolver answered for {resolution.id}")
        print_line(f"  {AFTER_NO_RESOLVER}")
    _print_hops(resolution)
    if resolution.stopped:
        print_line(f"coolid: {resolution.stopped}")
    if resolution.final is None:
        return
    status = resolution.final.status
    if resolution.document is None:
        if resolution.text is not None:
            out.print(printable(resolution.text, lines=True), markup=False)
    elif status < 300:
        out.print(safe_json(resolution.document, indent=True), markup=False, emoji=False)
    else:
        for line in _describe(resolution.document, status):
            print_line(f"  {line}", to=out)
        if status == 404:
            print_line(f"  {UNRESOLVED}")


def _print_hops(resolution: Resolution) -> None:
    if not for_people():
        for hop in resolution.hops:
            target = f" -> {hop.location}" if hop.location is not None else ""
            print_line(f"{hop.status} {hop.url}{target}", to=out)
        return
    rows: list[tuple[Cell, ...]] = []
    for hop in resolution.hops:
        rows.append((cell(str(hop.status), GOOD if hop.status < 400 else BAD), "request", hop.url))
        if hop.location is not None:
            rows.append(("", "redirect", hop.location))
    print_list(rows)


def _describe(document: Mapping[str, Any], status: int) -> Iterator[str]:
    """Yield lines that describe a list of alternatives, a tombstone or a problem."""
    if status == 300:
        for location in _objects(document.get("choices")) or _objects(document.get("records")):
            members = ("uri", "mediaType", "language", "version")
            yield "  ".join(str(location[member]) for member in members if location.get(member) is not None)
        return
    withdrawn = document.get("withdrawn")
    if isinstance(withdrawn, dict):
        yield f"withdrawn at {withdrawn.get('at')}: {withdrawn.get('reason')}"
        if withdrawn.get("successor"):
            yield f"its successor is {withdrawn['successor']}"
    detail = document.get("detail") or document.get("title")
    if detail:
        yield str(detail)
    suggestions = document.get("suggestions")
    if isinstance(suggestions, list) and suggestions:
        yield f"similar registered identifiers: {', '.join(map(str, suggestions))}"


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
