"""The mint page without scripts: the same for everybody, and safe."""

import re

from coolid.http.pages import MESSAGES
from tests.support.fixtures.system import System

PATH = "/pages/mint"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
SCRIPTS = ("mint.js", "draw.js", "copy.js")


def test_it_is_the_same_for_everybody_and_stored(light: System) -> None:
    answer = light.get(PATH, accept=BROWSER)
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "max-age=3600" in answer.headers["cache-control"]
    assert light.get(PATH).body == answer.body
    assert light.request("POST", PATH).status == 405


def test_nothing_can_be_sent_before_a_script_takes_care_of_it(light: System) -> None:
    """A form that a browser sends by itself would put the key into an address. Enter needs an enabled button, too."""
    body = light.get(PATH).body
    forms = re.findall("<form[^>]*>.*?</form>", body, re.DOTALL)
    own = [form for form in forms if 'id="mint-form"' in form or 'id="draw-form"' in form]
    assert len(own) == 2
    for form in own:
        assert 'method="post"' in form.partition(">")[0]
        assert re.findall('<button[^>]*type="submit"[^>]*>', form) == re.findall("<button[^>]* disabled>", form) != []
    (key,) = re.findall('<input id="key"[^>]*>', body)
    assert 'type="password"' in key
    assert 'autocomplete="off"' in key
    assert "name=" not in key


def test_without_scripts_it_says_how_else(light: System) -> None:
    body = light.get(PATH).body
    assert "which do not run in your browser" in body
    assert "coolid mint --url https://id.example.org" in body
    assert "coolid generate lui" in body
    assert "curl https://id.example.org/api/v1/records" in body


def test_no_prefix_is_taken_for_granted(light: System) -> None:
    body = light.get(PATH).body
    assert 'data-prefix="2021' not in body
    assert '--prefix "$PREFIX"' in body
    assert "2021/06/demo" not in body.partition('id="commands"')[2]


def test_every_sentence_that_its_scripts_say_is_there(light: System) -> None:
    body = light.get(PATH).body
    said: set[str] = set()
    for name in (*SCRIPTS, "schemes.js", "noid.js", "service.js", "value-checks.js"):
        (folder,) = set(re.findall(r"/static/[0-9a-f]+/", body))
        script = light.get(folder + name)
        assert script.status == 200
        said |= set(re.findall(r'(?:say|Unfit)\("([a-z0-9-]+)"', script.body))
    returned = {key for part in ("service", "mint", "draw", "copy", "check") for key in MESSAGES[part]}
    assert said <= returned
    kinds = re.findall(
        r'"?([a-z-]+)"?: "(?:key|prefix|chosen)"', light.get(folder + "mint.js").body.partition("KINDS={")[2]
    )
    said |= {"mint-done", "mint-reserved", "draw-one", *(f"mint-at-{kind}" for kind in kinds)}
    assert {key for part in ("mint", "draw") for key in MESSAGES[part]} <= said
    assert {f"mint-at-{kind}" for kind in kinds} <= returned


def test_every_field_has_a_label_and_a_place_for_what_is_wrong_with_it(light: System) -> None:
    body = light.get(PATH).body
    for field in re.findall(r'<(?:input|select|textarea) id="(\w+)"', body):
        assert f'<label for="{field}"' in body or f'for="{field}"' in body
    for field in ("key", "prefix", "uri", "what", "who", "when", "chosen"):
        assert f'id="{field}-wrong"' in body
        assert re.search(rf'id="{field}"[^>]*aria-describedby="[^"]*{field}-wrong"', body)
