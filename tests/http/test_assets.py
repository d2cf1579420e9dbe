"""Assets of pages, at an address that changes with them."""

import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from posixpath import normpath

import pytest

from coolid.http import assets
from coolid.http.application import Application
from coolid.http.assets import FOREVER, PATH, TYPES, address, digest
from coolid.http.message import Request, Response
from coolid.http.operator.identity import Identity
from coolid.http.pages import MESSAGES
from tests.support.builders.samples import BASE_URL, ROOT

PAGES = ROOT / "layers/core/coolid/http/pages"
FILES = sorted(path for path in (PAGES / "static").rglob("*") if path.is_file())
NAMES = [file.relative_to(PAGES / "static").as_posix() for file in FILES]
TEMPLATES = sorted((PAGES / "templates").rglob("*.html"))
STORING = "manage/session.js"
"""The only script that may use the storage of the tab, for the API key."""
STORING_COLUMNS = "manage/stored-columns.js"
"""The only script that may use the lasting storage of the browser, for the meanings of columns."""
CODE = "".join(file.read_text(encoding="utf-8") for file in FILES if file.suffix == ".js")
OTHER = "0123456789abcdef"

Get = Callable[..., Response]


def unforeseen(error: Exception, _: Request) -> None:
    raise AssertionError("nobody foresaw this") from error


@pytest.fixture
def get() -> Get:
    application = Application(assets.routes(), BASE_URL, unforeseen, public=True)

    def get(path: str, method: str = "GET", **headers: str) -> Response:
        sent = {name.replace("_", "-").lower(): value for name, value in headers.items()}
        return application(Request(method, path, (), sent))

    return get


def comments(file: Path) -> set[str]:
    """The lines that are not sent."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return {line for line in lines if re.fullmatch(r"//.*|/\*.*\*/", line.strip())}


def path_of(name: str) -> str:
    return address(BASE_URL, name).removeprefix(BASE_URL)


@pytest.mark.parametrize(("name", "file"), list(zip(NAMES, FILES, strict=True)), ids=NAMES)
def test_it_is_cached_for_a_year_and_never_requested_again(get: Get, name: str, file: Path) -> None:
    answer = get(path_of(name))
    assert answer.status == 200
    assert isinstance(answer.body, str)
    written = file.read_text(encoding="utf-8").splitlines()
    if name.endswith(".css"):  # also without the spaces that nothing depends on
        kept = "".join(line for line in written if line not in comments(file))
        assert "".join(answer.body.split()) == "".join(kept.split())
    else:
        lines = [line.lstrip(" ") for line in written if line not in comments(file)]
        for sent, line in zip(answer.body.splitlines(), lines, strict=True):  # texts and expressions keep their spaces
            assert sent == line if set(line) & set("\"'`/") else sent.replace(" ", "") == line.replace(" ", "")
            assert re.findall(r"\w+", sent) == re.findall(r"\w+", line)
    assert answer.headers["Cache-Control"] == FOREVER == "public, max-age=31536000, immutable"
    assert answer.headers["Content-Type"] == TYPES[name.rpartition(".")[2]]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "Vary" not in answer.headers


@pytest.mark.parametrize("name", NAMES)
def test_an_old_digest_gets_the_current_asset_uncached(get: Get, name: str) -> None:
    answer = get(f"{PATH}{OTHER}/{name}")
    assert (answer.status, answer.body) == (200, get(path_of(name)).body)
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        f"{PATH}{OTHER}/nothing.css",
        f"{PATH}{OTHER}/session.js",
        f"{PATH}{OTHER}/manage/",
        f"{PATH}{OTHER}/manage/../style.css",
        f"{PATH}{OTHER}/manage/style.css",
        f"{PATH}{OTHER}/manage/manage/session.js",
        f"{PATH}{OTHER}/",
        f"{PATH}{OTHER}",
        f"{PATH}style.css",
        f"{PATH}{OTHER[:-1]}/style.css",
        f"{PATH}{OTHER}0/style.css",
        f"{PATH}{OTHER.upper()}/style.css",
        f"{PATH}{OTHER}/Style.css",
        f"{PATH}{OTHER}/style.css/",
        f"{PATH}{OTHER}/style.css%00",
        f"{PATH}{OTHER}/style.css\n",
        f"{PATH}{OTHER}/../style.css",
        f"{PATH}{OTHER}/../templates/base.html",
        f"{PATH}{OTHER}/..%2ftemplates%2fbase.html",
        f"{PATH}{OTHER}/%2e%2e/words.py",
        f"{PATH}{OTHER}/..",
        f"{PATH}{OTHER}/.",
        f"{PATH}../pages/words.py",
        f"{PATH}/etc/passwd",
        f"{PATH}{OTHER}//etc/passwd",
        f"{PATH}{OTHER}/__init__.py",
    ],
)
def test_nothing_else_is_to_be_had(get: Get, path: str) -> None:
    answer = get(path)
    assert answer.status == 404
    assert "immutable" not in answer.headers["Cache-Control"]


def test_a_conditional_request_gets_304(get: Get) -> None:
    answer = get(path_of("style.css"))
    again = get(path_of("style.css"), If_None_Match=answer.headers["ETag"])
    assert (again.status, again.body) == (304, "")
    assert again.headers["Cache-Control"] == FOREVER
    assert again.headers["ETag"] == answer.headers["ETag"]


def test_head_has_it_too(get: Get) -> None:
    answer, head = (get(path_of("words.js"), method) for method in ("GET", "HEAD"))
    assert (head.status, head.headers, head.body) == (200, answer.headers, "")


def test_nothing_is_to_be_done_with_it(get: Get) -> None:
    answer = get(path_of("style.css"), "POST")
    assert (answer.status, answer.headers["Allow"]) == (405, "GET, HEAD, OPTIONS")


def test_the_address_changes_with_each_name_and_each_content(monkeypatch: pytest.MonkeyPatch) -> None:
    now = assets.assets()
    name, asset = next(iter(now.items()))
    edited = {**now, name: assets.Asset(asset.media_type, asset.content + " ")}
    renamed = {f"a{each}": content for each, content in now.items()}
    seen = {digest()}
    monkeypatch.setattr(assets, "_digest", assets._digest.__wrapped__)
    monkeypatch.setattr(assets, "_assets_of", lambda _: assets.assets())
    for other in (edited, renamed, {**now, "more.js": asset}):
        monkeypatch.setattr(assets, "assets", lambda other=other: other)
        seen.add(digest())
    assert len(seen) == 4


def test_each_name_is_one_that_is_served() -> None:
    assert all(re.fullmatch(r"(manage/)?[a-z0-9-]+(\.[a-z0-9-]+)*\.(css|js|svg)", name) for name in NAMES)


def test_each_that_a_template_or_script_names_is_there_and_each_that_is_there_is_named() -> None:
    said = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES)
    named = set(re.findall(r"""["']((?:manage/)?[a-z0-9-]+\.(?:css|js|svg))["']""", said))
    named.add(Identity().icon)
    named |= {f"{each}.js" for each in re.findall(r"""["']([a-z0-9-]+)["']""", said)} & set(NAMES)
    for name, file in zip(NAMES, FILES, strict=True):
        folder = PurePosixPath(name).parent
        imported = re.findall(r"""\b(?:from|import|import\() ?["'](\.[^"']+)["']""", file.read_text(encoding="utf-8"))
        named |= {normpath(folder / each) for each in imported}
    assert named == set(NAMES)


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith(".js")])
def test_a_script_says_what_it_is_and_loads_nothing_but_its_neighbours(name: str) -> None:
    code = (PAGES / "static" / name).read_text(encoding="utf-8")
    assert code.startswith(("//", "/*"))
    for imported in re.findall(r"""^(?:import|export)\b(?:[^"';=]*\bfrom)? *["']([^"']+)["']""", code, re.MULTILINE):
        assert re.fullmatch(r"\.\.?/[a-z0-9-]+\.js", imported), imported
    assert not re.search(r"\b(eval|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write)\b", code)
    assert not re.search(r"\b(document\.cookie|indexedDB)\b", code)
    assert ("localStorage" in re.sub("//.*", "", code)) == (name == STORING_COLUMNS)
    assert ("sessionStorage" in re.sub("//.*", "", code)) == (name == STORING)


@pytest.mark.parametrize("script", sorted(MESSAGES))
def test_each_word_of_a_script_is_said_by_a_script(script: str) -> None:
    written = set(re.findall(r"""["'`]([a-z0-9-]+)["'`]""", CODE))
    begun = tuple(re.findall(r"""["'`]([a-z0-9-]+[-.])(?:\$\{|["'] ?\+)""", CODE))
    assert not [key for key in MESSAGES[script] if key not in written and not key.startswith(begun)]


def test_each_sentence_that_a_script_says_is_among_its_words() -> None:
    said = set(re.findall(r"""\bsay\(\s*["']([a-z0-9-]+)["']""", CODE))
    # Others are said later than they are named.
    said |= set(re.findall(r'"((?:proof|verify|keep|service|unfit|scheme)-[a-z0-9-]+)"', CODE))
    assert len(said) > 90
    assert said - {key for returned in MESSAGES.values() for key in returned} == set()


@pytest.mark.parametrize("script", sorted(MESSAGES))
def test_the_messages_of_a_script_are_text_with_placeholders(script: str) -> None:
    for key, text in MESSAGES[script].items():
        assert re.fullmatch(r"[a-z][a-z0-9.-]*", key), key
        assert text.strip(), key
        assert text.count("{") == text.count("}") == len(re.findall(r"\{\w+\}", text)), key
        assert "<" not in text, key


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_the_words_that_a_template_brings_are_those_of_its_scripts(template: Path) -> None:
    for names in re.findall(r"\bwords\(([^)]*)\)", template.read_text(encoding="utf-8")):
        requested = re.findall(r"""["']([^"']+)["']""", names)
        assert set(requested) <= set(MESSAGES)
        keys = [key for each in requested for key in MESSAGES[each]]
        assert len(keys) == len(set(keys)), "two scripts of one page have a word of the same key"
