"""`coolid repositories`: the owners of PIDs, with their minting rules."""

from typing import Annotated, Any, Final

import typer

from coolid.cli.help_pages import Command, group
from coolid.cli.output import print_json, print_line, print_members, print_result
from coolid.cli.registry_options import (
    Choices,
    Domains,
    Landing,
    Members,
    Passthrough,
    Redirect,
    Target,
    Title,
    Ttl,
    Yes,
    confirm_template,
    members_of,
)
from coolid.cli.row_output import print_rows
from coolid.cli.service_connection import Json, KeyFile, Profile, Url, json_of, service
from coolid.client.documents import Repository
from coolid.errors import UsageError
from coolid.identifiers.rules.catalog import DEFAULT, SCHEMES

app: Final = group("repositories", help="Manage repositories and their rules.")

_HEADINGS: Final = ("id", "scheme", "prefixes")

_Id = Annotated[str, typer.Argument(metavar="ID", help="The repository's id, such as r4k2-9m3x-62.")]
_Scheme = Annotated[str, typer.Option(help=f"How its identifiers are formed: {', '.join(SCHEMES)}.")]
_Rules = Annotated[
    str | None, typer.Option(metavar="JSON|@FILE", help='Rules of the scheme, an object, such as {"symbols": 6}.')
]


@app.command(cls=Command)
def create(
    title: Title = None,
    scheme: _Scheme = DEFAULT,
    rules: _Rules = None,
    ttl: Ttl = None,
    redirect: Redirect = None,
    domain: Domains = None,
    target: Target = None,
    passthrough: Passthrough = None,
    choices: Choices = None,
    landing: Landing = None,
    members: Members = None,
    yes: Yes = False,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Create a repository and print its id.

    Its rules are permanent, with few exceptions. It needs a prefix before anything can be minted:
    `coolid prefixes create`, which also creates a repository of ARKs by itself.

        $ coolid repositories create --title 'Example publications'
        $ coolid repositories create --title Theses --rules '{"symbols": 6}'
    """
    document = members_of(members, title=title, scheme=scheme, ttl=ttl, redirect=redirect, domains=domain)
    document |= members_of(None, target=target, passthrough=passthrough, choices=choices, landing=landing)
    if rules is not None:
        document["rules"] = json_of(rules, "--rules", dict)
    if not document.get("title"):
        raise UsageError("what is its title? Use --title, such as --title 'Example publications'")
    client = service(url, key_file, profile)
    chosen = document.get("rules")
    if isinstance(chosen, dict):  # the service refuses other values in --members
        confirm_template(chosen.get("template"), str(chosen.get("naan", "")), str(chosen.get("shoulder", "")), yes=yes)
    created = client.repositories.create(document)
    print_result(created.document, created.id, as_json=json)
    if not json:
        print_line(f"coolid: register a prefix for it: coolid prefixes create NAME --repository {created.id}")


@app.command("list", cls=Command)
def list_repositories(url: Url = None, key_file: KeyFile = None, profile: Profile = None, json: Json = False) -> None:
    """List your repositories.

    They are those under whose prefixes the API key may mint or update. An administrator's key lists all. With --json,
    each line is a repository.

        $ coolid repositories list
    """
    with service(url, key_file, profile) as client:
        print_rows(_HEADINGS, map(_row, client.repositories.list()), as_json=json, nothing="repositories")


@app.command(cls=Command)
def show(
    repository: _Id, url: Url = None, key_file: KeyFile = None, profile: Profile = None, json: Json = False
) -> None:
    """Show a repository.

    $ coolid repositories show r4k2-9m3x-62
    """
    document = service(url, key_file, profile).repositories.get(repository).document
    if json:
        print_json(document)
    else:
        print_members(document)


@app.command(cls=Command)
def change(
    repository: _Id,
    title: Title = None,
    ttl: Ttl = None,
    redirect: Redirect = None,
    domain: Domains = None,
    target: Target = None,
    passthrough: Passthrough = None,
    choices: Choices = None,
    landing: Landing = None,
    members: Members = None,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Change a repository.

    Other members stay. In --members, null removes a member. Rules change only if identifiers stay valid: those of
    scheme uuid can draw another version, with "rules": {"version": 4}.

        $ coolid repositories change r4k2-9m3x-62 --ttl 86400
        $ coolid repositories change r4k2-9m3x-62 --landing page
        $ coolid repositories change r4k2-9m3x-62 --members '{"target": null}'
    """
    patch = members_of(members, title=title, ttl=ttl, redirect=redirect, domains=domain)
    patch |= members_of(None, target=target, passthrough=passthrough, choices=choices, landing=landing)
    if not patch:
        raise UsageError("nothing to change: use an option such as --title, --landing or --members")
    changed = service(url, key_file, profile).repositories.update(repository, patch)
    print_result(changed.document, f"{changed.id} is changed", as_json=json)


def _row(repository: Repository) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the document of a repository in the list, and its cells; the canonical prefix comes first."""
    names = sorted(repository.prefixes, key=lambda name: name != repository.canonical)
    return repository.document | {"prefixes": names}, (repository.id, repository.scheme, ", ".join(names))
