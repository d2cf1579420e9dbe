"""A short recording, for the tests: python -m tests.scripts.short_recording OUT"""

import sys
from pathlib import Path

from scripts.answers.recorder import record
from scripts.answers.session import RECORDS, Session

HERE = "https://content.example.org/here"


def section(session: Session) -> None:
    """Create, read and change a few things, and read them while the store fails."""
    with session.group("writes"):
        session.create_repository("demo", scheme="lui")
        session.create_repository("pilin", scheme="pilin")
        session.create_repository("named", scheme="chosen", rules={"pattern": "[a-z]+"})
        session.mint("demo", "thing", uri=HERE)
        session.mint("pilin", "counted", uri=HERE)
        session.mint("named", uri=HERE, id="one")
        session.admin("POST", f"{RECORDS}/batch", [{"prefix": "demo"}, {"prefix": "unknown"}, {"prefix": "pilin"}])
        session.create_client("mint:demo")
    with session.group("cancelled"):
        for identifier in ("one", "two", "two"):
            document = {"prefix": "named", "uri": HERE, "id": identifier}
            session.admin("POST", RECORDS, document, Idempotency_Key="a-key")
    with session.group("reads"):
        for query in ("", "format=linkid", "format=jws", "format=qr&style=png"):
            session.get(session.pids["thing"], query)
        session.get(session.pids["counted"], accept="text/html")
    with session.group("outage", continues=True):
        session.service.store.fails = True
        session.get(session.pids["thing"])
        session.get("/unknown:1")


if __name__ == "__main__":
    record(Path(sys.argv[1]), [section])
