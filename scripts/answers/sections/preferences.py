"""What clients prefer: values of `Accept`, `Accept-Language` and the parameters that choose an answer."""

from typing import Final

BROWSER: Final = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ACCEPTS: Final = (
    BROWSER, "*/*", "", "text/html", "application/json", "text/json", "application/json, text/plain, */*",
    "application/linkid+json", "application/linkid+json, text/html, */*", "application/linkset+json",
    "application/linkset", "application/ld+json", "application/vnd.schemaorg.ld+json", "text/turtle",
    "text/turtle;q=0.5, application/ld+json;q=0.9", "text/plain", "text/*", "application/*", "image/*", "image/png",
    "image/svg+xml", "application/jose", "application/pdf", "application/pdf;q=0.1, text/html;q=0.9",
    "application/pdf;version=1.7", "text/csv, */*;q=0.1", "application/yaml",
    "application/x-yaml;q=0.9, text/html;q=0.1", "application/vnd.citationstyles.csl+json",
    "application/citeproc+json", "application/x-bibtex", "application/x-research-info-systems",
    "application/vnd.datacite.datacite+json", "application/vnd.datacite.datacite+xml",
    "text/x-bibliography", "text/x-bibliography; style=bibtex",
    "application/ld+json;profile=\"https://schema.org/\"", "application/problem+json", "application/link-format",
    "application/json;q=0", "*/*;q=0", "text/html;q=0, */*", "application/json;q=2", "nonsense", "a/b/c, ;, text/",
    "application/msword", "TEXT/HTML;Level=1;q=0.4, application/JSON;charset=utf-8",
    "application/json,application/json;q=0.2",
)  # fmt: skip
LANGUAGES: Final = (
    None, "de", "en", "en-GB, de;q=0.5", "fr, *;q=0.1", "de;q=0, en;q=0", "*", "pt-BR", "x;y;z", "DE-at",
)  # fmt: skip
FORMATS: Final = (
    "linkid", "json", "JSON", "linkset", "links", "jsonld", "ttl", "turtle", "erc", "text", "jws", "html", "csl",
    "bibtex", "ris", "datacite", "datacite-xml", "citation", "qr", "yaml", "yml",
    "pdf", "csv", "application/pdf", "text/html",
    "application/ld+json", "nonsense", "", "tlog-proof", ".pdf", "xml",
)  # fmt: skip
QUERIES: Final = (
    "info", "?", "%3F", "info=", "?info", "json", "json&format=erc", "lang=de", "lang=en", "lang=xx", "lang=en-GB",
    "lang=", "version=1", "version=2", "version=3", "version=99", "version=0", "version=-1", "version=x",
    "version=1.0", "format=linkid&version=1", "format=html&version=1", "format=html&version=2",
    "format=jws&version=1", "format=pdf&lang=de&version=2", "format=pdf&lang=en", "format=html&lang=de", "memento=1",
    "memento=2", "memento=99", "memento=x", "memento=1&format=html", "memento=1&format=linkid", "noredirect",
    "noredirect=true", "type=URL", "type=EMAIL", "type=HS_ADMIN", "type=url&index=2", "index=1", "index=100",
    "index=x", "index=1&index=2", "urlappend=/more", "urlappend=%3Fx%3D1", "urlappend=..", "urlappend=@evil.example",
    "locatt=id:1", "locatt=lang:de", "locatt=country:gb", "locatt=nonsense", "locatt=weight:1", "strict=1",
    "strict=true", "strict=0", "strict=maybe", "provider=p0", "provider=p1", "provider=P1", "provider=nobody",
    "provider=", "provider=p0&provider=p1", "style=png", "format=qr&style=svg", "format=qr&style=png",
    "format=qr&style=gif", "format=citation&style=bibtex", "format=citation&style=ris", "format=citation&style=csl",
    "format=citation&style=text", "format=citation&style=apa", "format=linkid&format=erc", "unknown=1", "x=%00",
    "x=%ff", "format=%C3%A9", "lang=en&lang=de", "auth=true",
)  # fmt: skip
