"""The errors of data that came from a log, a witness or a file: malformed data, and proofs that prove nothing."""


class MalformedData(ValueError):
    """A note, checkpoint, proof, tile or policy does not follow its format. The message says where."""


class FailedProof(ValueError):
    """A well-formed proof or signature does not prove what it should."""
