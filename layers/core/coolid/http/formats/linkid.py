"""`application/linkid+json`: the complete document of the record, as the LinkID draft ("Metadata Format") defines it.

Only this form can be verified, because the signature covers all of it and the other forms contain less.
"""

from coolid.model.records import Record
from coolid.strict_json import dump


def write(record: Record) -> str:
    """Return the document as JSON."""
    return dump(record.to_document())
