"""A program that uses the public Python API: `library_program.py URL KEY`. It prints the PID that it minted."""

import sys

import coolid


def offline() -> list[str]:
    """Return identifiers that need no service."""
    parsed = coolid.parse("https://doi.org/10.5281/ZENODO.31780")
    assert parsed.valid
    lui: str = coolid.generate("lui")
    return [parsed.canonical or "", coolid.validate("0000-0002-1825-0097", "orcid"), coolid.validate(lui)]


def mint(url: str, key: str) -> coolid.Record:
    """Mint a record, read it, and return it."""
    with coolid.Client(url, key) as client:
        minted = client.mint(prefix="demo", uri="https://example.org/", metadata={"what": "A thing"})
        resolution: coolid.Resolution = client.resolve(minted.pid)
        assert resolution.target == "https://example.org/"
        try:
            client.get("demo:0000-0000-98")
        except coolid.ResourceNotFound as error:
            assert error.status == 404
        return client.get(minted)


if __name__ == "__main__":
    assert all(offline())
    print(mint(sys.argv[1], sys.argv[2]).pid)
