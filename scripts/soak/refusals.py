"""What is refused, and how: slips of the pen, addresses of nothing, changes that are not somebody's to make."""

from scripts.soak import expecting, spellings
from scripts.soak.messages import ask
from scripts.soak.visitor import Visitor
from scripts.soak.writing import RECORDS, asked

_CHECK = "0123456789"


def bad_reference(visitor: Visitor) -> None:
    """Request an impossible or unregistered identifier."""
    kept, owner, dice = visitor.one(), visitor.owner, visitor.dice
    foreign = visitor.foreign()
    match dice.randrange(6):
        case 0 | 1:
            path, status = f"/{owner.short}:{dice.choice(visitor.world.absent)}", 404
        case 2:
            wrong = dice.choice([digit for digit in _CHECK if digit != kept.lui[-1]])
            path, status = f"/{kept.namespace}:{kept.lui[:-1]}{wrong}", 400
        case 3:
            path, status = f"/nobody-{dice.getrandbits(32):x}:{dice.randrange(1000)}", 404
        case 4:
            path, status = f"/{kept.namespace}:{kept.lui}%zz{dice.getrandbits(16):x}", 400
        case _:
            path, status = f"/{foreign.prefix}:{spellings.number(foreign, dice)}?provider=nobody", 404
    visitor.tell("bad reference", ask("GET", path), expecting.refused(status))


def unwelcome(visitor: Visitor) -> None:
    """A request that is none."""
    kept, foreign, dice = visitor.one(), visitor.foreign(), visitor.dice
    match dice.randrange(5):
        case 0:
            request, status = ask("PUT", f"/{foreign.prefix}:{spellings.number(foreign, dice)}"), 405
        case 1:
            request, status = ask("GET", f"/{foreign.prefix}:{'1' * (2_049 + dice.randrange(100))}"), 414
        case 2:
            request, status = ask("GET", f"/{visitor.mine().path}?format=nonsense-{dice.getrandbits(16):x}"), 406
        case 3:
            request, status = ask("POST", "/api/v1/resolve", document={"ids": kept.lui}), 422
        case _:
            request, status = ask("GET", "/api/v1/parse"), 422
    visitor.tell("unwelcome", request, expecting.refused(status))


def refused_write(visitor: Visitor) -> None:
    """A mint that must not be."""
    wanted, key = asked(visitor), visitor.owner.key
    others = [owner for owner in visitor.world.owners if owner != visitor.owner]
    match visitor.dice.randrange(5):
        case 0:
            request, status = ask("POST", RECORDS, document=wanted), 401
        case 1 if others:
            theirs = visitor.dice.choice(others).short
            request, status = ask("POST", RECORDS, key=key, document={**wanted, "prefix": theirs}), 403
        case 2:
            request, status = ask("POST", RECORDS, key=key, document={**wanted, "uri": "javascript:alert(1)"}), 422
        case 3:
            taken = visitor.mine()
            request, status = ask("POST", RECORDS, key=key, document={**wanted, "id": taken.lui}), 409
        case _:
            request, status = ask("POST", RECORDS, key=key, document={**wanted, "colour": "red"}), 422
    visitor.tell("refused write", request, expecting.refused(status))
