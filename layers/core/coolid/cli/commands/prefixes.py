"""`coolid prefixes`: the names under which identifiers are addressed, also as NAANs and shoulders of ARKs."""

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

from coolid.cli.continued_minters import Minter, minter_state, print_continuation, reserve_names
from coolid.cli.exit_codes import NO
from coolid.cli.help_pages import Command, group
from coolid.cli.output import print_json, print_line, print_members, print_result
from coolid.cli.registry_options import (
    Members,
    Naan,
    Shoulder,
    Template,
    Title,
    Yes,
    ark_prefix,
    bare_naan,
    bare_shoulder,
    confirm_template,
    members_of,
)
from coolid.cli.row_output import print_rows
from coolid.cli.service_connection import Json, KeyFile, Profile, Url, service
from coolid.client.client import Client
from coolid.client.documents import Prefix
from coolid.client.errors import ClientError, ResourceNotFound
from coolid.errors import UsageError
from coolid.identifiers.generation import TEMPLATE

app: Final = group("prefixes", help="Manage prefixes, NAANs and shoulders.")

_HEADINGS: Final = ("prefix", "kind", "leads to", "title")
_NAMESPACE: Final = ("kind", "repository", "title")
_PROVIDER: Final = (
    "kind", "providers", "title", "description", "homepage", "pattern", "example", "strict", "encoding", "synonyms",
    "ttl", "deprecated",
)  # fmt: skip
"""The members that a `PUT` takes; the document of a prefix has others, too."""

_Name = Annotated[
    str | None, typer.Argument(metavar="NAME", help="The prefix, such as mp or 2021/06/mp; or use --naan.")
]
_Repository = Annotated[str | None, typer.Option(metavar="ID", help="The repository here that it names.")]
_Providers = Annotated[
    list[str] | None,
    typer.Option(
        "--provider", metavar="CODE=URL", help="A service that resolves its identifiers; URL has {$id}; repeatable."
    ),
]
_Pattern = Annotated[str | None, typer.Option(help="Regular expression (RE2) of a provider prefix's identifiers.")]
_Example = Annotated[str | None, typer.Option(help="An identifier of a provider prefix.")]
_Synonyms = Annotated[
    list[str] | None, typer.Option("--synonym", metavar="NAME", help="Another name of a provider prefix; repeatable.")
]
_Replace = Annotated[bool, typer.Option("--replace", help="Take over a prefix of other services for a repository.")]
_Query = Annotated[str, typer.Option("--q", metavar="TEXT", help="Only those with a text in their name or title.")]
_Kind = Annotated[Literal["namespace", "provider"] | None, typer.Option(help="Only those of this kind.")]
_OfNaan = Annotated[str | None, typer.Option("--naan", metavar="NAAN", help="Only a NAAN and its shoulders.")]
_Limit = Annotated[int | None, typer.Option(min=1, help="The most to list.")]


@app.command(cls=Command)
def create(
    name: _Name = None,
    repository: _Repository = None,
    naan: Naan = None,
    shoulder: Shoulder = None,
    template: Template = TEMPLATE,
    minter: Minter = None,
    provider: _Providers = None,
    title: Title = None,
    pattern: _Pattern = None,
    example: _Example = None,
    synonym: _Synonyms = None,
    members: Members = None,
    replace: _Replace = False,
    yes: Yes = False,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Register a prefix and print its name.

    It names a repository here (--repository), or identifiers of other services (--provider). Otherwise it gets its own
    repository: a NAAN or shoulder with names by --template, or with the next names of another minter (--minter).

        $ coolid prefixes create 2021/06/mp --repository r4k2-9m3x-62
        $ coolid prefixes create --title Plates --naan 99999 --shoulder fk4
        $ coolid prefixes create --title Plates --minter nog.bdb
        $ coolid prefixes create go --provider 'ols=https://example.org/{$id}'
    """
    prefix = _prefix_of(name, naan, shoulder) if name or naan or not minter else None
    document = members_of(members, repository=repository, title=title, pattern=pattern, example=example)
    document |= members_of(None, providers=_provider_documents(provider), synonyms=synonym)
    rules = {"template": template, "naan": bare_naan(naan), "shoulder": bare_shoulder(shoulder or "")} if naan else None
    with service(url, key_file, profile) as client:
        if minter:
            created = _continue(client, minter, prefix, document, replace=replace)
        else:
            created = _create(client, prefix or "", document, rules, replace=replace, yes=yes)
    print_result(created.document, created.name, as_json=json)


@app.command("list", cls=Command)
def list_prefixes(
    q: _Query = "",
    kind: _Kind = None,
    naan: _OfNaan = None,
    limit: _Limit = None,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """List the prefixes.

    Those of repositories here come first. With --json, each line is an object.

        $ coolid prefixes list --kind namespace
        $ coolid prefixes list --q ontology --json
        $ coolid prefixes list --naan 99999
    """
    with service(url, key_file, profile) as client:
        found = (_row(each) for each in client.prefixes.list(q) if kind in (None, each.kind) and _is_below(each, naan))
        print_rows(_HEADINGS, islice(found, limit), as_json=json, nothing="such prefixes")


@app.command(cls=Command)
def show(
    name: _Name = None,
    naan: Naan = None,
    shoulder: Shoulder = None,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Show a prefix. Without an API key, it is shown as published.

    $ coolid prefixes show 2021/06/mp
    $ coolid prefixes show --naan 99999 --shoulder fk4
    """
    prefix = _prefix_of(name, naan, shoulder)
    document = service(url, key_file, profile, needs_key=False).prefixes.get(prefix).document
    if json:
        print_json(document)
    else:
        identifiers = document.pop("identifiers", None) or {}
        print_members(document | {"example": identifiers.get("example")} if identifiers else document)


@app.command(cls=Command)
def change(
    name: _Name = None,
    naan: Naan = None,
    shoulder: Shoulder = None,
    provider: _Providers = None,
    title: Title = None,
    pattern: _Pattern = None,
    example: _Example = None,
    synonym: _Synonyms = None,
    members: Members = None,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Change a prefix. Other members stay.

    In --members, null removes a member. A prefix always names its first repository; that is changed by `coolid
    repositories change`.

        $ coolid prefixes change 2021/06/mp --title 'Example publications'
        $ coolid prefixes change go --provider 'ols=https://example.org/{$id}'
    """
    prefix = _prefix_of(name, naan, shoulder)
    changes = members_of(members, title=title, pattern=pattern, example=example)
    changes |= members_of(None, providers=_provider_documents(provider), synonyms=synonym)
    if not changes:
        raise UsageError("nothing to change: use --title, --provider, --pattern, --example, --synonym or --members")
    with service(url, key_file, profile) as client:
        current = client.prefixes.get(prefix)
        allowed = _NAMESPACE if current.kind == "namespace" else _PROVIDER
        merged = {member: current.document.get(member) for member in allowed} | changes
        changed = client.prefixes.put(current.name, _without_none(merged))
    print_result(changed.document, f"{changed.name} is changed", as_json=json)


def _prefix_of(name: str | None, naan: str | None, shoulder: str | None) -> str:
    """Return the prefix that the arguments name. Raises `UsageError` unless they name exactly one."""
    if shoulder and not naan:
        raise UsageError("which NAAN? Use --naan with --shoulder, such as --naan 99999 --shoulder fk4")
    if naan is not None and not bare_naan(naan):
        raise UsageError("--naan is empty")
    if bool(name) == bool(naan):
        raise UsageError("which prefix? Use either a NAME, such as 2021/06/mp, or --naan, perhaps with --shoulder")
    return name or ark_prefix(naan or "", shoulder or "")


def _is_below(prefix: Prefix, naan: str | None) -> bool:
    """Return whether a prefix is a NAAN or one of its shoulders; without a NAAN, all are."""
    return naan is None or prefix.name == ark_prefix(naan, "") or prefix.name.startswith(ark_prefix(naan, "") + "/")


def _provider_documents(providers: list[str] | None) -> list[dict[str, str]] | None:
    """Return the documents of `CODE=URL`. Raises `UsageError`."""
    if not providers:
        return None
    pairs = [each.partition("=") for each in providers]
    if not all(code and url for code, _, url in pairs):
        raise UsageError("--provider takes CODE=URL, such as 'ols=https://example.org/{$id}'")
    return [{"code": code, "url": url} for code, _, url in pairs]


def _require_new(client: Client, prefix: str, *, replaceable: bool) -> None:
    """Exit with 1 if the prefix exists, unless it belongs to other services and may be replaced."""
    try:
        existing = client.prefixes.get(prefix)
    except ResourceNotFound:
        return
    if replaceable and existing.kind == "provider":
        return
    print_line(f"coolid: the prefix {existing.name} exists already, as a {existing.kind} prefix")
    takes_over = "; --replace takes it over for a repository here" if existing.kind == "provider" else ""
    print_line(f"  `coolid prefixes show {prefix}` shows it, `coolid prefixes change` changes it{takes_over}")
    raise typer.Exit(NO)


def _create(
    client: Client, prefix: str, document: Mapping[str, Any], rules: dict[str, str] | None, *, replace: bool, yes: bool
) -> Prefix:
    """Create a prefix; if it names nothing, also a repository with `rules` of ARKs. Raises `UsageError`."""
    named = {"repository", "providers"} & document.keys()
    if len(named) == 2 or (not named and rules is None):
        raise UsageError("what does it name? Use either --repository ID, or --provider CODE=URL")
    _require_new(client, prefix, replaceable=replace and "providers" not in named)
    if rules is not None and not named:
        confirm_template(rules["template"], rules["naan"], rules["shoulder"], yes=yes)
        return _create_with_rules(client, prefix, rules, document)
    return client.prefixes.put(prefix, {"kind": "provider" if "providers" in named else "namespace", **document})


def _continue(client: Client, minter: Path, named: str | None, document: Mapping[str, Any], *, replace: bool) -> Prefix:
    """Create a repository that continues a minter, and its prefix. Raises `UsageError` without a title."""
    state = minter_state(minter, named, document)
    prefix = named or state.prefix
    _require_new(client, prefix, replaceable=replace)
    created = _create_with_rules(client, prefix, state.rules.request_document(), document)
    reserve_names(client, state, prefix)
    print_continuation(state, prefix)
    return created


def _create_with_rules(client: Client, prefix: str, rules: dict[str, Any], document: Mapping[str, Any]) -> Prefix:
    """Create a repository with rules of scheme noid, then its prefix. Raises `UsageError` without a title."""
    title = document.get("title")
    if not title:
        raise UsageError("what is its title? Use --title, or --repository ID for a repository that exists")
    chosen = {name: value for name, value in rules.items() if value}
    repository = client.repositories.create({"title": title, "scheme": "noid", "rules": chosen})
    try:
        return client.prefixes.put(prefix, {"kind": "namespace", "repository": repository.id, **document})
    except ClientError:
        print_line(f"coolid: the repository {repository.id} was created, but not its prefix; to register it:")
        print_line(f"  coolid prefixes create {prefix} --repository {repository.id}")
        raise


def _without_none(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document without null members, also in its providers, which the service does not accept."""
    found = {name: value for name, value in document.items() if value is not None}
    if isinstance(providers := found.get("providers"), list):
        found["providers"] = [_without_none(each) if isinstance(each, dict) else each for each in providers]
    return found


def _row(prefix: Prefix) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the document of a prefix, and its cells."""
    leads_to = prefix.repository or ", ".join(str(each.get("code")) for each in prefix.providers)
    return prefix.document, (prefix.name, prefix.kind, leads_to, prefix.title or "")
