"""The integrity of a record, checked by a function that has no library for signatures."""

import json
import subprocess
import sys

from coolid.proofs.record_integrity import find_failure
from tests.support.builders.signed_documents import Key, document, with_other_form

KEY, OTHER = Key(1), Key(2)
RECORD = KEY.sign(document(metadata={"who": "Émile \U0001f600", "é": 1e21, "\U0001f600": 0.1, "\ue000": [1.0, -0.0]}))

PROGRAM = """
import json, sys
for name in ("cryptography", "joserfc", "rfc8785"):
    sys.modules[name] = None  # an import raises ImportError
from coolid.linkid.evidence import verify_result
from coolid.proofs.record_integrity import find_failure
record, key = json.load(sys.stdin)
assert find_failure(record, [key]) is None
print(find_failure({**record, "ttl": 1}, [key]).name)
"""


def test_a_record_is_whole_or_the_first_failure_is_returned() -> None:
    assert find_failure(RECORD, [OTHER.jwk, KEY.jwk]) is None
    assert find_failure(with_other_form(RECORD), [KEY.jwk]) is None
    failures = {
        "key": find_failure(RECORD, [OTHER.jwk]),
        "digest": find_failure({**RECORD, "ttl": 1}, [KEY.jwk]),
        "signature": find_failure({**RECORD, "proof": RECORD["proof"][:-8] + "AAAAAAAA"}, [KEY.jwk]),
        "proof": find_failure({**RECORD, "proof": None}, [KEY.jwk]),
        "identity": find_failure(KEY.sign(RECORD, version=2), [KEY.jwk]),
        "document": find_failure({}, [KEY.jwk]),
    }
    assert {name: failure and failure.name for name, failure in failures.items()} == {name: name for name in failures}


def test_no_library_for_signatures_is_needed() -> None:
    given = json.dumps([RECORD, KEY.jwk])
    done = subprocess.run([sys.executable, "-c", PROGRAM], input=given, capture_output=True, text=True, check=True)
    assert done.stdout == "digest\n"
