"""The operator's settings: an environment, a file, a logo that pages can show, and colours that people can read."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.aws.settings import InvalidSettings
from coolid.http import assets
from coolid.http.message import Request
from coolid.http.operator import accent_colors, identity
from coolid.http.pages import render
from coolid.http.public.browser_files import BrowserFiles
from coolid.wiring.operator_settings import MAX_LOGO_BYTES, admin_email, operator_environment, read_identity, read_logo
from tests.support.builders.samples import BASE_URL, ROOT

SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{}</svg>'
PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
STYLE = (ROOT / "layers/core/coolid/http/pages/static/style.css").read_text(encoding="utf-8")


@pytest.fixture
def logo(tmp_path: Path) -> Path:
    file = tmp_path / "logo.svg"
    file.write_text(SVG.format('<path d="M0 0"/>'), encoding="utf-8")
    return file


@pytest.fixture
def operator(logo: Path) -> Iterator[identity.Identity]:
    """An identity that the pages of this process show."""
    settings = {"SERVICE_NAME": "Archive <A>", "SERVICE_COLOR": "#ffe600", "SERVICE_LOGO": str(logo)}
    shown = read_identity({**settings, "SERVICE_CONTACT": "pids@example.org"})
    identity.provide(lambda: shown)
    yield shown
    identity.provide(identity.Identity)


def test_a_file_has_the_settings_and_variables_override_it(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('SERVICE_NAME = "File"\nSERVICE_LOGO = "logo.png"\nADMIN_EMAIL = "a@example.org"\n')
    found = operator_environment({"OPERATOR_SETTINGS": str(file), "SERVICE_NAME": "Variable", "ADMIN_EMAIL": ""})
    assert (found["SERVICE_NAME"], found["SERVICE_LOGO"]) == ("Variable", str(tmp_path / "logo.png"))
    assert admin_email(found) == "a@example.org"
    assert operator_environment({"SERVICE_NAME": "Variable"}) == {"SERVICE_NAME": "Variable"}


@pytest.mark.parametrize("content", ["SERVICE_NAME", 'SERVICE_NOME = "x"', "SERVICE_NAME = 1", "\udcff", "#" * 100_001])
def test_another_file_is_refused_by_its_path(tmp_path: Path, content: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(InvalidSettings, match=r"OPERATOR_SETTINGS: .*settings\.toml"):
        operator_environment({"OPERATOR_SETTINGS": str(file)})


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="cannot be read"):
        operator_environment({"OPERATOR_SETTINGS": str(tmp_path / "none")})


@pytest.mark.parametrize(
    "setting",
    [
        {"SERVICE_NAME": "x" * 61},
        {"SERVICE_NAME": "a\nb"},
        {"SERVICE_NAME": "\u200b"},
        {"SERVICE_COLOR": "red"},
        {"SERVICE_COLOR": "#fff"},
        {"SERVICE_COLOR": "#0b5c6b;}"},
        {"SERVICE_CONTACT": "javascript:alert(1)"},
        {"SERVICE_CONTACT": "mailto:x"},
        {"SERVICE_LOGO": "/nonexistent/logo.png"},
    ],
)
def test_an_invalid_setting_is_refused_by_its_name(setting: dict[str, str]) -> None:
    with pytest.raises(InvalidSettings, match=next(iter(setting))):
        read_identity(setting)


@pytest.mark.parametrize(
    "content",
    [
        SVG.format("<script>alert(1)</script>"),
        SVG.format('<path onload="alert(1)"/>'),
        SVG.format('<a href="#x"/>'),
        SVG.format('<image href="https://example.org/x.png"/>'),
        SVG.format('<use xlink:href="other.svg#x"/>'),
        SVG.format("<foreignObject/>"),
        '<!DOCTYPE svg [<!ENTITY a "b">]>' + SVG.format("&a;"),
        "<html xmlns='http://www.w3.org/1999/xhtml'/>",
        "<svg>",
        "GIF89a",
        SVG.format(" " * MAX_LOGO_BYTES),
    ],
)
def test_a_file_that_is_not_only_a_picture_is_no_logo(tmp_path: Path, content: str) -> None:
    file = tmp_path / "logo"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidSettings, match="SERVICE_LOGO"):
        read_logo(file)


def test_a_png_is_a_logo(tmp_path: Path) -> None:
    file = tmp_path / "logo"
    file.write_bytes(PNG)
    assert read_logo(file).media_type == "image/png"


@given(st.from_regex("#[0-9a-f]{6}", fullmatch=True))
def test_any_colour_leads_to_text_that_can_be_read_in_both_modes(color: str) -> None:
    for each in accent_colors.accents(color):
        assert accent_colors.contrast(each.accent, each.on_accent) >= accent_colors.MIN_CONTRAST
        assert accent_colors.contrast(each.accent, each.tint) >= accent_colors.MIN_CONTRAST


def test_the_colours_are_computed_for_the_backgrounds_of_the_style_sheet() -> None:
    for ground, panel, _, _ in accent_colors.MODES:
        assert f"--panel: {panel};" in STYLE
        assert f"--ground: {ground};" in STYLE or ground == "#ffffff"


def test_each_page_shows_the_identity_and_its_style_sheet_the_colour(operator: identity.Identity) -> None:
    page = str(render("documentation.html", 200, {}, BASE_URL).body)
    assert "<span>Archive &lt;A&gt;</span>" in page
    assert "<title>Documentation – Archive &lt;A&gt;</title>" in page
    assert '<a href="mailto:pids@example.org">Contact</a>' in page
    assert operator.logo
    assert f'<img src="{assets.address(BASE_URL, operator.logo.name)}" alt=""' in page
    style = assets.get(Request("GET", "/"), f"{assets.digest()}/style.css")
    assert "--accent: #756a00" in str(style.body)
    search = BrowserFiles(BASE_URL).opensearch(Request("GET", "/"), "")
    assert "<ShortName>Archive &lt;A&gt;</ShortName>" in str(search.body)


def test_the_logo_is_an_image_that_runs_nothing(operator: identity.Identity) -> None:
    assert operator.logo
    answer = assets.get(Request("GET", "/"), f"{assets.digest()}/{operator.logo.name}")
    icon = BrowserFiles(BASE_URL).favicon(Request("GET", "/"), "")
    for each in (answer, icon):
        assert each.body == operator.logo.content
        assert each.headers["Content-Type"] == "image/svg+xml"
        assert "sandbox" in each.headers["Content-Security-Policy"]
    assert answer.headers["Cache-Control"] == assets.FOREVER


def test_with_another_identity_all_assets_have_another_address(operator: identity.Identity) -> None:
    with_operator = assets.digest()
    identity.provide(identity.Identity)
    assert assets.digest() != with_operator
