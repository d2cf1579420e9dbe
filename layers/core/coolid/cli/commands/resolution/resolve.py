"""`coolid resolve`: the resolution of an identifier, hop by hop, by `coolid.client`."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from coolid.cli.commands.resolution.hop_output import print_resolution
from coolid.cli.exit_codes import DONE, NO, UNREACHABLE
from coolid.cli.log_checks import read_policy
from coolid.cli.output import print_json, print_line
from coolid.cli.profiles import chosen_profile
from coolid.cli.service_connection import Json, Profile, read_bounded, without_environment
from coolid.client import Outcome, Resolution
from coolid.client import resolve as resolve_text
from coolid.client.discovery import DEFAULT_RESOLVER
from coolid.client.errors import RefusedByClient
from coolid.errors import InvalidIdentifier
from coolid.identifiers.schemes import linkid

MAX_SUCCESSORS: Final = 5

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
_Resolvers = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="For linkid: trusted resolvers, in place of coolid/resolvers.json in ~/.config."),
]
_AllowScheme = Annotated[
    list[str] | None,
    typer.Option(metavar="SCHEME", help="For linkid: a scheme that targets may have beside https; repeatable."),
]
_Signed = Annotated[bool, typer.Option("--signed", help="For linkid: accept only signed answers.")]
_Policy = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="For linkid: require the proof of a log of this policy (tlog-policy)."),
]
_Successor = Annotated[
    bool, typer.Option("--successor", help="For linkid: resolve the successor of a deprecated one, too.")
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
    resolvers: _Resolvers = None,
    allow_scheme: _AllowScheme = None,
    signed: _Signed = False,
    policy: _Policy = None,
    successor: _Successor = False,
    nameserver: _Nameserver = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Resolve an identifier and print every hop.

    The service of the profile comes first, then the resolver of --domain, then the default one. Redirects are followed
    over HTTPS only. Exits with 1 if the identifier does not resolve or a redirect is not allowed, and with 3 if no
    resolver could be reached.

    For a LinkID (linkid:UUID), trusted resolvers come before all others, and answers are verified. Its target is used
    only if it is active. Each other state has its exit code, which `coolid --help` lists.

        $ coolid resolve doi:10.5281/zenodo.31780
        $ coolid resolve 'lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14?format=pdf'
        $ coolid resolve linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c --no-follow
    """
    sources = {"chosen": resolver or _of_profile(profile, domain), "domain": domain, "nameserver": nameserver}
    wanted = {"accept": accept, "format": format, "lang": lang, "version": version, "follow_redirects": follow}
    listed = _list_of_resolvers(resolvers) if linkid.has_label(text) else None
    logs = read_policy(policy) if policy is not None else None
    trust = {"resolvers": listed, "allowed_schemes": allow_scheme or (), "signed_only": signed, "policy": logs}
    options: dict[str, Any] = {"default": default_resolver or None, **sources, **wanted, **trust}
    _resolve_and_print(text, lambda each: resolve_text(each, **options), successor=successor, as_json=json)


def _resolve_and_print(text: str, resolved: Callable[[str], Resolution], *, successor: bool, as_json: bool) -> None:
    """Resolve a text and, on request, the successors of a deprecated LinkID. Exits with the code of the last one."""
    try:
        resolutions = [resolved(text)]
    except InvalidIdentifier as invalid:
        print_line(f"coolid: {text} is no LinkID, so no resolver was queried: {invalid}")
        raise typer.Exit(NO) from None
    if successor:
        resolutions += _successors(resolutions[0], resolved)
    for resolution in resolutions:
        _print(resolution, as_json=as_json)
    code = _exit_code(resolutions[-1])
    if code != DONE:
        raise typer.Exit(code)


def _print(resolution: Resolution, *, as_json: bool) -> None:
    if as_json:
        print_json(resolution.to_document())
    elif resolution.linkid is not None:
        from coolid.cli.commands.resolution.linkid_output import print_linkid

        print_linkid(resolution, resolution.linkid)
    else:
        print_resolution(resolution)


def _exit_code(resolution: Resolution) -> int:
    """Return the exit code for the state of a LinkID, or for the outcome of another resolution."""
    if resolution.linkid is not None:
        from coolid.cli.commands.resolution.linkid_output import STATE_CODES

        return STATE_CODES[resolution.linkid.status]
    return {Outcome.FOUND: DONE, Outcome.NO: NO, Outcome.UNREACHABLE: UNREACHABLE}[resolution.outcome]


def _successors(resolution: Resolution, resolved: Callable[[str], Resolution]) -> list[Resolution]:
    """Return the resolutions of the successors of a deprecated LinkID, at most `MAX_SUCCESSORS`, none twice."""
    found: list[Resolution] = []
    seen = {resolution.id}
    while resolution.linkid is not None and resolution.linkid.successor and len(found) < MAX_SUCCESSORS:
        pid = resolution.linkid.successor
        last = pid.rpartition("/")[2]
        resolution = resolved(last if linkid.is_valid(last) else pid)
        if resolution.id in seen:
            raise RefusedByClient(f"the successors go round in a circle, back to {resolution.id}")
        seen.add(resolution.id)
        found.append(resolution)
    return found


def _list_of_resolvers(file: Path | None) -> bytes | None:
    """Return the list of trusted resolvers in a file, or else that of the user, or None if there is none."""
    from coolid.client.user_state.stored_keys import user_list  # other identifiers need none of these modules
    from coolid.linkid.trusted_resolvers import MAX_BYTES

    return user_list() if file is None else read_bounded(str(file), MAX_BYTES)


def _of_profile(profile: str | None, domain: str | None) -> tuple[str, ...]:
    """Return the service of the profile; a domain has precedence over the default one."""
    if profile is None and domain is not None:
        return ()
    chosen = chosen_profile(profile)
    return (chosen.url,) if chosen else ()
