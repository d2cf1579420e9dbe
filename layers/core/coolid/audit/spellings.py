"""PIDs that are one identifier in two spellings: under two aliases of a repository, or as the same LUI, ARK or Handle.

A service has one canonical spelling of each PID. An operator who gives a PID again could log the second one under
another spelling. Which prefixes are aliases of which repository is in the log.

>>> identifier_of("2021/06/mp/TW0T-YWDJ-94", {"2021/06/mp": "r4k2"}), identifier_of("mp:tw0tywdj94", {"mp": "r4k2"})
(('r4k2', 'tw0tywdj94'), ('r4k2', 'tw0tywdj94'))
>>> identifier_of("ark:99999/fk4-x", {}), identifier_of("10.5072/A", {})
(('', 'ark:99999/fk4x'), ('', '10.5072/a'))
>>> identifier_of("linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c", {"lid": "r4k2", "linkid": "r4k2"})
('r4k2', '00c538ea846b47a6a3d470a9ebd29d7c')
"""

from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote

from coolid.audit.audit_database import AuditDatabase
from coolid.audit.entry_statements import NAMESPACE, PREFIX
from coolid.audit.findings import LOG, AuditFinding, Observation
from coolid.identifiers.schemes import ark, lui, uuid
from coolid.model.prefixes import BOUNDARIES, LINKID, ancestors, fold, has_handles

_PAGE: Final = 1000
_CHECKED: Final = "spelled"


def compare_spellings(database: AuditDatabase, issuer: str) -> None:
    """Add a finding for each PID that is an earlier one in another spelling. Only new PIDs are compared.

    If there is a new alias, all are compared again.
    """
    changes = database.changes(PREFIX)
    aliases = {each.name: each.target or "" for each in changes if each.kind == NAMESPACE}
    done, count = database.setting(_CHECKED, tuple[int, int]) or (0, 0)
    if count != len(aliases):
        done = 0
        database.remove_identifiers()
    while rows := database.pids(done, _PAGE):
        with database.transaction():
            for number, pid in rows:
                path = unquote(pid.removeprefix(f"{issuer}/"))
                other = database.add_identifier("\n".join(identifier_of(path, aliases)), number)
                if other != pid:
                    indexes = [database.versions(each)[0].index for each in (other, pid)]
                    finding = AuditFinding("respelled-pid", pid, f"it is {other} in another spelling", tuple(indexes))
                    database.add(Observation(finding), LOG)
            done = rows[-1][0]
            database.set(_CHECKED, (done, len(aliases)))


def identifier_of(path: str, aliases: Mapping[str, str]) -> tuple[str, str]:
    """Return the repository of a PID's decoded path, or an empty text, and the local part in one spelling."""
    name = fold(path)
    if name.startswith("ark:"):
        return "", ark.compact(path)
    if has_handles(name):
        return "", name
    found = [prefix for prefix in ancestors(name) if prefix in aliases]
    if not found:
        return "", path
    local = path[len(found[-1]) :].lstrip(BOUNDARIES)
    if found[-1] == LINKID:
        return aliases[LINKID], uuid.compact(local)  # as under `lid`
    symbols = len(lui.compact(local)) - lui.CHECK_DIGITS
    is_lui = symbols > 0 and lui.is_valid(local, symbols)
    return aliases[found[-1]], lui.compact(local) if is_lui else local
