"""Mirrors of services, exports, stores and logs: contents, updates, equal bytes, and refusals."""

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec.structs import replace

from coolid.errors import UsageError
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.identifiers.rules.uuid import UuidRules
from coolid.log.inclusion_proofs import InclusionProof
from coolid.mirror.builder import LogInput, MirrorReport
from coolid.mirror.folder import MirrorFolder
from coolid.mirror.layout import name_of, record_file
from coolid.mirror.log_copy import ContradictoryLog
from coolid.mirror.sources.fetcher import ParallelFetcher
from coolid.mirror.sources.service import ServiceSource
from coolid.mirror.verdict import MirrorVerdict
from coolid.mirror.verification import verify_mirror
from coolid.model.records import Record
from coolid.store.rows import record_of
from tests.support.builders.custody_chains import UUID, A, CustodyChain, Operator
from tests.support.builders.published_log import publish
from tests.support.builders.samples import BASE_URL
from tests.support.builders.signed_documents import Key
from tests.support.fixtures.installations import Cut
from tests.support.fixtures.mirrored_service import MirroredService, mirrored_service

TARGET = "https://content.example.org/1"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[MirroredService]:
    """A service with three records, one of them withdrawn, and a reserved one."""
    with mirrored_service(tmp_path) as made:
        made.installation.add("mp")
        made.mint("mp", None, TARGET, metadata={"what": "A <b>bold</b> title", "who": ["Doe", "Roe"]})
        made.mint("mp", None, TARGET + "?b")
        gone = made.mint("mp", None, TARGET)
        made.installation.amender.withdraw(gone, "by mistake", None, author="another")
        made.mint("mp", None, TARGET, status="reserved")
        made.publish_log()
        yield made


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def check(folder: Path) -> MirrorVerdict:
    with MirrorFolder(folder, may_create=False) as opened:
        return verify_mirror(opened, None, None, lambda _: None)


def records_of(service: MirroredService) -> list[Record]:
    found = (row for each in service.reader.repositories() for row in service.reader.record_rows(each.id))
    return [record_of(row.body, row.author, row.pid) for row in found if row.is_current and row.status != "reserved"]


def path_of(record: Record) -> str:
    return record.pid.removeprefix(f"{BASE_URL}/")


def from_service(service: MirroredService, folder: Path) -> MirrorReport:
    """Mirror the service over HTTP."""
    with service.serve() as url, ParallelFetcher(4) as fetcher:
        source = ServiceSource(url, fetcher)

        def read(paths: object) -> dict[str, bytes]:
            wanted = [str(each) for each in paths]  # type: ignore[attr-defined]
            found = zip(wanted, fetcher.files([f"{url}/log/{each}" for each in wanted]), strict=True)
            return {path: content for path, content in found if content is not None}

        return service.mirror(folder, source=source, log=LogInput(read, service.log_key), made_from="store")


class TestContents:
    def test_a_mirror_has_signed_records_with_pages_and_proofs(self, service: MirroredService, tmp_path: Path) -> None:
        site = tmp_path / "site"
        service.mirror(site)
        verdict = check(site)
        assert (verdict.problems, verdict.records, verdict.proofs) == ([], 3, 3)
        for record in records_of(service):
            name = name_of(path_of(record))
            document = json.loads((site / record_file(name, ".json")).read_bytes())
            assert document == record.to_document()
            proof = InclusionProof.parse((site / record_file(name, ".tlog-proof")).read_bytes())
            assert proof.verify(str(record.proof).encode(), service.log_key).size == len(service.entries)
            page = (site / record_file(name, ".html")).read_text(encoding="utf-8")
            assert f'<link rel="canonical" href="{record.pid}">' in page
            assert f"checkpoint of\n{len(service.entries)} entries" in page
            assert "<b>" not in page
        assert not list(site.rglob("*reserved*"))

    def test_withdrawn_records_keep_their_former_versions(self, service: MirroredService, tmp_path: Path) -> None:
        site = tmp_path / "site"
        service.mirror(site)
        gone = next(each for each in records_of(service) if each.withdrawn)
        former = json.loads((site / record_file(name_of(path_of(gone)), ".v1.json")).read_bytes())
        assert (former["version"], former["status"]) == (1, "active")

    def test_plain_pages_lead_to_the_target(self, service: MirroredService, tmp_path: Path) -> None:
        site = tmp_path / "site"
        service.mirror(site)
        first = next(each for each in records_of(service) if each.records and not each.withdrawn)
        page = (site / path_of(first) / "index.html").read_text(encoding="utf-8")
        assert f'<link rel="canonical" href="{first.pid}">' in page
        assert f'content="0; url={first.records[0].uri}"' in page


class TestReproducibility:
    def test_the_same_state_gives_the_same_bytes_from_every_source(
        self, service: MirroredService, tmp_path: Path
    ) -> None:
        service.mirror(tmp_path / "a")
        service.mirror(tmp_path / "b")
        from_service(service, tmp_path / "c")
        assert files_of(tmp_path / "a") == files_of(tmp_path / "b") == files_of(tmp_path / "c")

    def test_an_update_without_changes_writes_nothing(self, service: MirroredService, tmp_path: Path) -> None:
        service.mirror(tmp_path / "a")
        before = {path: path.stat().st_mtime_ns for path in (tmp_path / "a").rglob("*")}
        report = from_service(service, tmp_path / "a")
        assert (report.updated, report.changed_files) == (0, 0)
        assert {path: path.stat().st_mtime_ns for path in (tmp_path / "a").rglob("*")} == before


class TestUpdates:
    def test_an_update_writes_what_changed_and_removes_nothing(self, service: MirroredService, tmp_path: Path) -> None:
        site = tmp_path / "site"
        service.mirror(site)
        before = files_of(site)
        first = next(each for each in records_of(service) if not each.withdrawn)
        service.installation.amender.withdraw(first, "superseded", None, author="another")
        service.mint("mp", None, TARGET + "/new")
        service.publish_log()
        report = from_service(service, site)
        after = files_of(site)
        assert (report.updated, report.state.records) == (2, 4)
        assert before.keys() <= after.keys()
        untouched = [
            path for path in before if "/records/" in path and path.endswith(".json") and before[path] == after[path]
        ]
        assert len(untouched) >= 3
        verdict = check(site)
        assert (verdict.problems, verdict.records, verdict.proofs) == ([], 4, 4)

    def test_a_new_status_of_redirects_reaches_all_identifiers(self, service: MirroredService, tmp_path: Path) -> None:
        site = tmp_path / "site"
        service.mirror(site)
        repository = next(service.reader.repositories())
        changed = replace(repository, redirect=308, revision=repository.revision + 1)
        service.installation.store.repositories.change_repository(changed, repository)
        service.publish_log()
        from_service(service, site)
        assert b" 308\n" in (site / "_redirects").read_bytes()


class TestInterruptions:
    @pytest.mark.parametrize("is_update", [False, True])
    def test_an_update_completes_what_was_interrupted_at_any_write(
        self, service: MirroredService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_update: bool
    ) -> None:
        """The process ends before or after each tenth write, until a run completes."""
        site = tmp_path / "site"
        if is_update:
            service.mirror(site)
            service.mint("mp", None, TARGET + "/new")
            first = next(each for each in records_of(service) if not each.withdrawn)
            service.installation.amender.withdraw(first, "superseded", None, author="another")
            service.publish_log()
        write = MirrorFolder.write
        left = [0]

        def interrupted(self: MirrorFolder, path: str, pieces: Iterable[bytes]) -> None:
            left[0] -= 1
            if left[0] == 0:
                raise Cut
            write(self, path, pieces)
            if left[0] == 1:
                raise Cut

        monkeypatch.setattr(MirrorFolder, "write", interrupted)
        for writes in range(1, 200, 10):
            left[0] = writes
            try:
                from_service(service, site)
                break
            except Cut:
                assert (site / "_mirror/incomplete").exists() or writes == 1
        monkeypatch.undo()
        assert writes > 20
        from_service(service, site)
        assert check(site).problems == []
        if not is_update:
            service.mirror(tmp_path / "whole")
            assert files_of(site) == files_of(tmp_path / "whole")

    def test_two_writers_exclude_each_other(self, service: MirroredService, tmp_path: Path) -> None:
        with MirrorFolder(tmp_path / "site", may_create=True), pytest.raises(UsageError, match="another process"):
            service.mirror(tmp_path / "site")


class TestLogAlone:
    def test_a_log_alone_gives_versions_and_proofs_but_no_targets(
        self, service: MirroredService, tmp_path: Path
    ) -> None:
        site = tmp_path / "site"
        report = service.mirror(site, source=None, made_from="log")
        assert report.state.service == BASE_URL
        verdict = check(site)
        assert (verdict.problems, verdict.records, verdict.proofs) == ([], 3, 3)
        first = records_of(service)[0]
        page = (site / record_file(name_of(path_of(first)), ".html")).read_text(encoding="utf-8")
        assert "The target is unknown" in page
        assert TARGET not in "".join(content.decode(errors="replace") for content in files_of(site).values())
        keys = json.loads((site / ".well-known/jwks.json").read_bytes())["keys"]
        assert keys == list(service.installation.store.public_keys.public_keys())

    def test_a_log_alone_can_be_updated(self, service: MirroredService, tmp_path: Path) -> None:
        site = tmp_path / "site"
        service.mirror(site, source=None, made_from="log")
        first = next(each for each in records_of(service) if not each.withdrawn)
        service.installation.amender.withdraw(first, "superseded", None, author="another")
        service.publish_log()
        service.mirror(site, source=None, made_from="log")
        document = json.loads((site / record_file(name_of(path_of(first)), ".json")).read_bytes())
        assert [each["version"] for each in document["versions"]] == [1, 2]
        assert check(site).problems == []


class TestRefusals:
    @pytest.mark.parametrize("size", [1, 2, 100])
    def test_another_history_is_refused_with_evidence(
        self, service: MirroredService, tmp_path: Path, size: int
    ) -> None:
        site = tmp_path / "site"
        service.mirror(site)
        before = files_of(site)
        entries = list(service.entries.items())
        others = {f"other {at}": f"x.{at}".encode() for at in range(max(0, size - 1))}
        service.log = publish(dict(entries[:1]) | others)
        with pytest.raises(ContradictoryLog, match="does not continue"):
            service.mirror(site)
        evidence = list(site.rglob("*.checkpoint"))
        assert [path.read_bytes() for path in evidence] == [service.log.files.read(["checkpoint"])["checkpoint"]]
        kept = files_of(site)
        assert {path: kept[path] for path in before} == before

    def test_a_symbolic_link_is_not_followed(self, service: MirroredService, tmp_path: Path) -> None:
        site, other = tmp_path / "site", tmp_path / "other"
        site.mkdir()
        other.mkdir()
        (site / "_mirror").symlink_to(other)
        with pytest.raises(UsageError, match="symbolic link"):
            service.mirror(site)
        assert list(other.iterdir()) == []

    def test_an_identifier_cannot_lead_out_of_the_folder(self, service: MirroredService, tmp_path: Path) -> None:
        service.installation.add("hard", ChosenRules(pattern="(?s).+"))
        for name in ("a/...", "_mirror/x", "~", "a\\..\\b", "CON", "x" * 400, "index.html", "a//b", ".htaccess"):
            service.mint("hard", name, TARGET)
        service.publish_log()
        site = tmp_path / "deep" / "site"
        service.mirror(site)
        assert check(site).problems == []
        assert [path.name for path in (tmp_path / "deep").iterdir()] == ["site"]


class TestVerification:
    @pytest.mark.parametrize(
        ("pattern", "problem"),
        [
            ("_mirror/records/*/*.json", "was changed"),
            ("_mirror/records/*/*.tlog-proof", "was changed"),
            ("entries/000.p/*", "was changed"),
            ("_mirror/nginx/http.conf", "was changed"),
            ("_mirror/SHA256SUMS", "not the list that the manifest is about"),
            ("_mirror/manifest", ""),
            ("log/checkpoint", "was changed"),
        ],
    )
    def test_a_changed_byte_is_found(
        self, service: MirroredService, tmp_path: Path, pattern: str, problem: str
    ) -> None:
        site = tmp_path / "site"
        service.mirror(site)
        path = next(each for each in sorted(site.rglob(pattern)) if each.is_file())
        content = path.read_bytes()
        path.write_bytes(content[:10] + b"0" + content[11:])
        assert any(problem in each for each in check(site).problems)

    def test_missing_and_further_files_are_found(self, service: MirroredService, tmp_path: Path) -> None:
        site = tmp_path / "site"
        service.mirror(site)
        (site / "further.html").write_bytes(b"")
        missing = next(site.glob("_mirror/records/*/*.html"))
        missing.unlink()
        name = str(missing.relative_to(site))
        assert check(site).problems == [f"{name} is missing", "further.html is not in the manifest"]

    def test_sha256sum_reads_the_lists(self, service: MirroredService, tmp_path: Path) -> None:
        site = tmp_path / "site"
        service.mirror(site)
        lines = (site / "_mirror/SHA256SUMS").read_text(encoding="utf-8").splitlines()
        for line in lines:
            digest, _, path = line.partition("  ")
            assert sha256((site / path).read_bytes()).hexdigest() == digest


def test_a_record_that_another_service_offers_is_mirrored_with_a_note(service: MirroredService, tmp_path: Path) -> None:
    """Its current version has the signature of the other service, whose keys are not in the mirror."""
    repository = service.installation.add("linkid", UuidRules(version=4))
    chain = CustodyChain(A)
    chain.mint()
    chain.offer(Operator(BASE_URL, Key(8)))
    offered = Record.from_document(chain.newest, None, UUID.replace("-", "")).stored_in(repository)
    service.installation.store.records.create_record(offered, None)
    service.mirror(tmp_path / "mirror")
    verdict = check(tmp_path / "mirror")
    assert verdict.problems == []
    assert any("1 records have signatures of other services" in note for note in verdict.notes)
