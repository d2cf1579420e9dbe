"""Exported redirects: nginx and Apache send each identifier to its target, byte for byte."""

import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from coolid.aws import key_file
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.migration.destinations import htaccess, nginx_map
from coolid.migration.destinations.catalog import RedirectWriter
from coolid.migration.destinations.exported_identifiers import Redirect
from coolid.migration.source_identifiers import Loss
from coolid.model.records import Location, Record
from tests.support.builders.exports import written
from tests.support.fixtures.installations import SqliteInstallation
from tests.support.servers.redirect_servers import Ask, apache_with, nginx_with

TARGETS = [
    "https://a.example/?",
    "https://a.example/?a=1&b=2&",
    "https://a.example/?a?b??",
    "https://a.example/#?",
    "https://a.example/%2F%25%20%3F%23?x=%26#%0A",
    "https://a.example/$1/$uri/$$/${HOME}/$coolid_302",
    "https://a.example/%{HTTP_HOST}%1%%2/&/&&",
    "https://a.example/\"'<>`|^{}[]();,!*~@=+",
    "https://a.example/a;b}#{c",
    "https://a.example/$\"'$",
    "https://a.example/~^x$",
    "https://id.example.org:443/x",
    "http://id.example.org/own?x",
    "https://a.example/größe/𝄞?ü=ß",
    "https://a.example/with space",
    "https://a.example/" + "x" * 2_030,
    "https://a.example/410",
]
NAMES = [
    "plain", "a b", 'quo"te', "apo'strophe", "do$llar$", "per%cent", "per%2Fcent", "que?stion", "ha#sh", "back\\slash",
    "x.y", "xzy", "(a|b)*[c]{2}+^$", "größe", "𝄞", "Case", "case", "CASE", "part/of/path", "semi;colon", "~tilde",
    "a&b", "back\\", "${HOME}", "default", "long" * 60, "x,y=z@", "<b>", "trailing/",
]  # fmt: skip


class Exported:
    """A store with hostile identifiers and targets, as `pids` with theirs, and its exports."""

    def __init__(self, installation: SqliteInstallation) -> None:
        self._installation = installation
        self.losses: list[Loss] = []
        self.expected: dict[str, tuple[int, str | None]] = {}
        installation.add("ark:12345", ChosenRules(pattern=".+", ignores_hyphens=True))
        installation.add("10.5072", ChosenRules(pattern=".+", folds_case=True), redirect=301)
        for at, name in enumerate(NAMES):
            self._mint("hard", name, TARGETS[at % len(TARGETS)], 302, f"hard/{name}")
        for at, target in enumerate(TARGETS):
            self._mint("hard", f"t{at}", target, 302)
            self._mint("ark:12345", f"x-{at}", target, 302, f"ark:12345/x{at}", f"ark:/12345/x{at}")
            self._mint("10.5072", f"d.{at}", target, 301, f"doi:10.5072/d.{at}", f"10.5072/D.{at}")
        gone = self._mint("hard", "gone", "https://a.example/", 410)
        installation.amender.withdraw(gone, "a mistake", None, author="another")
        self.expected["hard:gone"] = (410, None)
        self.expected["hard:absent"] = self.expected["hard:plain/longer"] = (404, None)

    def _mint(self, prefix: str, name: str, target: str, status: int, *others: str) -> Record:
        record = self._installation.mint(prefix, name, records=(Location(target),))
        for path in (record.pid.removeprefix(f"{record.issuer}/"), *(quote(other, safe="/:") for other in others)):
            self.expected[path] = (status, target)
        return record

    def file(self, destination: str) -> bytes:
        """Export to a destination."""
        return written(self._installation, destination, self.losses.append)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Exported]:
    with new_installation(tmp_path_factory.mktemp("exported")) as installation:
        yield Exported(installation)


@contextmanager
def new_installation(folder: Path) -> Iterator[SqliteInstallation]:
    key_file.ensure(folder / "key.pem")
    installation = SqliteInstallation(folder / "key.pem", folder / "coolid.db")
    installation.add("hard", ChosenRules(pattern="(?s).+"))
    yield installation
    installation.database.close()


@pytest.mark.parametrize(("destination", "serve"), [("nginx", nginx_with), ("htaccess", apache_with)])
def test_each_identifier_leads_to_its_target_byte_for_byte(
    exported: Exported,
    tmp_path: Path,
    destination: str,
    serve: Callable[[Path, bytes], AbstractContextManager[Ask]],
) -> None:
    with serve(tmp_path, exported.file(destination)) as ask:
        found = {path: ask("/" + path) for path in exported.expected}
    assert found == exported.expected
    assert exported.losses == []


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[SqliteInstallation]:
    with new_installation(tmp_path) as found:
        yield found


def test_what_no_rule_can_hold_is_left_out_and_said(installation: SqliteInstallation) -> None:
    installation.mint("hard", "a//b", records=(Location("https://a.example/"),))
    installation.mint("hard", "x" * 300, records=(Location("https://a.example/" + "$" * 400),))
    installation.mint("hard", "hidden", records=(Location("https://a.example/"),), status="reserved")
    installation.mint("hard", "bare")
    installation.mint("hard", "break", records=(Location("https://a.example/\r\nSet-Cookie: a=b"),))
    two = (Location("https://a.example/1", quality=0.1), Location("https://a.example/2", quality=0.9))
    installation.mint("hard", "two", records=two)
    reasons: dict[str, list[str]] = {}
    for destination in ("htaccess", "nginx"):
        losses: list[Loss] = []
        content = written(installation, destination, losses.append)
        assert b"https://a.example/2" in content
        assert b"https://a.example/1" not in content
        assert b"Set-Cookie" not in content
        reasons[destination] = sorted(f"{each.name.encode()[:11].decode()!a} {each.reason[:30]}" for each in losses)
    common = [
        "'hard:a//b' web servers change double slas",
        "'hard:bare' it has no target",
        "'hard:break' it or its target has a control",
        "'hard:hidden' it is reserved, so it is not p",
        "'hard:two' it has several targets; the re",
    ]
    assert reasons["htaccess"] == sorted([*common, "'hard:xxxxxx' its first segment has more tha"])
    assert reasons["nginx"] == sorted([*common, "'hard:xxxxxx' it or its target has more than"])


def random_redirects(number: int) -> dict[str, Redirect]:
    """Redirects of paths and targets with any printable characters, by path."""
    source = random.Random(25)
    ascii_characters = [chr(code) for code in range(0x20, 0x7F)]
    others = [chr(code) for code in (*range(0xA1, 0x300), *range(0x3040, 0x3100), 0x1D11E, 0x202E, 0x2028, 0xFEFF)]
    beginnings = ["", "", "~", "~*", "\\", "default", "*.", "^", "#"]
    endings = ["", "", "?", "??", "&", "#", "%", "$", "\\", '"', "$1", "%1", "${x}"]

    def text(longest: int) -> str:
        pools = source.choices([ascii_characters, others], [9, 1], k=source.randint(1, longest))
        return "".join(map(source.choice, pools))

    found: dict[str, Redirect] = {}
    while len(found) < number:
        path = "x/" + source.choice(beginnings) + text(12).replace("/", "|").strip(".")
        target = f"https://a.example/{text(40).rstrip()}{source.choice(endings)}"
        found[path] = Redirect(path, (path,), source.choice([301, 302, 303, 307, 308]), target)
    return found


@pytest.mark.parametrize(
    ("write", "serve"), [(nginx_map.write, nginx_with), (htaccess.write, apache_with)], ids=["nginx", "htaccess"]
)
def test_any_characters_are_escaped(
    tmp_path: Path, write: RedirectWriter, serve: Callable[[Path, bytes], AbstractContextManager[Ask]]
) -> None:
    redirects = random_redirects(200)
    with serve(tmp_path, b"".join(write(iter(redirects.values()), print))) as ask:
        found = {path: ask("/" + quote(path, safe="/")) for path in redirects}
    assert found == {path: (each.status, each.target) for path, each in redirects.items()}


def test_of_two_identifiers_with_one_path_the_first_counts(tmp_path: Path) -> None:
    pairs = [("a/B", "1"), ("a/b", "2"), ("a/B", "3"), ("c", "4"), ("c", "5")]
    found = [Redirect(path, (path,), 302, f"https://a.example/{name}") for path, name in pairs]
    with nginx_with(tmp_path, b"".join(nginx_map.write(found, print))) as ask:
        leads = [ask(f"/{path}")[1] for path in ("a/B", "a/b", "c", "a/bb")]
    assert leads == ["https://a.example/1", "https://a.example/2", "https://a.example/4", None]
