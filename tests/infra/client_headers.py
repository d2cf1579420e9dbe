"""`Accept` and `Accept-Language` of real browsers, libraries and harvesters, and generated ones."""

import random
from typing import Final

CHROME = (
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,"
    "application/signed-exchange;v=b3;q=0.7"
)
SAFARI = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

PAGES: Final = {
    "Chrome, Edge, Opera, Samsung Internet": CHROME,
    "Chrome of 2023": CHROME.replace("q=0.7", "q=0.9"),
    "Brave": CHROME.removesuffix(",application/signed-exchange;v=b3;q=0.7"),
    "Safari": SAFARI,
    "Firefox": SAFARI,
    "Firefox of 2024": SAFARI.replace("*/*", "image/avif,image/webp,image/png,image/svg+xml,*/*"),
    "Firefox of 2023": SAFARI.replace("*/*", "image/avif,image/webp,*/*"),
    "Firefox behind a proxy": SAFARI.replace(",", ", ").replace(";q=0.9", "; q=0.90"),
    "Epiphany": SAFARI,
    "Vivaldi": CHROME,
    "Tor Browser": SAFARI,
    "Lynx": "text/html, text/plain, text/sgml, text/css, application/xhtml+xml, */*;q=0.01",
}
"""`Accept` of browsers that go to a page."""

PROGRAMS: Final = (
    None,  # Go, Perl's LWP
    "",
    "*/*",  # curl, Wget, python-requests, httpx, fetch()
    "*",
    " , ",
    "*/*, *",
    "*/*;q=0.8",
    "application/json",
    "Application/JSON",
    "application/json, text/plain, */*",  # axios
    "application/json, text/javascript, */*; q=0.01",  # jQuery
    "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2",  # Java
    "text/html, image/gif, image/jpeg, */*; q=0.2",
    "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",  # <img> in Chrome
    "image/webp,image/avif,video/*;q=0.8,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5",  # in Safari
    "text/html,application/xhtml+xml,application/signed-exchange;v=b3,application/xml;q=0.9,*/*;q=0.8",  # Googlebot
    "application/linkid+json",
    "application/linkid+json, application/json;q=0.9",
    "application/linkset+json",
    "application/linkset",
    "application/linkset+json,application/linkset;q=0.9,application/json;q=0.3,text/plain;q=0.2",  # signposting
    "application/ld+json",
    "application/ld+json, application/json;q=0.9, */*;q=0.1",
    'application/ld+json; profile="http://www.w3.org/ns/json-ld#compacted"',
    'application/activity+json, application/ld+json; profile="https://www.w3.org/ns/activitystreams"',  # Mastodon
    "text/turtle",
    "text/turtle,application/n-triples;q=0.9,application/ld+json;q=0.8,application/rdf+xml;q=0.7,*/*;q=0.3",  # Jena
    "application/rdf+xml,text/rdf+n3;q=0.9,application/xhtml+xml;q=0.5, */*;q=0.1",  # rdflib
    "application/vnd.citationstyles.csl+json",  # DOI content negotiation
    "text/x-bibliography; style=apa; locale=en-US",
    "application/vnd.datacite.datacite+xml;q=1, application/x-bibtex;q=0.5",
    "text/plain",
    "text/plain; charset=utf-8",
    "text/*",
    "text/*;q=0.3, text/html;q=0.7, text/html;level=1, text/html;level=2;q=0.4, */*;q=0.5",  # RFC 9110
    "application/jose",
    "application/pdf",
    "application/pdf, text/html;q=0.5, */*;q=0.1",
    "text/html",
    "text/html;charset=utf-8;q=0.5, application/json;q=0.4",
    "application/json;q=0, */*",
    "text/html;q=0, */*",
    "text/html;q=0, text/html, text/html;q=0.5",
    "*/*;q=0",
    "*/*;q=0, application/pdf",
    "image/png",
    "image/png, image/webp",
    "image/webp;q=0.999999999999999, image/png",
    "image/webp;q=0.9999999999999999, image/png",
    "application/ld+json;q=0.9000000000000003, text/turtle;q=0.9000000000000004",  # the same, to the service
)
"""`Accept` of everybody else."""

ODD: Final = (
    "nonsense",
    "json",
    ";",
    "q=0.5",
    "text/html;q=2, text/*",
    "text/html;q=, text/*",
    "text/html;q=0.5;level=1, text/*;q=0.6",
    "text/html;q=0.1;q=0.9",
    "*text/html, text/*",
    "*/html",
    "*;v=1",
    '*/*;p="text/html"',
    'text/html, application/json;p="a, b',
    'foo/bar;p="text/html", text/*',
    "text/html\t;q=0.5,\t*/*",
    ",\t,",
    "\t",
    "\u00e9/\u00fc, text/html",
    "application/lin\u212aid+json, text/*",  # the Kelvin sign is a k in lower case
    "a b/c, */*",
    "text/html;q=1e-1",
    "text/html;q=-1, */*",
    ",".join(["x/y"] * 48 + ["text/html"]),
    ",".join(["x/y"] * 49 + ["text/html"]),
    ",".join(["x/y"] * 50 + ["text/html"]),
    ",".join(["image/png", "image/webp"] * 24 + ["application/json;q=0"] * 2),
    ",".join(f"x/y{number}" for number in range(60)) + ",text/html",
)
"""`Accept` that has something wrong with it, or too much."""

LANGUAGES: Final = (
    None,
    "",
    "*",
    "en-US,en;q=0.9",  # Chrome, Safari
    "en-US,en;q=0.5",  # Firefox
    "en-us, en; q=0.50",
    "en;q=.5, EN-us;q=1.000",
    "en-GB,en-US;q=0.9,en;q=0.8",
    "de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7",
    "de,en-US;q=0.7,en;q=0.3",
    "de-CH-1996, de;q=0.9, *;q=0.1",
    "fr-FR,fr;q=0.9",
    "ja",
    "zh-CN,zh;q=0.8,zh-TW;q=0.7,zh-HK;q=0.5,en-US;q=0.3,en;q=0.2",
    "en;q=0, *",
    "en;q=0",
    "*;q=0",
    "*;q=0, en",
    "de, *;q=0, *;q=0.5",
    "en, en;q=0.2, en;q=0",
    "en-US;q=0, en-US;q=0.4, en",
    "en_US,en;q=0.5",
    "x" * 9,
    "\t",
    "en\u00e9, de",
    "e\u212a, ek",
    ",".join(["fr"] * 49 + ["de"]),
    ",".join(f"a{number}" for number in range(60)) + ",de",
)
"""`Accept-Language`."""

QUERIES: Final = (
    None,
    "",
    "?",
    "%3F",
    "??",
    "info",
    "info=",
    "info=1&info=2",
    "?&format=ttl",
    "format=json",
    "format=JSON",
    "format=%6Ason",
    "f%6Frmat=ttl",
    "format=html",
    "format=jws",
    "format=pdf",
    "format=PDF&lang=de",
    "format=application/pdf",
    "format=application%2Fpdf",
    "format=image/svg+xml",
    "format=image/svg%2Bxml",
    "format=image/svg%20xml",
    "format=nonsense",
    "format=%zz",
    "format=%ff",
    "format=",
    "format",
    "format=ttl&format=pdf",
    "format=nonsense&f%6Frmat=ttl",
    "f%6Frmat=nonsense&format=ttl",
    "lang=de",
    "lang=EN-us",
    "lang=",
    "lang=&lang=de",
    "lang=d%C3%A9",
    "lang=d+e",
    "version=1",
    "version=2&format=linkid",
    "version=",
    "version=%C2%A0%27%28%29*!",
    "provider=p1",
    "provider=P1",
    "provider=",
    "provider=nobody",
    "strict=1",
    "strict=true",
    "strict=0&strict=1",
    "strict",
    "Format=ttl&format%20=ttl&+format=ttl&format;=ttl",
    "utm_source=newsletter&utm_medium=email&fbclid=abc&gclid=def",
    "fbclid=abc&format=ttl&utm_campaign=x&lang=de",
    "x=y&__proto__=1&constructor=2&toString",
    "&&=&=x&format=ttl&&",
    "format=a=b&c",
    "r=1&format=ttl#x".replace("#", "%23"),
    "json",
    "json=1&json=2",
    "j%73on&lang=de",
    "json&format=pdf",
    "?&json",
    "info&??",
    "information",
    "format=links",
    "format=citation",
    "format=citation&style=bibtex",
    "format=CSL&style=x",
    "format=ris&info",
    "format=datacite",
    "format=datacite-xml",
    "format=yaml",
    "format=qr",
    "style=png&format=QR&style=svg",
    "format=qr&style=",
    "style=svg",
    "memento=1",
    "memento=2&format=linkid",
    "memento=1&memento=2",
    "memento=x&version=1",
    "memento",
    "index=1",
    "index=2&index=1&type=URL",
    "type=URL&index=x&type=EMAIL&index=2",
    "type=u%72l",
    "noredirect",
    "noredirect=false&noredirect",
    "index=1&noredirect&x=y&index=2",
    "locatt=lang:de",
    "locatt=lang%3Ade&locatt=id:2&lang=fr",
    "urlappend=%3Fa%3Db%26c",
    "urlappend=/x+y%2Fz&urlappend=w",
    "urlappend&noredirect&locatt&type&index",
    "urlappend=.evil.example",
    "q",
    "q=",
    "q=+%20",
    "q=go",
    "q=go:0006915&utm_source=x",
    "q=go%3A0006915&q=one:pdf",
    "%71=one%3apdf",
    "q=one:a+b%2Bc%2520%2F%3F%23%5C",
    "q=https://doi.org/10.5281/zenodo.31780?x=y",
    "q=https%3A%2F%2Fa.example%2F0006915",
    "q=0000-0002-1825-0097&lang=de",
    "q=gr%C3%B6%C3%9Fe+50%",
    "q=%zz",
    "q=%ff",
    "q=a&page=1",
    "page=1&q=A+thing",
    "page=1",
    "page=2",
    "page=0&page=1",
    "page=+1",
    "page=%31",
    "page",
)
"""Queries, without their question mark."""

_TYPES: Final = [
    "text/html",
    "application/json",
    "application/linkid+json",
    "application/linkset+json",
    "application/ld+json",
    "text/turtle",
    "text/plain",
    "application/jose",
    "application/pdf",
    "image/png",
    "image/webp",
    "application/xhtml+xml",
    "text/csv",
    "*/*",
    "*/*",
    "*",
    "text/*",
    "application/*",
    "image/*",
    "*/json",
    "nonsense",
    "text",
    "text/",
    "/html",
    "te*t/html",
]
_TAGS: Final = [
    "en",
    "en-us",
    "en-gb",
    "de",
    "de-ch",
    "de-ch-1996",
    "fr",
    "zh-hant-tw",
    "*",
    "*",
    "en_us",
    "toolongasubtag",
    "-",
    "x",
]
_PARAMETERS: Final = ("charset=utf-8", "level=1", "v=b3", "profile=x", 'p="x, y"', "p", "p=", "q1=2", "PROFILE=X")
_WEIGHTS: Final = [
    "1",
    "0",
    "0.9",
    "0.8",
    "0.5",
    "0.50",
    ".5",
    "0.",
    "1.0",
    "1.",
    "0.001",
    "0.1234567890123456",
    "2",
    "-1",
    "x",
]


def made_up(rng: random.Random) -> tuple[str, str]:
    """`Accept` and `Accept-Language` that nobody has thought of."""
    accept = _list(rng, [f"{rng.choice(_TYPES)}{_parameters(rng)}" for _ in range(rng.randrange(7))])
    language = _list(rng, [rng.choice(_TAGS) for _ in range(rng.randrange(6))])
    return accept, language


def _list(rng: random.Random, ranges: list[str]) -> str:
    elements = (_cased(rng, each) + _weight(rng) for each in ranges)
    text = rng.choice((",", ", ", " , ", ",,")).join(elements)
    if text and rng.random() < 0.1:  # something is lost, or slips in
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(("", '"', ";", "\t", " ", ",", "\u00e9", "\\")) + text[at + rng.randrange(2) :]
    return text


def _parameters(rng: random.Random) -> str:
    return f"{rng.choice((';', '; ', ' ;'))}{rng.choice(_PARAMETERS)}" if rng.random() < 0.2 else ""


def _weight(rng: random.Random) -> str:
    shapes = ("", "", ";q={}", "; q={}", ";Q={}", " ; q={}", ";q ={}")
    return rng.choice(shapes).format(rng.choice(_WEIGHTS[: rng.choice((9, 9, 9, len(_WEIGHTS)))]))


def _cased(rng: random.Random, text: str) -> str:
    return rng.choice((text, text, text.upper(), text.title()))
