"""Interprets the members of a minter of Noid, Nog or EZID: `template`, `oacounter`, `saclist`, `c0/value` and others.

Sources: Noid 0.424 (`dbcreate`, `init_counters`, `genid`, `hold`, `queue`); EZID, `impl/nog_bdb/minter.py` and
`impl/nog_sql/ezid_minter.py`, whose terms for the members are in their docstrings. A template of Noid is
`fk4.reedeedk`, beside a `naan`. One of Nog and EZID is `77913/r7{eedk}`, with `atlast` as the way in which it grows.

>>> members = {"template": "fk4.seedk", "mask": "seedk", "naan": "13030", "oacounter": "31", "oatop": "8410"}
>>> state = state_of(members)
>>> state.prefix, state.rules.template, state.next_names(1)
('ark:13030/fk4', '.seedk', ('0318',))
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.identifiers.rules.base import is_valid
from coolid.identifiers.rules.noid import PERL, NoidRules
from coolid.identifiers.rules.perl_order import order_of
from coolid.identifiers.rules.perl_state import Counter, CounterState, format_state
from coolid.identifiers.schemes import noid
from coolid.migration.minter_states.minter_state import MinterState, shoulder_of

_NOG: Final = re.compile(r"(.*)\{([a-z]+)\}")
_NOID: Final = re.compile(r"(.*)\.([rsz])([a-z]+)")
_NAAN: Final = re.compile("[0-9b-df-hj-km-np-tv-xz]{1,64}")
_SHADOW_ARK: Final = re.compile("[b-z][0-9]{4}")  # of a DOI: 10.5072 is b5072
_ANY_NAME: Final = "[!-~]+"
"""EZID lets clients choose any name under a shoulder, beside those that the minter makes."""
_COUNTER: Final = re.compile("c([0-9]{1,3})")

_WRAPS: Final = "the minter would begin again when all names are used; here it ends, because no name is used twice"
_HELD: Final = "names that the minter holds back or has queued are not minted here; create them with --id to use them"
_STORED: Final = "its counters do not follow from the number of its names, so they are stored with the rules"
_SHADOW: Final = "its NAAN is that of a shadow ARK of DOIs; coolid continues the ARKs"
_GERM: Final = "it has a germ, which coolid ignores as EZID does; compare the next names with care"


class _Form(Struct, frozen=True):
    """A template taken apart: the text before the mask, and what is needed to continue it."""

    label: str
    naan: str
    head: str
    generator: str
    mask: str
    check: str
    grows: int = 0
    extended: int = 0

    def rules(self) -> NoidRules:
        """Return the rules of a minter at its beginning. Raises `ValueError`."""
        shoulder = shoulder_of(self.head, self.naan)
        return NoidRules(
            template=f"{'' if shoulder else self.head}.{self.generator}{self.mask}{self.check}",
            naan=self.naan,
            shoulder=shoulder,
            grows=self.grows,
            label=self.label,
        )


def state_of(members: Mapping[str, str], reserved: Sequence[str] = ()) -> MinterState:
    """Return the state that the members describe; `reserved` are identifiers with their NAAN.

    Raises `ValueError` with the reason if they are inconsistent, or describe what cannot be continued.
    """
    text = members.get("template", "")
    if not text or text == "-":
        raise ValueError("it makes no names, it only binds elements to identifiers")
    is_nog = "{" in text
    form = _nog_form(members, text) if is_nog else _noid_form(members, text)
    drawn = _number(members, "oacounter")
    rules = form.rules()
    before, capacity = _extension(rules, form.extended)
    rules = replace(rules, first=before + drawn)
    warnings = _warnings(members, form)
    if form.generator == "r":
        found = _counters(members, drawn, capacity or 0)
        rules = replace(rules, sequence=PERL, counters=found)
        warnings += [_STORED] if found else []
    names = _names_under(rules, reserved)
    if is_nog and rules.shoulder:  # without one, other names would hide the shoulders of the NAAN
        rules = replace(rules, also=_ANY_NAME)
    return MinterState(
        program="EZID" if is_nog else "Noid",
        rules=rules,
        minted=_number(members, "basecount", 0) + drawn,
        reserved=names,
        warnings=(*warnings, *([_HELD] if names else [])),
    )


def _nog_form(members: Mapping[str, str], text: str) -> _Form:
    """Return the form of a template in braces. Its first mask is `origmask`."""
    found = _NOG.fullmatch(text)
    mask = members.get("mask", "")
    if not found or found[2] != mask or not re.fullmatch("[de]+k?", mask):
        raise ValueError(f"its template {text!a} and mask {mask!a} are not a text and d, e and perhaps k in braces")
    if members.get("type", "rand") != "rand":
        raise ValueError("it is sequential, as EZID's minters never are")
    label, head = (noid.LABEL, found[1][len(noid.LABEL) :]) if found[1].startswith(noid.LABEL) else ("", found[1])
    naan, slash, rest = head.partition("/")
    if not slash or not _NAAN.fullmatch(naan):
        raise ValueError(f"its template {text!a} does not begin with a NAAN; minters of DOIs are not continued")
    grows = re.fullmatch("add([0-9])", members.get("atlast", ""))
    added = int(grows[1]) if grows else 0
    body, check = mask.removesuffix("k"), mask[len(mask.removesuffix("k")) :]
    first = members.get("origmask", mask).removesuffix("k")
    times, left = divmod(len(body) - len(first), added) if added else (0, len(body) - len(first))
    if added > len(first) or left or times < 0 or first[:added] * times + first != body:
        times, first = 0, body
    return _Form(label, naan, rest, "r", first, check, added if added <= len(first) else 0, times)


def _noid_form(members: Mapping[str, str], text: str) -> _Form:
    """Return the form of a template with a dot."""
    found = _NOID.fullmatch(text)
    if not found or not re.fullmatch("[de]+k?", found[3]):
        raise ValueError(f"its template {text!a} is not a prefix, a dot, one of r, s and z, d and e, and perhaps k")
    naan = members.get("naan", "")
    if naan and not _NAAN.fullmatch(naan):
        raise ValueError(f"its NAAN {naan!a} is none")
    body = found[3].removesuffix("k")
    return _Form("", naan, found[1], found[2], body, found[3][len(body) :])


def _extension(rules: NoidRules, times: int) -> tuple[int, int | None]:
    """Return how many names the templates before the present one have, and how many that one has."""
    template = noid.parse_template(rules.template, rules.naan, rules.shoulder, rules.label)
    templates = noid.extensions(template, rules.grows)
    if times >= len(templates):
        raise ValueError("its template has grown beyond the length that a check character protects")
    return sum(each.capacity or 0 for each in templates[:times]), templates[times].capacity


def _counters(members: Mapping[str, str], drawn: int, capacity: int) -> str:
    """Return the counters as text if they do not follow from the number of names; else an empty text."""
    stop = _number(members, "oatop")
    active = []
    for name in members.get("saclist", "").split():
        found = _COUNTER.fullmatch(name)
        if not found:
            raise ValueError(f"its list of counters has {name!a}")
        active.append(Counter(int(found[1]), _number(members, f"{name}/value"), _number(members, f"{name}/top")))
    if len({each.index for each in active}) != len(active):
        raise ValueError("its list of counters names one twice")
    if drawn > stop or (drawn < stop and not active):
        raise ValueError(f"it has made {drawn} of {stop} names, and has {len(active)} counters left")
    state = CounterState(_number(members, "percounter"), drawn, stop, tuple(active))
    if stop == capacity and state == order_of(capacity).state_at(drawn):
        return ""
    return format_state(state)


def _warnings(members: Mapping[str, str], form: _Form) -> list[str]:
    """Return what continues differently than in the minter."""
    wraps = members.get("wrap", "0") not in ("", "0") or members.get("atlast") == "wrap"
    return [
        *([_WRAPS] if wraps and members.get("longterm", "0") in ("", "0") else []),
        *([_SHADOW] if _SHADOW_ARK.fullmatch(form.naan) else []),
        *([_GERM] if members.get("germ", "0") not in ("", "0") else []),
    ]


def _names_under(rules: NoidRules, reserved: Sequence[str]) -> tuple[str, ...]:
    """Return the names that the rules could mint, without NAAN and shoulder, of identifiers."""
    head = f"{rules.naan}/{rules.shoulder}" if rules.naan else ""
    names = (each[len(head) :] for each in reserved if each.startswith(head))
    return tuple(name for name in names if is_valid(rules, name))


def _number(members: Mapping[str, str], name: str, default: int | None = None) -> int:
    """Return a member as a number, at least 0. Raises `ValueError`."""
    text = members.get(name, "")
    if not text and default is not None:
        return default
    if not re.fullmatch("[0-9]{1,18}", text):
        raise ValueError(f"its {name} is {text!a}, not a number" if text else f"it has no {name}")
    return int(text)
