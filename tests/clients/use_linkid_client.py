"""Resolve identifiers with the LinkID draft's own client: `use_linkid_client.py RESOLVER IDENTIFIER…`.

It prints a JSON line for each identifier: the data of a result, or the class, code and message of an error.
"""

import json
import sys

from linkid import LinkIdClient, LinkIdError, MetadataResolution

resolver, *identifiers = sys.argv[1:]
with LinkIdClient(resolver=resolver, retries=1) as client:
    for identifier in identifiers:
        try:
            resolution = client.resolve(identifier)
        except LinkIdError as error:
            code = error.code.name if error.code else None
            tombstone = getattr(error, "tombstone", None)
            outcome = {"kind": type(error).__name__, "code": code, "text": str(error), "tombstone": tombstone}
        else:
            assert isinstance(resolution, MetadataResolution)
            outcome = {"kind": "MetadataResolution", "id": resolution.link_id, "data": resolution.data}
        sys.stdout.write(json.dumps(outcome) + "\n")
