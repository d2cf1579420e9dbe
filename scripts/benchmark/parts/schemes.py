"""Schemes: drawing identifiers, telling what a text is, and judging one whose scheme is known.

Detection here judges what it finds, and gives its canonical form; idutils' tells the names of schemes, and finds them
by judging, too. python-stdnum judges what it reads more freely.
"""

import random
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import base32_lib
import stdnum.isbn
import stdnum.isni
import stdnum.issn
from noid.pynoid import mint

from coolid.aws.entropy import SystemEntropy
from coolid.identifiers.schemes import ark, crockford, doi, isbn, isni, issn, lui, noid, orcid, ror
from coolid.recognition.detection import detect
from scripts.benchmark.harness import Case, Effort, measured
from scripts.benchmark.identifiers import BY_SCHEME, TEXTS
from scripts.benchmark.results import Figure, figure, ratio_at_least

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import idutils

OURS: dict[str, Any] = {"isbn": isbn, "issn": issn, "isni": isni, "orcid": orcid, "doi": doi, "ark": ark, "ror": ror}
STDNUM: dict[str, Any] = {"isbn": stdnum.isbn, "issn": stdnum.issn, "isni": stdnum.isni}
DRAWN, NOIDS = "schemes: draw a LUI, as people write it", "schemes: make a NOID, random without repetition"
DETECTED, JUDGED, NUMBERS = "schemes: detect and judge", "schemes: judge, the scheme known", "schemes: judge a number"

PEERS = {
    "schemes: draw, base32-lib": (DRAWN, ratio_at_least(1)),
    "schemes: make a NOID, noid-mint": (NOIDS, None),
    "schemes: detect, idutils": (DETECTED, ratio_at_least(1)),
    "schemes: judge, the scheme known, idutils": (JUDGED, ratio_at_least(1)),
    "schemes: judge a number, python-stdnum": (NUMBERS, None),
}


def figures(_scratch: Path, effort: Effort) -> list[Figure]:
    """Measure."""
    told = []
    for name, taken in measured(_cases(), effort.rounds(51)).items():
        peer, goal = PEERS.get(name, (None, None))
        each = figure(name, "µs", taken)
        told.append(each.beside(peer, goal) if peer else each)
    return told


def _cases() -> list[Case]:
    entropy = SystemEntropy()
    template, key = noid.parse_template(".reedeedk", naan="99999"), entropy.token(16)
    numbers = range(200)
    known = [(scheme, text) for scheme, texts in BY_SCHEME.items() for text in texts]
    overlapping = [(scheme, text) for scheme, text in known if scheme in STDNUM]
    return [
        Case(DRAWN, lambda: crockford.group(lui.generate(entropy))),
        Case("schemes: draw, base32-lib", lambda: base32_lib.generate(length=10, split_every=4, checksum=True)),
        Case(NOIDS, lambda: [noid.nth(number, template, key) for number in numbers], len(numbers)),
        Case(
            "schemes: make a NOID, noid-mint",
            lambda: [mint(template=".reedeedk", naa="99999", n=random.randrange(10**6)) for _ in numbers],  # noqa: S311 - the peer's own way
            len(numbers),
        ),
        Case(DETECTED, lambda: [detect(text) for text in TEXTS], len(TEXTS)),
        Case(
            "schemes: detect, idutils",
            lambda: [idutils.detect_identifier_schemes(text) for text in TEXTS],
            len(TEXTS),
        ),
        _judging(JUDGED, [(OURS[scheme].is_valid, text) for scheme, text in known]),
        _judging(
            "schemes: judge, the scheme known, idutils",
            [(getattr(idutils, f"is_{scheme}"), text) for scheme, text in known],
        ),
        _judging(NUMBERS, [(OURS[scheme].is_valid, text) for scheme, text in overlapping]),
        _judging(
            "schemes: judge a number, python-stdnum", [(STDNUM[scheme].is_valid, text) for scheme, text in overlapping]
        ),
    ]


def _judging(name: str, judges: Sequence[tuple[Callable[[str], object], str]]) -> Case:
    """All judges find their text valid, or they would not do the same work."""
    refused = [text for judge, text in judges if not judge(text)]
    assert not refused, refused
    return Case(name, lambda: [judge(text) for judge, text in judges], len(judges))
