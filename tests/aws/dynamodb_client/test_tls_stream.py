"""Trust: our own client believes a server whose certificate is good for its name, and no other."""

import ssl
import threading
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import pytest

from coolid.aws.dynamodb_client import connector
from coolid.aws.dynamodb_client.connector import AMAZON_ROOTS, TrustStore
from coolid.aws.dynamodb_client.http_transport import HttpTransport, Timeouts
from coolid.errors import StoreUnavailable
from tests.aws.dynamodb_client.connections import HASTY, PATIENT, QUESTION, environment
from tests.support.servers.certificates import DAY, Authority
from tests.support.servers.scripted_server import Connection, answer, holding, repeat, scripted_server

FOUND = holding({"name": {"S": "mp"}})
HOST = "dynamodb.eu-west-1.amazonaws.com"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("known"))


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("unknown"))


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every name leads to this machine."""
    monkeypatch.setattr("_socket.getaddrinfo", lambda _, port, **__: [(2, 1, 6, "", ("127.0.0.1", port))])


def asker(
    port: int, *, host: str = "127.0.0.1", bundle: Path | None = None, patience: Timeouts = PATIENT
) -> HttpTransport:
    returned = environment(port, host=host, secure=True)
    return HttpTransport.read(returned | ({"AWS_CA_BUNDLE": str(bundle)} if bundle else {}), patience)


class TestServers:
    @pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
    def test_a_server_with_a_trusted_certificate_gets_the_request(self, authority: Authority, host: str) -> None:
        with scripted_server(repeat(answer(FOUND)), authority.vouches(host)) as port:
            asking = asker(port, host=host, bundle=authority.file)
            assert [asking.call("GetItem", QUESTION) for _ in range(3)] == [FOUND] * 3

    @pytest.mark.parametrize("found", [FOUND, holding({"name": {"S": "x" * 300_000}})])
    def test_answers_come_whole_however_they_are_cut(self, authority: Authority, found: object) -> None:
        whole = answer(found)
        parts = [whole[:1], whole[1:7], whole[7:100], whole[100:]]
        with scripted_server(repeat(*parts), authority.vouches("127.0.0.1")) as port:
            asking = asker(port, bundle=authority.file)
            assert [asking.call("GetItem", QUESTION) for _ in range(3)] == [found] * 3

    def test_one_connection_does_for_many_questions(self, authority: Authority) -> None:
        numbers: list[int] = []

        def script(connection: Connection) -> None:
            numbers.append(connection.number)
            repeat(answer(FOUND))(connection)

        with scripted_server(script, authority.vouches("127.0.0.1")) as port:
            asking = asker(port, bundle=authority.file)
            assert [asking.call("GetItem", QUESTION) for _ in range(5)] == [FOUND] * 5
        assert numbers == [0]

    def test_a_server_with_an_untrusted_certificate_gets_nothing(
        self, authority: Authority, stranger: Authority
    ) -> None:
        self.refused(stranger.vouches("127.0.0.1"), bundle=authority.file)

    def test_a_server_with_another_name_gets_nothing(self, authority: Authority) -> None:
        self.refused(authority.vouches("127.0.0.2", "localhost"), bundle=authority.file)

    def test_a_server_with_an_expired_certificate_gets_nothing(self, authority: Authority) -> None:
        self.refused(authority.vouches("127.0.0.1", until=-DAY), bundle=authority.file)

    def test_a_server_with_a_certificate_unknown_to_the_system_gets_nothing(self, authority: Authority) -> None:
        self.refused(authority.vouches("127.0.0.1"), bundle=None)

    def test_a_server_with_amazons_name_but_another_certificate_gets_nothing(
        self, authority: Authority, here: None
    ) -> None:
        self.refused(authority.vouches(HOST), host=HOST, bundle=None)

    @staticmethod
    def refused(proof: ssl.SSLContext, *, bundle: Path | None, host: str = "127.0.0.1") -> None:
        heard: list[object] = []

        def script(connection: Connection) -> None:
            heard.append(connection.request())

        with scripted_server(script, proof) as port, pytest.raises(StoreUnavailable, match="did not answer"):
            asker(port, host=host, bundle=bundle).call("GetItem", QUESTION)
        assert heard == []

    def test_a_server_without_tls_gets_no_request(self, authority: Authority) -> None:
        def script(connection: Connection) -> None:
            connection.say(answer(FOUND))

        with scripted_server(script) as port, pytest.raises(StoreUnavailable, match="did not answer"):
            asker(port, bundle=authority.file).call("GetItem", QUESTION)

    def test_one_that_does_not_shake_hands_is_not_waited_for(self, authority: Authority) -> None:
        def wait(connection: Connection) -> None:
            connection.say(b"\x16\x03\x03\x10\x00")  # the beginning of a handshake
            connection.wait()

        with scripted_server(wait) as port, pytest.raises(StoreUnavailable, match="did not answer"):
            asker(port, bundle=authority.file, patience=HASTY).call("GetItem", QUESTION)

    @pytest.mark.parametrize("kind", [b"\x17", b"\x16"], ids=["data", "handshake"])
    def test_a_record_that_drips_is_not_waited_for(self, authority: Authority, kind: bytes) -> None:
        over = threading.Event()

        def drip(connection: Connection) -> None:
            connection.request()
            connection.say_plainly(kind + b"\x03\x03\x40\x00")  # 16 KB are to come
            while not over.wait(0.01):
                connection.say_plainly(b"x")

        with scripted_server(drip, authority.vouches("127.0.0.1")) as port:
            with pytest.raises(StoreUnavailable, match="did not answer"):
                asker(port, bundle=authority.file, patience=HASTY).call("GetItem", QUESTION)
            over.set()

    @pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
    def test_a_connection_that_was_closed_meanwhile_is_replaced(
        self, authority: Authority, version: ssl.TLSVersion
    ) -> None:
        gone = threading.Semaphore(0)
        numbers: list[int] = []

        def script(connection: Connection) -> None:
            numbers.append(connection.number)
            connection.request()
            connection.say(answer(FOUND))
            connection.leave()
            gone.release()

        proof = authority.vouches("127.0.0.1")
        proof.minimum_version = proof.maximum_version = version
        with scripted_server(script, proof) as port:
            asking = asker(port, bundle=authority.file)
            for _ in range(3):
                assert asking.call("GetItem", QUESTION) == FOUND
                gone.acquire()
        assert numbers == [0, 1, 2]

    @pytest.mark.parametrize("surplus", [b"HTTP/1.1 100 Continue\r\n\r\n", answer(holding({})), b"x"])
    def test_bytes_without_a_request_are_no_response(self, authority: Authority, surplus: bytes) -> None:
        said = threading.Semaphore(0)
        numbers: list[int] = []

        def script(connection: Connection) -> None:
            numbers.append(connection.number)
            while True:
                connection.request()
                connection.say(answer(FOUND))
                connection.say(surplus)
                said.release()

        with scripted_server(script, authority.vouches("127.0.0.1")) as port:
            asking = asker(port, bundle=authority.file)
            for _ in range(3):
                assert asking.call("GetItem", QUESTION) == FOUND
                said.acquire()
        assert numbers == [0, 1, 2]

    def test_a_bundle_that_is_not_there_is_no_reason_to_trust_anybody(self, authority: Authority) -> None:
        there = scripted_server(repeat(answer(FOUND)), authority.vouches("127.0.0.1"))
        with there as port, pytest.raises(StoreUnavailable, match="did not answer"):
            asker(port, bundle=Path("/nowhere/bundle.pem")).call("GetItem", QUESTION)


class TestAmazonsRoots:
    @pytest.fixture
    def roots(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(AMAZON_ROOTS)
        return context

    def test_they_are_those_of_amazon_trust_services(self, roots: ssl.SSLContext) -> None:
        certificates = cast("list[Any]", roots.get_ca_certs())
        names = [dict(part[0] for part in root["subject"])["commonName"] for root in certificates]
        assert names == [
            "Amazon Root CA 1",
            "Amazon Root CA 2",
            "Amazon Root CA 3",
            "Amazon Root CA 4",
            "Starfield Services Root Certificate Authority - G2",
        ]

    def test_each_vouches_for_itself_for_years_to_come(self, roots: ssl.SSLContext) -> None:
        now, certificates = datetime.now(UTC).timestamp(), cast("list[Any]", roots.get_ca_certs())
        for root in certificates:
            assert root["subject"] == root["issuer"]
            assert ssl.cert_time_to_seconds(root["notBefore"]) < now
            assert ssl.cert_time_to_seconds(root["notAfter"]) > now + (1000 * DAY).total_seconds()

    def test_the_file_contains_their_digests(self, roots: ssl.SSLContext) -> None:
        text = Path(AMAZON_ROOTS).read_text(encoding="ascii")
        for root in roots.get_ca_certs(binary_form=True):
            assert f"SHA-256 {sha256(root).digest().hex(':').upper()}\n" in text

    def test_the_system_trusts_them_as_well(self, roots: ssl.SSLContext) -> None:
        system = set(ssl.create_default_context().get_ca_certs(binary_form=True))
        if not system:
            pytest.skip("this system has no bundle of certificates")
        assert set(roots.get_ca_certs(binary_form=True)) <= system

    def test_they_are_all_that_is_tried_at_first(self, roots: ssl.SSLContext) -> None:
        first = next(TrustStore().contexts(HOST))
        assert first.get_ca_certs() == roots.get_ca_certs()
        assert first.verify_mode == ssl.CERT_REQUIRED
        assert first.check_hostname

    @pytest.mark.parametrize("host", ["amazonaws.com.example", "dynamodb.example", "notamazonaws.com", "127.0.0.1"])
    def test_they_are_nothing_to_other_hosts(self, host: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(connector, "AMAZON_ROOTS", "/nowhere")
        assert len(list(TrustStore().contexts(host))) == 1

    def test_a_servers_certificate_that_they_do_not_cover_is_verified_by_the_systems_bundle(
        self, authority: Authority, here: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))  # which OpenSSL takes for the system's
        with scripted_server(repeat(answer(FOUND)), authority.vouches(HOST)) as port:
            asking = asker(port, host=HOST)
            assert [asking.call("GetItem", QUESTION) for _ in range(2)] == [FOUND] * 2

    def test_a_bundle_that_is_named_is_trusted_instead(self, authority: Authority, here: None) -> None:
        with scripted_server(repeat(answer(FOUND)), authority.vouches(HOST)) as port:
            assert asker(port, host=HOST, bundle=authority.file).call("GetItem", QUESTION) == FOUND
        assert len(list(TrustStore(str(authority.file)).contexts(HOST))) == 1
