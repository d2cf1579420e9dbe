"""The files of the transparency log, and the proofs that versions are in it."""

import gzip
import json
from typing import Any
from unittest.mock import Mock

import pytest
from msgspec.structs import replace

from coolid.errors import SignerUnavailable
from coolid.http.application import Application
from coolid.http.message import Request, Response
from coolid.http.public.discovery import DiscoveryEndpoint
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.http.public.transparency_log import LogEndpoint
from coolid.log.checkpoints import cosigned_at, read_checkpoint
from coolid.log.entries import name_of_version
from coolid.log.inclusion_proofs import InclusionProof
from coolid.log.policies import Policy
from coolid.log.signed_notes import ED25519, VerifierKey
from coolid.log.tiles import CHECKPOINT, entries_of
from coolid.model.records import WITHDRAWN, Record, Withdrawal
from coolid.store.log import LogAccess
from tests.support.builders.published_log import POLICY, WITNESS_KEY, publish
from tests.support.builders.samples import BASE_URL, LATER, MOMENT, namespace, record, repository
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.memory_store import MemoryStore

ENTRIES = {f"version/x#{number}": b"%d.e.s" % number for number in range(300)}
FOREVER = "public, max-age=31536000, immutable"
PATH = "/2021/06/mp/tw0t-ywdj-94"


class Service:
    """A record of three versions, the last of which is not in the log."""

    def __init__(self, **last: Any) -> None:
        self.store = MemoryStore()
        owner = repository(canonical="2021/06/mp")
        self.store.repositories[owner.id] = owner
        self.store.put_prefix(namespace("2021/06/mp", owner), None)
        first = record(proof="a.1.s")
        second = replace(first, version=2, proof="a.2.s")
        third = replace(first, version=3, proof="a.3.s", **last)
        self.store.create_record(first)
        self.store.replace_record(second, first)
        self.store.replace_record(third, second)
        self.versions = (first, second, third)
        self.log: LogAccess | None = self.published(first, second)
        endpoint = ResolutionEndpoint(self.store.uncached, FixedClock(LATER), BASE_URL, open_log=lambda: self.log)
        self.application = Application(
            (*LogEndpoint(lambda: self.log).routes(), *endpoint.routes()), BASE_URL, self._fail, public=True
        )

    @staticmethod
    def published(*versions: Record, policy: str = POLICY) -> LogAccess:
        known = {name_of_version(each): (each.proof or "").encode() for each in versions}
        return publish(ENTRIES | known, policy=policy)

    def get(self, path: str, method: str = "GET", **headers: str) -> Response:
        path, _, query = path.partition("?")
        pairs = tuple((pair.split("=")[0], pair.split("=")[1]) for pair in query.split("&") if pair)
        return self.application(
            Request(method, path, pairs, {name.replace("_", "-"): each for name, each in headers.items()})
        )

    def proof(self, query: str = "", **headers: str) -> Response:
        return self.get(f"{PATH}?format=tlog-proof{query}", **headers)

    @staticmethod
    def _fail(error: Exception, _: Request) -> None:
        raise error


@pytest.fixture(scope="module")
def service() -> Service:
    return Service()


def octets(response: Response) -> bytes:
    assert isinstance(response.body, bytes)
    return response.body


class TestFiles:
    def test_the_checkpoint_is_text_that_caches_store_for_seconds(self, service: Service) -> None:
        response = service.get("/log/checkpoint")
        assert response.status == 200
        assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
        assert response.headers["Cache-Control"] == "public, max-age=5, s-maxage=5, must-revalidate, stale-if-error=0"
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        assert read_checkpoint(octets(response))[0].size == 302
        assert service.get("/log/checkpoint", if_none_match=response.headers["ETag"]).status == 304

    @pytest.mark.parametrize("path", ["tile/0/000", "tile/0/001.p/46", "tile/1/000.p/1"])
    def test_a_tile_is_stored_for_a_year(self, service: Service, path: str) -> None:
        assert service.log is not None
        response = service.get(f"/log/{path}", accept_encoding="gzip")
        assert (response.status, response.body) == (200, service.log.files.read([path])[path])
        assert response.headers["Content-Type"] == "application/octet-stream"
        assert response.headers["Cache-Control"] == FOREVER
        assert "Content-Encoding" not in response.headers
        head = service.get(f"/log/{path}", "HEAD")
        assert (head.status, head.body, head.headers["ETag"]) == (200, "", response.headers["ETag"])

    def test_a_bundle_of_entries_is_compressed_for_clients_that_accept_it(self, service: Service) -> None:
        plain = service.get("/log/tile/entries/001.p/46")
        assert entries_of(octets(plain))[-1] == b"a.2.s"
        assert plain.headers["Cache-Control"] == FOREVER
        assert plain.headers["Vary"] == "Accept-Encoding"
        coded = service.get("/log/tile/entries/001.p/46", accept_encoding="br, gzip")
        assert coded.headers["Content-Encoding"] == "gzip"
        assert coded.headers["ETag"] != plain.headers["ETag"]
        assert gzip.decompress(octets(coded)) == plain.body
        assert "Content-Encoding" not in service.get("/log/tile/entries/000", accept_encoding="gzip;q=0").headers

    @pytest.mark.parametrize(
        "path",
        [
            "", "tile/0/002", "tile/0/001", "tile/0/000.p/256", "tile/0/000.p/0", "tile/00/000", "tile/64/000",
            "tile/0/0", "tile/0/x000/000", "tile/0/000/", "tile/entries/", "staging/1", "checkpoint/", "Checkpoint",
            "tile%2F0%2F000", "tile/0/000%00", "tile/0/../0/000", "<script>", "x",
        ],
    )  # fmt: skip
    def test_any_other_path_is_404_without_the_path(self, service: Service, path: str) -> None:
        assert service.log is not None
        service.log.files.write({"staging/1": b"x"})
        response = service.get(f"/log/{path}")
        assert response.status == 404
        assert not path or path.strip("x") == "" or path not in str(response.body)
        assert "max-age=10" in response.headers["Cache-Control"]

    @pytest.mark.parametrize("path", ["/log/checkpoint", "/log/x", f"{PATH}?format=tlog-proof"])
    def test_a_service_without_a_log_says_so(self, path: str) -> None:
        service = Service()
        service.log = None
        response = service.get(path)
        assert response.status == 404
        assert "This service has no transparency log" in str(response.body)

    def test_other_methods_are_refused_and_preflights_answered(self, service: Service) -> None:
        assert service.get("/log/checkpoint", "POST").status == 405
        assert service.get("/log/tile/0/000", "OPTIONS").headers["Access-Control-Allow-Methods"] == "GET, HEAD"


class TestProofs:
    @pytest.mark.parametrize("number", [1, 2])
    @pytest.mark.parametrize("parameter", ["version", "memento"])
    def test_the_proof_of_a_version_verifies_with_the_key_of_the_log(
        self, service: Service, number: int, parameter: str
    ) -> None:
        response = service.proof(f"&{parameter}={number}")
        assert response.status == 200
        assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
        assert response.headers["Content-Disposition"].endswith(f'-version-{number}.tlog-proof"')
        assert "max-age=10," in response.headers["Cache-Control"]
        assert service.log is not None
        key = VerifierKey(service.log.origin, ED25519, service.log.signer.public_key())
        proof = InclusionProof.parse(octets(response))
        assert proof.verify(f"a.{number}.s".encode(), key).size == 302
        assert proof.index == 299 + number
        assert cosigned_at(read_checkpoint(proof.checkpoint)[1], WITNESS_KEY) == 1_700_000_000

    def test_a_version_without_a_place_waits(self, service: Service) -> None:
        response = service.proof()
        assert response.status == 503
        assert response.headers["Retry-After"] == "30"
        assert response.headers["Cache-Control"] == "no-store"
        assert "not-logged-yet" in str(response.body)

    def test_a_version_beyond_the_published_checkpoint_waits(self) -> None:
        service = Service()
        older, newer = service.published(), service.published(*service.versions)
        service.log = replace(newer, files=older.files)
        assert service.proof().status == 503
        older.files.write({CHECKPOINT: newer.files.read([CHECKPOINT])[CHECKPOINT]})
        with pytest.raises(ValueError, match="missing"):  # and no proof is made of a damaged log
            service.proof()
        service.log = newer
        assert service.proof().status == 200

    def test_a_tombstone_has_a_proof(self) -> None:
        service = Service(status=WITHDRAWN, withdrawn=Withdrawal(MOMENT, "gone"))
        service.log = service.published(*service.versions)
        for query, status in (("", 410), ("&version=3", 410), ("&version=1", 200)):
            assert service.proof(query).status == status
            assert InclusionProof.parse(octets(service.proof(query))).index == 299 + (int(query[-1]) if query else 3)

    def test_a_version_without_a_signature_has_none(self) -> None:
        service = Service()
        unsigned = replace(service.versions[2], version=4, proof=None)
        service.store.replace_record(unsigned, service.versions[2])
        assert service.proof().status == 406

    def test_dates_lead_to_the_proof_of_a_version(self, service: Service) -> None:
        response = service.proof(accept_datetime="Thu, 10 Jul 2025 14:22:30 GMT")
        assert response.status == 302
        assert response.headers["Location"].startswith(f"{BASE_URL}{PATH}?format=tlog-proof&memento=")


class TestDiscovery:
    def test_the_log_its_key_and_a_policy_that_verifies_it_are_described(self, service: Service) -> None:
        assert service.log is not None
        described = description(service.log)["log"]
        response = DiscoveryEndpoint(service.store.uncached, BASE_URL, lambda: service.log).resolver(
            Request("GET", "/"), ""
        )
        assert "max-age=60," in response.headers["Cache-Control"]  # a new key must not look like a forgery for long
        key = VerifierKey(service.log.origin, ED25519, service.log.signer.public_key())
        assert (described["origin"], described["url"]) == ("id.example.org/log", f"{BASE_URL}/log")
        assert described["verifier_key"] == str(key)
        policy = Policy.parse(described["policy"])
        assert [(each.key, each.url) for each in policy.logs] == [(key, described["url"])]
        assert policy.quorum == "first"
        own = described["policy"]
        assert description(replace(service.log, policy=own))["log"]["policy"] == own
        assert Policy.parse(description(replace(service.log, policy=""))["log"]["policy"]).quorum == "none"

    def test_without_a_log_there_is_no_member_and_without_its_key_it_is_missing_for_seconds(
        self, service: Service
    ) -> None:
        assert "log" not in description(None)
        assert service.log is not None
        unavailable = Mock(public_key=Mock(side_effect=SignerUnavailable("the key service does not answer")))
        log = replace(service.log, signer=unavailable)
        response = DiscoveryEndpoint(service.store.uncached, BASE_URL, lambda: log).resolver(Request("GET", "/"), "")
        assert "log" not in json.loads(response.body)
        assert "max-age=10," in response.headers["Cache-Control"]


def description(log: LogAccess | None) -> Any:
    reader = MemoryStore().uncached
    return json.loads(DiscoveryEndpoint(reader, BASE_URL, lambda: log).resolver(Request("GET", "/"), "").body)
