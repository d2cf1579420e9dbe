"""A program that uses the whole public Python API, for `mypy --strict` and for a service.

    python public_api_program.py http://127.0.0.1:8080 KEY_FILE

It needs nothing but an installed `coolid`.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import coolid
from coolid.identifiers.schemes import lui, orcid

PAGE = "https://content.example.org/"


def show(*values: object) -> None:
    sys.stdout.write(" ".join(map(str, values)) + "\n")


def use_no_service() -> None:
    parsed: coolid.ParsedText = coolid.parse("https://orcid.org/0000-0002-1825-0097")
    candidate: coolid.SchemeMatch = parsed.candidates[0]
    scheme: coolid.Scheme = "lui"
    identifier: str = coolid.generate(scheme, symbols=8)
    assert (candidate.scheme, coolid.validate(identifier, scheme)) == ("orcid", identifier)
    assert lui.is_valid(identifier)
    assert orcid.format(orcid.compact("0000000218250097")) == parsed.canonical
    try:
        coolid.validate("0000-0002-1825-0098", "orcid")
    except coolid.InvalidIdentifier as error:
        show(error.identifier, error.rule)
    except coolid.BadReference as reference:
        show(reference)


def resolve_linkid(client: coolid.Client) -> None:
    with TemporaryDirectory() as state:
        try:
            linkid = "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
            found: coolid.LinkIdResolution | None = client.resolve(linkid, state=state).linkid
            show(found)
        except coolid.FailedVerification as failure:
            show(failure, failure.resolution)
        except (coolid.DeniedByPolicy, coolid.ResourceNotFound) as declined:
            show(declined.problem)
        except coolid.Unreachable as error:
            show(error)


def manage_records(client: coolid.Client) -> None:
    members: coolid.NewRecord = {"prefix": "demo", "uri": PAGE, "metadata": {"what": "A thing"}}
    record: coolid.Record = client.mint(members, status="active", idempotency_key=None)
    location: coolid.Location = record.locations[0]
    created: datetime | None = record.created
    assert (location.uri, created is not None) == (PAGE, True)
    resolution: coolid.Resolution = client.resolve(record.pid)
    hops: tuple[coolid.Hop, ...] = resolution.hops
    assert (resolution.outcome, hops[0].location) == (coolid.Outcome.FOUND, PAGE)
    assert client.resolve(record.pid, format="linkid", version=1).record is not None
    change: coolid.RecordContent = {"ttl": 60}
    record = client.update(record, change, uri=PAGE + "moved")
    assert client.get_public(record.pid).version == client.get(record.pid).version == 2
    with TemporaryDirectory() as state:
        verified: coolid.Verdict = client.verify(record, state=state)
        assert verified.ok, verified
        proof: str = client.inclusion_proof(record, 2)
        show(verified.notes, proof)
    withdrawal: coolid.Withdrawal | None = client.withdraw(record, "A mistake").withdrawn
    versions: tuple[coolid.Version, ...] = client.history(record.pid)
    assert (withdrawal and withdrawal.reason, versions[0].record.status) == ("A mistake", "withdrawn")
    rows: Iterator[coolid.NewRecord] = ({"prefix": "demo", "uri": f"{PAGE}{number}"} for number in range(3))
    results: list[coolid.MintResult] = list(client.mint_many(rows, batch_size=2))
    assert [result.record is not None for result in results] == [True] * 3
    assert sum(1 for _ in client.list("demo")) >= 3


def verify_record(client: coolid.Client) -> None:
    verdict: coolid.Verdict = coolid.verify(client.mint(prefix="demo", uri=PAGE).document, {"keys": []})
    outcome: coolid.CheckOutcome = verdict.checks[0]
    show(verdict.ok, outcome.name, outcome.detail)


def manage_registry(client: coolid.Client) -> None:
    terms: coolid.NewRepository = {"title": "A repository", "rules": {"symbols": 6}}
    repository: coolid.Repository = client.repositories.create(terms, scheme="lui")
    changes: coolid.RepositoryTerms = {"ttl": 60}
    repository = client.repositories.update(repository, changes, redirect=303)
    alias: coolid.PrefixMembers = {"kind": "namespace", "repository": repository.id}
    name = "2025/01/" + repository.id.replace("-", "")
    prefix: coolid.Prefix = client.prefixes.put(name, alias, title="A prefix")
    assert [each.name for each in client.prefixes.list(prefix.name)] == [client.prefixes.get(name).name]
    key: coolid.ApiKey = client.keys.create([f"mint:{name}"], note="For a program", quota={"day": 10})
    assert client.keys.revoke(key.id).revoked is not None
    links: list[coolid.ReportedLink] = list(client.reports.links(name, ["down"]))
    assert (links, "<feed" in client.reports.feed(name)) == ([], True)
    job: coolid.BulkJob = client.jobs.create("mint", b"uri\nhttps://a.example.org/\n", prefix=name, dry_run=True)
    assert job.id in [each.id for each in client.jobs.list()]


def meet_errors(client: coolid.Client) -> None:
    try:
        client.mint(prefix="demo", uri="javascript:alert(1)")
    except coolid.ValidationFailed as failure:
        pairs: tuple[tuple[str, str], ...] = failure.violations
        show(failure.status, failure.kind, failure.problem.get("title"), pairs)
    try:
        client.get("demo:nothing")
    except (coolid.ResourceNotFound, coolid.BadRequest) as declined:
        kind: str = declined.kind
        show(kind, isinstance(declined, coolid.RequestDeclined))
    try:
        coolid.Client("http://127.0.0.1:1", timeout=5, max_tries=1, max_wait=0).resolve("demo:x")
    except (coolid.MintQuotaExceeded, coolid.TooManyRequests, coolid.ServiceUnavailable) as busy:
        seconds: float = busy.retry_after
        show(seconds)
    except (coolid.ConnectionLost, coolid.Unreachable, coolid.BadAnswer, coolid.RefusedByClient) as error:
        base: coolid.ClientError = error
        show(isinstance(base, coolid.CoolidError))


async def manage_asynchronously(url: str, key: str) -> None:
    async def rows() -> AsyncIterator[coolid.NewRecord]:
        for number in range(3):
            yield {"prefix": "demo", "uri": f"{PAGE}{number}"}

    async with coolid.AsyncClient(url, key) as client:
        record: coolid.Record = await client.mint(prefix="demo", uri=PAGE)
        record = await client.update(record, ttl=60)
        target: str | None = (await client.resolve(record.pid)).target
        results: list[coolid.MintResult] = [result async for result in client.mint_many(rows())]
        prefix: coolid.Prefix = await client.prefixes.get("demo")
        own: coolid.ApiKey | None = await client.keys.own()
        assert (target, len(results), prefix.kind, own is not None) == (PAGE, 3, "namespace", True)
        try:
            await client.withdraw(await client.withdraw(record, "A mistake"), "Again")
        except (coolid.Withdrawn, coolid.AlreadyExists, coolid.ResourceConflict, coolid.PreconditionFailed) as conflict:
            show(conflict.kind)
        except (coolid.InvalidKey, coolid.InsufficientScope, coolid.PayloadTooLarge) as refused:
            show(refused.tries)


def main(url: str, key: str) -> None:
    use_no_service()
    with coolid.Client(url, key) as client:
        manage_records(client)
        resolve_linkid(client)
        verify_record(client)
        manage_registry(client)
        meet_errors(client)
    asyncio.run(manage_asynchronously(url, key))
    show(f"coolid {coolid.__version__}: done")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]).read_text(encoding="utf-8").strip())
